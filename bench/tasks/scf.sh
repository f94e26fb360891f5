#!/bin/sh
# Speed-up of Hartree-Fock on 2 processes. Alternates 1 and 2 processes, three times each, and
# compares the medians of the times that the program itself reports.
#   scf.sh BUILD_DIR [MOLECULE.xyz [BASIS]]
set -eu
build=${1:?usage: scf.sh BUILD_DIR [MOLECULE.xyz [BASIS]]}
root=$(readlink -f "$(dirname "$0")/../..")
molecule=${2:-$root/apps/scf/molecules/water4.xyz}
basis=${3:-cc-pvdz}
scf=$build/apps/scf/scf
[ -x "$scf" ] || { echo "scf.sh: no $scf" >&2; exit 2; }
mpi=$(sed -n 's/^CW_MPI:STRING=//p' "$build/CMakeCache.txt")
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=mpiexec.$mpi
[ "$mpi" != openmpi ] || launch='mpiexec.openmpi --oversubscribe --bind-to none'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo '| turn | processes | time, s | energy, hartree |'
echo '|--:|--:|--:|--:|'
for turn in 1 2 3; do
  for processes in 1 2; do
    $launch -n $processes "$scf" "$molecule" --basis "$basis" >"$folder/output"
    seconds=$(awk '$1 == "total" && NF == 2 && $2 ~ /^[0-9.]+$/ { print $2 }' "$folder/output")
    energy=$(awk '$1 == "total" && $2 == "energy" { print $3 }' "$folder/output")
    [ -n "$seconds" ] || { cat "$folder/output"; echo 'scf.sh: no time in the output' >&2; exit 1; }
    echo "| $turn | $processes | $seconds | $energy |"
    echo "$seconds" >>"$folder/$processes"
  done
done

median() { sort -n "$folder/$1" | sed -n 2p; }
awk -v one="$(median 1)" -v two="$(median 2)" -v mpi="$mpi" 'BEGIN {
  printf "%s: median of 1 process %.2f s, of 2 processes %.2f s: %.2f times as fast\n", mpi, one, two,
         one / two
}'
