#!/usr/bin/env bash
# Builds the program for this kind of machine as it is released, and packs it with its manual pages and
# completions: dist/qualm-VERSION-TARGET.tar.gz. Another profile than `dist` builds faster:
# scripts/release.sh [PROFILE]
set -euo pipefail
cd "$(dirname "$0")/.."

profile="${1:-dist}"
target="$(rustc -vV | sed -n 's/^host: //p')"
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"
name="qualm-$version-$target"
cargo build --locked --profile "$profile" --features figures,local-models,remote
folder="$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')"
program="$folder/$profile/qualm"

rm -rf "dist/$name"
mkdir -p "dist/$name/completions"
cp "$program" README.md LICENSE CHANGELOG.md "dist/$name/"
# That of the font in the program.
cp assets/fonts/LICENSE "dist/$name/LICENSE-font"
"$program" man "dist/$name/man"
for shell in bash zsh fish powershell; do
    "$program" completions "$shell" > "dist/$name/completions/qualm.$shell"
done
tar -C dist -czf "dist/$name.tar.gz" "$name"

# The packed program runs away from the repository.
check="$(mktemp -d)"
trap 'rm -rf "$check"' EXIT
tar -C "$check" -xzf "dist/$name.tar.gz"
(cd "$check/$name" && ./qualm --version && ./qualm help scoring > /dev/null && ./qualm formats > /dev/null)
echo "dist/$name.tar.gz"
