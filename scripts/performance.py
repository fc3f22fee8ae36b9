#!/usr/bin/env python3
"""Measures qualm on synthetic stores of growing size and writes docs/performance.md.

    scripts/performance.py [--sizes 2000,100000,1000000] [--peers] [--work FOLDER]

Builds the program in release mode. Every command is measured as a whole
process: wall time, processor time and peak memory, the median of some runs. The growth is the exponent b of
time ~ size^b between the two largest sizes: 1 is linear, and a doubling of the size takes 2^b times as long.
`--peers` also runs `benches/peers/store.py` and `benches/peers/import.py`, which need polars, DuckDB, NumPy,
scikit-learn and orjson. Ten million trajectories need 6 GB of disk: `--sizes 2000,100000,1000000,10000000`.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CELLS, DRAWS = 20, 4
# Importing reads JSON of about 2.4 kB per trajectory, so larger inputs are left to whoever has them.
LARGEST_IMPORT = 100_000
# `qualm score` holds a row of memory per value.
LARGEST_SCORE = 1_000_000


def run(command, **options):
    """Wall seconds, processor seconds and peak megabytes of a process, and what it printed."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen([str(part) for part in command], stdout=printed, stderr=subprocess.PIPE, **options)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))}: {errors.decode()}")
        printed.seek(0)
        text = printed.read().decode()
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss / 1024}, text


def median(command, runs):
    """The run of a command with the median wall time."""
    all_runs = sorted((run(command)[0] for _ in range(runs)), key=lambda one: one["wall"])
    return all_runs[len(all_runs) // 2]


def build():
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    printed = subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True).stdout
    return pathlib.Path(json.loads(printed)["target_directory"]) / "release" / "qualm"


def results(path, trajectories):
    """Writes runs of twelve short turns in the format of tau2-bench."""
    call = {"id": "c", "name": "get_order_details", "arguments": {"order_id": "W1"}, "requestor": "assistant"}
    turn = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"role": "tool", "id": "c", "requestor": "assistant", "content": "{\"status\": \"shipped\"}", "error": False}
    messages = [{"role": "user", "content": "Where is my order?"}, *[turn, answer] * 11, {"role": "assistant", "content": "It is shipped."}]
    with open(path, "w") as file:
        file.write('{"simulations": [')
        for number in range(trajectories):
            task, trial = divmod(number, DRAWS)
            simulation = {"id": f"run-{number}", "task_id": str(task), "trial": trial, "messages": messages,
                          "termination_reason": "user_stop", "reward_info": {"reward": float(number % 3 > 0)}}
            file.write((", " if number else "") + json.dumps(simulation))
        file.write("]}")


def size_on_disk(path):
    return sum(file.stat().st_size for file in path.iterdir()) / 1e6


def explore(qualm, store, screen, keys, more=()):
    """Seconds to open a screen, the median of each of the keys, and the peak memory."""
    command = [qualm, "shot", store, "--timings", "--screen", screen, *more, "--keys", "".join(keys) * KEYS]
    used, text = run(command)
    times = json.loads(text)
    found = {key: statistics.median(times["keys"][index::len(keys)]) / 1e3 for index, key in enumerate(keys)}
    return {"open": times["open"] / 1e3, "slowest": max(times["keys"]) / 1e3, "mb": used["mb"], **found}


