#!/bin/sh
# dealt.sh VALUE "MPIEXEC..." PROGRAM...: runs programs that were written for blocks with CW_GA_DISTRIBUTION=VALUE, on 2 and on
# 4 processes. All must pass.
set -u
export CW_GA_DISTRIBUTION="$1"
mpiexec=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
for program; do
  for processes in 2 4; do
    # shellcheck disable=SC2086 # a command of several words
    $mpiexec -n $processes "$program" >"$output" 2>&1 && status=0 || status=$?
    [ "$status" -eq 0 ] && grep -q ': FAILED: [0-9]* checks' "$output" && status=1 # MPICH 4.2.1 (CwTests.cmake)
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || {
      tail -n 40 "$output"
      echo "FAILED: $program on $processes processes: status $status"
      failed=1
    }
    grep -q 'are lost: with' "$output" && echo "$program: stores without NGA_Release_update"
  done
done
exit $failed
