#!/bin/sh
# namespaces.sh WANTED FLAGS mpiexec... -- program...: runs every process of a job in a PID namespace of its own, as containers
# do. All must succeed, with one memory file (WANTED=memfd), or with MPI's shared memory and one warning (WANTED=window).
wanted=$1 flags=$2
shift 2
# shellcheck disable=SC2086 # a list of flags
unshare -p -f $flags --mount-proc true 2>/dev/null || {
  echo "skipped: this user may not make namespaces"
  exit 77
}
output=$(mktemp)
count=$#
while [ "$count" -gt 0 ]; do # the arguments once more, with unshare in place of --
  word=$1
  shift
  count=$((count - 1))
  if [ "$word" = -- ]; then
    # shellcheck disable=SC2086
    set -- "$@" unshare $flags -p -f --mount-proc
  else
    set -- "$@" "$word"
  fi
done
CW_LOG=2 timeout -k 5 250 "$@" >"$output" 2>&1
status=$?
cat "$output"
failed=0
fail() {
  echo "FAILED: $1"
  failed=1
}
[ $status -eq 0 ] || fail "the job ended with status $status"
grep -q 'has died' "$output" && fail "a living process was taken for dead"
warnings=$(grep -c 'cannot share a memory file' "$output")
case $wanted in
memfd)
  grep -q 'memfd' "$output" || fail "the memory is not a memory file"
  [ "$warnings" -eq 0 ] || fail "$warnings warnings"
  ;;
window)
  grep -q 'zone:.*window' "$output" || fail "the memory is not an MPI window"
  [ "$warnings" -eq 1 ] || fail "$warnings warnings instead of one"
  ;;
esac
rm -f "$output"
exit $failed
