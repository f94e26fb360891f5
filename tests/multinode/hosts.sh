#!/bin/sh
# Runs an MPI program on 2 to 8 "hosts" of one machine. They are network namespaces, connected by a bridge, with TCP between
# them and no shared memory.
#
#   hosts.sh [OPTIONS] mpich|openmpi HOSTS PER_HOST [NAME=VALUE...] PROGRAM ARGUMENTS...
#   hosts.sh [OPTIONS] command HOSTS COMMAND ARGUMENTS...
#
# The second form runs a command beside the hosts, where the bridge is. It runs what it likes on host N by
# `sh hosts.sh 10.213.77.N COMMAND...`, and finds the host's first process in HOSTS_PID_N. All hosts and the
# command share /run, which is empty at first.
#
#   --limit SECONDS        end the job then; status 124
#   --survive              start the job so that other processes continue when one dies (docs/guide/failure.md)
#   --may-skip             status 0, not 77, where namespaces are not permitted
#   --network COMMAND      before the job: a shell command where the bridge is. The cable of host N is
#                          the interface cableN there; what leaves it goes to the host. Status 77 if it
#                          fails: the kernel lacks something
#   --when WORDS COMMAND   such a command as soon as the job has printed a line with the words
#   --end WORDS            with --when: kill the job and its hosts as soon as it has printed a line with these; status 137
#
# PER_HOST processes on each host, ranks by host. NAME=VALUE and all variables CW_* are in their
# environment. The exit status is the job's; 77: namespaces are not permitted. Needs iproute2 and
# util-linux; root, or a kernel that lets others have user namespaces.
#
# Everything, also the processes, lives in namespaces that no other process is in and no file names: it
# goes when this script goes, even by SIGKILL, and testbeds with the same addresses do not meet.
#
# The options for each MPI:
#   mpich    a launcher in place of ssh (-launcher-exec), the address for its proxies to call back
#            (-localhost), and UCX on TCP alone (UCX_TLS=tcp,self)
#   openmpi  a launcher (plm_rsh_agent), the bridge's network for its daemons (oob_tcp_if_include),
#            another host name in each namespace, because equal ones mean one node, and UCX on TCP alone, which needs options
#            to accept that (opal_common_ucx_*). Of its other transports over TCP in 4.1, osc pt2pt does not support
#            MPI_THREAD_MULTIPLE, and osc rdma makes no window at all. It passes variables on only with -x
set -eu
network=10.213.77
switch=$network.254

# The launchers call this script as the agent: options, address, then the command, for a shell.
if [ -n "${HOSTS_AGENT:-}" ]; then
  while [ "${1#-}" != "$1" ]; do shift; done
  number=${1##*.}
  shift
  host=$(printenv "HOSTS_PID_$number")
  exec nsenter --target "$host" --net --uts --ipc --mount sh -c "$*"
fi

skip() {
  echo "hosts: skipped: $1" >&2
  exit $skipped
}
skipped=77
[ "${1:-}" != --may-skip ] || skipped=0

# The outer script starts itself again as the first process of new namespaces, which ends when the outer one ends.
if [ -z "${HOSTS_INSIDE:-}" ]; then
  for tool in ip unshare nsenter setpriv; do
    command -v $tool >/dev/null || skip "there is no $tool (Debian packages iproute2, util-linux)"
  done
  enter='unshare --net --mount --pid --fork --kill-child --mount-proc'
  [ "$(id -u)" = 0 ] || enter="$enter --user --map-root-user"
  # shellcheck disable=SC2086 # a command in words
  $enter sh -c 'mount -t tmpfs tmpfs /dev/shm && ip link add switch type bridge &&
                unshare --net --uts --ipc --mount true' 2>/dev/null ||
    skip 'namespaces with a network bridge are not permitted here'
  # shellcheck disable=SC2086
  HOSTS_INSIDE=1 setpriv --pdeathsig KILL $enter sh "$(readlink -f "$0")" "$@" </dev/null &
  inside=$!
  trap 'kill -KILL $inside 2>/dev/null || :' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  wait $inside && exit || exit
fi
unset HOSTS_INSIDE

usage() {
  echo 'usage: hosts.sh [OPTIONS] mpich|openmpi HOSTS PER_HOST [NAME=VALUE...] PROGRAM ARGUMENTS...' >&2
  echo '   or: hosts.sh [OPTIONS] command HOSTS COMMAND ARGUMENTS...' >&2
  exit 2
}
last='hosts: the job has ended'
survive='' limit=0 before='' words='' then='' end=$last
while :; do
  case ${1:-} in
  --may-skip) shift ;;
  --survive) survive=yes && shift ;;
  --limit) limit=$2 && shift 2 ;;
  --network) before=$2 && shift 2 ;;
  --when) words=$2 then=$3 && shift 3 ;;
  --end) end=$2 && shift 2 ;;
  mpich | openmpi | command) break ;;
  *) usage ;;
  esac
