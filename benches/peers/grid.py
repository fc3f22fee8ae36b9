#!/usr/bin/env python3
"""The whole grid with intervals: qualm against scikit-learn and against presorted NumPy.

    pip install numpy scikit-learn
    cargo build --release && target/release/qualm demo -o demo.qualm
    benches/peers/grid.py --qualm target/release/qualm demo.qualm

All three compute AUROC with 1000 task-level resamples for every scorer and cell of the same store, in
the same run. scikit-learn is measured on a few resamples of every scorer and cell and scaled up,
since the whole would take minutes; the NumPy version is what a careful notebook does: sort once,
then all resamples as one matrix.
"""

import argparse
import json
import subprocess
import time

import numpy as np
from sklearn.metrics import roc_auc_score

RESAMPLES = 1000


def arrays(qualm, store):
    """Scores and labels by cell and scorer, as qualm reports them."""
    text = subprocess.run(
        [qualm, "report", store, "--table", "tasks", "--format", "json"], capture_output=True, check=True
    ).stdout
    cells = {}
    for row in json.loads(text):
        if row["success"] is None or row["value"] is None:
            continue
        cell = cells.setdefault((row["dataset"], row["model"], row["condition"]), {})
        scores, labels = cell.setdefault((row["scorer"], row["aggregator"]), ([], []))
        scores.append(row["value"])
        labels.append(row["success"])
    return {
        cell: {name: (np.array(scores), np.array(labels)) for name, (scores, labels) in own.items()}
        for cell, own in cells.items()
    }


def with_sklearn(cells, resamples, rng):
    start = time.perf_counter()
    calls = 0
    for scorers in cells.values():
        for scores, labels in scorers.values():
            for _ in range(resamples):
                drawn = rng.integers(0, len(scores), len(scores))
                picked = labels[drawn]
                if picked.any() and not picked.all():
                    roc_auc_score(picked, scores[drawn])
                calls += 1
    return (time.perf_counter() - start) / calls * RESAMPLES * sum(map(len, cells.values()))


def with_numpy(cells, rng):
    """One matrix of task weights a cell; every scorer sorts once and walks all resamples at once."""
    start = time.perf_counter()
    values = {}
    for cell, scorers in cells.items():
        tasks = max(len(scores) for scores, _ in scorers.values())
        weights = rng.multinomial(tasks, np.full(tasks, 1 / tasks), size=RESAMPLES).astype(np.float32)
        for name, (scores, labels) in scorers.items():
            order = np.argsort(-scores, kind="stable")
            ranked = scores[order]
            starts = np.flatnonzero(np.r_[True, np.diff(ranked) != 0])
            drawn = weights[:, : len(scores)][:, order]
            hits = np.add.reduceat(drawn * labels[order], starts, axis=1)
            misses = np.add.reduceat(drawn * ~labels[order], starts, axis=1)
            below = misses.sum(axis=1, keepdims=True) - misses.cumsum(axis=1)
            with np.errstate(invalid="ignore", divide="ignore"):
                area = (hits * (below + misses / 2)).sum(axis=1) / (hits.sum(axis=1) * misses.sum(axis=1))
            values[cell, name] = np.nanpercentile(area, [2.5, 97.5])
    return time.perf_counter() - start, values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qualm", required=True, help="the release program")
    parser.add_argument("--sklearn-resamples", type=int, default=3)
    parser.add_argument("store")
    args = parser.parse_args()
    cells = arrays(args.qualm, args.store)
    rng = np.random.default_rng(0)
    bench = ["cargo", "bench", "--quiet", "--bench", "engine", "--", args.store]
    subprocess.run([*bench[:-2], "--no-run"], check=True)
    ours = json.loads(subprocess.run(bench, capture_output=True, check=True).stdout)
    sklearn = with_sklearn(cells, args.sklearn_resamples, rng)
    with_numpy(cells, rng)
    numpy = sorted(with_numpy(cells, rng)[0] for _ in range(3))[1]
    again = json.loads(subprocess.run(bench, capture_output=True, check=True).stdout)
    own = (ours["grid_intervals"] + again["grid_intervals"]) / 2
    print(f"grid of {ours['scorers']} scorers × {ours['cells']} cells × {RESAMPLES} resamples, AUROC with intervals")
    print(f"  qualm              {own * 1e3:10.1f} ms")
    print(f"  presorted NumPy    {numpy * 1e3:10.1f} ms   {numpy / own:8.0f} times as long")
    print(f"  scikit-learn loop  {sklearn * 1e3:10.1f} ms   {sklearn / own:8.0f} times as long")
    for name, value in again.items():
        print(f"  {name:28} {value if isinstance(value, int) else f'{value * 1e3:.2f} ms'}")


if __name__ == "__main__":
    main()
