#!/bin/sh
# run_fails.sh RUN LAUNCHER... -n 2: run.sh (RUN) finds each kind of wrong end of a job.
set -u
run=$1
shift
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0

# ends STATUS REGEX OPTIONS PROGRAM LAUNCHER...: PROGRAM is text for a shell, which runs on two processes
ends() {
  wanted=$1 regex=$2 options=$3 program=$4
  shift 4
  status=0
  # shellcheck disable=SC2086 # a list of words
  sh "$run" $options "$@" sh -c "$program" >"$output" 2>&1 || status=$?
  [ $status -eq "$wanted" ] && { [ -z "$regex" ] || grep -Eq -- "$regex" "$output"; } && return
  echo "FAILED: '$program' ended with status $status, and not with $wanted and '$regex'"
  cat "$output"
  failed=1
}

# shellcheck disable=SC2016 # the shells of the processes expand these
{
  first='[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ]'
  ends 0 'process 0 ended with status 137' '--expect alive' "$first && kill -9 \$\$; sleep 1; echo alive" "$@"
  ends 0 '' '--deaths 0' true "$@"
  ends 0 '' '--deaths 0-1' true "$@"
  ends 77 '' '' 'exit 77' "$@"
  ends 1 'FAILED: 0 processes have died, and not 1' '' true "$@"
  ends 1 'FAILED: 2 processes have died, and not 0-1' '--deaths 0-1' 'exit 2' "$@"
  ends 1 "FAILED: 'alive' is not in the output" '--deaths 0 --expect alive' true "$@"
  ends 1 'FAILED: a sanitizer has found an error' '--deaths 0' 'echo "WARNING: ThreadSanitizer: data race"' "$@"
  ends 1 'FAILED: the job has not ended after 2 seconds' '--deaths 0 --limit 2' "$first && sleep 100" "$@"
  ends 1 'FAILED: processes are left: .*sleep 50' '--deaths 0' "! $first || python3 -c \"import subprocess
subprocess.Popen(['sleep', '50'], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\"" "$@"
  ends 1 'FAILED: files are left in TMPDIR: ./kept' '--deaths 0' 'echo 1 >"$TMPDIR/kept"' "$@"
  if unshare --mount true 2>/dev/null; then
    ends 1 'FAILED: files are left in /dev/shm: /dev/shm/kept' '--deaths 0' 'echo 1 >/dev/shm/kept' "$@"
  fi
}
exit $failed
