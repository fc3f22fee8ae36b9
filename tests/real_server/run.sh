#!/usr/bin/env bash
# Scores a store against a real inference server (llama.cpp in the wheel xllamacpp) with a tiny random
# model. Usage: run.sh QUALM [PYTHON]. Without the wheels xllamacpp and gguf it says so and passes.
set -euo pipefail
cd "$(dirname "$0")"
qualm="$1"
python="${2:-python3}"

if ! "$python" -c 'import gguf, xllamacpp' 2> /dev/null; then
    echo "real_server: skipped, since $python has no xllamacpp and gguf (pip install xllamacpp gguf)"
    exit 0
fi

home="$(mktemp -d)"
server=
trap '[ -n "$server" ] && kill "$server" 2> /dev/null; rm -rf "$home"' EXIT
for name in CACHE STATE CONFIG DATA; do export "XDG_${name}_HOME=$home/$name"; done
"$python" tiny_model.py "$home/tiny.gguf"
mkfifo "$home/stdin"
"$python" serve.py "$home/tiny.gguf" < "$home/stdin" > "$home/address" 2> "$home/log" &
server=$!
exec 9> "$home/stdin"
for _ in $(seq 300); do
    url="$(grep -o 'http://[0-9.:]*' "$home/address" | head -1 || true)"
    [ -n "$url" ] && break
    kill -0 "$server" 2> /dev/null || { cat "$home/log"; exit 1; }
    sleep 0.1
done
[ -n "$url" ] || { echo "real_server: the server did not start"; exit 1; }

store="$home/s.qualm"
"$qualm" import ../data/tau2.json -o "$store" > "$home/import" 2>&1
score() { "$qualm" score "$store" --base-url "$url/v1" --timeout 60 --concurrency 2 --max-tokens 60 "$@"; }

# A grammar makes the words of a random model readable; its log-probabilities are those before it.
score --judge-model tiny --request \
    '{"grammar": "root ::= \"{\\\"equivalent\\\": true, \\\"confidence\\\": 0.\" [0-9] \"}\""}' | tee "$home/ter"
grep -Eq 'ter: [1-9][0-9]* verdicts? of the judge tiny' "$home/ter"
score --self-model tiny --scorers ptrue,vc --request '{"grammar": "root ::= \"TRUE\" | \"FALSE\""}' \
    --dry-run | tee "$home/dry"
grep -q 'calls\? to tiny' "$home/dry"
score --self-model tiny --scorers ptrue --top-logprobs 20 --request \
    '{"grammar": "root ::= \"TRUE\" | \"FALSE\""}' | tee "$home/ptrue"
grep -Eq 'ptrue: [1-9][0-9]* values?' "$home/ptrue"
score --self-model tiny --scorers vc --request \
    '{"grammar": "root ::= \"{\\\"guess\\\": \\\"Yes\\\", \\\"probability\\\": 0.\" [0-9] \"}\""}' | tee "$home/vc"
grep -Eq 'vc: [1-9][0-9]* values?' "$home/vc"
# Whatever a random model says is a message or a call.
score --self-model tiny --scorers prefix --repeats 2 | tee "$home/prefix"
grep -Eq 'prefix-name-mean: [1-9][0-9]* values?' "$home/prefix"
"$qualm" check "$store"
"$qualm" report "$store" --scorer ptrue --format json > "$home/report"
grep -q '"ptrue"' "$home/report"
echo "real_server: passed"
