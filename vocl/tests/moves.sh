# Programs whose devices are moved from proxy to proxy while they run (cw-vocl move): their results do not change, nothing
# is left behind, and moves that are impossible fail without an effect.
# Usage: moves.sh CW-VOCL LIBRARY VOCL_MIGRANT VOCL_RANDOM NAME [NUMBER...]: NAME is a function below.
# OCL_ICD_VENDORS names the vendor's library.
set -eu
program=$1 library=$2 migrant=$3 random=$4 name=$5
shift 5
. "$(dirname "$0")/service.sh"

start() { # COMMAND...: in the background, until it says that it has begun; its input ends when descriptor 9 is closed
  rm -f "$work/input"
  mkfifo "$work/input"
  : >"$work/said"
  "$@" <"$work/input" >"$work/said" 2>&1 &
  mover=$!
  exec 9>"$work/input"
  until [ -s "$work/said" ]; do
    kill -0 $mover 2>/dev/null || { cat "$work/said" && fail "$*: it has not begun" && return; }
    sleep 0.02
  done
}
ends() { # STATUS
  exec 9>&-
  status=0
  wait $mover || status=$?
  [ $status -eq "$1" ] || { fail "the program ended with $status, not $1:" && tail -n 20 "$work/said"; }
}
session() { # PROXY: of the program
  "$program" list | awk -v pid=$mover -v proxy="$1" '$3 == pid && $5 == proxy { print $1 }'
}
memory() { # PROXY: bytes of the program on its devices
  "$program" list | awk -v pid=$mover -v proxy="$1" '$3 == pid && $5 == proxy { print $7 }'
}
move() { # FROM TO, as list names them
  timeout 100 "$program" move "$(session "${1%.*}")" "$1" "$2" >"$work/out" 2>"$work/err"
}
moved() { # FROM TO: it must be
  move "$1" "$2" || { fail "it cannot be moved from $1 to $2" && cat "$work/err"; }
}
refused() { # FROM TO WHY
  ! move "$1" "$2" || fail "a move was not refused: $3"
  grep -q "$3" "$work/err" || { fail "no '$3' in:" && cat "$work/err"; }
}
# Moves from proxy to proxy, a given number of times or until the program has ended. A rejected move is not an error. Each
# of two devices moves to a proxy that has none of them.
wander() { # TIMES [OTHER]
  at=0 other=${2:-} moves=0 refusals=0
  while kill -0 $mover 2>/dev/null && [ $moves -lt "$1" ] && [ $refusals -lt 1000 ]; do
    to=$(((at + 1) % 3))
    [ -z "$other" ] || to=$((3 - at - other))
    if move $at.0 $to.0; then
      at=${other:-$to} other=${other:+$to} moves=$((moves + 1))
    else
      refusals=$((refusals + 1))
      cat "$work/err" >>"$work/refusals"
      sleep 0.02
    fi
  done
  echo "$moves moves, $refusals refused"
  ! [ -e "$work/refusals" ] || sort "$work/refusals" | uniq -c
}

steps() { wandering steps "$@"; }
# Its device 1, which is not moved, has callbacks that use device 0.
calls() { # TIMES
  begin 3
  start "$migrant" "$library" 0 calls 0
  at=0
  for _ in $(seq "$1"); do
    for to in 2 0; do
      move $at.0 $to.0 || fail "it cannot be moved: $(cat "$work/err")"
      at=$to
    done
  done
  ends 0
  finish
}
# Callbacks of its own device, which is not moved, come from the thread that does the device's work, and use it.
replies() { # TIMES
  export CW_VOCL_LOCAL=program CW_VOCL_DRAIN=20
  begin 3
  start "$migrant" "$library" 0+1 replies 0
  at=1
  for _ in $(seq "$1"); do
    to=$((3 - at))
    moved $at.0 $to.0
    at=$to
  done
  ends 0
  finish
}
threads() { wandering threads "$@"; }
builds() { wandering builds "$@"; }
wandering() { # WHAT TIMES
  begin 3
  start "$migrant" "$library" 0 "$1" 0
  wander "$2"
  ends 0
  [ $moves -eq "$2" ] || fail 'it was hardly moved'
  finish
}

# A context over devices of two proxies. One of them moves to the third proxy, then the other, and so on; then both are on
# one proxy, and continue there together.
two() { # TIMES
  begin 3
  start "$migrant" "$library" 0+1 steps 0
  wander "$1" 1
  [ $moves -eq "$1" ] || fail 'it was hardly moved'
  moved $at.0 $other.0
  moved $other.0 $at.0
  moved $at.0 $other.0
  ends 0
  for from in 0 1; do
    start "$migrant" "$library" 0+1 hold options
    moved $from.0 2.0
    ends 0
  done
  start "$migrant" "$library" 0+1 hold released
  moved 0.0 2.0
  ends 0
  finish
}

