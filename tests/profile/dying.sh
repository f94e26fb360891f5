#!/bin/sh
# dying.sh PROGRAM MPIEXEC...: a job that dies leaves the profile of what was done until then, ends as it would without
# one, and leaves nothing else.
set -eu
program=$1
shift
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  cat "$work/said"
  echo "FAILED: $1"
  failed=1
}

# awaited TEST...: until the test is true. Witnesses write, for whom launchers need not wait.
awaited() {
  i=0
  while [ $i -lt 1200 ] && ! "$@"; do
    sleep 0.05
    i=$((i + 1))
  done
}
all_written() {
  [ -e "$work/profile" ] && [ -z "$(ls -d "$work"/*.parts 2>/dev/null)" ]
}

# dies HOW STATUS PROCESSES MISSING [SETTING=VALUE]
dies() {
  how=$1 want=$2 processes=$3 missing=$4
  shift 4
  rm -rf "$work"/profile*
  status=0
  env "$@" CW_PROFILE="$work/profile" $mpiexec -n "$processes" "$program" "$how" >"$work/said" 2>&1 || status=$?
  [ $status -eq "$want" ] || fail "$how: status $status, not $want"
  if [ "$missing" != '' ]; then # a folder, which who puts parts together does not remove
    awaited [ -e "$work/profile" ]
    rm -rf "$work"/*.parts
  fi
  awaited all_written
  [ -e "$work/profile" ] || { fail "$how: no profile" && return; }
  [ "$(ls "$work")" = 'profile
said' ] || { ls "$work"; fail "$how: other files are left"; }
  python3 "$here/check.py" "$here/../../docs/profile.schema.json" "$work/profile" dying "$here/dying.c" \
    "$processes" "$missing" ||
    fail "$how"
}

# says PATTERN HOW...: and it is said on the screen. MPICH's mpiexec may end before it is; Open MPI's passes nothing on.
says() {
  pattern=$1
  shift
  for _ in 1 2 3; do
    dies "$@"
    if [ $killed -eq 137 ] || grep -q "$pattern" "$work/said"; then return; fi
  done
  fail "$1: nothing says '$pattern'"
}

mpiexec="$*"
case $($mpiexec --version 2>&1) in
  *Open*) killed=137 faulted=139 ;;
  *) killed=9 faulted=11 ;;
esac
says 'the job has died: the figures are those until then$' kill $killed 3 ''
dies segv $faulted 2 '' CW_NODE_SIZE=1
dies abort 7 3 ''
grep -q "^causeway\[1\]: CW_PROFILE: what all processes have counted until now comes into '$work/profile'" \
  "$work/said" || fail 'abort does not say where it comes'
dies mpi_abort 7 2 '' CW_NODE_SIZE=1
says 'until then, without process 1$' lost $killed 3 1
# While the processes tell each other what they have counted.
dies merge $killed 3 ''

# A folder that is not there: one sentence, and the status is the same.
for _ in 1 2 3; do
  status=0
  CW_PROFILE=$work/none/profile $mpiexec -n 2 "$program" kill >"$work/said" 2>&1 || status=$?
  [ $status -eq $killed ] || fail "status $status where no profile can be written"
  said=$(grep -c "not written to '$work/none/profile': No such file" "$work/said" || true)
  [ $killed -ne 137 ] && [ "$said" -eq 0 ] || break
done
[ $killed -eq 137 ] || [ "$said" -eq 1 ] || fail 'not one sentence'
exit $failed
