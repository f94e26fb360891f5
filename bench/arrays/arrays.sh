#!/bin/sh
# Measures arrays on one node: libcwga, Debian's Global Arrays on our libarmci and on Debian's ARMCI-MPI, and loops by hand.
# Two programs take turns, TURNS times each; arrays.c explains why. Prints a table; fails if data was wrong.
#   arrays.sh FOLDER COMMAND...      FOLDER has the programs; COMMAND starts one on two processes
# ROUNDS, SECONDS_OF_TURN: arguments of each program, see arrays.c. ARMCI: runs only this program. PROGRAM=whole: runs whole.c,
# operations on whole arrays and on patches, without limits, on any number of processes.
set -eu
programs=${1:?usage: arrays.sh FOLDER COMMAND...}
shift
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ulimit -s unlimited 2>/dev/null || : # Global Arrays puts lists of elements on the stack

for turn in $(seq "${TURNS:-3}"); do
  for armci in ${ARMCI:-causeway debian}; do
    program=$programs/causeway-${PROGRAM:-arrays}-$armci
    [ -x "$program" ] || continue
    "$@" "$program" "${ROUNDS:-5}" "${SECONDS_OF_TURN:-0.002}" >"$folder/output" || {
      cat "$folder/output"
      echo "arrays.sh: $program failed" >&2
      exit 1
    }
    sed "s/^/$armci;$turn;/" "$folder/output" >>"$folder/all"
  done
done
awk -f "$here/arrays.awk" "$folder/all"
