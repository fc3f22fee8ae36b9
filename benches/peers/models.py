#!/usr/bin/env python3
"""Pairs per second of an NLI classifier: `qualm score --nli-model` against onnxruntime.

    pip install onnxruntime numpy tokenizers
    cargo build --release --features local-models
    python tests/models/fixtures.py --base bert bert-base
    benches/peers/models.py --qualm target/release/qualm --pairs 64 bert-base

The final messages have about 60 words each. Every round gets a fresh cache; what a second run with a full
cache takes on the same store (reading and writing the store) is subtracted, so that the first run's loading
and hashing of the model count. onnxruntime gets the same pairs in both directions, in batches of 16 sorted by
length; loading it does not count. The programs take turns, and medians of the rounds are printed. CPU seconds
are more reliable than wall time on a machine that does other things.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

WORDS = "your flight order refund is on its way cancelled changed the reservation phone plan done i could not".split()


def message(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(40, 80)))


def make_store(qualm, folder, pairs):
    """A store whose tasks have one reference and one sample, so one pair each."""
    rng = random.Random(15)
    runs, texts = [], []
    for task in range(pairs):
        both = [message(rng), message(rng)]
        texts.append(both)
        for trial, text in enumerate(both):
            runs.append({
                "id": f"{task}-{trial}", "task_id": str(task), "trial": trial, "reward_info": {"reward": 1},
                "messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": text}],
            })
    results = folder / "results.json"
    results.write_text(json.dumps({"simulations": runs}))
    subprocess.run([qualm, "import", results, "-o", folder / "s.qualm"], check=True, capture_output=True)
    return folder / "s.qualm", texts


def timed(qualm, store, model, threads, cache, more):
    """Wall and CPU seconds of scoring a copy of the store."""
    env = {**os.environ, "RAYON_NUM_THREADS": str(threads), "XDG_CACHE_HOME": str(cache)}
    copy = store.with_name("copy.qualm")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [qualm, "score", copy, "--scorers", "ncp", "--nli-model", model, *more]
    subprocess.run(command, check=True, env=env, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.perf_counter() - start, cpu


def peer(model, texts, threads):
    import numpy as np
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(model / "model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    rows = tokenizer.encode_batch([pair for a, b in texts for pair in ((a, b), (b, a))])
    rows.sort(key=lambda row: len(row.ids))
    names = [one.name for one in session.get_inputs()]
    start, before = time.perf_counter(), time.process_time()
    for at in range(0, len(rows), 16):
        part = rows[at : at + 16]
        length = max(len(row.ids) for row in part)
        padded = lambda values: np.array([list(value) + [0] * (length - len(value)) for value in values], dtype=np.int64)
        given = {
            "input_ids": padded([row.ids for row in part]),
            "attention_mask": padded([[1] * len(row.ids) for row in part]),
            "token_type_ids": padded([row.type_ids for row in part]),
        }
        session.run(None, {name: given[name] for name in names})
    return time.perf_counter() - start, time.process_time() - before


def rates(pairs, seconds):
    """Pairs per second of wall time and of CPU time, each the median of the rounds."""
    return [statistics.median(pairs / one for one in column) for column in zip(*seconds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--qualm", required=True)
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--onnxruntime", help="also measure qualm with this library of onnxruntime")
    args = parser.parse_args()
    runs = {"qualm, rten": []}
    if args.onnxruntime:
        runs["qualm, onnxruntime"] = ["--onnxruntime", args.onnxruntime]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        store, texts = make_store(args.qualm, folder, args.pairs)
        for threads in range(1, (os.cpu_count() or 1) + 1):
            seconds = {name: [] for name in [*runs, "onnxruntime from Python"]}
            cached = []
            for number in range(args.rounds):
                for name, more in runs.items():
                    cache = folder / f"cache-{threads}-{number}-{len(more)}"
                    whole = timed(args.qualm, store, args.model, threads, cache, more)
                    again = timed(args.qualm, store, args.model, threads, cache, more)
                    seconds[name].append([first - second for first, second in zip(whole, again)])
                    cached.append(again)
                seconds["onnxruntime from Python"].append(peer(args.model, texts, threads))
            for name, measured in seconds.items():
                wall, cpu = rates(args.pairs, measured)
                print(f"{threads} threads, {name}: {wall:.2f} pairs/s, {cpu:.2f} per CPU second")
            wall, cpu = [statistics.median(column) for column in zip(*cached)]
            print(f"{threads} threads, qualm with a full cache: {wall:.2f} s, {cpu:.2f} CPU s", flush=True)


if __name__ == "__main__":
    main()
