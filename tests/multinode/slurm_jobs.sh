#!/bin/sh
# Runs jobs on the cluster of slurm.sh, beside its controller:
#   slurm_jobs.sh jobs|limits|ends mpich|openmpi FOLDER
# jobs: jobs that must pass. limits: limits of cores and memory by cgroups. ends: jobs that are cancelled, or whose host dies.
# FOLDER is that of the build. A job passes, or it ends within seconds with a message; it leaves no process and no file of
# Causeway's. Files that MPI leaves of a killed job are printed and removed.
set -u
group=$1 mpi=$2 tests=$3/tests
hosts=$(dirname "$(readlink -f "$0")")/hosts.sh
failed=0
output=/run/output
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 CW_SERVER_TIMEOUT=8
case $mpi in
mpich)
  pmi=pmi2 other=pmix
  export UCX_TLS=tcp,self
  mpis='mpich|ucx' ;;
openmpi)
  pmi=pmix other=pmi2
  export UCX_TLS=tcp,self OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx OMPI_MCA_btl=self OMPI_MCA_opal_common_ucx_tls=any \
    OMPI_MCA_opal_common_ucx_devices=any OMPI_MCA_oob_tcp_if_include=10.213.77.0/24 OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpis='ompi\.|pmix|ucx' ;;
esac
rmw="$tests/sync/rmw 3"
endless=$tests/multinode/endless
eater=$tests/multinode/eater
transfers="$tests/transfer/transfers random 1 5"

on_host() { # NUMBER COMMAND...
  number=$1
  shift
  HOSTS_AGENT=1 sh "$hosts" "10.213.77.$number" "$@"
}
up_hosts() { sinfo -h -N -o '%N %t' | sed -n 's/^cwhost\([0-9]\) \(idle\|mix\|alloc\|comp\).*/\1/p'; }

check() { # SENTENCE, then a condition that should hold
  sentence=$1
  shift
  "$@" && return
  echo "FAILED: $what: $sentence"
  failed=1
}
says() { grep -qE "$1" "$output"; }

# Prints the processes of a host except for the first one and the daemon.
processes_on() {
  space=$(readlink "/proc/$(printenv "HOSTS_PID_$1")/ns/mnt")
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/mnt")" = "$space" ] || continue
    name=$(cat "$process/comm" 2>/dev/null)
    case $name in '' | sleep | slurmd) ;; *) echo "${process#/proc/}:$name" ;; esac
  done
}
no_process_is_left() {
  for _ in $(seq 40); do
    left=
    for number in $(up_hosts); do left="$left $(processes_on "$number")"; done
    [ -n "$(echo $left)" ] || return 0
    sleep 0.25
  done
  echo "left: $left"
  return 1
}
no_file_is_left() {
  clean=0
  for number in $(up_hosts); do
    files=$(on_host "$number" 'cd /dev/shm && ls -A; cd /tmp && find . -mindepth 1 ! -type d')
    [ -z "$files" ] || echo "on host $number:" $files
    [ -z "$(printf '%s\n' "$files" | grep -vE "$mpis")" ] || clean=1
    on_host "$number" 'rm -rf /dev/shm/* /tmp/ompi* /tmp/pmix*'
  done
  return $clean
}
leaves_nothing() {
  check 'processes are left' no_process_is_left
  check 'files are left' no_file_is_left
}

begin() { what=$1 && started=$(date +%s) && echo "== $what"; }
end() { # STATUS
  status=$1
  seconds=$(($(date +%s) - started))
  cat "$output"
  echo "== $what: status $status after $seconds s"
  leaves_nothing
}
passes() { # WHAT OPTIONS... PROGRAM...: srun's
  begin "$1"
  shift
  timeout 100 srun --mpi=$pmi "$@" >"$output" 2>&1
  end $?
  check 'it did not pass' [ "$status" -eq 0 ]
}
ends() { # SECONDS WORDS: after `end`
  check 'it says that all is well' [ "$status" -ne 0 ]
  check "it did not end within $1 s" [ "$seconds" -le "$1" ]
  check "nothing says: $2" says "$2"
}
# Starts a job, and waits until it has printed the words: $job is the number, $srun the process.
start() { # WORDS OPTIONS...
  words=$1
  shift
  : >"$output"
  srun --mpi=$pmi -J started "$@" >"$output" 2>&1 &
  srun=$!
  for _ in $(seq 300); do
    ! says "$words" || break
    sleep 0.1
  done
  check "it did not get as far as: $words" says "$words"
  job=$(squeue -h -n started -o %i)
  started=$(date +%s)
}
finished() { wait $srun && end 0 || end $?; }

