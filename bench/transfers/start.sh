#!/bin/sh
# Measures the cost of a start on increasing numbers of processes: runs bench/transfers/start.c with MPI alone, on Causeway, on
# Causeway with virtual nodes (CW_NODE_SIZE), and as a GA program; and Hartree-Fock on as many processes.
#   start.sh BUILD_DIR LAUNCHER...
# START_PROCESSES='4 64': other numbers of processes. 256 take 2 GB of memory and, on two cores, minutes.
set -eu
build=${1:?usage: start.sh BUILD_DIR LAUNCHER...}
root=$(readlink -f "$(dirname "$0")/../..")
shift
program=$build/bench/causeway-start scf=$build/apps/scf/scf
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

echo '| processes | nodes | | MPI_Init and MPI_Barrier, s | start, s | barrier, ms | array, ms | end, s | MPI_Finalize, s | CPU a process: MPI_Init, ms | start, ms | barrier, ms | memory a process: MPI, MiB | all, MiB | VmHWM, MiB |'
for processes in ${START_PROCESSES:-4 16 64 256}; do
  for side in mpi causeway ga; do
    "$@" -n "$processes" "$program" $side
  done
  for width in 16 4 1; do
    [ "$processes" -le $width ] || CW_NODE_SIZE=$width "$@" -n "$processes" "$program" causeway
  done
done

[ -x "$scf" ] || exit 0
echo
for processes in ${START_PROCESSES:-4 16 64 256}; do
  "$@" -n "$processes" "$scf" "$root/apps/scf/molecules/water.xyz" --basis sto-3g |
    awk -v processes="$processes" '$1 == "total" && $2 ~ /^[0-9.]+$/ { seconds = $2 }
      $1 == "total" && $2 == "energy" { energy = $3 }
      END { print "Hartree-Fock of a water, " processes " processes: " seconds " s, energy " energy; exit energy == "" }'
done
