#!/bin/sh
# printed.sh TIMES PATTERN... -- command...: checks that the command succeeds, and that it prints, for each pair, TIMES lines
# that match the pattern, a basic regular expression.
#   printed.sh 1 'waited' 0 'bug in' -- mpiexec ...
output=$(mktemp)
trap 'rm -f "$output"' EXIT
expected=
while [ "$1" != -- ]; do
  expected="$expected$1 $2
"
  shift 2
done
shift
"$@" >"$output" 2>&1
status=$?
cat "$output"
[ $status -ne 77 ] || exit 77
failed=0
[ $status -eq 0 ] || { echo "FAILED: status $status"; failed=1; }
while read -r times sentence; do
  [ -n "$times" ] || continue
  found=$(grep -c -- "$sentence" "$output")
  [ "$found" -eq "$times" ] || { echo "FAILED: '$sentence' was printed $found times, not $times"; failed=1; }
done <<END
$expected
END
exit $failed
