#!/bin/sh
# Runs a program on two "machines": two network namespaces of this one, joined by a bridge, with TCP
# between them and no shared memory that MPI would use.
#   netns.sh mpich|openmpi PROGRAM ARGUMENTS...      one process in each; exit status 77: not permitted
# Needs root, `ip` (iproute2) and `unshare`. Everything is removed afterwards, also after a failure.
#
# What the MPIs need for it:
#   mpich    a launcher in place of ssh (-launcher-exec), the address for its proxies to call back
#            (-localhost), and UCX on TCP alone (UCX_TLS=tcp,self)
#   openmpi  a launcher (plm_rsh_agent), the bridge's network for its daemons (oob_tcp_if_include),
#            another host name in each namespace, or it takes them for one node, and UCX on TCP alone,
#            which it must be told to accept (opal_common_ucx_*). Of its other ways over TCP in 4.1,
#            osc pt2pt refuses MPI_THREAD_MULTIPLE and osc rdma makes no window at all. It passes no
#            environment on: PROGRAM may be `env NAME=VALUE... program`
set -eu

# The launchers call this script again as the agent: options, address, then the command.
if [ -n "${CW_NETNS_AGENT:-}" ]; then
  while [ "${1#-}" != "$1" ]; do shift; done
  address=$1
  shift
  number=${address##*.}
  exec ip netns exec "$CW_NETNS_AGENT$number" \
    unshare --uts sh -c "hostname cwhost$number && $*"
fi

mpi=${1:?usage: netns.sh mpich|openmpi PROGRAM ARGUMENTS...}
shift
name=cwbench$$n
bridge=cwb$$
network=10.213.$(($$ % 250 + 1))

skip() {
  echo "netns: skipped: $1" >&2
  exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root"
command -v ip >/dev/null || skip "needs ip (iproute2)"

launcher=
# Open MPI's launcher may not end when its daemons are gone.
stop_launcher() {
  for signal in TERM TERM TERM KILL; do
    kill -$signal "$launcher" 2>/dev/null || return 0
    sleep 1
  done
}

remove() {
  [ -z "$launcher" ] || stop_launcher
  for number in 2 3; do
    ip netns pids "$name$number" 2>/dev/null | xargs -r kill 2>/dev/null || true
    ip netns del "$name$number" 2>/dev/null || true
    ip link del "cwv$$n$number" 2>/dev/null || true
  done
  ip link del "$bridge" 2>/dev/null || true
}
trap remove EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

build() {
  ip link add "$bridge" type bridge && ip addr add "$network.1/24" dev "$bridge" &&
    ip link set "$bridge" up || return 1
  for number in 2 3; do
    ip netns add "$name$number" &&
      ip link add "cwv$$n$number" type veth peer name eth0 netns "$name$number" &&
      ip link set "cwv$$n$number" master "$bridge" up &&
      ip -n "$name$number" addr add "$network.$number/24" dev eth0 &&
      ip -n "$name$number" link set eth0 up && ip -n "$name$number" link set lo up || return 1
  done
}
build 2>/dev/null || skip "the kernel does not let us make network namespaces and bridges"

agent=$(readlink -f "$0")
export CW_NETNS_AGENT="$name" OPENBLAS_NUM_THREADS=1
case $mpi in
mpich)
  UCX_TLS=tcp,self mpiexec.mpich -launcher ssh -launcher-exec "$agent" -localhost "$network.1" \
    -hosts "$network.2:1,$network.3:1" -n 2 "$@" &
  ;;
openmpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpiexec.openmpi --bind-to none --mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1 \
    --mca oob_tcp_if_include "$network.0/24" \
    --mca pml ucx --mca osc ucx --mca btl self --mca opal_common_ucx_tls any \
    --mca opal_common_ucx_devices any -x UCX_TLS=tcp,self --host "$network.2:1,$network.3:1" -n 2 "$@" &
  ;;
*) echo "netns: $mpi: choose mpich or openmpi" >&2; exit 2 ;;
esac
# Waited for, not run, so that a signal to this script is answered at once.
launcher=$!
wait $launcher