# --- What should pass ------------------------------------------------------------------------------------------------

batch() { # WHAT SCRIPT OPTIONS...
  begin "$1"
  : >"$output"
  printf '#!/bin/sh\n%s\n' "$2" >/run/script
  shift 2
  sbatch -o "$output" --wait "$@" /run/script
  end $?
}

test_layouts() {
  for server in none thread rank; do
    [ $server = rank ] && each=2 || each=1
    passes "2 hosts, CW_SERVER=$server" -N 2 --ntasks-per-node=$each env CW_SERVER=$server $transfers
    check 'the program did not say so' says passed
  done
  # Processes are not bound, because the hosts share one machine, and processes of two hosts would share each core.
  passes '2 hosts, 2 processes on each' -N 2 -n 4 --cpu-bind=none $rmw
  passes '3 hosts' -N 3 -n 3 $rmw
  passes '4 hosts' -N 4 -n 4 $rmw
  passes 'cyclic ranks' -N 2 -n 4 -m cyclic --cpu-bind=none env CW_LOG=2 $rmw
  check 'the nodes were not found' says 'processes: 4 on 2 nodes; 2 on this one'
}
server_moved() { says "CPUs to which no process is bound"; }
test_binding() {
  passes 'a core for the server' -N 2 -n 2 -c 2 --cpu-bind=map_cpu:0 env CW_LOG=2 $rmw
  check "the server's thread has not taken the free core" server_moved
  passes 'not bound' -N 2 -n 2 -c 2 --cpu-bind=none env CW_LOG=2 $rmw
  check "the server's thread moved, though nobody is bound" eval '! server_moved'
  passes 'one core of two is the job'"'"'s' -N 2 -n 2 -c 1 --cpu-bind=cores env CW_LOG=2 $rmw
  check "the server's thread took a core of others" eval '! server_moved'
}
test_two_at_once() {
  begin 'two jobs on the same nodes'
  srun --mpi=$pmi -N 2 -n 2 -c 1 $transfers >/run/first 2>&1 &
  first=$!
  srun --mpi=$pmi -N 2 -n 2 -c 1 $transfers >"$output" 2>&1
  status=$?
  wait $first || status=$?
  cat /run/first >>"$output"
  end $status
  check 'one did not pass' [ "$status" -eq 0 ]
}
test_mpiexec() {
  batch "the MPI's own mpiexec in a batch job" "mpiexec.$mpi -n 4 $rmw" -N 2 --ntasks-per-node=2
  check 'it did not pass' [ "$status" -eq 0 ]
  batch 'one process by mpiexec in a job of many' "mpiexec.$mpi -n 1 $rmw" -N 2 --ntasks-per-node=2
  check 'it did not pass' [ "$status" -eq 0 ]
  batch 'one process without a launcher in a job of many' "$rmw" -N 2 --ntasks-per-node=2
  check 'it did not pass' [ "$status" -eq 0 ]
}
test_wrong_pmi() {
  for kind in none $other; do
    begin "srun --mpi=$kind"
    timeout 60 srun --mpi=$kind -N 2 -n 2 $rmw >"$output" 2>&1
    end $?
    ends 10 "srun --mpi=$pmi|not built with SLURM's PMI support"
  done
}
test_dead_daemon() {
  begin 'the daemon of a host dies, and comes back'
  start 'at work' -N 2 -n 2 --time=2 $endless
  on_host 2 'kill -9 $(cat /run/slurm/slurmd-cwhost2.pid)'
  sleep 2
  check 'the job did not go on' kill -0 $srun
  on_host 2 slurmd
  scancel "$job"
  finished
  ends 15 'CANCELLED|forcing job termination|Terminated'
}

# --- Limits ----------------------------------------------------------------------------------------------------------

