#!/bin/sh
# small_shm.sh command...: run a job where /dev/shm has 1 MiB. Causeway's memory does not come from there;
# what MPI itself needs of it is turned off by the environment that the caller sets.
[ "$1" != inside ] || {
  shift
  mount -t tmpfs -o size=1m tmpfs /dev/shm || exit 77
  exec "$@"
}
unshare -m true 2>/dev/null || {
  echo "skipped: this user may not make a mount namespace"
  exit 77
}
exec unshare -m sh "$0" inside "$@"
