#!/bin/sh
# Measures what launchers and MPI libraries do when a process dies: launcher_probe.c, a program without Causeway, runs under
# mpiexec and srun with different options, and its processes die and end in different ways.
#
#   launchers.sh OUT          measures all that is named below, and writes OUT/failures.csv and failures-slurm.csv, of
#                             which bench/show.sh makes pages. Ten minutes
#   launchers.sh --here FILE  only mpiexec of this system's MPIs; `make launchers` does this
#   launchers.sh --srun FILE  only srun; within a cluster of tests/multinode/slurm.sh
#
# This system's mpiexec, srun if Slurm is installed (scripts/install-packages.sh slurm; needs root), and mpiexec of Debian 13
# (scripts/debian-root.sh).
set -eu
here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$(dirname "$here")")
usage='usage: launchers.sh OUT | --here FILE | --srun FILE'
number=4 limit=25
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=^tcp
unset PMI_RANK PMI_SIZE

if [ "${1:-}" != --here ] && [ "${1:-}" != --srun ]; then
  out=$(readlink -f "${1:?$usage}")
  work=$root/build/launchers
  mkdir -p "$work"
  sh "$0" --here "$work/here.md"
  sh "$root/tests/multinode/slurm.sh" 2 sh "$0" --srun "$work/srun.md"
  sh "$root/scripts/debian-root.sh" trixie launchers
  cat "$work/here.md" "$root/build/trixie/launchers.md" | awk -f "$root/bench/csv.awk" >"$out/failures.csv"
  awk -f "$root/bench/csv.awk" "$work/srun.md" >"$out/failures-slurm.csv"
  echo "$(date -u +%Y-%m-%d), commit $(git -C "$root" rev-parse --short HEAD), $(nproc) cores of $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" |
    tee "$out/failures.run" >"$out/failures-slurm.run"
  exit
fi

result=${2:?$usage}
# Killed jobs leave files of MPI in /dev/shm. This one ends with the script; the hosts of slurm.sh have their own.
if [ "$1 ${CW_OWN_SHM:-}" = '--here ' ] && unshare --mount true 2>/dev/null; then
  # shellcheck disable=SC2016 # the shell expands it
  CW_OWN_SHM=yes exec unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && exec sh "$@"' sh "$0" "$@"
fi
mkdir -p "$(dirname "$result")"
# Hosts of slurm.sh have a /tmp of their own.
work=$(mktemp -d "$(dirname "$(readlink -f "$result")")/launchers.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Ends the processes of the probe that a launcher has left.
end_probes() {
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" != "$probe" ] || kill -9 "${process#/proc/}" 2>/dev/null || true
  done
}

count() { grep -aEo "process [0-9]* ($1)" "$work/output" | sort -u | wc -l; } # count WORDS: processes that print them
# Prints the first line of the launcher's messages that has words.
message() {
  cat "$work/output" "$work/errors" | grep -aEv '^Killed$|process [0-9]|#$|^launcher ended' | tr -cd '\11\12\40-\176' | sed 's/^[=* -]*//; s/|/ /g; s/[0-9]\{5\}/N/' |
    grep -am 1 '[A-Za-z]' | cut -c 1-70
}

# try NAME DEATH PROCESS END COMMUNICATION LAUNCHER...: runs one job and prints its row
try() {
  name=$1 death=$2 dead=$3 end=$4 communication=$5
  shift 5
  status=0
  # shellcheck disable=SC2086 # may be empty
  timeout -k 3 $limit "$@" "$probe" "$death" "$dead" "$end" $communication >"$work/output" 2>"$work/errors" </dev/null || status=$?
  ended=$(sed -n 's/^launcher ended //p' "$work/output")
  ended=${ended:-$(date +%s.%N)}
  end_probes
  died=$(sed -n 's/.*process [0-9]* dies \([0-9.]*\).*/\1/p' "$work/output" | head -n 1)
  after=$(awk -v died="${died:-0}" -v ended="$ended" 'BEGIN { if (died) printf "%.1f", ended - died; else print "-" }')
  # A process that is killed while it prints adds lines, too.
  lost=$(($(count 'ends|dies') * 1000 - $(tr -dc '#' <"$work/output" | wc -c)))
  [ $lost -ge 0 ] || lost=0
  message=$(message)
  [ $status -ne 124 ] || status=hangs after=- message=
  words=ends
  [ "$end" != finalize ] || words='has finalized'
  communicate=-
  [ -z "$communication" ] || communicate=$(count communicates)
  case $death in
  kill) death=SIGKILL ;;
  segv) death=SIGSEGV ;;
  exit) death='exit(3)' ;;
  esac
  case $end in
  finalize) end=MPI_Finalize${communication:+, communicator made $communication} ;;
  abort) end='MPI_Abort(6) of one' ;;
  *) end="${end%=*}(${end#*=})" ;;
  esac
  echo "| $name | $death, rank $dead | $end | $(count survives) | $communicate | $(count "$words") | $after | $status | $lost | $message |"
}

# one NAME LAUNCHER...: a death by a signal, for launchers that end the job
one() {
  name=$1
  shift
  try "$name" kill 2 _exit=0 '' "$@"
}

# few NAME LAUNCHER...: deaths by a signal and by a status
few() {
  one "$@"
  name=$1
  shift
  try "$name" exit 2 _exit=0 '' "$@"
}

