#!/bin/sh
# Lets every call of a writer fail once, or kills the writer there, and looks whether anything was lost.
# It needs strace and takes minutes: tests/faults.sh PATH-TO-QUALM [CALLS-OF-A-KIND]
set -u
qualm=$(realpath "$1")
most=${2:-1000}
data=$(cd "$(dirname "$0")/data" && pwd)
home=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX")
trap 'chmod -R u+w "$home"; rm -rf "$home"' EXIT
export HOME="$home" XDG_CACHE_HOME="$home/cache" XDG_STATE_HOME="$home/state" XDG_CONFIG_HOME="$home/config"
cd "$home" || exit 1

# A store with what a user may put into it.
mkdir template && cd template || exit 1
"$qualm" import "$data/tau2.json" "$data/tau2-logprobs-v0.json" -o s.qualm >/dev/null || exit 1
"$qualm" score s.qualm >/dev/null || exit 1
mkdir -p s.qualm/figures s.qualm/empty
echo precious >s.qualm/figures/paper.txt
chmod 555 s.qualm/empty
note='{"time":1,"author":"ada","dataset":"airline","model":"owl-7b","condition":"default","task":"0","note":"x"}'
echo "$note" >team.jsonl
ln -s ../team.jsonl s.qualm/annotations.jsonl
cd ..

faults=0 kills=0 lost=0 untrue=0 damaged=0
state() { sed '/"handover"/,/}/d' s.qualm/manifest.json | sha256sum; }

# attempt KIND CALL NUMBER ACTION COMMAND...: one writer with one fault; fails when there is no such call.
attempt() {
    call=$1 number=$2 action=$3
    shift 3
    rm -rf work && cp -a template work && cd work || exit 1
    before=$(state)
    strace -f -o ../trace -e trace="$call" -e inject="$call:$action:when=$number" "$qualm" "$@" >../out 2>&1
    code=$?
    if ! grep -q 'INJECTED\|killed by SIGKILL' ../trace; then
        cd .. && return 1
    fi
    case $action in signal*) kills=$((kills + 1)) ;; *) faults=$((faults + 1)) ;; esac
    where="$call $number $action: qualm $*"
    # An import may append which run the note is about.
    if [ "$(cat s.qualm/figures/paper.txt 2>&1)" != precious ] || [ ! -d s.qualm/empty ] ||
        [ ! -L s.qualm/annotations.jsonl ] || [ "$(head -n 1 team.jsonl)" != "$note" ]; then
        lost=$((lost + 1)) && echo "LOST: $where"
    fi
    if grep -q 'nothing was changed' ../out && [ "$(state)" != "$before" ]; then
        untrue=$((untrue + 1)) && echo "UNTRUE: $where"
    fi
    if [ $code = 0 ] && [ "$(state)" = "$before" ]; then
        untrue=$((untrue + 1)) && echo "NOT DONE: $where"
    fi
    "$qualm" check s.qualm >../checked 2>&1 || { damaged=$((damaged + 1)) && echo "DAMAGED: $where" && cat ../checked; }
    "$qualm" score s.qualm >../next 2>&1 || { damaged=$((damaged + 1)) && echo "STUCK: $where" && cat ../next; }
    if ls -A . s.qualm | grep -q 'draft\|\.lock'; then
        damaged=$((damaged + 1)) && echo "LEFT BEHIND: $where"
    fi
    cd ..
}

for call in rename mkdir unlink rmdir fsync fchmod flock ftruncate openat write; do
    for action in error=EIO error=ENOSPC signal=SIGKILL; do
        for command in "score s.qualm --span all" "import $data/tau1.json -o s.qualm"; do
            number=1
            # shellcheck disable=SC2086
            while [ "$number" -le "$most" ] && attempt "$call" "$number" "$action" $command; do
                number=$((number + 1))
            done
        done
    done
done
echo "$faults faults, $kills kills: $lost with a lost file, $untrue with an untrue message, $damaged with a damaged store"
[ $((lost + untrue + damaged)) = 0 ]