# Two devices of one proxy in a context: the objects of one replica location move to two.
apart() {
  export POCL_DEVICES='pthread pthread'
  begin 2
  start "$migrant" "$library" 0+1 steps 0
  moved 0.1 1.1
  moved 1.1 0.1
  moved 0.0 1.0
  moved 1.0 1.1
  moved 0.1 0.0
  moved 0.0 1.1
  moved 1.1 0.0
  ends 0
  for what in map event rebuilt; do
    start "$migrant" "$library" 0+1 hold $what
    moved 0.0 1.0
    ends 0
  done
  start "$migrant" "$library" 0+1 hold linked # for the first one
  moved 0.0 1.0
  moved 0.1 1.1
  ends 0
  start "$migrant" "$library" 0+1 hold late
  moved 0.1 1.0
  ends 0
  finish
}

# The program's own device, which has no session, and a proxy's, which moves.
mixed() { # TIMES
  export CW_VOCL_LOCAL=program
  begin 3
  start "$migrant" "$library" 0+1 steps 0
  at=1
  for _ in $(seq "$1"); do
    to=$((3 - at))
    moved $at.0 $to.0
    at=$to
  done
  ends 0
  finish
}

# The log of random programs is the same as natively, whenever they are moved.
random() { # DEVICES SEED PROGRAMS STEPS [THREADS]
  devices=$1
  shift
  POCL_DEVICES='pthread pthread' timeout 1200 "$random" "$vendor" "$devices" "$@" >"$work/native" 2>"$work/err" || {
    fail native && cat "$work/err"; }
  begin 3
  echo >"$work/said"
  total=0
  while [ $total -lt 3 ] && [ $failed -eq 0 ]; do # on a busy machine one may end before it is moved
    "$random" "$library" "$devices" "$@" >"$work/moved" 2>"$work/err.moved" 9>&- &
    mover=$!
    # shellcheck disable=SC2046 # nothing, or a number
    wander 1000000 $([ "$devices" = 0 ] || echo 1)
    total=$((total + moves))
    wait $mover || { fail "the program ended with $?" && tail -n 5 "$work/err.moved"; }
    cmp -s "$work/native" "$work/moved" || {
      fail 'moved programs say something else' && diff "$work/native" "$work/moved" | head -n 12; }
  done
  finish
}

# There and back, often: memory of devices and of the program stays as it is.
has_bytes() { [ "$(memory "$1")" = "$2" ]; } # PROXY BYTES
often() { # TIMES
  export MALLOC_ARENA_MAX=1 # threads that meet take further ones, now or later
  begin 3
  start "$migrant" "$library" 0 hold nothing
  before=$(memory 0)
  wander 6
  first=$(awk '/RssAnon/ { print $2 }' "/proc/$mover/status")
  wander0=$1
  at=0
  for each in $(seq "$wander0"); do
    to=$(((at + 1) % 3))
    move $at.0 $to.0 || { fail 'it was refused' && cat "$work/err"; }
    at=$to
  done
  last=$(awk '/RssAnon/ { print $2 }' "/proc/$mover/status")
  echo "after 6 moves $first KiB, after $1 more $last KiB; $before bytes of the device"
  [ $((last - first)) -le 4096 ] || fail 'the program grows'
  for proxy in 0 1 2; do
    wanted=$([ $proxy -eq $at ] && echo "$before" || echo 0)
    soon has_bytes $proxy "$wanted" || fail "proxy $proxy has $(memory $proxy) bytes, not $wanted"
  done
  ends 0
  finish
}

