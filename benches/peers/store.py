#!/usr/bin/env python3
"""Questions to a store: qualm against polars, DuckDB, presorted NumPy and scikit-learn on the same Parquet.

    pip install numpy polars duckdb scikit-learn
    cargo build --release && target/release/qualm demo --no-texts --tasks 12500 -o million.qualm
    benches/peers/store.py --qualm target/release/qualm million.qualm

Two questions: AUROC of one scorer (`lnsp.min`) in every cell, and AUROC of all scorers in every cell. For the
second, DuckDB computes only those that are a line of SQL: turn scores under six aggregators, counts, `ter` and
stored values; qualm also computes propagation and the agreement of actions. The programs take turns in
every round, and values are compared. The time of qualm is that of its whole process; the others have loaded
their libraries before. Prints medians of wall and processor time with
their ratios to qualm's, as one JSON object with --json. On a machine that does other things, processor time is
more reliable.
"""

import argparse
import json
import resource
import statistics
import subprocess
import time

import duckdb
import numpy as np
import polars as pl

CELL = ["dataset", "model", "condition"]


def qualm_values(program, store, scorer=None):
    command = [program, "report", store, "--resamples", "0", "--format", "json"]
    command += ["--scorer", scorer] if scorer else []
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return {(*(row[name] for name in CELL), row["scorer"], row["aggregator"]): row["value"] for row in rows}


def polars_one(store):
    runs = pl.scan_parquet(f"{store}/trajectories.parquet").filter(pl.col("draw") == 0, pl.col("success").is_not_null())
    turns = pl.scan_parquet(f"{store}/turns.parquet").group_by("trajectory").agg(pl.col("lnsp").min().alias("score"))
    scored = runs.select("trajectory", "success", *CELL).join(turns, on="trajectory").drop_nulls("score")
    rank = pl.col("score").rank("average").over(CELL)
    hits, misses = pl.col("success").sum(), (~pl.col("success")).sum()
    area = (pl.col("rank").filter(pl.col("success")).sum() - hits * (hits + 1) / 2) / (hits * misses)
    areas = scored.with_columns(rank=rank).group_by(CELL).agg(area=area).collect()
    return {(*row[:3], "lnsp", "min"): row[3] for row in areas.iter_rows()}


AREA = """
SELECT dataset, model, condition, scorer, aggregator,
    (sum(place) FILTER (success) - count(*) FILTER (success) * (count(*) FILTER (success) + 1) / 2)
    / (count(*) FILTER (success) * count(*) FILTER (NOT success)) AS area
FROM (SELECT *, rank() OVER cell + (count(*) OVER tied - 1) / 2.0 AS place FROM scored WHERE score IS NOT NULL
      WINDOW cell AS (PARTITION BY dataset, model, condition, scorer, aggregator ORDER BY score),
             tied AS (PARTITION BY dataset, model, condition, scorer, aggregator, score))
GROUP BY ALL"""


def duckdb_one(store):
    query = f"""
    WITH runs AS (SELECT trajectory, dataset, model, condition, success FROM '{store}/trajectories.parquet'
                  WHERE draw = 0 AND success IS NOT NULL),
    lows AS (SELECT trajectory, min(lnsp) AS score FROM '{store}/turns.parquet' GROUP BY trajectory),
    scored AS (SELECT runs.*, 'lnsp' AS scorer, 'min' AS aggregator, score FROM runs JOIN lows USING (trajectory))
    {AREA}"""
    return {tuple(row[:5]): row[5] for row in duckdb.sql(query).fetchall()}


def duckdb_all(store):
    rules = []
    for base in ["sp_log", "lnsp", "atn", "pm"]:
        third = f"greatest(1, ceil(len({base}s) / 3.0))::BIGINT"
        value = f"list_transform({base}s, lambda x: exp(x))" if base == "sp_log" else f"{base}s"
        rules += [
            f"{base}s[1] AS {base}_first", f"{base}s[-1] AS {base}_last", f"list_min({base}s) AS {base}_min",
            f"list_avg({value}) AS {base}_mean", f"list_avg({value}[:{third}]) AS {base}_early",
            f"list_avg({value}[-{third}:]) AS {base}_late",
        ]
    lists = ", ".join(f"list({base} ORDER BY turn) AS {base}s" for base in ["sp_log", "lnsp", "atn", "pm"])
    query = f"""
    WITH runs AS (SELECT trajectory, dataset, model, condition, task, success, turns, tools
                  FROM '{store}/trajectories.parquet' WHERE draw = 0 AND success IS NOT NULL),
    per_run AS (SELECT trajectory, {lists} FROM '{store}/turns.parquet' JOIN runs USING (trajectory)
                WHERE lnsp IS NOT NULL GROUP BY trajectory),
    wide AS (SELECT trajectory, {", ".join(rules)} FROM per_run),
    long AS (UNPIVOT wide ON COLUMNS(* EXCLUDE trajectory) INTO NAME name VALUE score),
    counted AS (SELECT *, -turns::DOUBLE AS t, -tools::DOUBLE AS c FROM runs),
    judged AS (SELECT dataset, model, condition, task, avg(equivalent::INT) AS score FROM '{store}/judgments.parquet'
               WHERE judge = (SELECT judge FROM '{store}/judgments.parquet' LIMIT 1) GROUP BY ALL),
    scored AS (
        SELECT dataset, model, condition, success, name AS scorer, '' AS aggregator, score
        FROM runs JOIN long USING (trajectory)
        UNION ALL SELECT dataset, model, condition, success, 'turns', '', t FROM counted
        UNION ALL SELECT dataset, model, condition, success, 'tools', '', c FROM counted
        UNION ALL SELECT dataset, model, condition, success, 'ter', '', score
        FROM runs JOIN judged USING (dataset, model, condition, task)
        UNION ALL SELECT runs.dataset, runs.model, runs.condition, success, scorer, '', value
        FROM runs JOIN '{store}/scores.parquet' AS s USING (dataset, model, condition, task) WHERE s.draw = 0)
    {AREA}"""
    return {tuple(row[:5]): row[5] for row in duckdb.sql(query).fetchall()}


