#!/bin/sh
# fault.sh command...: the command is a job of which one process is killed, or exits and reports it (FAULT_SAYS). The job must
# end soon, by itself, with an error. It must leave no file of Causeway's in /dev/shm and in the folder for temporary files.
# Files of the MPI library that remain are only printed.

# With a /dev/shm of its own, all files there belong to the job.
if [ -z "${FAULT_INSIDE:-}" ] && unshare --mount mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
  FAULT_INSIDE=1 exec unshare --mount sh -c 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec sh "$@"' sh "$0" "$@"
fi
mpis='mpich_shar_tmp|vader_segment|sm_segment|ompi\.|psm_|pmix|ucx|osc_rdma|jf\.|nemesis'
TMPDIR=$(mktemp -d) && export TMPDIR
output=$(mktemp -p /tmp)
before=$(ls -A /dev/shm)
begin=$(date +%s%N)
timeout -k 5 150 "$@" >"$output" 2>&1
status=$?
milliseconds=$((($(date +%s%N) - begin) / 1000000))
left=$( (ls -A /dev/shm | grep -vxF "$before"; ls -A "$TMPDIR") )
cat "$output"
echo "the job ended with status $status after $milliseconds ms"

failed=0
fail() {
  echo "FAILED: $1"
  failed=1
}
grep -q 'victim dies' "$output" || fail "the job did not get as far as the kill"
[ -z "${FAULT_SAYS:-}" ] || grep -qF "$FAULT_SAYS" "$output" || fail "the job does not say '$FAULT_SAYS'"
grep -q 'went on' "$output" && fail "a process went on without the dead one"
[ $status -ne 0 ] || fail "the job says that all is well"
[ $milliseconds -lt 149000 ] || fail "the job did not end within 150 s"
[ -z "$left" ] || echo "new in /dev/shm or \$TMPDIR:" $left
ours=$(printf '%s\n' "$left" | grep -vE "^($mpis|\$)")
[ -z "$ours" ] || fail "left behind: $ours"
rm -rf "$TMPDIR" "$output"
exit $failed
