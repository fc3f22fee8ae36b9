#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh virtual environment and runs the tests of the module there:
# dist/qualm-VERSION-….whl. Another profile than `dist` builds faster: scripts/wheel.sh [PROFILE]
set -euo pipefail
cd "$(dirname "$0")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/build"
"$work/build/bin/pip" install --quiet 'maturin>=1.9,<2'
"$work/build/bin/maturin" build --locked --profile "${1:-dist}" --out dist

python3 -m venv "$work/fresh"
wheel="$(ls -t dist/qualm-*.whl | head -1)"
"$work/fresh/bin/pip" install --quiet "$wheel" polars
# Away from the repository, so that the installed module is the one that is tested.
cp -r python/tests "$work/tests"
files="$PWD/tests/data"
(cd "$work" && QUALM_TEST_FILES="$files" "$work/fresh/bin/python" -m unittest discover -s tests -v)
echo "$wheel"
