#!/bin/sh
# repeat.sh TIMES COMMAND...: runs the command TIMES times, each with another CW_TEST_SEED. Prints the output of runs that
# fail, each with its seed, and their number. The exit status is 0 if there are none. The seeds follow the given CW_TEST_SEED,
# or the time.
set -eu
times=${1:?usage: repeat.sh TIMES COMMAND...}
shift
first=${CW_TEST_SEED:-$(date +%s)}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 130' INT TERM HUP
failed=0 run=0
while [ $run -lt "$times" ]; do
  seed=$((first + run)) run=$((run + 1)) status=0
  CW_TEST_SEED=$seed "$@" >"$output" 2>&1 || status=$?
  [ $status -ne 77 ] || { cat "$output"; exit 77; }
  [ $status -ne 0 ] || continue
  failed=$((failed + 1))
  echo "--- run $run with CW_TEST_SEED=$seed ended with status $status:"
  cat "$output"
done
echo "$failed of $times runs failed"
[ $failed -eq 0 ]
