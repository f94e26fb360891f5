#!/bin/sh
# unwritable.sh PROGRAM MPIEXEC...: a profile that cannot be written is told in one sentence, and the job ends as it
# would. And two worlds in one job leave two files.
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

CW_PROFILE=$work/profile "$@" -n 2 "$program" again >"$work/said" 2>&1 || fail 'two worlds'
for file in profile profile.2; do
  grep -q '"causeway_profile": 1' "$work/$file" || fail "no $file"
done
grep -c '^---- all of it' "$work/said" | grep -qx 2 || fail 'not two screens'

cd "$work"
CW_PROFILE=1 SLURM_JOB_ID=77 "$@" -n 2 "$program" >"$work/said" 2>&1 || fail 'a name of its own'
ls cw-known-????????-??????-77.json >/dev/null || fail 'no name of program, date and job'
exit $failed
