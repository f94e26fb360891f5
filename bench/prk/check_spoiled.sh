# prk must detect each spoiled result, and report it by its exit status. The change of a result is as small as that of an old
# border or element.
# Usage: check_spoiled.sh COMMAND...: the program and what starts it
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT

status=0
"$@" --small --spoil >"$output" || status=$?
cat "$output"
[ $status -ne 0 ] || { echo 'spoiled results were taken for right'; exit 1; }
# 11 kernels, or 14 with Global Arrays. A row has a rate, or a -, for each of four sides.
sides=$(grep '^| [a-z]' "$output" | grep -v '^| kernel' | cut -d'|' -f5-8 | tr '|' '\n' | grep -c '[0-9]')
wrong=$(grep -c ': WRONG: ' "$output")
[ "$sides" -ge 44 ] && [ "$wrong" -eq "$sides" ] ||
  { echo "$wrong of $sides spoiled results were found wrong"; exit 1; }
