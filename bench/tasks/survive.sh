#!/bin/sh
# Measures what CW_FAILURES=survive costs while no process fails: collective calls, the Unbalanced Tree Search on a pool of
# tasks, and the same on a pool that survives (uts --survive). Two processes of a node; the sides take turns; medians.
#   survive.sh BUILD_DIR LAUNCHER...
# TURNS=11: turns of each.
set -eu
build=${1:?usage: survive.sh BUILD_DIR LAUNCHER...}
shift
turns=${TURNS:-11} folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
uts=$build/apps/uts/uts collectives=$build/bench/causeway-collectives

# search SIDE FAILURES ARGUMENTS...: adds the seconds that uts prints to the side's file
search() {
  side=$1 failures=$2
  shift 2
  CW_FAILURES=$failures "$@" >"$folder/output" 2>&1 || { cat "$folder/output" >&2; exit 1; }
  sed -n 's/^ *\([0-9.]*\) s, .*nodes\/s on.*/\1/p' "$folder/output" >"$folder/took"
  [ -s "$folder/took" ] && ! grep -q WRONG "$folder/output" || { cat "$folder/output" >&2; exit 1; }
  cat "$folder/took" >>"$folder/$side"
}

# collect SIDE FAILURES COMMAND...: stores the microseconds of each collective call in a file SIDE-CALL-BYTES
collect() {
  side=$1 failures=$2
  shift 2
  CW_FAILURES=$failures "$@" 2>/dev/null | awk -F' *[|] *' -v name="$side" -v folder="$folder" \
    '$4 + 0 > 0 { file = $2 "-" $3; gsub(" ", "", file); print $4 >(folder "/" name "-" file) }'
}

median() { sort -n "$folder/$1" | awk '{ all[NR] = $1 } END { print all[int(NR / 2) + 1] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

turn=0
while [ $turn -lt "$turns" ]; do
  for size in 64 1024; do
    search usual-$size end "$@" "$uts" T3 --nodes $size
    search mode-$size survive "$@" "$uts" T3 --nodes $size
    search pool-$size survive "$@" "$uts" T3 --nodes $size --survive
  done
  for side in usual mode; do
    failures=end
    [ $side = usual ] || failures=survive
    collect $side $failures "$@" "$collectives"
    for file in "$folder/$side"-[a-z]*; do cat "$file" >>"$folder/all-${file##*/}"; done
  done
  turn=$((turn + 1))
done

echo '| measured | as usual | with CW_FAILURES=survive | ratio | pool that survives | ratio |'
for size in 64 1024; do
  usual=$(median usual-$size) mode=$(median mode-$size) pool=$(median pool-$size)
  echo "| search of T3, $size nodes in a task, s | $usual | $mode | $(ratio "$mode" "$usual") | $pool | $(ratio "$pool" "$usual") |"
done
for call in barrier- broadcast-8 broadcast-65536 allreduce-8 allreduce-65536 allgather-8; do
  [ -e "$folder/all-usual-$call" ] || continue
  usual=$(median all-usual-$call) mode=$(median all-mode-$call)
  case $call in *-) name=${call%-} ;; *) name="${call%-*} of ${call#*-} bytes" ;; esac
  echo "| $name, us | $usual | $mode | $(ratio "$mode" "$usual") | – | – |"
done
