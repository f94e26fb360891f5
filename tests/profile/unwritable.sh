#!/bin/sh
# unwritable.sh PROGRAM MPIEXEC...: a profile, or a timeline, that cannot be written causes one message, at the beginning of
# the run if the error is known then, and the job ends as it would otherwise. A path that is no regular file is not replaced.
# Two worlds in one job leave two files.
set -eu
program=$1 here=$(cd "$(dirname "$0")" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  cat "$work/said"
  echo "FAILED: $1"
  failed=1
}

# A file that cannot be written is reported when the run begins, and not again:
# early REASON PROFILE TIMELINE ARGUMENT... of mpiexec and program
early() {
  reason=$1 profile=$2 timeline=$3
  shift 3
  CW_LOG=2 CW_PROFILE=$profile CW_TIMELINE=$timeline "$@" >"$work/said" 2>&1 || fail "$reason: another status"
  for line in "CW_PROFILE: the profile cannot be written to '$profile': $reason; " \
    "CW_TIMELINE: the timeline cannot be written to '$timeline': $reason; "; do
    [ "$(sed '/^processes: /q' "$work/said" | grep -cF "$line")" -eq 1 ] || fail "not told first: $line"
  done
  [ "$(grep -c " to '.*': $reason" "$work/said")" -eq 2 ] || fail "$reason: not two sentences"
  grep -q 'passed: [1-9]' "$work/said" || fail 'the program has said nothing'
  if grep -q 'all of it' "$work/said"; then fail 'a file is named'; fi
}
long=$(printf '%0300d' 0)
early 'No such file or directory' "$work/none/profile" "$work/none/timeline.json" "$@" -n 2 "$program"
early 'Is a directory' "$work" "$work/." "$@" -n 1 "$program"
early 'File name too long' "$work/$long" "$work/$long.json" "$@" -n 1 "$program"
[ "$(ls "$work")" = said ] || { ls "$work"; fail 'a try is left'; }
# The program makes the folder.
CW_PROFILE=$work/later/profile CW_TIMELINE=$work/later/timeline.json "$@" -n 2 "$program" "$work/later" >"$work/said" 2>&1 ||
  fail 'a folder that the program makes'
