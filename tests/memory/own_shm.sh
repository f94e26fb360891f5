#!/bin/sh
# own_shm.sh SIZE command...: runs a job with a /dev/shm of its own, of this size, and checks that nothing is left in it.
[ "$1" != inside ] || {
  shift
  mount -t tmpfs -o size="$1" tmpfs /dev/shm || exit 77
  shift
  "$@"
  status=$?
  left=$(ls -A /dev/shm)
  [ -z "$left" ] || { echo "FAILED: left in /dev/shm: $left"; exit 1; }
  exit $status
}
unshare -m true 2>/dev/null || {
  echo "skipped: this user may not make a mount namespace"
  exit 77
}
exec unshare -m sh "$0" inside "$@"
