#!/bin/sh
# Profiles of real runs, and the top of their reports as pictures, for docs/guide/slow.md.
#   report-pictures.sh BUILD_DIR mpich|openmpi OUT [NWCHEM]
# OUT: gets report-scf.png and report-uts.png, and where NWCHEM is a program of NWChem on libcwga (`make nwchem GA=own`
# leaves build/nwchem/mpich-own/bin/LINUX64/nwchem), report-nwchem.png of the water dimer's CCSD(T). Text on standard
# output: what each run's screen said.
set -eu
usage='usage: report-pictures.sh BUILD_DIR mpich|openmpi OUT [NWCHEM]'
build=$(readlink -f "${1:?$usage}") mpi=${2:?$usage} out=$(readlink -f "${3:?$usage}") nwchem=${4:-}
root=$(dirname "$(dirname "$(readlink -f "$0")")")
command -v chromium >/dev/null || { echo 'report-pictures.sh: chromium is not installed' >&2; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
launch=mpiexec.$mpi
[ "$mpi" != openmpi ] || launch='mpiexec.openmpi --oversubscribe --bind-to none'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

picture() { # NAME HEIGHT PROCESSES COMMAND...
  name=$1 height=$2 processes=$3
  shift 3
  CW_PROFILE=$name.json $launch -n "$processes" "$@" >"$name.out" 2>"$name.screen" ||
    { cat "$name.out" "$name.screen" >&2; exit 1; }
  sed -n '/^---- profile of/,$p' "$name.screen"
  "$build/programs/cw-report" "$name.json" -o "$name.html"
  timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/browser" \
    --window-size="1000,$height" --screenshot="$out/report-$name.png" "file://$work/$name.html" >"$name.browser" 2>&1
  [ -s "$out/report-$name.png" ] || { cat "$name.browser" >&2; exit 1; }
}

export CW_NODE_SIZE=1
picture scf 1500 2 "$build/apps/scf/scf" "$root/apps/scf/molecules/water4.xyz"
unset CW_NODE_SIZE
picture uts 900 2 "$build/apps/uts/uts" T1
[ -z "$nwchem" ] || picture nwchem 900 2 "$(readlink -f "$nwchem")" "$root/apps/nwchem/dimer.nw"
