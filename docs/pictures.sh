#!/usr/bin/env bash
# Draws the pictures of the README and of docs/explorer.md anew, from the demo store.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release
target="$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')"
qualm="$target/release/qualm"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
store="$work/demo.qualm"
"$qualm" demo -o "$store" > /dev/null

shot() {
    "$qualm" shot "$store" --size 120x36 -o "docs/$1.svg" "${@:2}"
}
shot grid --dataset telecom --model gpt-4o-mini
shot tasks --screen tasks --dataset airline --model gpt-oss-20b --select 'not success' --keys 'a'
shot compare --screen compare --dataset airline --model gpt-oss-20b --task 17 --keys 'wt'
shot stuck --screen stuck --dataset airline --model gpt-oss-20b
shot judges --screen judges --dataset airline --model gpt-oss-20b
shot versus --screen versus --dataset retail --model gpt-4o-mini --candidate gpt-oss-20b
shot aggregators --screen aggregators --dataset airline --model gpt-oss-20b --task 22 --theme light