# all NAME LAUNCHER...: all deaths and ends
all() {
  few "$@"
  name=$1
  shift
  try "$name" segv 2 _exit=0 '' "$@"
  try "$name" kill 0 _exit=0 '' "$@"
  try "$name" kill 2 _exit=5 '' "$@"
  try "$name" kill 2 exit=0 '' "$@"
  try "$name" kill 2 abort '' "$@"
  try "$name" kill 2 finalize '' "$@"
  try "$name" kill 2 finalize before "$@"
  try "$name" kill 2 finalize after "$@"
}

# begin MPI: compiles the probe, and prints the heads of a table
begin() {
  mpi=$1
  probe=$work/probe-$mpi
  "mpicc.$mpi" -O1 -o "$probe" "$here/launcher_probe.c"
  case $mpi in
  mpich) version=$(mpichversion 2>/dev/null | awk 'NR == 1 { print "MPICH", $NF }') ;;
  *) version=$(ompi_info --version 2>/dev/null | sed -n '1s/ v/ /p') ;;
  esac
  # shellcheck disable=SC1091
  printf '%s, %s%s, %d processes of one node\n\n' "$(. /etc/os-release && echo "Debian $VERSION_ID")" "$version" "$2" "$number"
  echo "| launcher | death | end | alive after 2 s | communicate | end by themselves | job ends after, s | status | lines lost | first message |"
  echo '|---|---|---|--:|--:|--:|--:|--:|--:|---|'
}

# The shell is what MPICH's launcher sees, and it ends by a status where the program ends by a signal.
shell='trap : USR1; "$@"; exit $?'

measure_mpich() {
  begin mpich ''
  one 'mpiexec' mpiexec.mpich -n $number
  few 'mpiexec -disable-auto-cleanup' mpiexec.mpich -disable-auto-cleanup -n $number
  all 'mpiexec -disable-auto-cleanup, in a shell' mpiexec.mpich -disable-auto-cleanup -n $number sh -c "$shell" sh
  echo
}

measure_openmpi() {
  begin openmpi ''
  one 'mpiexec' mpiexec.openmpi --oversubscribe -n $number
  case $version in
  *' 4.'*)
    all 'mpiexec --enable-recovery' mpiexec.openmpi --oversubscribe --enable-recovery -n $number
    few 'mpiexec --continuous' mpiexec.openmpi --oversubscribe --continuous -n $number
    few 'mpiexec -mca orte_abort_on_non_zero_status 0' mpiexec.openmpi --oversubscribe -mca orte_abort_on_non_zero_status 0 -n $number
    ;;
  *)
    few 'mpiexec --enable-recovery' mpiexec.openmpi --oversubscribe --enable-recovery -n $number
    few 'mpiexec --continuous' mpiexec.openmpi --oversubscribe --continuous -n $number
    few 'mpiexec --with-ft ulfm' mpiexec.openmpi --oversubscribe --with-ft ulfm -n $number
    all 'mpiexec --enable-recovery --runtime-options error-nonzero-status=0' \
      mpiexec.openmpi --oversubscribe --enable-recovery --runtime-options error-nonzero-status=0 -n $number
    ;;
  esac
  echo
}

measure_srun() {
  slurm=", $(srun --version | sed 's/^slurm-wlm/Slurm/; s/^slurm/Slurm/')"
  # sbatch notices the end of a job after some seconds.
  # shellcheck disable=SC2016 # the shell of the job expands it
  printf '#!/bin/sh\nstatus=0\n"$@" || status=$?\necho "launcher ended $(date +%%s.%%N)"\nexit $status\n' >"$work/job"
  cat >"$work/batch" <<END
status=0
sbatch -W -Q -N 1 -n $number --overcommit -o "$work/job.out" "$work/job" "\$@" || status=\$?
cat "$work/job.out"
exit \$status
END
  for mpi in mpich openmpi; do
    [ $mpi = mpich ] && pmi=pmi2 || pmi=pmix
    begin $mpi "$slurm"
    few "srun --mpi=$pmi" srun -Q -N 1 --overcommit --mpi=$pmi -n $number
    one "srun --mpi=$pmi --kill-on-bad-exit=1" srun -Q -N 1 --overcommit --mpi=$pmi --kill-on-bad-exit=1 -n $number
    keep="srun -Q -N 1 --overcommit --mpi=$pmi --no-kill --kill-on-bad-exit=0 -n $number"
    # shellcheck disable=SC2086
    case $mpi in
    mpich)
      all "srun --mpi=$pmi --no-kill --kill-on-bad-exit=0" $keep
      few 'sbatch, mpiexec -disable-auto-cleanup, in a shell' sh "$work/batch" \
        mpiexec.mpich -disable-auto-cleanup -n $number sh -c "$shell" sh
      ;;
    openmpi)
      few "srun --mpi=$pmi --no-kill --kill-on-bad-exit=0" $keep
      few 'sbatch, mpiexec --enable-recovery' sh "$work/batch" mpiexec.openmpi --oversubscribe --enable-recovery -n $number
      ;;
    esac
    echo
  done
}

case $1 in
--here) { measure_mpich && measure_openmpi; } >"$result" ;;
--srun) measure_srun >"$result" ;;
esac
