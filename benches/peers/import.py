#!/usr/bin/env python3
"""Importing result files with qualm against reading the same files with Python's json and zipfile.

    cargo build --release
    benches/peers/import.py --qualm target/release/qualm FILE_OR_FOLDER...

Both run in turns in the same process, so that a busy machine slows both. Prints the median wall and
processor times, their ratios, and the peak memory of qualm over the size of the largest file. `--grow MB`
does the same with one large input made of the given files, which is where memory matters: tau2 files,
BFCL's results with their scores, or the samples of Inspect logs. `--job KB` makes a Harbor job of that
size instead, whose trials have so many kilobytes, from the conversations of tau2 files; `--split KB` makes
tau2 files of so many kilobytes. JSON lines are read line by line with json.loads. Logs packed by zstd need
Python 3.14, or the package zipfile-zstd.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile

try:
    import zipfile_zstd  # noqa: F401, teaches zipfile the method
except ImportError:
    pass


def json_files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in sorted(os.walk(path)):
                yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".json", ".eval")))
        else:
            yield path


def is_lines(file):
    """Whether every line is a document, as in the files of BFCL."""
    return file.endswith(("_result.json", "_score.json", ".jsonl"))


def load_all(files):
    """Wall and processor time of parsing the files."""
    start, used = time.perf_counter(), time.process_time()
    for file in files:
        if file.endswith(".eval"):
            with zipfile.ZipFile(file) as archive:
                for name in archive.namelist():
                    json.loads(archive.read(name))
            continue
        with open(file, encoding="utf-8") as handle:
            if is_lines(file):
                for line in handle:
                    json.loads(line)
            else:
                json.load(handle)
    return time.perf_counter() - start, time.process_time() - used


def command(qualm, paths, folder):
    return [qualm, "import", *paths, "-o", os.path.join(folder, f"{uuid.uuid4()}.qualm")]


def import_all(qualm, paths, folder):
    """Wall and processor time of one import into a new store."""
    start, used = time.perf_counter(), processor_time_of_children()
    subprocess.run(command(qualm, paths, folder), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start, processor_time_of_children() - used


def processor_time_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# A child counts as large as its parent was before it became another program, so a small one asks.
ASK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak_memory(qualm, paths, folder):
    """Peak resident bytes of one import into a new store."""
    asked = subprocess.run([sys.executable, "-c", ASK, *command(qualm, paths, folder)], capture_output=True, check=True)
    return int(asked.stdout)


def simulations_of(files):
    """The simulations of tau2 files, and what the first one says about them."""
    simulations, info = [], None
    for file in files:
        with open(file, encoding="utf-8") as handle:
            document = json.load(handle)
        if isinstance(document, dict) and document.get("simulations"):
            info = info or document.get("info")
            simulations += document["simulations"]
    if not simulations:
        raise SystemExit("--grow, --job and --split need tau2 files with simulations")
    return simulations, info


def parts(items, megabytes, kilobytes):
    """Lists of items, each of about so many kilobytes as JSON, of so many megabytes together; items repeat."""
    part, size, written = [], 0, 0
    while written < megabytes * 1_000_000:
        for item in items:
            part.append(item)
            size += len(json.dumps(item))
            if size >= kilobytes * 1000:
                yield part
                part, size, written = [], 0, written + size


def split(files, megabytes, kilobytes, root):
    """tau2 files of about this size, from the simulations of others under new ids."""
    simulations, info = simulations_of(files)
    os.makedirs(root)
    for index, part in enumerate(parts(simulations, megabytes, kilobytes)):
        part = [simulation | {"id": str(uuid.uuid4()), "trial": index} for simulation in part]
        with open(os.path.join(root, f"{index}.json"), "w", encoding="utf-8") as handle:
            json.dump({"info": info, "tasks": [], "simulations": part}, handle)


def steps(messages):
    """The steps of a trajectory, from messages of tau2; a tool's answer goes to the step that called it."""
    found = []
    for message in messages:
        text = message.get("content") or ""
        if message["role"] == "tool":
            result = {"source_call_id": message.get("id"), "content": text}
            found[-1].setdefault("observation", {"results": []})["results"].append(result)
            continue
        is_agent = message["role"] == "assistant"
        step = {"source": "agent" if is_agent else "user", "message": text}
        step |= {"step_id": len(found) + 1, "timestamp": message.get("timestamp")}
        if is_agent and message.get("tool_calls"):
            step["tool_calls"] = [
                {"tool_call_id": call["id"], "function_name": call["name"], "arguments": call["arguments"]}
                for call in message["tool_calls"]
            ]
        if is_agent:
            usage = message.get("usage") or {}
            step["metrics"] = {"cost_usd": message.get("cost")} | {key: usage.get(key) for key in usage}
        found.append(step)
    return found


