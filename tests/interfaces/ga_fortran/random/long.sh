# Runs many seeds, each with many calls, on 1 to 4 processes. Usage: long.sh MPIEXEC PROGRAM
set -u
failed=0
for processes in 1 2 3 4; do
  for seed in 11 12 13 14 15 16 17 18; do
    # shellcheck disable=SC2086 # a command of several words
    $1 -n $processes "$2" $seed 500 >/dev/null </dev/null || { echo "$processes processes, seed $seed"; failed=1; }
  done
done
exit $failed