test_memory() {
  passes 'regions up to the limit' -N 2 -n 2 --mem=300M env CW_LOG=2 $eater
  check 'Causeway does not know the limit' says 'memory: +[12][0-9][0-9] MiB available'
}

# --- Jobs that are ended ---------------------------------------------------------------------------------------------

test_scancel() {
  begin scancel
  # Processes are not bound, as above: two processes of each host would share a core with two of the other.
  start 'at work' -N 2 -n 4 --cpu-bind=none $endless
  scancel "$job"
  finished
  ends 15 'CANCELLED|forcing job termination|Terminated'
  for after in 0 0.2 0.4 0.6 0.8; do
    begin "scancel $after s after the start"
    srun --mpi=$pmi -J early -N 2 -n 4 --cpu-bind=none $endless >"$output" 2>&1 &
    srun=$!
    until job=$(squeue -h -n early -t R -o %i) && [ -n "$job" ]; do sleep 0.05; done
    sleep $after
    scancel "$job"
    finished
    ends 15 'CANCELLED|orcing job termination|Terminated|aborted'
  done
}
test_victim() {
  begin 'a process dies'
  timeout 60 srun --mpi=$pmi -K -N 2 -n 2 "$tests/runtime/victim" transfers >"$output" 2>&1
  end $?
  ends 20 'cwhost2: task 1: Killed|process 1'
  check 'a process went on without the dead one' eval '! says "went on"'
}
test_time() {
  begin 'time limit'
  timeout 150 srun --mpi=$pmi -N 2 -n 2 --time=1 $endless >"$output" 2>&1
  end $?
  ends 110 'DUE TO TIME LIMIT'
}
# Simulates a power failure: the host has no process and does not answer.
kill_host() {
  ip link set "cable$1" down
  kill -9 "$(cat "/run/slurm/slurmd-cwhost$1.pid")" $(processes_on "$1" | sed 's/:.*//')
}
revive_host() {
  ip link set "cable$1" up
  on_host "$1" 'rm -rf /dev/shm/* /tmp/ompi* /tmp/pmix*; slurmd'
  for _ in $(seq 150); do
    [ "$(sinfo -h -n "cwhost$1" -o %t)" != idle ] || return 0
    sleep 0.2
  done
}
test_dead_host() {
  begin 'a host dies'
  start 'at work' -w 'cwhost[1-2]' -N 2 -n 2 $endless
  kill_host 2
  finished
  ends 40 'cwhost2'
  revive_host 2
}
test_requeue() {
  begin 'a host dies, and the job runs again on the others'
  cat >/run/script <<END
#!/bin/sh
hostname
if [ "\${SLURM_RESTART_COUNT:-0}" -eq 0 ]; then srun --mpi=$pmi $endless; else srun --mpi=$pmi $rmw; fi
END
  : >"$output"
  sbatch --requeue --open-mode=append -N 2 -n 2 -o "$output" /run/script
  for _ in $(seq 300); do
    ! says 'at work' || break
    sleep 0.1
  done
  check 'it did not get as far as the fault' says 'at work'
  kill_host 2
  scontrol update nodename=cwhost2 state=down reason=test
  # A message of its daemon from before its death would bring a node back that is only down.
  scontrol update nodename=cwhost2 state=drain reason=test
  for _ in $(seq 300); do
    [ -n "$(squeue -h)" ] || break
    scontrol update "jobid=$(squeue -h -o %i)" starttime=now 2>/dev/null # Slurm would wait two minutes
    sleep 0.25
  done
  end 0
  check 'it did not pass the second time' says 'rmw: passed'
  scontrol update nodename=cwhost2 state=undrain
  revive_host 2
}

case $group in
jobs) test_layouts && test_binding && test_two_at_once && test_mpiexec && test_wrong_pmi && test_dead_daemon ;;
limits)
  [ "$CLUSTER_LIMITS" = cgroups ] || { echo 'slurm_jobs: skipped: no cgroups of version 1 that we may make' && exit 77; }
  test_memory ;;
ends) test_scancel && test_victim && test_dead_host && test_requeue && test_time ;;
*) echo "slurm_jobs.sh: there is no group '$group'" >&2 && exit 2 ;;
esac
exit $failed
