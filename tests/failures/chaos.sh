#!/bin/sh
# chaos.sh RUNS FOLDER [LAUNCHER... -n N]: runs the programs of chaos.list, which are in FOLDER, in turn, each time with another
# CW_TEST_SEED, by run.sh; CHAOS_LIST names other lists. Prints the output of runs that fail, each with its seed, and their
# number. The exit status is 0 if there are none. The seeds follow the given CW_TEST_SEED, or the time.
set -eu
usage='usage: chaos.sh RUNS FOLDER [LAUNCHER... -n N]'
runs=${1:?$usage} folder=${2:?$usage} launcher=
shift 2
for word; do
  [ "$word" != -n ] || break
  launcher="$launcher $word"
done
here=$(dirname "$0")
seed=${CW_TEST_SEED:-$(date +%s)}
output=$(mktemp) lines=$(mktemp)
trap 'rm -f "$output" "$lines"' EXIT
trap 'exit 130' INT TERM HUP
export CW_FAILURES=survive CW_TEST_SEED
for list in ${CHAOS_LIST:-chaos.list}; do
  cat "$here/$list"
done >"$lines"

failed=0 run=0
while [ $run -lt "$runs" ]; do
  while [ $run -lt "$runs" ] && read -r deaths processes program arguments; do
    case $deaths in '#' | '') continue ;; esac
    CW_TEST_SEED=$((seed + run)) run=$((run + 1)) status=0
    # shellcheck disable=SC2086 # lists of words
    sh "$here/run.sh" --deaths "$deaths" ${launcher:+$launcher -n} "$processes" "$folder/$program" $arguments \
      </dev/null >"$output" 2>&1 || status=$?
    [ $status -ne 77 ] || { cat "$output"; exit 77; }
    [ $status -ne 0 ] || continue
    failed=$((failed + 1))
    echo "--- CW_TEST_SEED=$CW_TEST_SEED: $processes $program $arguments ended with status $status:"
    cat "$output"
  done <"$lines"
done
echo "$failed of $runs runs failed"
[ $failed -eq 0 ]
