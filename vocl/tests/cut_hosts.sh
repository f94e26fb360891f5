# A host of a service is cut off (tests/multinode/hosts.sh). Within the time that vocl/docs/vocl.md promises, programs learn
# that devices are lost: those that use its proxy, those on it, and those that use the others, whose job ends. A program's
# own devices continue to work, and so does the next service.
# Usage: cut_hosts.sh HOSTS.SH CW-VOCL LIBRARY VOCL_USER. OCL_ICD_VENDORS names the vendor's library. Status 77: skipped.
# With MPICH alone: Open MPI's mpiexec waits for its own daemon on a host that is cut off.
set -eu
testbed=$1 program=$2 library=$3 user=$4
network=10.213.77
if [ -z "${CUT_HOSTS:-}" ]; then
  export CW_VOCL_SERVICE="test-cut-$$" CUT_HOSTS=1
  exec sh "$testbed" --limit 100 command 3 sh "$0" "$@"
fi
export CW_VOCL_VENDORS="$OCL_ICD_VENDORS" CW_VOCL_LOCAL=proxy TMPDIR=/run UCX_TLS=tcp,self UCX_ERROR_SIGNALS=
failed=0
fail() { echo "FAILED: $*"; failed=1; }
on() { # HOST COMMAND...: there
  host=$network.$1
  shift
  sh "$testbed" "$host" "$*"
}
until_says() { # FILE WORDS SECONDS
  for _ in $(seq $((20 * $3))); do
    ! grep -q "$2" "$1" || return 0
    sleep 0.05
  done
  fail "nothing says '$2':"
  cat "$1" /run/serve
  exit 1
}
serve() { # HOSTS
  : >/run/serve
  "$program" serve --launcher "mpiexec.mpich -launcher ssh -launcher-exec $testbed -localhost $network.254" \
    --hosts "$1" >>/run/serve 2>&1 &
  serve=$!
  until_says /run/serve '^cw-vocl: ready' 30
}
begin() { # NAME HOST DEVICE WHAT...: a program that says when it is at work
  name=$1 host=$2
  shift 2
  : >"/run/$name"
  on "$host" "$user" "$library" "$@" >>"/run/$name" 2>&1 &
  eval "$name=\$!"
}
ended() { # NAME STATUS [WORDS]
  status=0
  eval "wait \$$1" || status=$?
  [ $status -eq "$2" ] || { fail "$1 ended with $status, not $2:" && cat "/run/$1"; }
  grep -q "${3:-}" "/run/$1" || { fail "$1 does not say '$3':" && cat "/run/$1"; }
}

serve $network.1,$network.2,$network.3
begin far 1 2 lost link
begin near 1 0 read
begin beside 1 1 read
begin away 3 1 lost link
CW_VOCL_LOCAL=program begin own 1 0 read
for name in near beside own; do until_says /run/$name read 30; done
for name in far away; do until_says /run/$name 'at work' 30; done
ip link set cable3 down
for name in far away; do
  ended $name 0 'are lost: calls on them return CL_DEVICE_NOT_AVAILABLE'
  echo "$name: $(grep 'after the proxy' /run/$name)"
done
for name in near beside; do ended $name 1 'read gives -2,'; done
kill -0 "$own" 2>/dev/null || { fail 'a program with a device of its own has ended:' && cat /run/own; }
status=0
wait $serve || status=$?
[ $status -ne 0 ] || fail 'a host was cut off, and serve ended with 0'
grep -q 'has received nothing from proxy' /run/serve || { fail 'nothing names the proxy:' && cat /run/serve; }

# The hosts that can be reached serve again.
serve $network.1,$network.2
for device in 0 1; do
  on 1 "$user" "$library" $device work >/run/out 2>&1 || { fail "work on device $device" && cat /run/out; }
done
"$program" stop >/run/out 2>&1 || on 1 "$program" stop >/run/out 2>&1 || { fail 'stop' && cat /run/out; }
wait $serve || { fail 'the second service ended badly:' && cat /run/serve; }
exit $failed
