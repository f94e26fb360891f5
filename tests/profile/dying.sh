#!/bin/sh
# dying.sh PROGRAM MPIEXEC...: a job that dies leaves the profile, and the timeline, of what was done until then, ends as it
# would without them, and leaves nothing else.
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
all_told() { # no witness is there any more
  ! ls -l /proc/[0-9]*/exe 2>/dev/null | grep -q " $program\$"
}

# dies HOW STATUS PROCESSES MISSING [SETTING=VALUE]
dies() {
  how=$1 want=$2 processes=$3 missing=$4
  shift 4
  rm -rf "$work"/profile* "$work"/timeline*
  echo 'of the run before' >"$work/profile" # in the same second
  status=0
  env "$@" CW_PROFILE="$work/profile" CW_TIMELINE="$work/timeline" $mpiexec -n "$processes" ${wrapper:-} "$program" "$how" >"$work/said" 2>&1 ||
    status=$?
  [ $want = any ] || [ $status -eq $want ] || fail "$how: status $status, not $want"
  awaited all_told
  [ -e "$work/profile" ] || { fail "$how: no profile" && return; }
  [ "$(ls "$work" | grep -v wrapper)" = 'profile
said
timeline' ] || { ls "$work"; fail "$how: other files are left"; }
  case $how in
    *abort) ;; # as they are killed
    *) python3 "$here/timeline.py" "$work/timeline" died "$processes" "$missing" || fail "$how: the timeline" ;;
  esac
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
grep -q "^causeway\[1\]: CW_TIMELINE: what all processes have kept until now comes into '$work/timeline'" \
  "$work/said" || fail 'abort does not say where the timeline comes'
# Without a profile, as OTF2; the second time a half is there.
rm "$work/timeline"
for _ in 1 2; do
  CW_TIMELINE=$work/timeline.otf2 $mpiexec -n 2 "$program" kill >"$work/said" 2>&1 || true
  awaited all_told
  if [ -e "$work/timeline.otf2" ] && command -v otf2-print >/dev/null; then
    grep -q 'The job has died: these are the events until then' "$work/timeline.otf2" || fail 'an archive without a word of the death'
    otf2-print "$work/timeline.otf2" >"$work/printed" || fail 'otf2-print does not read what is left'
    for kind in ENTER LEAVE; do
      [ "$(grep -c "^$kind .*Region: \"put\"" "$work/printed")" -eq 2000 ] || fail "not all puts: $kind"
    done
    rm "$work/printed"
  fi
done
grep -q 'it was not there when Causeway was built' "$work/said" || [ -e "$work/timeline.otf2" ] || fail 'no archive'
rm -rf "$work"/timeline*
dies mpi_abort 7 2 '' CW_NODE_SIZE=1
says 'until then, without process 1$' lost $killed 3 1
dies slow $killed 3 1 # what comes when all is told does not take the others' place
# Its launcher does not see that process 1 has died.
cat >"$work/wrapper" <<'END'
#!/bin/sh
"$@" || sleep 1
END
chmod +x "$work/wrapper"
wrapper=$work/wrapper
dies late any 3 ''
wrapper=''
rm "$work/wrapper"
# Where the profile goes to standard output or error.
if [ $killed -ne 137 ]; then
  for out in stdout stderr; do
    CW_PROFILE=/dev/$out $mpiexec -n 2 "$program" kill >"$work/said" 2>&1 || true
    awaited all_told
    if ! grep -q '"ended": "died"' "$work/said" || ! grep -q 'the job has died' "$work/said"; then
      fail "not to /dev/$out"
    fi
  done
fi
CW_PROFILE=$work/profile $mpiexec -n 1 "$program" early >"$work/said" 2>&1 || fail 'early'
awaited all_told
if [ -e "$work/profile" ] || grep -q 'has died' "$work/said"; then fail 'a world that ended has died'; fi
# While the processes tell each other what they have counted, and while process 0 writes the timeline: the profile is
# whole then.
dies merge $killed 3 ''
status=0
CW_PROFILE=$work/profile CW_TIMELINE=$work/timeline $mpiexec -n 3 "$program" write >"$work/said" 2>&1 || status=$?
[ $status -eq $killed ] || fail "write: status $status"
awaited all_told
grep -q '"ended": "finalized"' "$work/profile" || fail 'the profile that was written is lost'
python3 "$here/timeline.py" "$work/timeline" died 3 '' || fail 'write: the timeline'
[ "$(ls "$work")" = 'profile
said
timeline' ] || { ls "$work"; fail 'write: other files are left'; }

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