[ "$(ls "$work/later")" = 'profile
timeline.json' ] || { ls "$work/later"; fail 'not written into a folder that the program has made'; }
# The limit on the size of files, and its signal, do not end the job.
CW_PROFILE=$work/profile CW_TIMELINE=$work/timeline.json "$@" -n 2 "$program" limited >"$work/said" 2>&1 ||
  fail 'the limit on the size of files has ended the job'
for what in "profile was not written to '$work/profile" "timeline was not written to '$work/timeline.json"; do
  grep -q "$what': File too large" "$work/said" || fail "nothing says: $what"
done
CW_TIMELINE=$work/limited.otf2 "$@" -n 1 "$program" limited >"$work/said" 2>&1 || fail 'the limit and an archive'
grep -q "CW_TIMELINE: .* written to '$work/limited.otf2': " "$work/said" || fail 'nothing of a limited archive'
rm -r "$work/later"
[ "$(ls "$work")" = said ] || { ls "$work"; fail 'a file beyond the limit is left'; }
# Both are written to a device that discards them.
CW_PROFILE=/dev/null CW_TIMELINE=/dev/null "$@" -n 2 "$program" >"$work/said" 2>&1 || fail 'into /dev/null'
if ! grep -q '^---- timeline, [1-9].* events: /dev/null$' "$work/said" || ! grep -q '^---- all of it: /dev/null$' "$work/said" ||
  grep 'causeway.*: CW_' "$work/said"; then
  fail 'not both into /dev/null'
fi

cd "$work"
for none in 0 off; do
  CW_PROFILE=$none "$@" -n 1 "$program" >"$work/said" 2>&1 || fail "without a profile: $none"
  if [ -e $none ] || grep -q '^---- profile' "$work/said"; then fail "CW_PROFILE=$none is no profile"; fi
done

mkfifo "$work/pipe"
exec 8<>"$work/pipe" # until `cat` has begun, another process reads
cat "$work/pipe" >"$work/got" 8>&- &
CW_PROFILE=$work/pipe "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'into a pipe'
i=0
until [ -s "$work/got" ] || [ $i -ge 1200 ]; do
  sleep 0.05
  i=$((i + 1))
done
exec 8>&-
if [ -p "$work/pipe" ] && [ -s "$work/got" ]; then wait $!; else kill $!; fi
if [ ! -p "$work/pipe" ] || ! grep -q '"causeway_profile": 1' "$work/got"; then fail 'not into the pipe'; fi
ln -s real "$work/link"
# An older archive is replaced; other files of this name are not.
mkdir "$work/trace" "$work/other"
touch "$work/trace/7.evt" "$work/trace.def" "$work/trace.otf2" "$work/other/important.def" "$work/other/1.evt" \
  "$work/alone.def"
CW_PROFILE=$work/link CW_TIMELINE=$work/trace.otf2 "$@" -n 2 "$program" >"$work/said" 2>&1 || fail 'through a link'
if grep -q 'it was not there when Causeway was built' "$work/said"; then
  echo 'no library of OTF2'
elif command -v otf2-print >/dev/null; then
  events=$(sed -n 's/^---- timeline, \([0-9]*\) events: .*/\1/p' "$work/said")
  [ "${events:-0}" -gt 2000 ] || fail "$events events"
  otf2-print "$work/trace.otf2" >"$work/printed" || fail 'otf2-print does not read it'
  otf2-print -G "$work/trace.otf2" >"$work/defined" || fail 'otf2-print does not read its definitions'
  for kind in ENTER LEAVE; do
    [ "$(grep -c "^$kind " "$work/printed")" -eq "$events" ] || fail "not $events of $kind"
  done
  [ "$(grep -c '^ENTER .*Region: "cw_put"' "$work/printed")" -eq 2000 ] || fail 'not all puts'
  grep -q '^REGION .*"cw_put" <.*Descr.: "put" <' "$work/defined" || fail 'no class of puts'
  [ "$(grep -c '"bytes" <1>; UINT64; 8), ("object" <2>; STRING; "region, ' "$work/printed")" -ge 2000 ] || fail 'no facts of puts'
  [ "$(grep -c '^LOCATION .*"thread 0"' "$work/defined")" -eq 2 ] || fail 'not two threads'
  [ "$(cd "$work/trace" && echo *)" = '0.def 0.evt 1.def 1.evt' ] || fail 'other files in the archive'
  CW_TIMELINE=$work/other.otf2 "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'a folder of the program'
  grep -q "cannot be written to '$work/other.otf2': Directory not empty" "$work/said" || fail 'nothing of a folder of the program'
  if [ ! -e "$work/other/important.def" ] || [ ! -e "$work/other/1.evt" ] || [ -e "$work/other.otf2" ]; then
    fail 'a folder of the program was replaced'
  fi
  CW_TIMELINE=$work/alone.otf2 "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'a file of the program'
  grep -q "cannot be written to '$work/alone.otf2': File exists" "$work/said" || fail 'a file of the program was replaced'
fi
! ls -d "$work"/*.part* 2>/dev/null || fail 'a part is left'
if [ ! -L "$work/link" ] || ! grep -q '"causeway_profile": 1' "$work/real"; then fail 'not through the link'; fi
CW_PROFILE=$work/pipe CW_TIMELINE=$work/none/trace.otf2 "$@" -n 1 "$program" >"$work/said" 2>&1 ||
  fail 'a pipe that nobody reads'
grep -q "CW_TIMELINE: .*'$work/none/trace.otf2': " "$work/said" || fail 'nothing of an archive that cannot be written'
grep -q "not written to '$work/pipe': No such device" "$work/said" || fail 'nothing of a pipe that nobody reads'
ln -s /dev/full "$work/full" # so that a mistake replaces the link
ln -s full "$work/full2"
CW_PROFILE=$work/full CW_TIMELINE=$work/full "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'one name for both'
grep -q "no timeline will be written to '$work/full': CW_PROFILE names the same file" "$work/said" || fail 'both have one name'
CW_PROFILE=$work/full CW_TIMELINE=$work/full2 "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'a full disk'
grep -q "timeline was not written to '$work/full2': No space left on device" "$work/said" || fail 'no timeline of a full disk'
grep -q "profile was not written to '$work/full': No space left on device" "$work/said" || fail 'nothing of a full disk'
if [ $failed -eq 0 ]; then # else the device of this machine would be replaced
  CW_PROFILE=/dev/stderr "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'to standard error'
  if ! grep -q '"causeway_profile": 1' "$work/said" || ! grep -q 'passed: [1-9]' "$work/said"; then
    fail 'not to standard error'
  fi
fi

touch "$work/profile"
chmod 600 "$work/profile"
CW_PROFILE=$work/profile CW_TIMELINE=$work/timeline.json CW_TIMELINE_EVENTS=100 \
  "$@" -n 2 "$program" again >"$work/said" 2>&1 || fail 'two worlds'
for file in timeline timeline.2; do
  python3 "$here/timeline.py" "$work/$file.json" drop 100 2 || fail "$file.json"
done
grep -c 'events were dropped.*CW_TIMELINE_EVENTS=100, ' "$work/said" | grep -qx 2 || fail 'not two sentences of what was dropped'
for file in profile profile.2; do
  grep -q '"causeway_profile": 1' "$work/$file" || fail "no $file"
done
[ "$(stat -c %a "$work/profile")" = 600 ] || fail 'a profile that was there has lost its mode'
grep -c '^---- all of it' "$work/said" | grep -qx 2 || fail 'not two screens'

CW_PROFILE=1 CW_TIMELINE=1 SLURM_JOB_ID=77 "$@" -n 2 "$program" >"$work/said" 2>&1 || fail 'a name of its own'
ls cw-known-????????-??????-77.json cw-known-????????-??????-77.timeline.json >/dev/null || fail 'no name of program, date and job'
exit $failed
