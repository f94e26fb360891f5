# Services of cw-vocl: how they begin and end, who may use them, and how sessions fare. Their sessions echo
# (echo_service.c), so that OpenCL is not involved.
# Usage: proxy.sh CW-VOCL-ECHO ECHO-CLIENT NAME [NUMBER]: NAME is a function below. Exit status 77: skipped.
set -eu
program=$1 client=$2 name=$3 number=${4:-1}
skip() { echo "skipped: $*"; exit 77; }

# A /dev/shm of its own shows what is left there.
if [ -z "${PROXY_INSIDE:-}" ] && unshare --mount mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
  PROXY_INSIDE=1 exec unshare --mount sh -c 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec sh "$@"' sh "$0" "$@"
fi

. "$(dirname "$0")/soon.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/no-vendors"
chmod 755 "$work"
export CW_VOCL_SERVICE="test-$name-$$" CW_VOCL_VENDORS="$work/no-vendors"
export CW_VOCL_SILENCE=100 # a proxy that has no core for long is not lost
failed=0
fail() { echo "FAILED: $*"; failed=1; }
expect() { # STATUS COMMAND...
  wanted=$1
  shift
  status=0
  timeout 250 "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq "$wanted" ] || { fail "$* gave $status, not $wanted:" && cat "$work/out" "$work/err"; }
}
expect_any() { "$@" >"$work/out" 2>"$work/err" || true; }
says() { # OUT|ERR PATTERN
  grep -q -- "$2" "$work/$1" || { fail "no '$2' in:" && cat "$work/$1"; }
}
# Commands of proxies: of launchers, too. The one that began last is a proxy.
proxies() { pgrep -f "proxy --name $CW_VOCL_SERVICE( |\$)" || true; }
last_proxy() { pgrep -n -f "proxy --name $CW_VOCL_SERVICE( |\$)"; }

begin() { # OPTION...: serve
  : >"$work/serve" # the shell in the background empties it later: an earlier service's 'ready' would be read
  "$program" serve "$@" >"$work/serve" 2>&1 &
  serve=$!
  soon is_ready_or_gone || true
  ! grep -q '^cw-vocl: ready' "$work/serve" || return 0
  cat "$work/serve"
  fail "the service does not start"
  exit 1
}
ended() { # STATUS: the service ends with it
  status=0
  wait $serve || status=$?
  [ $status -eq "$1" ] || { fail "serve gave $status, not $1:" && cat "$work/serve"; }
}
no_memory() { [ -z "${PROXY_INSIDE:-}" ] || [ -z "$(ls /dev/shm)" ]; }
nothing_left() {
  soon no_proxies || true
  for process in $(proxies); do fail "left: $(tr '\0' ' ' <"/proc/$process/cmdline")"; done
  soon no_socket >/dev/null || fail 'left: a socket'
  soon no_memory || fail "left: $(ls /dev/shm)"
}
hold() { # PROXY: a program with a session, in the background
  : >"$work/held"
  "$client" "$1" hold >"$work/held" 2>&1 &
  holder=$!
  until grep -q holds "$work/held"; do
    kill -0 $holder 2>/dev/null || { cat "$work/held" && fail 'no session' && break; }
    sleep 0.02
  done
}
released() { # the program saw the end
  status=0
  wait $holder || status=$?
  [ $status -eq 0 ] || { fail "the program with a session ended with $status:" && cat "$work/held"; }
}

# One after the other: list, a second service, another one beside it, stop.
serve() {
  expect 1 "$program" list
  says err 'there is no service'
  expect 1 "$program" stop
  begin -n 2
  hold 0
  expect 0 "$program" list
  says out "echo_client  *$holder  *0  *0 "
  expect 1 "$program" serve
  says err "there is a service '$CW_VOCL_SERVICE' of this user"
  expect 0 "$client" 0 random 100
  expect 0 "$program" run -- "$program" list --name "$CW_VOCL_SERVICE"
  says out echo_client
  expect 0 "$program" stop
  released
  ended 0
  nothing_left
}

