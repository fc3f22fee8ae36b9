#!/usr/bin/env bash
# Draws the pictures of the README and of docs/ anew, from the demo store: docs/pictures.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    qualm="$1"
else
    cargo build --release
    target="$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')"
    qualm="$target/release/qualm"
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
store="$work/demo.qualm"
"$qualm" demo -o "$store" > /dev/null

shot() {
    "$qualm" shot "$store" -o "docs/$1.svg" --size "${size:-120x36}" "${@:2}"
}
# The moving one: a confident failure, where it diverges, the weakest turn, its most uncertain token.
size=112x32 shot failure --screen tasks --dataset airline --model gpt-oss-20b --keys 'Fjj<Enter>dwtW' --animate
shot grid --dataset telecom --model gpt-4o-mini
shot tasks --screen tasks --dataset airline --model gpt-oss-20b --select 'not success' --keys 'a'
shot compare --screen compare --dataset airline --model gpt-oss-20b --task 17 --keys 'wt'
shot stuck --screen stuck --dataset airline --model gpt-oss-20b
shot judges --screen judges --dataset airline --model gpt-oss-20b
shot versus --screen versus --dataset retail --model gpt-4o-mini --candidate gpt-oss-20b
shot aggregators --screen aggregators --dataset airline --model gpt-oss-20b --task 22 --theme light
