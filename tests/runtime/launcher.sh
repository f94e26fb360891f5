#!/bin/sh
# launcher.sh MPI CW_INFO MPIEXEC...: a program that another MPI's launcher has started must report it instead of running as
# several worlds of one process. Programs that are alone on purpose must run.
set -eu
mpi=$1 program=$2
shift 2
case $mpi in
mpich) other=mpiexec.openmpi own=mpiexec.mpich pmi=pmi2 name='MPICH [0-9.]*' ;;
*) other=mpiexec.mpich own=mpiexec.openmpi pmi=pmix name='Open MPI [0-9.]*' ;;
esac
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
# The tests below start without a launcher, but this script may itself run inside a job.
unset OMPI_COMM_WORLD_SIZE PMI_SIZE MV2_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# try WHAT COMMAND...: sets $status
try() {
  what=$1
  shift
  status=0
  "$@" >"$output" 2>&1 || status=$?
}
complain() { echo "$what: $1"; cat "$output"; failed=1; }
refused() { # refused LAUNCHER
  try "$@"
  [ "$status" -ne 0 ] || complain 'status 0'
  grep -Eq "cw_init: .* has started [0-9]+ processes \(.*\), but the program is linked to $name" "$output" ||
    complain 'no such sentence'
  grep -q "on Debian $own; or set CW_ALONE=1" "$output" || complain 'it does not say what is right'
}
runs() {
  try "$@"
  [ "$status" -eq 0 ] || complain "status $status"
}

refused 'srun without PMI' env SLURM_STEP_NUM_TASKS=4 "$program"
grep -q "with srun --mpi=$pmi, or with the mpiexec" "$output" || complain 'it does not say how srun is told'
runs 'alone on purpose' env SLURM_STEP_NUM_TASKS=4 CW_ALONE=1 "$program"
runs 'one process of our own launcher, within srun' env SLURM_STEP_NUM_TASKS=4 "$@" "$program"
runs 'no launcher' "$program"
if command -v $other >/dev/null; then
  [ "$mpi" = mpich ] && oversubscribe=--oversubscribe || oversubscribe=
  refused 'the other launcher' $other $oversubscribe -n 3 "$program"
  runs 'the other launcher, one process' $other -n 1 "$program"
  runs 'the other launcher, alone on purpose' env CW_ALONE=1 $other $oversubscribe -n 2 "$program"
fi
exit $failed
