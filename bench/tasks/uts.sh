#!/bin/sh
# Compares apps/uts, the Unbalanced Tree Search on pools of tasks, with bench/tasks/uts_polling.c, which uses messages, and
# with the sequential program, on 1 and 2 processes of a node and on two hosts. They take turns; times are medians.
#   uts.sh BUILD_DIR
#
# TREES='T1 T3'          which trees
# TURNS=5                turns of each
# INTERVALS='8 32 128 512'  nodes between two polls for messages; the peer has the best of them
# LAYOUTS='1 2 hosts'    where
set -eu
build=$(readlink -f "${1:?usage: uts.sh BUILD_DIR}")
here=$(dirname "$(readlink -f "$0")")
ours=$build/apps/uts/uts peer=$build/bench/causeway-uts-polling
for program in "$ours" "$peer"; do
  [ -x "$program" ] || { echo "uts.sh: no $program" >&2; exit 77; }
done
mpi=$(sed -n 's/^CW_MPI:STRING=//p' "$build/CMakeCache.txt")
trees=${TREES:-T1 T3} turns=${TURNS:-5} intervals=${INTERVALS:-8 32 128 512} layouts=${LAYOUTS:-1 2 hosts}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=mpiexec.$mpi
[ "$mpi" != openmpi ] || launch='mpiexec.openmpi --oversubscribe --bind-to none'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run LAYOUT FILE COMMAND...: adds the seconds that the program prints to the file
run() {
  on=$1 file=$folder/$2 code=0
  shift 2
  # shellcheck disable=SC2086 # a list of words
  case $on in
  hosts) timeout 300 sh "$here/../../tests/multinode/hosts.sh" "$mpi" 2 1 CW_ROUTE=server "$@" ;;
  *) timeout 300 $launch -n "$on" "$@" ;;
  esac >"$folder/output" 2>&1 || code=$?
  [ $code -ne 77 ] || return 77
  took=$(sed -n 's/.*; \([0-9.]*\) s,.*/\1/p' "$folder/output")
  if [ $code -ne 0 ] || [ -z "$took" ] || grep -q WRONG "$folder/output"; then
    cat "$folder/output" >&2
    echo "uts.sh: $* failed ($code)" >&2
    exit 1
  fi
  echo "$took" >>"$file"
}

median() { sort -n "$folder/$1" | awk '{ all[NR] = $1 } END { print all[int(NR / 2) + 1] }'; }

# Chooses the interval with which the peer is fastest, in two turns each.
best_interval() { # LAYOUT TREE
  for interval in $intervals; do
    rm -f "$folder/try"
    run "$1" try "$peer" "$2" "$interval" && run "$1" try "$peer" "$2" "$interval" || exit $?
    echo "$(sort -n "$folder/try" | head -n 1) $interval"
  done | sort -n | awk 'NR == 1 { print $2 }'
}

echo '| tree | where | sequential, s | pool, s | of sequential | times 1 process | polling, s | polls every | polling / pool |'
echo '|---|---|--:|--:|--:|--:|--:|--:|--:|'
for tree in $trees; do
  rm -f "$folder/pool-1"
  for layout in $layouts; do
    interval=64
    [ "$layout" = 1 ] || interval=$(best_interval "$layout" "$tree")
    [ -n "$interval" ] || { echo "| $tree | $layout: skipped | | | | | | | |"; continue; }
    rm -f "$folder/alone" "$folder/pool" "$folder/polling"
    for turn in $(seq "$turns"); do
      run 1 alone "$ours" "$tree" --sequential
      [ "$layout" = 1 ] || run 1 pool-1 "$ours" "$tree"
      run "$layout" pool "$ours" "$tree"
      run "$layout" polling "$peer" "$tree" "$interval"
    done
    [ "$layout" != 1 ] || cp "$folder/pool" "$folder/pool-1"
    case $layout in
    1) where='1 process' ;; hosts) where='2 hosts' ;; *) where="$layout processes" ;;
    esac
    awk -v tree="$tree" -v where="$where" -v alone="$(median alone)" -v one="$(median pool-1)" \
      -v pool="$(median pool)" -v polling="$(median polling)" -v interval="$interval" 'BEGIN {
      printf "| %s | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %d | %.3f |\n", tree, where, alone, pool, alone / pool,
             one / pool, polling, interval, polling / pool }'
    rm -f "$folder/pool-1"
  done
done
