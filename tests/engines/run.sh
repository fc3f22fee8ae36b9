#!/usr/bin/env bash
# Compares what engines make of the queries of `qualm sql` with qualm's own numbers, on the demo store
# and on a store without references. Usage: run.sh QUALM [PYTHON]. An engine that Python lacks is named
# and skipped.
set -euo pipefail
cd "$(dirname "$0")"
qualm="$1"
python="${2:-python3}"

if ! command -v "$python" > /dev/null; then
    echo "engines: skipped, since there is no $python"
    exit 0
fi
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
for name in CACHE STATE CONFIG DATA; do export "XDG_${name}_HOME=$home/$name"; done
"$qualm" demo -o "$home/demo.qualm" > /dev/null
"$python" runs.py write "$home/runs"
"$qualm" import "$home"/runs/*.jsonl -o "$home/odd.qualm" --map "$home/runs/mapping.toml" > /dev/null
cp -r "$home/odd.qualm" "$home/pooled.qualm"
"$python" runs.py pool "$home/pooled.qualm"
for engine in duckdb datafusion spark; do
    "$python" compare.py "$qualm" "$engine" "$home/demo.qualm" "$home/odd.qualm" "$home/pooled.qualm"
done
