#!/usr/bin/env bash
# Opens pages of `qualm html` in headless Chromium and uses them. Usage: run.sh QUALM [FOLDER], where
# FOLDER gets pictures. Without Chromium, its driver and Python it says so and passes.
set -euo pipefail
qualm="$(realpath "$1")"
pictures="${2:-}"
[ -n "$pictures" ] && pictures="$(realpath -m "$pictures")"
cd "$(dirname "$0")"

chromium="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
for needed in "$chromium" chromedriver python3; do
    if [ -z "$needed" ] || ! command -v "$needed" > /dev/null; then
        echo "page: skipped, since Chromium, chromedriver and python3 are not all installed"
        exit 0
    fi
done

home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
for name in CACHE STATE CONFIG DATA; do export "XDG_${name}_HOME=$home/$name"; done
"$qualm" demo -o "$home/demo.qualm" --tasks 12 > /dev/null
"$qualm" html "$home/demo.qualm" -o "$home/demo.html" --title 'Demo <b>page</b>' --metric auroc --metric ece
python3 hostile.py ../data/tau2.json "$home/hostile.json"
"$qualm" html "$home/hostile.json" -o "$home/hostile.html"
python3 check.py "$chromium" "$home" "$pictures"
echo "page: passed"