returns() { move 1.0 0.0 || { move 0.0 1.0; false; }; } # what was asked before may come to nothing
refusals() {
  export POCL_MAX_PTHREAD_COUNT=1 # a device does one thing after the other
  export CW_VOCL_DRAIN=2          # seconds that proxies wait for a reply of a program
  begin 2
  unset CW_VOCL_DRAIN
  start "$migrant" "$library" 0 hold nothing
  refused 0.0 0.0 'it is on device 0.0 already'
  refused 0.0 7.0 'there is no device 7.0'
  refused 0.1 1.0 'there is no device 0.1'
  move 0.0 1.0 || fail 'it cannot be moved'
  refused 0.0 1.0 'the program does not use that device'
  move 1.0 0.0 || fail 'it cannot be moved back'
  ends 0
  for devices in 0 0+1; do
    start env CW_VOCL_DRAIN=1 "$migrant" "$library" $devices hold endless
    refused 0.0 1.0 'CW_VOCL_DRAIN'
    ends 0
  done
  # A device that another program keeps busy accepts no move; the rejected program continues at once.
  mkfifo "$work/other"
  "$migrant" "$library" 1 hold endless <"$work/other" >"$work/busy" 2>&1 9>&- &
  other=$!
  exec 8>"$work/other"
  soon test -s "$work/busy" || fail 'the other program does not begin'
  start env CW_VOCL_DRAIN=2 "$migrant" "$library" 0 hold rebuilt 8>&-
  refused 0.0 1.0 'the new device is busy (CW_VOCL_DRAIN)'
  ends 0
  exec 8>&- # its last kernels end while others wait
  start "$migrant" "$library" 0 hold nothing # a stopped session delays no other one for ever
  kill -STOP $mover
  refused 0.0 1.0 'the program does not answer'
  refused 0.0 1.0 'is moving a device already'
  wait $other || { fail 'the other program' && cat "$work/busy"; }
  kill -CONT $mover
  soon returns || { fail 'one that was stopped and goes on cannot be moved' && cat "$work/err"; }
  refused 0.0 0.0 'it is on device 0.0 already'
  ends 0
  start "$migrant" "$library" 0 hold part
  refused 0.0 1.0 'sub-devices'
  ends 0
  # Mapped memory, and commands that wait for a user event, wait at the client.
  for what in map event rebuilt; do
    start "$migrant" "$library" 0 hold $what
    move 0.0 1.0 || { fail "$what keeps it from being moved" && cat "$work/err"; }
    ends 0
  done
  start "$migrant" "$library" 0+0 hold rebuilt # a device that is named twice
  moved 0.0 1.0
  ends 0
  finish
}

# A device with fewer capabilities: Oclgrind's beside PoCL's.
less() { # OCLGRIND
  [ $# -gt 0 ] || { echo 'skipped: there is no Oclgrind' && exit 77; }
  vendor=$vendor:$1
  export CW_VOCL_VENDORS=$vendor
  begin 1
  start "$migrant" "$library" 0 hold nothing
  refused 0.0 0.1 'the new device cannot replace the old one'
  ends 0
  finish
}

# Deaths during a move: of the program, of the proxy that it leaves, of the proxy that it moves to.
has_no_session() { "$program" list >"$work/out" && ! grep -q vocl_moving "$work/out"; }
has_ended() { ! kill -0 $mover 2>/dev/null; }
killed() { # DEVICES
  begin 3
  for pause in 0 0.01 0.03 0.1; do
    start "$migrant" "$library" "$1" steps 100000
    move 0.0 1.0 &
    sleep $pause
    kill -KILL $mover
    wait $mover 2>/dev/null || true
    wait $! || true
    exec 9>&-
  done
  soon has_no_session || { fail 'sessions are left:' && cat "$work/out"; }
  expect 0 "$migrant" "$library" "$1" steps 20
  finish
  for victim in 1 2; do
    begin 2
    start "$migrant" "$library" "$1" steps 100000
    move 0.0 1.0 &
    asker=$!
    sleep 0.03
    kill -KILL "$(proxies | sed -n ${victim}p)"
    wait $asker || true
    # A proxy that dies ends its job: the program's calls fail, and it ends by itself.
    soon has_ended || fail 'the program hangs'
    ends 1
    grep -q 'FAILED' "$work/said" || { fail 'the program says nothing' && cat "$work/said"; }
    wait $serve || true
    gone
  done
}

# Two programs at work on one of two equal devices: one goes to the other device, and both stay where they are then.
balance() {
  export CW_VOCL_BALANCE=1 CW_LOG=2
  begin 2
  mkfifo "$work/input"
  "$migrant" "$library" 0 busy 0 <"$work/input" >"$work/one" 2>&1 & one=$!
  "$migrant" "$library" 0 busy 0 <"$work/input" >"$work/two" 2>&1 & two=$!
  exec 9>"$work/input"
  for _ in $(seq 900); do # a program that refused is asked again after a minute
    "$program" list >"$work/out" 2>"$work/err"
    busy=$(awk '$2 == "vocl_moving" && $6 != "-" { print $6 }' "$work/out" | sort -u | tr '\n' ' ')
    [ "$busy" != '0.0 1.0 ' ] || break
    kill -0 $one 2>/dev/null && kill -0 $two 2>/dev/null || break
    sleep 0.1
  done
  [ "$busy" = '0.0 1.0 ' ] || { fail "devices in use: $busy" && cat "$work/out" "$work/serve"; }
  sleep 1
  exec 9>&-
  wait $one || { fail 'the first program' && cat "$work/one"; }
  wait $two || { fail 'the second program' && cat "$work/two"; }
  moved=$(grep -c 'continues on the new device' "$work/serve") || true
  echo "$moved moves"
  [ "$moved" -eq 1 ] || { fail 'one program had to move' && grep balancing "$work/serve"; }
  finish
}

$name "$@"
exit $failed