done
if [ $# -lt 3 ] || [ "$2" -lt 2 ] || [ "$2" -gt 8 ]; then usage; fi
launcher=$1 hosts=$2 per_host=1
shift 2
if [ "$launcher" != command ]; then
  if [ $# -lt 2 ] || [ "$1" -lt 1 ]; then usage; fi
  per_host=$1
  shift
fi

connect() { # NUMBER PID
  until [ "$(readlink "/proc/$2/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
  ip link add "cable$1" type veth peer name eth0 netns "$2" &&
    ip link set "cable$1" master switch up &&
    nsenter --target "$2" --net --uts --mount sh -ec "
      ip addr add $network.$1/24 dev eth0; ip link set eth0 up; ip link set lo up
      hostname cwhost$1; mount -t tmpfs tmpfs /dev/shm"
}

mount -t tmpfs tmpfs /dev/shm
[ "$launcher" != command ] || mount -t tmpfs tmpfs /run
ip link set lo up
ip link add switch type bridge
ip addr add $switch/24 dev switch
ip link set switch up
list=
for number in $(seq "$hosts"); do
  unshare --net --uts --ipc --mount sleep infinity &
  connect "$number" $!
  export "HOSTS_PID_$number=$!"
  list=$list${list:+,}$network.$number:$per_host
done
[ -z "$before" ] || sh -c "$before" || skip "the kernel does not know: $before"

agent=$(readlink -f "$0")
# Each host has its own /dev/shm. Open MPI's files are named by PIDs, which are small here.
export HOSTS_AGENT=1 TMPDIR=/dev/shm OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
processes=$((hosts * per_host))
case $launcher in
mpich)
  export UCX_TLS=tcp,self
  # shellcheck disable=SC2016 # the shell of each process expands it
  [ -z "$survive" ] || set -- sh -c 'trap : USR1; env "$@"; exit $?' sh "$@"
  # shellcheck disable=SC2086 # nothing or one option
  set -- mpiexec.mpich ${survive:+-disable-auto-cleanup} -launcher ssh -launcher-exec "$agent" -localhost $switch \
    -hosts "$list" -n $processes env "$@"
  ;;
openmpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  pass=$(env | sed -n 's/^\(CW_[A-Za-z_0-9]*\)=.*/-x \1/p')
  # shellcheck disable=SC2086 # options in words
  set -- mpiexec.openmpi ${survive:+--enable-recovery} --bind-to none --mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1 \
    --mca oob_tcp_if_include $network.0/24 \
    --mca pml ucx --mca osc ucx --mca btl self --mca opal_common_ucx_tls any \
    --mca opal_common_ucx_devices any -x UCX_TLS=tcp,self $pass --host "$list" -n $processes env "$@"
  ;;
esac

begin=$(date +%s)
if [ -z "$words" ]; then
  timeout -k 5 "$limit" "$@" && status=0 || status=$?
else
  mkfifo /dev/shm/output
  while IFS= read -r line && [ "$line" != "$last" ]; do
    printf '%s\n' "$line"
    case $line in
    *"$words"*) sh -c "$then" ;;
    *"$end"*) kill -KILL -1 ;; # all but the first process of the namespace, which runs this script
    esac
  done </dev/shm/output &
  reader=$!
  exec 3>/dev/shm/output
  timeout -k 5 "$limit" "$@" >&3 2>&1 3>&- && status=0 || status=$?
  # Processes that the launcher has left may keep the pipe open, so the reader ends with the last line.
  printf '\n%s\n' "$last" >&3
  wait $reader || :
fi
# The status is 124, or 137 if it had to be killed, which is also the status of a killed job.
if [ "$limit" -gt 0 ] && [ $(($(date +%s) - begin)) -ge "$limit" ]; then
  echo "hosts: the job did not end within $limit seconds" >&2
  status=124
fi
exit "$status"
