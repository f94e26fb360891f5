# Proxies on hosts of their own (tests/multinode/hosts.sh): sessions with all of them from one host, idle proxies, the
# end of a host's link. Usage: proxy_hosts.sh mpich|openmpi HOSTS.SH CW-VOCL-ECHO ECHO-CLIENT. Exit status 77: skipped.
set -eu
mpi=$1 testbed=$2 program=$3 client=$4
number=3 network=10.213.77
if [ -z "${PROXY_HOSTS:-}" ]; then
  export CW_VOCL_SERVICE="test-hosts-$$" PROXY_HOSTS=1
  exec sh "$testbed" --limit 1200 command $number sh "$0" "$@"
fi

mkdir /run/no-vendors
export CW_VOCL_VENDORS=/run/no-vendors TMPDIR=/run CW_VOCL_SILENCE=100
work=/run
. "$(dirname "$0")/soon.sh"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
on() { # HOST COMMAND...: there
  host=$network.$1
  shift
  sh "$testbed" "$host" "$*"
}
expect() { # STATUS COMMAND...
  wanted=$1
  shift
  status=0
  "$@" >/run/out 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || { fail "$* gave $status, not $wanted:" && cat /run/out; }
}

# Starts jobs like hosts.sh.
case $mpi in
mpich)
  export UCX_TLS=tcp,self
  launcher="mpiexec.mpich -launcher ssh -launcher-exec $testbed -localhost"
  ;;
openmpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launcher="mpiexec.openmpi --bind-to none --mca plm_rsh_agent $testbed --mca plm_rsh_no_tree_spawn 1"
  launcher="$launcher --mca oob_tcp_if_include $network.0/24 --mca pml ucx --mca osc ucx --mca btl self"
  launcher="$launcher --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any -x UCX_TLS=tcp,self"
  ;;
esac
hosts=$network.1
for each in $(seq 2 $number); do hosts=$hosts,$network.$each; done
launch() { # ADDRESS: of where mpiexec runs
  case $mpi in mpich) echo "$launcher $1" ;; openmpi) echo "$launcher" ;; esac
}
proxies() { pgrep -f "proxy --name $CW_VOCL_SERVICE" | while read -r process; do
  ! grep -q '^cw-vocl-echo' "/proc/$process/comm" || echo "$process"
done; }

: >/run/serve
"$program" serve --launcher "$(launch $network.254)" --hosts $hosts >>/run/serve 2>&1 &
serve=$!
soon is_ready_or_gone || true
grep -q "ready.*has $number proxies" /run/serve || { cat /run/serve && fail 'the service does not start' && exit 1; }

for proxy in $(seq 0 $((number - 1))); do
  expect 0 on 1 "$client" "$proxy" random 300
  expect 0 on 1 "$client" "$proxy" pings 200
  echo "proxy $proxy: a ping $(cat /run/out)"
  expect 0 on 1 "$client" "$proxy" stream 100
  echo "proxy $proxy: a stream $(cat /run/out)"
  expect 0 on 1 "$client" "$proxy" wild
  expect 0 on 1 "$client" "$proxy" leave
done
for each in $(seq 2 $number); do # each host has a door
  expect 0 on "$each" "$client" 0 random 50
  expect 0 on "$each" "$program" list
  grep -q cwhost1 /run/out || { fail 'the list names no host:' && cat /run/out; }
done
expect 3 "$client" 0 pings 1 # here is none

sleep 1
rest() { use_little "$number"; }
rest || rest || rest || rest || fail 'idle proxies compute'

# The third host's proxy is killed: the job ends, and so does the session.
on 1 "$client" 2 hold >/run/held 2>&1 &
holder=$!
holds_or_gone() { grep -q holds /run/held || ! kill -0 $holder 2>/dev/null; }
soon holds_or_gone || true
kill -KILL "$(proxies | tail -n 1)"
status=0
wait $holder || status=$?
[ $status -eq 0 ] || { fail "the program ended with $status:" && cat /run/held; }
status=0
wait $serve || status=$?
[ $status -ne 0 ] || fail 'a proxy was killed, and serve ended with 0'

# From a host, with a program.
expect 5 on 1 "$program" run --launcher "'$(launch $network.1)'" --hosts $hosts -- sh -c "'$client 2 random 50 && exit 5'"
expect 1 on 1 "$program" run --launcher "'$(launch $network.1)'" --hosts $network.2,$network.3 -- echo ran
grep -q 'no proxy on this machine' /run/out || { fail 'no message says that no proxy is here:' && cat /run/out; }
nobody_is_left() { ! pgrep -x cw-vocl-echo >/dev/null; }
soon nobody_is_left || true
for process in $(pgrep -x cw-vocl-echo); do fail "left: $(tr '\0' ' ' <"/proc/$process/cmdline")"; done
exit $failed
