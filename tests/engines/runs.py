"""Writes results with ties, gaps and odd names, and a mapping; `pool` says that every run of a store
counts, as where draws have no order."""

import json
import math
import random
import sys
from pathlib import Path

TOOLS = ["search", "book", "can'cel", "back\\slash", "say"]

MAPPING = """
[run]
task = "/task"
model = "/model"
dataset = "/dataset"
success = "/success"
draw = "/trial"
messages = "/messages"

[[message]]
role = "/role"
content = "/content"
tool_calls = "/tool_calls"
tool_call_id = "/tool_call_id"
logprobs = "/logprobs"
"""


def token(rng):
    p = rng.choice([0.5, 0.9, 0.99, rng.random()])
    rest = [(1 - p) * share for share in (0.7, 0.3)]
    top = sorted([p, *rest][: rng.choice([1, 2, 3])], reverse=True)
    alternatives = [{"token": str(i), "logprob": math.log(q)} for i, q in enumerate(top)]
    return {"token": "x", "logprob": math.log(p), "top_logprobs": alternatives}


def run(rng, task, trial):
    messages = [{"role": "user", "content": "begin"}]
    for _ in range(rng.choice([1, 2, 3, 5, 9])):
        tokens = [token(rng) for _ in range(rng.choice([1, 3, 8]))]
        message = {"role": "assistant", "content": "x" * len(tokens)}
        if rng.random() < 0.8:
            message["logprobs"] = tokens
        messages.append(message)
        if rng.random() < 0.7:
            call = {"id": "1", "type": "function", "function": {"name": rng.choice(TOOLS), "arguments": "{}"}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": "1", "content": "done"})
        messages.append({"role": "user", "content": "go on"})
    success = rng.choice([True, False, False, None]) if task % 7 == 0 else rng.random() < 0.4
    return {"task": f"it's {task}", "trial": trial, "success": success, "messages": messages}


def write(folder):
    folder.mkdir(parents=True)
    rng = random.Random(1)
    (folder / "mapping.toml").write_text(MAPPING)
    for model in ("a", "b'c"):
        runs = [run(rng, task, trial) for task in range(30) for trial in range(rng.choice([1, 2, 4]))]
        rng.shuffle(runs)
        lines = [json.dumps({**line, "model": model, "dataset": "back\\slash"}) for line in runs]
        (folder / f"{model[0]}.jsonl").write_text("\n".join(lines) + "\n")


def pool(store):
    path = store / "manifest.json"
    manifest = json.loads(path.read_text())
    cells = [{name: cell[name] for name in ("dataset", "model", "condition")} for cell in manifest["cells"]]
    manifest["pooled"] = cells[1:]
    for cell in manifest["cells"][1:]:
        cell["pooled"] = True
        cell["references_labelled"] = cell["labelled"]
        cell["reference_successes"] = cell["successes"]
    path.write_text(json.dumps(manifest))


{"write": write, "pool": pool}[sys.argv[1]](Path(sys.argv[2]))
