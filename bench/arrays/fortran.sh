#!/bin/sh
# Measures calls of Fortran programs on one process, on libcwga and on Debian's Global Arrays (which has its own ARMCI). The
# two programs take turns, TURNS times each. Prints a table of medians.
#   fortran.sh FOLDER COMMAND...      FOLDER has the programs; COMMAND starts one process
# ROUNDS, SECONDS_OF_TURN: arguments of each program, see fortran.c. TMPDIR: the folder of the files, by default /dev/shm.
set -eu
programs=${1:?usage: fortran.sh FOLDER COMMAND...}
shift
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d "${TMPDIR:-/dev/shm}/fortran.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for turn in $(seq "${TURNS:-3}"); do
  for side in causeway debian; do
    program=$programs/causeway-fortran-$side
    [ -x "$program" ] || continue
    TMPDIR=$folder "$@" "$program" "${ROUNDS:-15}" "${SECONDS_OF_TURN:-0.002}" >"$folder/output" || {
      cat "$folder/output"
      echo "fortran.sh: $program failed" >&2
      [ $side = debian ] || exit 1 # Debian's may not run everywhere
      continue
    }
    sed "s/^/$side;$turn;/" "$folder/output" >>"$folder/all"
  done
done
awk -f "$here/fortran.awk" "$folder/all"
