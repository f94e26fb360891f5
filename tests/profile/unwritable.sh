#!/bin/sh
# unwritable.sh PROGRAM MPIEXEC...: a profile that cannot be written is told in one sentence, and the job ends as it
# would. What is no file of data is not replaced. And two worlds in one job leave two files.
set -eu
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  cat "$work/said"
  echo "FAILED: $1"
  failed=1
}

CW_PROFILE=$work/none/profile "$@" -n 2 "$program" >"$work/said" 2>&1 || fail 'the job ended with another status'
[ "$(grep -c "the profile was not written to '$work/none/profile': No such file or directory" "$work/said")" -eq 1 ] ||
  fail 'not one sentence'
grep -q 'passed: [1-9]' "$work/said" || fail 'the program has said nothing'
grep -q 'all of it' "$work/said" && fail 'a file is named'

cd "$work"
for none in 0 off; do
  CW_PROFILE=$none "$@" -n 1 "$program" >"$work/said" 2>&1 || fail "without a profile: $none"
  if [ -e $none ] || grep -q '^---- profile' "$work/said"; then fail "CW_PROFILE=$none is no profile"; fi
done

mkfifo "$work/pipe"
cat "$work/pipe" >"$work/got" &
CW_PROFILE=$work/pipe "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'into a pipe'
if [ -p "$work/pipe" ]; then wait $!; else kill $!; fi
if [ ! -p "$work/pipe" ] || ! grep -q '"causeway_profile": 1' "$work/got"; then fail 'not into the pipe'; fi
ln -s real "$work/link"
CW_PROFILE=$work/link "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'through a link'
if [ ! -L "$work/link" ] || ! grep -q '"causeway_profile": 1' "$work/real"; then fail 'not through the link'; fi
CW_PROFILE=$work/pipe "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'a pipe that nobody reads'
grep -q "not written to '$work/pipe': No such device" "$work/said" || fail 'nothing of a pipe that nobody reads'
ln -s /dev/full "$work/full" # so that a mistake replaces the link
CW_PROFILE=$work/full "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'a full disk'
grep -q "not written to '$work/full': No space left on device" "$work/said" || fail 'nothing of a full disk'
if [ $failed -eq 0 ]; then # else the device of this machine would be replaced
  CW_PROFILE=/dev/stderr "$@" -n 1 "$program" >"$work/said" 2>&1 || fail 'to standard error'
  if ! grep -q '"causeway_profile": 1' "$work/said" || ! grep -q 'passed: [1-9]' "$work/said"; then
    fail 'not to standard error'
  fi
fi

touch "$work/profile"
chmod 600 "$work/profile"
CW_PROFILE=$work/profile "$@" -n 2 "$program" again >"$work/said" 2>&1 || fail 'two worlds'
for file in profile profile.2; do
  grep -q '"causeway_profile": 1' "$work/$file" || fail "no $file"
done
[ "$(stat -c %a "$work/profile")" = 600 ] || fail 'a profile that was there has lost its mode'
grep -c '^---- all of it' "$work/said" | grep -qx 2 || fail 'not two screens'

CW_PROFILE=1 SLURM_JOB_ID=77 "$@" -n 2 "$program" >"$work/said" 2>&1 || fail 'a name of its own'
ls cw-known-????????-??????-77.json >/dev/null || fail 'no name of program, date and job'
exit $failed
