#!/bin/sh
# The demonstration for new users: Hartree-Fock for four waters on 2 processes and then on one. The last lines compare the
# energy with that of NWChem, and the two times.
# Usage, from the top of the tree: apps/scf/demo.sh SCF ENERGY MPIEXEC...
#   ENERGY the energy of NWChem in hartree: scf fails if its own differs
set -eu
scf=$1 nwchem=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
water='apps/scf/molecules/water4.xyz --basis cc-pvdz'

# shellcheck disable=SC2086 # a list of words
{ CW_STATS=1 "$@" -n 2 "$scf" $water --expect "$nwchem" 2>&1 || echo $? >"$work/failed"; } | tee "$work/two"
[ ! -e "$work/failed" ] || exit "$(cat "$work/failed")"
printf '\nThe same on one process ...\n'
# shellcheck disable=SC2086
"$@" -n 1 "$scf" $water --expect "$nwchem" >"$work/one" 2>&1 || { cat "$work/one"; exit 1; }

seconds() { awk '$1 == "total" && $2 ~ /^[0-9.]+$/ { print $2 }' "$1"; }
energy=$(awk '/^total energy/ { print $3 }' "$work/two")
awk -v energy="$energy" -v nwchem="$nwchem" -v two="$(seconds "$work/two")" -v one="$(seconds "$work/one")" 'BEGIN {
  printf "\nenergy          %s hartree\n", energy
  printf "NWChem          %s hartree: they agree to 1e-7\n", nwchem
  printf "time            %.1f s on one process, %.1f s on two: %.2f times as fast\n", one, two, one / two
}'
