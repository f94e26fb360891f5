# Programs and clients that break the rules: the service continues, other programs notice nothing, and nothing is left.
# Usage: abuse.sh CW-VOCL LIBRARY VOCL_USER CLIENT NAME [NUMBER]: NAME is a function below.
# OCL_ICD_VENDORS names the vendor's library.
set -eu
program=$1 library=$2 user=$3 client=$4 name=$5 number=${6:-}
. "$(dirname "$0")/service.sh"

use() { "$user" "$library" "$@"; }
works() { expect 0 "$user" "$library" "${1:-0}" work; }
# Number of descriptors and threads of an idle proxy.
resting() { # PROCESS
  echo "$(ls "/proc/$1/fd" | wc -l) $(ls "/proc/$1/task" | wc -l)"
}
has_no_more() { # PROCESS WHAT
  set -- $(resting "$1") $2
  [ "$1" -le "$3" ] && [ "$2" -le "$4" ]
}
rests_as() { # PROCESS WHAT
  soon has_no_more "$@" || fail "a proxy has (descriptors, threads) $(resting "$1"), at first $2"
}

# No other client waits for clients that send nothing, or malformed messages.
clients() {
  begin 1
  works
  mine=$(proxies)
  before=$(resting "$mine")
  "$client" mute 500 1000 >"$work/mute" &
  mute=$!
  until [ -s "$work/mute" ]; do kill -0 $mute; sleep 0.02; done
  works
  expect 0 "$program" list
  expect 0 "$client" nonsense 300 "$number"
  works
  kill $mute
  wait $mute || true
  expect 0 "$client" crowd "$number"
  rests_as "$mine" "$before"
  works
  finish
}

# Malformed messages and positions end their own session only. Programs of the other session continue.
wild() {
  begin 2
  use 0 threads & threads=$!
  for proxy in 0 1; do
    expect 0 "$client" wild $proxy "$number" $((number + proxy))
    expect 0 "$client" positions $proxy "$number" $((number + proxy))
    works $proxy
  done
  wait $threads || fail 'a program beside wild ones ended badly'
  expect 0 "$program" list
  finish
}

# The recorded messages of a program, sent many times, with changed numbers and lengths.
replay() {
  begin 2
  expect 0 "$user" "$library" 0 record "$work/record"
  cat "$work/out"
  first=$(proxies | head -n 1)
  "$client" replay 0 20 "$work/record" 1 >"$work/out"
  works 0
  works 1
  before=$(resting "$first")
  use 0 threads & threads=$!
  for proxy in 0 1; do
    timeout 1200 "$client" replay $proxy "$number" "$work/record" $((number + proxy)) || fail "sessions with proxy $proxy"
    works $proxy
  done
  wait $threads || fail 'a program beside wild ones ended badly'
  rests_as "$first" "$before"
  finish
}

# Programs that are killed, and programs that end without closing their session.
killed() {
  begin 2
  works 0
  works 1
  first=$(proxies | head -n 1)
  before=$(resting "$first")
  for device in 0 1; do
    for what in write read build; do
      : >"$work/begun"
      "$user" "$library" $device $what >"$work/begun" 2>"$work/err" &
      victim=$!
      until [ -s "$work/begun" ]; do kill -0 $victim || { cat "$work/err" && break; }; sleep 0.01; done
      sleep 0.1
      kill -KILL $victim
      wait $victim 2>/dev/null || true
      works $device
    done
    expect 0 "$user" "$library" $device leave
    expect 0 "$user" "$library" $device again
    expect 0 "$user" "$library" $device child
    works $device
  done
  rests_as "$first" "$before"
  nobody_has_a_session
  finish
}
lists_no_user() { expect 0 "$program" list && ! grep -q vocl_user "$work/out"; }
nobody_has_a_session() {
  soon lists_no_user || { fail 'sessions are left:' && cat "$work/out"; }
}

# A proxy is killed: the program receives an error, and survives.
lost() {
  for device in 0 1; do
    for victim in 1 2; do
      begin 2
      expect 0 "$user" "$library" $device lost "$(proxies | sed -n ${victim}p)"
      grep 'after the proxy' "$work/out" || true
      wait $serve || true
      gone
    done
  done
}

# A kernel stores to an invalid address, and its proxy dies: all programs of the service receive an error, and survive.
crash() {
  begin 2
  for other in 0 1; do
    use $other read >"$work/beside$other" 2>&1 &
    eval "beside$other=\$!"
    until [ -s "$work/beside$other" ]; do sleep 0.02; done
  done
  expect 0 "$user" "$library" 1 lost kernel
  cat "$work/out"
  is_told "$work/err"
  for other in 0 1; do
    status=0
    eval "wait \$beside$other" || status=$?
    [ $status -eq 1 ] || fail "the program beside it with device $other ended with $status"
    grep -q 'read gives -2,' "$work/beside$other" || fail 'its call did not say CL_DEVICE_NOT_AVAILABLE'
    is_told "$work/beside$other"
  done
  status=0
  wait $serve || status=$?
  [ $status -ne 0 ] || fail 'a proxy has crashed, and serve ended with 0'
  grep -q '^cw-vocl: a proxy has died' "$work/serve" || { fail 'serve does not say so:' && cat "$work/serve"; }
  gone
}
is_told() { # FILE
  grep -q 'devices of proxy [01] are lost: calls on them return CL_DEVICE_NOT_AVAILABLE' "$1" ||
    { fail 'no message says that the devices are lost:' && cat "$1"; }
}

# Eight programs at once, on both proxies; threads on one queue; small limits; no memory.
together() {
  begin 2
  works
  all=
  for each in 1 2 3 4; do
    for device in 0 1; do
      use $device work & all="$all $!"
    done
  done
  for each in $all; do wait "$each" || fail 'one of eight programs'; done
  for device in 0 1; do
    expect 0 "$user" "$library" $device threads
    expect 0 "$user" "$library" $device quiet
    cat "$work/out"
  done
  # With few descriptors a program works, or reports an error; it does not hang, nor end by a signal.
  for descriptors in 4 5 6 7 8 16; do
    status=0
    timeout 60 prlimit --nofile=$descriptors "$user" "$library" 0 work >"$work/out" 2>&1 || status=$?
    [ $status -le 1 ] || [ $status -eq 127 ] || # not even its libraries were found
      { fail "with $descriptors descriptors: $status" && cat "$work/out"; }
  done
  works
  finish
}

full() {
  begin 1
  works
  mine=$(proxies)
  pages=$(cut -d' ' -f1 "/proc/$mine/statm")
  prlimit --pid "$mine" --as=$((pages * 4096 + (3 << 30)))
  expect 0 "$user" "$library" 0 full
  cat "$work/out"
  works
  finish
}

# Consecutive sessions leave nothing behind, nor do sessions of programs that are killed at random times.
sessions() { one_after_the_other sessions; }
mortal() { one_after_the_other mortal; }
one_after_the_other() { # WHAT
  export MALLOC_ARENA_MAX=2 # threads that meet take further ones, now or later
  begin 2
  works 0
  works 1
  for device in 0 1; do
    # shellcheck disable=SC2046 # one argument each
    use $device "$1" "$number" $(proxies) || fail "$1 with device $device"
  done
  nobody_has_a_session
  finish
}

$name
exit $failed
