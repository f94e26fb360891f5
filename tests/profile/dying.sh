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
  echo "FAILED: $1"
  failed=1
}

# wrong WHAT: prints an error of one run and returns 1.
wrong() {
  cat "$work/said"
  echo "wrong: $1"
  return 1
}

# tries FUNCTION...: runs it up to three times. Launchers may end before all messages are printed, and on a busy machine a
# crash reporter may have no core for as long as others wait for it.
tries() {
  for _ in 1 2 3; do
    if "$@"; then return; fi
  done
  fail "$*"
}

# awaited TEST...: waits until the test is true. Crash reporters write the files, and launchers need not wait for them.
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

# starts STATUS PROCESSES HOW [SETTING=VALUE]
starts() {
  want=$1 processes=$2 how=$3
  shift 3
  status=0
  env "$@" $mpiexec -n "$processes" ${wrapper:-} "$program" "$how" >"$work/said" 2>&1 || status=$?
  awaited all_told
  [ $want = any ] || [ $status -eq $want ] || wrong "$how: status $status, not $want"
}

# says PATTERN: the output must have the pattern. It is not checked with Open MPI, whose mpiexec does not pass the output on.
says() {
  [ $killed -eq 137 ] || grep -q "$1" "$work/said" || wrong "nothing says '$1'"
}

# dies HOW STATUS PROCESSES MISSING [SETTING=VALUE]
dies() {
  how=$1 want=$2 processes=$3 missing=$4
  shift 4
  rm -rf "$work"/profile* "$work"/timeline*
  echo 'of the run before' >"$work/profile" # in the same second
  starts "$want" "$processes" "$how" CW_PROFILE="$work/profile" CW_TIMELINE="$work/timeline" "$@" || return 1
  leaves_both || return 1
  case $how in
    *abort) ;; # as they are killed
    *) python3 "$here/timeline.py" "$work/timeline" died "$processes" "$missing" || wrong "$how: the timeline" || return 1 ;;
  esac
  python3 "$here/check.py" "$here/../../docs/reference/profile.schema.json" "$work/profile" dying "$here/dying.c" \
    "$processes" "$missing" || wrong "$how: the profile"
}

# leaves_both: checks that a profile and a timeline are left, and nothing else
leaves_both() {
  [ "$(ls "$work" | grep -v wrapper)" = 'profile
said
timeline' ] || { ls "$work"; wrong "$how: that is left, and not a profile and a timeline"; }
}

# dies_saying PATTERN HOW...: the job dies, and its output has the pattern.
dies_saying() {
  pattern=$1
  shift
  dies "$@" && says "$pattern"
}

aborts() {
  dies abort 7 3 '' || return 1
  for what in "PROFILE: the counts of all processes so far are written to '$work/profile'" \
    "TIMELINE: the events of all processes so far are written to '$work/timeline'"; do
    grep -q "^causeway\[1\]: CW_$what" "$work/said" || wrong "abort does not say CW_$what" || return 1
  done
}

# Checks an OTF2 archive without a profile. $before is the inode of the anchor file of an archive that it replaces.
leaves_archive() {
  starts any 2 kill CW_TIMELINE="$work/timeline.otf2" || return 1
  if grep -q 'it was not there when Causeway was built' "$work/said"; then return; fi
  [ -e "$work/timeline.otf2" ] || wrong 'no archive' || return 1
  anchor=$(stat -c %i "$work/timeline.otf2")
  [ "$anchor" != "$before" ] || wrong 'the archive is the one that was there' || return 1
  grep -q 'The job has died: these are the events until then' "$work/timeline.otf2" ||
    wrong 'an archive without a word of the death' || return 1
  command -v otf2-print >/dev/null || { echo 'no otf2-print: nobody reads the archive'; return; }
  otf2-print "$work/timeline.otf2" >"$work/printed" || wrong 'otf2-print does not read what is left' || return 1
  for kind in ENTER LEAVE; do
    [ "$(grep -c "^$kind .*Region: \"cw_put\"" "$work/printed")" -eq 2000 ] || wrong "not all puts: $kind" || return 1
  done
}

# shows PLACE: the report must show the profile, and that the job has died
shows() {
  starts any 2 kill CW_PROFILE="/dev/$1" || return 1
  says '"ended": "died"' && says 'the job has died'
}

# Process 0 dies while it writes the timeline; the profile is complete then.
dies_writing() {
  rm -rf "$work"/profile* "$work"/timeline*
  starts "$killed" 3 write CW_PROFILE="$work/profile" CW_TIMELINE="$work/timeline" && leaves_both || return 1
  grep -q '"ended": "finalized"' "$work/profile" || wrong 'the profile that was written is lost' || return 1
  python3 "$here/timeline.py" "$work/timeline" died 3 '' || wrong 'write: the timeline'
}

# The folder does not exist: there is one message, and the status is the same.
complains() {
  starts "$killed" 2 kill CW_PROFILE="$work/none/profile" || return 1
  [ $killed -eq 137 ] || [ "$(grep -c "not written to '$work/none/profile': No such file" "$work/said")" -eq 1 ] ||
    wrong 'not one sentence'
}

mpiexec="$*"
case $($mpiexec --version 2>&1) in
  *Open*) killed=137 faulted=139 ;;
  *) killed=9 faulted=11 ;;