def measure(qualm, work, trajectories):
    store, found = work / f"{trajectories}.qualm", {}
    runs = 5 if trajectories <= 100_000 else 3
    say = lambda what: print(f"{trajectories:>12,}  {what}", file=sys.stderr)
    say("generating")
    tasks = max(1, trajectories // DRAWS // CELLS)
    found["generate"] = run([qualm, "demo", "--no-texts", "--tasks", tasks, "-o", store])[0]
    found["disk"] = size_on_disk(store)
    if trajectories <= LARGEST_IMPORT:
        say("import")
        results(work / "results.json", trajectories)
        found["import"] = run([qualm, "import", work / "results.json", "-o", work / "imported.qualm"])[0]
        shutil.rmtree(work / "imported.qualm")
        (work / "results.json").unlink()
    report = [qualm, "report", store, "--format", "csv"]
    points = [*report, "--resamples", "0"]
    for name, command in {
        "one": [*points, "--scorer", "lnsp.min"],
        "points": points,
        "intervals": report,
        "stuck": [*report, "--table", "stuck-tasks"],
        "judges": [*report, "--table", "judges"],
        "curves": [*report, "--table", "thresholds", "--scorer", "lnsp.min"],
        "versus": [*report, "--table", "versus", "--resamples", "100", "--baseline", "airline/gpt-4o-mini",
                   "--candidate", "airline/MiniMax-M3"],
    }.items():
        say(name)
        found[name] = median(command, runs)
    say("explorer")
    found["explorer"] = {
        screen: explore(qualm, store, screen, keys, more)
        for screen, (keys, more) in SCREENS.items()
    }
    if trajectories <= LARGEST_SCORE:
        say("score")
        copy = work / "copy.qualm"
        shutil.copytree(store, copy)
        found["score"] = run([qualm, "score", copy])[0]
        shutil.rmtree(copy)
    return found


def growth(sizes, times):
    """The exponent between the two largest sizes that have a time."""
    known = [(size, value) for size, value in zip(sizes, times) if value]
    if len(known) < 2:
        return "–"
    (small, first), (large, last) = known[-2:]
    return f"{math.log(last / first) / math.log(large / small):.2f}"


def seconds(value):
    return "–" if value is None else f"{value:.2f} s" if value >= 0.995 else f"{value * 1e3:.0f} ms" if value >= 0.0995 else f"{value * 1e3:.1f} ms"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


COMMANDS = {
    "generate": "`qualm demo --no-texts`",
    "import": "`qualm import` of tau2-bench files",
    "one": "`qualm report`, AUROC of one scorer in every cell",
    "points": "… of all scorers",
    "intervals": "… of all scorers with intervals, 1000 resamples",
    "stuck": "… `--table stuck-tasks`",
    "judges": "… `--table judges`",
    "curves": "… `--table thresholds`, one scorer",
    "versus": "… `--table versus`, 100 resamples",
    "score": "`qualm score`",
}

# The screens with the keys that are pressed there in turns: the next aggregator, another order, a filter and none.
SCREENS = {
    "grid": ("a", []),
    "tasks": ("aRx", ["--all-cells"]),
    "compare": ("a", []),
    "aggregators": ("a", []),
    "curves": ("a", []),
    "stuck": ("a", []),
    "judges": ("a", []),
    "versus": ("a", []),
}

# How often each key is pressed.
KEYS = 8

EXPLORER = [
    ("opening the Grid with all values", "grid", "open"),
    *((f"{screen.title()}, aggregator key", screen, "a") for screen in SCREENS),
    ("Grid, the slowest key: a row that was not computed yet", "grid", "slowest"),
    ("Tasks of all cells, order reversed", "tasks", "R"),
    ("Tasks of all cells, filter on and off", "tasks", "x"),
]


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.split()[1]
    return f"{os.cpu_count()} cores ({model}), Rust {rust}, Python {platform.python_version()}"


def page(sizes, all_found, peers):
    head = ["", *(f"{size:,}" for size in sizes), "growth"]
    rows, used, memory = [], [], []
    for key, name in COMMANDS.items():
        runs = [found.get(key) for found in all_found]
        walls = [one and one["wall"] for one in runs]
        rows.append([name, *map(seconds, walls), growth(sizes, walls)])
        cpus = [one and one["cpu"] for one in runs]
        used.append([name, *map(seconds, cpus), growth(sizes, cpus)])
        peaks = [one and one["mb"] for one in runs]
        memory.append([name, *("–" if peak is None else f"{peak:,.0f} MB" for peak in peaks), growth(sizes, peaks)])
    peaks = [max(screen["mb"] for screen in found["explorer"].values()) for found in all_found]
    memory.append(["the explorer, the largest of its screens", *(f"{peak:,.0f} MB" for peak in peaks), growth(sizes, peaks)])
    disk = [found["disk"] for found in all_found]
    memory.append(["the store on disk", *(f"{bytes:,.1f} MB" for bytes in disk), growth(sizes, disk)])
    screens = []
    for name, screen, key in EXPLORER:
        times = [found["explorer"][screen][key] for found in all_found]
        screens.append([name, *map(seconds, times), growth(sizes, times)])
    return "\n\n".join([
        "# Performance",
        "`scripts/performance.py` writes this page: synthetic stores of 20 cells with four draws per task and about 12 turns "
        "per trajectory (`qualm demo --no-texts --tasks N`). " + machine() + ". Columns are numbers of trajectories. The growth is "
        "the exponent b of time ~ size^b between the two largest sizes: 1 is linear, and a doubling takes 2^b times as "
        "long. [Benchmarks](benchmarks.md) has more, with what explains it.",
        "## Commands", "Wall times of whole processes, medians.", table(head, rows),
        "Processor times of the same runs, which other programs on the machine change less.", table(head, used),
        "## Memory and disk", "Peak resident memory.", table(head, memory),
        "## The explorer",
        f"`qualm shot --timings`: a key counts until everything that it asks for is drawn, the median of {KEYS}; intervals have one "
        "resample.", table(head, screens),
        *peers,
    ]) + "\n"


def peer_sections(qualm, work, sizes, inputs):
    python, parts = sys.executable, []
    store = work / f"{max(size for size in sizes if size <= 1_000_000)}.qualm"
    command = [python, ROOT / "benches/peers/store.py", "--json", "--qualm", qualm, store]
    found = json.loads(run(command)[1])
    rows = []
    for name, times in [("one scorer (`lnsp.min`)", found["one"]), ("all scorers", found["all"])]:
        for peer, value in times.items():
            if peer != "qualm":
                ours = times["qualm"]
                ratios = [f"{theirs / own:.2f}" for theirs, own in zip(value, ours)]
                rows.append([name, peer, seconds(ours[0]), seconds(value[0]), *ratios])
    for peer, value in found["in_memory"].items():
        rows.append(["one scorer, scores in memory", peer, "–", seconds(value[0]), "–", "–"])
    parts += [
        "## Beside other tools",
        f"`benches/peers/store.py` on the store of {int(store.stem):,} trajectories: AUROC in every cell, all programs in turns in one "
        "run. The time of qualm is that of its whole process. A ratio above 1 means that qualm is faster. DuckDB computes "
        f"{found['values']['DuckDB']} values of the {found['values']['qualm']}.",
        table(["question", "peer", "qualm", "peer's time", "ratio", "ratio of processor times"], rows),
    ]
    if inputs:
        text = run([python, ROOT / "benches/peers/import.py", "--qualm", qualm, *inputs])[1]
        parts += ["`benches/peers/import.py`:", f"```\n{text.strip()}\n```"]
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2000,100000,1000000", help="numbers of trajectories")
    parser.add_argument("--work", type=pathlib.Path, help="the folder for stores, which are kept there")
    parser.add_argument("--qualm", type=pathlib.Path, help="a program that is built already")
    parser.add_argument("--peers", action="store_true", help="also run other tools")
    parser.add_argument("--inputs", nargs="*", default=[], help="result files for the comparison of imports")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs/performance.md")
    args = parser.parse_args()
    sizes = sorted(int(size) for size in args.sizes.split(","))
    qualm = args.qualm or build()
    with tempfile.TemporaryDirectory() as home:
        work = args.work or pathlib.Path(home)
        work.mkdir(parents=True, exist_ok=True)
        found = [measure(qualm, work, size) for size in sizes]
        peers = peer_sections(qualm, work, sizes, args.inputs) if args.peers else []
    args.output.write_text(page(sizes, found, peers))


if __name__ == "__main__":
    main()
