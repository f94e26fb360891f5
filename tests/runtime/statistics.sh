#!/bin/sh
# statistics.sh PROGRAM MPIEXEC...: checks that CW_STATS=1 reports the operations of counted.c: their number, route and sizes.
set -eu
program=$1
shift
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0

run() { # run NAME=VALUE MPIEXEC...
  env CW_STATS=1 CW_NODE_SIZE=2 "$@" -n 4 "$program" >"$output"
}

expect() { # expect LINE: with blanks as they come; a space in LINE stands for any number of them
  pattern=$(printf '%s' "$1" | sed 's/ /  */g')
  grep -qE "^ *$pattern\$" "$output" || {
    echo "FAILED: no line '$1'"
    failed=1
  }
}

run CW_ROUTE=server "$@"
cat "$output"
expect 'put own memory 2 1.1 kiB in all, each 100 to 1000 B'
expect 'put node peer 2 4.0 kiB in all, each 3 to 4097 B'
expect 'put server 2 854 B in all, each 77 to 777 B'
expect 'get own memory 1 100 B in all, each 100 to 100 B'
expect 'get server 1 77 B in all, each 77 to 77 B'
for place in 'own memory' 'node peer' server; do
  expect "lock $place 1"
done
expect 'fence own memory 1'
expect 'fence node peer 1'
expect 'fence server 2' # to process 2, and to all
expect 'message server [0-9]+ 2 of them with puts or accumulates, 1.0 in each on average'

run CW_SERVER=none "$@"
cat "$output"
expect 'put MPI window 2 854 B in all, each 77 to 777 B'
expect 'lock MPI window 3'
expect 'fence node peer 1'
expect 'fence MPI window 2'
exit $failed
