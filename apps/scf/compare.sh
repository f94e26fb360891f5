#!/bin/sh
# Measures the same scf on libcwga, with tasks from a counter and from a pool, and on Debian's Global Arrays with our libarmci,
# in turns.
# Usage: apps/scf/compare.sh TIMES SCF SCF-GA COMMAND...    e.g. 3 build/mpich/apps/scf/scf ... mpiexec -n 2
# SCF_ARGUMENTS: arguments of all.
set -eu
times=$1 ours=$2 other=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds() {
  # shellcheck disable=SC2086 # a list of words
  "$@" $SCF_ARGUMENTS >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
  awk '$1 == "total" && $2 ~ /^[0-9.]+$/ { print $2 }' "$work/out"
}
round=0
while [ $((round += 1)) -le "$times" ]; do
  seconds "$@" "$ours" >>"$work/ours"
  seconds "$@" "$ours" --tasks pool >>"$work/pool"
  seconds "$@" "$other" >>"$work/other"
done
median() { sort -n "$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
awk -v a="$(median "$work/ours")" -v p="$(median "$work/pool")" -v b="$(median "$work/other")" -v n="$times" 'BEGIN {
  printf "seconds in all, median of %d runs in turns\n", n
  printf "  on libcwga, tasks from a counter               %8.3f\n", a
  printf "  on libcwga, tasks from a pool                  %8.3f\n", p
  printf "  on Debian'"'"'s Global Arrays and our libarmci     %8.3f\n", b
  printf "  ratio of the first to the last                 %8.3f\n", a / b
  printf "  ratio of pool to counter                       %8.3f\n", p / a }'
