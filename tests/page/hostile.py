"""Adds what a hostile transcript would try to every text of tau2 results."""

import json
import sys

ATTACKS = (
    "</script><script>window.ran = 1; fetch('http://127.0.0.1:9/a')</script>"
    "</template></pre></style><img src=x onerror=\"window.ran = 2\"><svg onload=window.ran=3>"
    "<a href=\"javascript:window.ran=4\">link</a>\" onmouseover=\"window.ran=5\" '<!-- ]]>"
    "<iframe src=http://127.0.0.1:9/b></iframe><link rel=stylesheet href=http://127.0.0.1:9/c>"
    "<base href=http://127.0.0.1:9/><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/d'>"
    "\u2028\u2029&lt;b&gt;${window.ran=6}{{7*7}}"
)
SHOWN = {"content", "name", "llm", "domain_name", "termination_reason", "arguments", "id", "task_id"}


def poison(value):
    if isinstance(value, list):
        for item in value:
            poison(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key in SHOWN:
                # Calls and results still find each other, since every id gets the same.
                value[key] = inner + ATTACKS
            elif isinstance(inner, dict) and key == "arguments":
                inner["note"] = ATTACKS
            else:
                poison(inner)


with open(sys.argv[1], encoding="utf-8") as file:
    results = json.load(file)
poison(results)
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(results, file)
