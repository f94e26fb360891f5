#!/bin/sh
# launcher_ends.sh PROGRAM: a process finds out whether its launcher would end the job when another process dies. Launchers
# that are not installed are skipped; scripts of the same name stand for mpiexec of Open MPI 5 and for
# MPICH on another host, and a variable for srun.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# This script may itself run inside a job.
unset OMPI_MCA_orte_launch OMPI_MCA_orte_enable_recovery PRTE_LAUNCHED PMIX_NAMESPACE
failed=0

# prints ADVICE COMMAND...
prints() {
  advice=$1
  shift
  "$@" </dev/null >"$work/output" 2>&1 || { echo "$*: status $?"; cat "$work/output"; failed=1; }
  grep -Fqx -e "advice: $advice" "$work/output" || { echo "$*: expected '$advice'"; cat "$work/output"; failed=1; }
}

prints none "$program"
prints 'mpiexec --enable-recovery instead of srun --mpi=pmix' env PMIX_NAMESPACE=slurm.pmix.3.0 "$program"
prints none env PMIX_NAMESPACE=prterun-host-1@1 "$program"

# A process that is the launcher's child, then one in a shell.
# shellcheck disable=SC2016 # the shell expands it
shell='trap : USR1; "$@"; exit $?'
right="mpiexec -disable-auto-cleanup -n N sh -c '$shell' sh PROGRAM"
if command -v mpiexec.mpich >/dev/null; then
  prints "$right" mpiexec.mpich -n 1 "$program"
  prints "$right" mpiexec.mpich -disable-auto-cleanup -n 1 "$program"
  prints "$right" mpiexec.mpich -n 1 sh -c "$shell" sh "$program"
  prints none mpiexec.mpich -disable-auto-cleanup -n 1 sh -c "$shell" sh "$program"
fi

# MPICH's process of a node, which mpiexec has started on another host.
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor program; do :; done\n"$program"\nexit $?\n' >"$work/hydra_pmi_proxy"
printf '#!/bin/sh\n%s\nexit $?\n' "$program" >"$work/in_shell"
chmod +x "$work"/*
prints "$right" "$work/hydra_pmi_proxy" "$program"
prints none "$work/hydra_pmi_proxy" "$work/in_shell"

case $(mpiexec.openmpi --version 2>/dev/null || true) in
*' 4.'*)
  right='mpiexec --enable-recovery'
  prints "$right" mpiexec.openmpi -n 1 "$program"
  prints "$right" mpiexec.openmpi --disable-recovery -n 1 "$program"
  prints none mpiexec.openmpi --enable-recovery -n 1 "$program"
  prints none mpiexec.openmpi --continuous -n 1 "$program"
  prints none mpiexec.openmpi -mca orte_enable_recovery 1 -n 1 "$program"
  prints none env OMPI_MCA_orte_enable_recovery=true mpiexec.openmpi -n 1 sh -c "$shell" sh "$program"
  prints "$right" env OMPI_MCA_orte_enable_recovery=0 mpiexec.openmpi -n 1 "$program"
  ;;
esac

# shellcheck disable=SC2016
printf '#!/bin/sh\nfor program; do :; done\nPRTE_LAUNCHED=1 "$program"\nexit $?\n' >"$work/prterun"
chmod +x "$work/prterun"
launchers=$work/prterun
case $(mpiexec.openmpi --version 2>/dev/null || true) in *' 5.'*) launchers="$launchers mpiexec.openmpi" ;; esac
for launcher in $launchers; do
  right='mpiexec --enable-recovery --runtime-options error-nonzero-status=0'
  prints "$right" "$launcher" -n 1 "$program"
  prints "$right" "$launcher" --enable-recovery -n 1 "$program"
  prints "$right" "$launcher" --runtime-options error-nonzero-status=0 -n 1 "$program"
  prints none "$launcher" --enable-recovery --runtime-options error-nonzero-status=0 -n 1 "$program"
  prints none "$launcher" --runtime-options recoverable,error-nonzero-status=0 -n 1 "$program"
done
exit $failed
