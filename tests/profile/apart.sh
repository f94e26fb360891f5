#!/bin/sh
# apart.sh PROGRAM MPIEXEC...: clocks of nodes that are 5000 seconds apart do not keep a barrier's events from
# overlapping in the timeline. A time namespace simulates the other machine's clock.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "$1" = rank ]; then # one process
  shift
  [ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-}}" != 1 ] || exec unshare -T --monotonic 5000 "$@"
  exec "$@"
fi
program=$1
shift
if ! unshare -T --monotonic 5000 true 2>/dev/null; then
  echo 'skipped: no namespaces of time here'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CW_SERVER=none CW_NODE_SIZE=1 CW_TIMELINE=$work/timeline.json "$@" -n 2 sh "$here/apart.sh" rank "$program"
python3 "$here/timeline.py" "$work/timeline.json" apart