session() { # of $holder
  "$program" list | awk -v pid=$holder '$3 == pid { print $1 }'
}
# The requester of a move receives the program's reply, or the reason why there is none.
asks_in_vain() { # again where another move was first; its exit status
  while :; do
    code=0
    "$program" move "$1" 1.0 8.0 >"$work/unanswered" 2>&1 || code=$?
    grep -q 'is moving a device already' "$work/unanswered" || return $code
  done
}
moves() {
  begin -n 2
  hold 0
  expect 0 "$program" move "$(session)" 0.3 1.0
  says out 'echo moves device 3 to 1.0, 12.345 MB in 0.250 s'
  kill -KILL $holder
  hold 1
  number=$(session)
  expect 0 "$program" move "$number" 1.2 0.0
  says out 'echo moves device 2 to 0.0, '
  expect 1 "$program" move "$number" 1.2 9.1
  says err 'echo rejects device 2 to 9.1'
  expect 1 "$program" move "$number" 0.2 1.0
  says err 'the session has no device of that proxy'
  expect 1 "$program" move 999 1.0 0.0
  says err 'there is no such session'
  expect 1 env -u CW_VOCL_SERVICE "$program" move 999 1.0 0.0 # of the service 'default', if there is one
  says err "no service 'default'\|no such session"
  expect 1 "$program" move "$number" first second
  says err 'as `cw-vocl list` names them'
  expect 2 "$program" move "$number" 1.0
  asks_in_vain "$number" &
  mover=$!
  for _ in $(seq 1000); do
    sleep 0.02
    expect_any "$program" move "$number" 1.0 0.0
    ! grep -q 'is moving a device already' "$work/err" || break
  done
  says err 'the program is moving a device already'
  kill -KILL $holder
  status=0
  wait $mover || status=$?
  [ $status -eq 1 ] && grep -q 'the program has ended meanwhile' "$work/unanswered" ||
    { fail "a move without an answer gave $status:" && cat "$work/unanswered"; }
  hold 1
  "$program" move "$(session)" 1.0 8.0 >"$work/unanswered" 2>&1 &
  mover=$!
  expect 0 "$program" stop
  released
  ended 0
  status=0
  wait $mover || status=$?
  [ $status -eq 1 ] || fail "the service stopped, and a move gave $status"
  nothing_left
}

signals() {
  begin -n 2 && hold 1 && kill -TERM $serve && released && ended 0 && nothing_left
  begin -n 2 && hold 0 && kill -HUP $serve && released && ended 0 && nothing_left
  begin -n 2 && kill -INT "$(last_proxy)" && ended 0 && nothing_left
}

run() {
  expect 7 "$program" run -n 2 -- sh -c 'exit 7'
  expect 137 "$program" run -- sh -c 'kill -9 $$'
  expect 127 "$program" run -- /nowhere/program
  says err '/nowhere/program cannot be started'
  expect 1 "$program" run --launcher false -- echo ran
  says err 'the program was not run'
  expect 1 "$program" run --launcher /nowhere/mpiexec -- echo ran
  ! grep -q ran "$work/out" || fail 'the program was run without proxies'
  expect 2 "$program" run
  expect 2 "$program" serve --namex a
  echo words | expect 0 "$program" run -- cat
  says out words
  expect 0 "$program" run -- sh -c 'echo "$OCL_ICD_VENDORS" && test "$OCL_ICD_VENDORS" = "$OCL_ICD_FILENAMES" && test -f "$OCL_ICD_VENDORS"'
  expect 0 "$program" run -n 2 -- sh -c 'echo "$CW_VOCL_SERVICE" && exec "$0" 1 random 200' "$client"
  CW_VOCL_SERVICE=$(grep '^run-' "$work/out") nothing_left
}

# A signal that kills `run` ends its proxies.
killed() {
  for signal in KILL TERM; do
    "$program" run -n 2 -- sh -c 'echo "$CW_VOCL_SERVICE $$"; exec sleep 60' >"$work/name" &
    run=$!
    until [ -e "$work/name" ] && grep -q '^run-' "$work/name"; do sleep 0.05; done
    read -r CW_VOCL_SERVICE sleeper <"$work/name"
    [ -n "$(proxies)" ] || fail 'there are no proxies'
    kill -$signal $run
    status=0
    wait $run || status=$?
    [ $status -ge 128 ] || fail "run was killed and ended with $status"
    nothing_left
    kill "$sleeper" 2>/dev/null || true
    rm "$work/name"
  done
}

