#!/bin/sh
# Runs the program protected many times. Each time one process fails at another step, or after another time, and each third
# time a second process fails during the recovery.
#
#   protected.sh RUNS RUN_SH LAUNCHER... -n N PROGRAM
#
# Steps are spread over all steps that a process makes; RUNS=0 tries each of them on each process. To run it by hand:
#   sh tests/failures/protected.sh 1000 tests/failures/run.sh mpiexec.mpich -n 4 build/mpich/tests/failures/failures_protected
set -eu
runs=$1 run_sh=$2
shift 2
number=
for word; do
  [ "${last:-}" != -n ] || number=$word
  last=$word
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# try DEATHS ARGUMENTS...: runs the program. Its output is shown if it is wrong.
try() {
  deaths=$1
  shift
  sh "$run_sh" --deaths "$deaths" "$@" >"$log" 2>&1 || { cat "$log"; echo "FAILED: CW_TEST_SEED=$CW_TEST_SEED $*"; exit 1; }
}

: "${CW_TEST_SEED:=$(date +%s)}"
export CW_FAILURES=survive CW_TEST_SEED
try 0 "$@" steps 0 0
steps=$(sed -n 's/.*right, \([0-9]*\) steps, .*/\1/p' "$log" | sort -n | tail -n 1)
time=$(sed -n 's/.* steps, \([0-9]*\) us$/\1/p' "$log" | sort -n | tail -n 1)
[ "$steps" -gt 100 ] || { echo "FAILED: only $steps steps"; exit 1; }
all=$((runs == 0))
[ $all -eq 0 ] || runs=$((steps * number))
run=0
while [ $run -lt "$runs" ]; do
  if [ $all -eq 1 ]; then
    step=$((run / number + 1)) victim=$((run % number))
  else
    CW_TEST_SEED=$((CW_TEST_SEED + 1))
    step=$((steps * run / runs + CW_TEST_SEED % (steps / runs + 1) + 1)) victim=$((CW_TEST_SEED % number))
  fi
  case $((run % 3)) in
  0) try 0-1 "$@" steps $victim $step ;;
  1) try 0-2 "$@" steps $victim $step $(((victim + 1) % number)) $((CW_TEST_SEED * 7 % 90 + 1)) ;;
  2) if [ $all -eq 1 ]; then try 0-1 "$@" steps $victim $step; else try 0-1 "$@" time $victim $((CW_TEST_SEED * 7919 % time + 1)); fi ;;
  esac
  run=$((run + 1))
done
echo "$runs runs of $steps steps are right"