esac
tries dies_saying 'the job has died: the figures are those until then$' kill $killed 3 ''
tries dies segv $faulted 2 '' CW_NODE_SIZE=1
tries aborts
rm -rf "$work"/timeline*
before=none
tries leaves_archive
before=${anchor:-none}
tries leaves_archive
rm -rf "$work"/timeline* "$work/printed"
tries dies mpi_abort 7 2 '' CW_NODE_SIZE=1
tries dies_saying 'until then, without process 1$' lost $killed 3 1
tries dies slow $killed 3 1 # a partial profile that arrives after the end does not replace the others
# The launcher does not notice that process 1 has died.
cat >"$work/wrapper" <<'END'
#!/bin/sh
"$@" || sleep 1
END
chmod +x "$work/wrapper"
wrapper=$work/wrapper
tries dies late any 3 ''
wrapper=''
rm "$work/wrapper"
for out in stdout stderr; do
  [ $killed -eq 137 ] || tries shows $out
done
rm -rf "$work"/profile* "$work"/timeline*
CW_PROFILE=$work/profile $mpiexec -n 1 "$program" early >"$work/said" 2>&1 || fail 'early'
awaited all_told
if [ -e "$work/profile" ] || grep -q 'has died' "$work/said"; then fail 'a world that ended has died'; fi
tries dies merge $killed 3 '' # while the processes tell each other what they have counted
tries dies_writing
tries complains
rm -rf "$work"/profile* "$work"/timeline*

# met NAME: two jobs with the same PIDs write the same timeline at once. One complete file must be left. Each job has a TMPDIR,
# because Open MPI makes a folder there whose name has the PID of mpiexec.
met() {
  mkdir "$work/meeting"
  for job in 1 2; do
    mkdir "$work/meeting/tmp$job"
    TMPDIR=$work/meeting/tmp$job MEETS_AT=$work/meeting MET_AS=$job MET_WITH=$((3 - job)) CW_TIMELINE=$work/$1 timeout 100 \
      unshare --pid --fork --mount-proc $mpiexec -n 1 "$program" met >"$work/said$job" 2>&1 || fail "met: job $job of $1" &
  done
  wait
  cat "$work/said1" "$work/said2" >"$work/said"
  if grep -q 'it was not there when Causeway was built' "$work/said"; then return; fi
  [ "$(grep -c "^---- timeline, [0-9]* events: $work/$1" "$work/said")" -eq 2 ] ||
    { cat "$work/said"; fail "not both jobs have written $1"; }
  rm -r "$work/meeting" "$work"/said?
}
if unshare --pid --fork --mount-proc true 2>/dev/null; then
  met both.json
  python3 -c 'import json, sys; sys.exit(len(json.load(open(sys.argv[1]))["traceEvents"]) < 1000)' "$work/both.json" ||
    fail 'the timeline that two jobs have written'
  met trace.otf2
  if [ -e "$work/trace.otf2" ] && command -v otf2-print >/dev/null; then
    [ "$(otf2-print "$work/trace.otf2" | grep -c '^ENTER ')" -ge 1000 ] || fail 'the archive that two jobs have written'
  fi
  [ "$(ls "$work" | grep -vc '^both.json$\|^trace\|^said$')" -eq 0 ] || { ls "$work"; fail 'two jobs leave something'; }
else
  echo 'no right to make PID namespaces: two jobs with the same PIDs were not tried'
fi
exit $failed