def grow_job(files, megabytes, kilobytes, root):
    """A Harbor job of about this size with trials of about this size, of conversations joined end to end."""
    conversations = [steps(run["messages"]) for run in simulations_of(files)[0] if run.get("messages")]
    os.makedirs(root)
    with open(os.path.join(root, "config.json"), "w", encoding="utf-8") as handle:
        json.dump({"datasets": [{"name": "grown"}]}, handle)
    for index, part in enumerate(parts(conversations, megabytes, kilobytes)):
        name = f"task-{index // 4}__{index}"
        trial = os.path.join(root, name)
        agent = {"name": "grown", "version": "1", "model_name": "a-model"}
        trajectory = {"schema_version": "ATIF-v1.6", "session_id": str(uuid.uuid4()), "agent": agent}
        trajectory["steps"] = [step for conversation in part for step in conversation]
        result = {"task_name": f"task-{index // 4}", "trial_name": name, "verifier_result": {"rewards": {"reward": index % 2}}}
        for path, document in (("agent/trajectory.json", trajectory), ("result.json", result), ("config.json", {})):
            path = os.path.join(trial, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as handle:
                json.dump(document, handle)


def grow(files, megabytes, path):
    """One tau2 file of about this size, from the simulations of others under new ids."""
    simulations, info = simulations_of(files)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write('{"info": ' + json.dumps(info) + ', "tasks": [], "simulations": [')
        written, separator = 0, ""
        while written < megabytes * 1_000_000:
            for simulation in simulations:
                simulation["id"] = str(uuid.uuid4())
                simulation["trial"] = written
                text = json.dumps(simulation)
                handle.write(separator + text)
                written, separator = written + len(text), ", "
        handle.write("]}")


def grow_lines(files, megabytes, root):
    """The tree of one BFCL model of about this size, from the runs and failures of others under new ids."""
    results = [file for file in files if file.endswith("_result.json")]
    paths = [os.path.join(root, kind, "m", f"BFCL_v4_multi_turn_base_{kind}.json") for kind in ("result", "score")]
    for path in paths:
        os.makedirs(os.path.dirname(path))
    runs, failures = [], {}
    for file in results:
        score = file.replace("/result/", "/score/").replace("_result.json", "_score.json")
        if os.path.exists(score):
            with open(score, encoding="utf-8") as handle:
                failures.update((record["id"], record) for record in map(json.loads, handle) if "id" in record)
            with open(file, encoding="utf-8") as handle:
                runs += map(json.loads, handle)
    if not runs:
        raise SystemExit("--grow needs result files with their score files")
    failed, count, written = [], 0, 0
    with open(paths[0], "w", encoding="utf-8") as handle:
        while written < megabytes * 1_000_000:
            for run in runs:
                task = f"multi_turn_base_{count}"
                lines = [json.dumps(run | {"id": task})]
                if run["id"] in failures:
                    failed.append(json.dumps(failures[run["id"]] | {"id": task}))
                    lines.append(failed[-1])
                handle.write(lines[0] + "\n")
                count, written = count + 1, written + sum(map(len, lines))
    with open(paths[1], "w", encoding="utf-8") as handle:
        counts = {"accuracy": 0, "correct_count": count - len(failed), "total_count": count}
        handle.write("\n".join([json.dumps(counts), *failed]) + "\n")


def grow_log(files, megabytes, path):
    """One Inspect log of about this size unpacked, from the samples of others under new ids."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as large:
        written = 0
        while written < megabytes * 1_000_000:
            for file in files:
                with zipfile.ZipFile(file) as archive:
                    names = archive.namelist()
                    if written == 0:
                        large.writestr("header.json", archive.read("header.json"))
                    for name in (name for name in names if name.startswith("samples/")):
                        sample = json.loads(archive.read(name))
                        sample.update(id=written, epoch=1, uuid=str(uuid.uuid4()))
                        text = json.dumps(sample)
                        large.writestr(f"samples/{written}_epoch_1.json", text)
                        written += len(text)


def median(pairs):
    return [statistics.median(times) for times in zip(*pairs)]


def measure(title, qualm, paths, rounds, folder):
    files = list(json_files(paths))
    sizes = [os.path.getsize(file) for file in files]
    load_all(files)
    import_all(qualm, paths, folder)
    loads, imports = [], []
    for _ in range(rounds):
        loads.append(load_all(files))
        imports.append(import_all(qualm, paths, folder))
    (load, load_cpu), (own, own_cpu) = median(loads), median(imports)
    ratio = statistics.median(own / load for (load, _), (own, _) in zip(loads, imports))
    peak = peak_memory(qualm, paths, folder)
    print(f"{title}: {len(files)} files, {sum(sizes) / 1e6:.1f} MB, largest {max(sizes) / 1e6:.1f} MB")
    print(f"  Python       {load:8.3f} s, {load_cpu:.3f} s of a processor")
    print(f"  qualm import {own:8.3f} s, {own_cpu:.3f} s of processors, {sum(sizes) / own / 1e6:.0f} MB/s")
    print(f"  of Python's  {own / load:8.2f} by the clock (median ratio of a round {ratio:.2f}), {own_cpu / load_cpu:.2f} of processors")
    print(f"  peak memory  {peak / 1e6:8.1f} MB, {peak / max(sizes):.2f} times the largest file")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qualm", required=True, help="the release program")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--grow", type=int, metavar="MB", help="measure one input of this size as well")
    parser.add_argument("--job", type=int, metavar="KB", help="the input is a Harbor job with trials of this size")
    parser.add_argument("--split", type=int, metavar="KB", help="the input is tau2 files of this size")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.job or args.split:
            made, megabytes = os.path.join(folder, "made"), args.grow or 20
            make = grow_job if args.job else split
            make(list(json_files(args.paths)), megabytes, args.job or args.split, made)
            measure("made", args.qualm, [made], args.rounds, folder)
            return
        measure("as they are", args.qualm, args.paths, args.rounds, folder)
        if args.grow:
            files = list(json_files(args.paths))
            lines = any(map(is_lines, files))
            logs = [file for file in files if file.endswith(".eval")]
            large = os.path.join(folder, "large.eval" if logs else "large" if lines else "large.json")
            enlarge = grow_log if logs else grow_lines if lines else grow
            enlarge(logs or files, args.grow, large)
            measure("one large file", args.qualm, [large], max(1, args.rounds // 3), folder)


if __name__ == "__main__":
    main()