# A proxy that dies ends its job; programs receive an error.
dies() {
  begin -n 2
  hold 0
  kill -KILL "$(last_proxy)"
  released
  status=0
  wait $serve || status=$?
  [ $status -ne 0 ] || fail 'a proxy died, and serve ended with 0'
  nothing_left
}

# A silent proxy without sessions does not keep a service from being stopped.
has_ended() { ! kill -0 $serve 2>/dev/null; }
frozen() {
  for silence in 1 0; do
    export CW_VOCL_SILENCE=$silence
    begin -n 2
    kill -STOP "$(last_proxy)"
    expect 0 "$program" stop
    soon has_ended || { fail "with CW_VOCL_SILENCE=$silence serve stands" && kill -TERM $serve; }
    status=0
    wait $serve || status=$?
    [ $status -ne 0 ] || fail 'a proxy was stopped by force, and serve ended with 0'
    nothing_left
  done
}

# Another user, even root, and another network reach no proxy.
users() {
  [ "$(id -u)" = 0 ] || skip 'only root can be other users'
  nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
  $nobody test -x "$client" || skip "other users cannot run $client"
  begin
  expect 3 $nobody "$client" 0 pings 1
  expect 0 $nobody "$client" 0 stranger
  expect 3 unshare --net "$client" 0 pings 1
  expect 1 unshare --net "$client" 0 stranger
  says err 'there is no such socket'
  expect 0 "$client" 0 pings 1
  expect 0 "$program" stop
  ended 0
  HOME=$work
  export HOME
  chmod 777 "$work"
  program="$nobody $program"
  : >"$work/serve"
  $program serve >"$work/serve" 2>&1 &
  serve=$!
  soon is_ready_or_gone || true
  expect 0 $nobody "$client" 0 pings 1
  expect 3 "$client" 0 pings 1
  expect 0 "$client" 65534 stranger
  expect 0 $program stop
  ended 0
  nothing_left
}

idle() {
  begin -n "$number"
  hold 0
  sleep 1
  rest() { use_little "$number"; }
  rest || rest || rest || rest || fail 'idle proxies compute'
  expect 0 "$program" stop
  released
  ended 0
}

# The proxies end sessions a little later than the programs.
lists_no_client() { expect 0 "$program" list && ! grep -q echo_client "$work/out"; }
# With each proxy, through the first one's socket: everything that one end of a channel may do.
sessions() {
  begin -n "$number"
  for proxy in $(seq 0 $((number - 1))); do
    expect 0 "$client" "$proxy" pings 200
    expect 0 "$client" "$proxy" random 300
    expect 0 "$client" "$proxy" seals
    expect 0 "$client" "$proxy" ends
    expect 0 "$client" "$proxy" wild
    expect 0 "$client" "$proxy" leave
  done
  expect 3 "$client" "$number" pings 1
  says err 'there is no such proxy'
  # At once, with long data and short messages.
  clients=
  for each in 1 2 3; do
    for proxy in $(seq 0 $((number - 1))); do
      "$client" "$proxy" random 150 & clients="$clients $!"
      "$client" "$proxy" pings 100 >"$work/pings" & clients="$clients $!"
    done
  done
  for each in $clients; do
    wait "$each" || fail 'a program of several at once'
  done
  soon lists_no_client || { fail 'sessions are left:' && cat "$work/out"; }
  expect 0 "$program" stop
  ended 0
  nothing_left
}

# As many sessions are passed on as there are slots; a slot is used again, also after a program was killed.
pings() { "$client" 1 pings 1 >"$work/out" 2>&1; }
finds_a_slot() { # or ends otherwise; sets status
  status=0
  "$client" 1 random 10 >"$work/out" 2>&1 || status=$?
  [ $status -ne 3 ]
}
slots() {
  export CW_VOCL_SESSIONS=2
  begin -n 2
  hold 1
  first=$holder
  hold 1
  expect 3 "$client" 1 pings 1
  says err 'no space for another relayed session'
  expect 0 "$client" 0 pings 1
  kill -KILL $first
  status=0
  wait $first || status=$?
  soon pings || fail 'the slot of one that was killed is not given back'
  for each in $(seq 20); do
    soon finds_a_slot || true # the last one gives it back a little later than it ends
    [ $status -eq 0 ] || { fail "session $each with the slot gave $status:" && cat "$work/out"; }
  done
  expect 0 "$program" stop
  released
  ended 0
  nothing_left
}

$name
exit $failed