def arrays(store):
    """Scores and labels of the one scorer by cell, in memory."""
    runs = pl.scan_parquet(f"{store}/trajectories.parquet").filter(pl.col("draw") == 0, pl.col("success").is_not_null())
    turns = pl.scan_parquet(f"{store}/turns.parquet").group_by("trajectory").agg(pl.col("lnsp").min().alias("score"))
    scored = runs.select("trajectory", "success", *CELL).join(turns, on="trajectory").drop_nulls("score").collect()
    return [(part["score"].to_numpy(), part["success"].to_numpy()) for part in scored.partition_by(CELL)]


def with_numpy(cells):
    """AUROC of every cell from one sort."""
    for scores, labels in cells:
        order = np.argsort(scores, kind="stable")
        ranked = scores[order]
        starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        counts = np.diff(np.r_[starts, len(ranked)])
        places = np.repeat(starts + (counts + 1) / 2, counts)
        hits = labels[order]
        (places[hits].sum() - hits.sum() * (hits.sum() + 1) / 2) / (hits.sum() * (~hits).sum())


def with_sklearn(cells):
    from sklearn.metrics import roc_auc_score

    for scores, labels in cells:
        roc_auc_score(labels, scores)


def processor_time():
    """Processor seconds of this process and of those that it ran."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def timed(work):
    start, used = time.perf_counter(), processor_time()
    value = work()
    return (time.perf_counter() - start, processor_time() - used), value


def rounds(works, count):
    """The median wall and processor seconds of every work, all of them in every round, and their last values."""
    times, values = {name: [] for name in works}, {}
    for _ in range(count):
        for name, work in works.items():
            seconds, values[name] = timed(work)
            times[name].append(seconds)
    return {name: [statistics.median(column) for column in zip(*runs)] for name, runs in times.items()}, values


def compare(ours, theirs, name):
    worst = max((abs(ours[key] - value) for key, value in theirs.items()), default=None)
    assert theirs and set(theirs) <= set(ours) and worst < 1e-9, (name, worst)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qualm", required=True, help="the release program")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("store")
    args = parser.parse_args()
    store = args.store
    one, values = rounds({
        "qualm": lambda: qualm_values(args.qualm, store, "lnsp.min"),
        "polars": lambda: polars_one(store),
        "DuckDB": lambda: duckdb_one(store),
    }, args.rounds)
    compare(values["qualm"], values["polars"], "polars")
    compare(values["qualm"], values["DuckDB"], "DuckDB")
    every, values = rounds({
        "qualm": lambda: qualm_values(args.qualm, store),
        "DuckDB": lambda: duckdb_all(store),
    }, max(1, args.rounds // 2))
    counts = {name: len(found) for name, found in values.items()}
    cells = arrays(store)
    memory, _ = rounds({"NumPy": lambda: with_numpy(cells), "scikit-learn": lambda: with_sklearn(cells)}, 3)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if args.json:
        print(json.dumps({"one": one, "all": every, "values": counts, "in_memory": memory, "peak_mb": peak}))
        return
    for title, times in [("one scorer", one), (f"all scorers, values {counts}", every)]:
        print(title)
        ours = times["qualm"]
        for name, (wall, cpu) in times.items():
            ratios = f"{wall / ours[0]:6.2f} and {cpu / ours[1]:6.2f} times qualm's"
            print(f"  {name:10} {wall:8.3f} s, processor {cpu:8.3f} s, {ratios}")
    print("one scorer, scores in memory already")
    for name, (wall, cpu) in memory.items():
        print(f"  {name:12} {wall:8.3f} s, processor {cpu:8.3f} s")
    print(f"peak memory of qualm {peak:.0f} MB")


if __name__ == "__main__":
    main()
