#!/bin/sh
# Runs random operations and compares them with their models, for the given time: tests are drawn at random, of both MPIs if
# both are built, each with another seed, including jobs that restart, stop and are killed.
# Usage, from the top of the tree: tests/soak.sh HOURS [BUILD...]     (make soak HOURS=n; 0.1 is six minutes)
#   CW_SOAK_ONLY=regex   draw only from tests with such names
#   CW_TEST_TIMES=4      factor for the number of rounds, in programs with random rounds (kit_rounds)
# It ends with status 1 at the first test that fails, and prints its name, seed and output. Otherwise it adds a line to
# docs/results/soak.md with the number of operations.
set -eu
hours=${1:?how many hours}
shift
[ $# -gt 0 ] || set -- build/mpich build/openmpi
models='transfer\.(transfers|updates|patches|implicit|flagged)|route\.(atomic|threads|origins|updates_together|turns)'
models="$models"'|sync\.(rmw|linearizable|mutexes|notify|fence)|memory\.(allocator|churn|regions|threads)|team\.(teams|unlike)'
models="$models"'|view\.(views|requests|notified|order|threads|atomics|refusals|handles|memory_views)|array\.'
models="$models"'|arithmetic\.|collective\.|task\.(tasks|wanted)|server\.(serving|gather)|file\.|linear\.'
models="$models"'|interfaces\.armci\.(accumulate|consistency|groups|messages|mutexes|onesided|reductions|rmw|shapes)'
models="$models"'|interfaces\.ga\.(arrays|collective|groups|lifecycle|stencil|threads|upstream)|interfaces\.ga_peer\.differential\.own'
models="$models"'|runtime\.(lifecycle|again|victim)'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for build; do
  [ -d "$build" ] || { echo "soak: $build is not built: left out"; continue; }
  (cd "$build" && ctest -N -LE nightly) | sed -n "s|^ *Test *#[0-9]*: |$build |p"
done | grep -E " ($models)" | grep -vE 'bad_input|mutant|\.check\.' | grep -E -- "${CW_SOAK_ONLY:-.}" >"$work/tests" ||
  { echo 'soak: there are no such tests' >&2; exit 2; }
count=$(wc -l <"$work/tests")
end=$(awk -v now="$(date +%s)" -v hours="$hours" 'BEGIN { printf "%d", now + 3600 * hours }')
echo "soak: $count tests to draw from, until $(date -d "@$end" '+%F %T')"

# Operations that CW_STATS counts, and checks of the programs.
count_right() {
  awk '/^[0-9]+:   (put|get|accumulate|read-modify-write|update)/ {
      for (i = 3; i <= NF; i++) if ($i ~ /^[0-9]+$/) { operations += $i; break } }
    / checks on [0-9]+ processes, 0 failed/ { for (i = 2; i <= NF; i++) if ($i == "checks") checks += $(i - 1) }
    END { printf "%d %d", operations, checks }' "$1"
}

runs=0 operations=0 checks=0
seed=$(date +%s)
while [ "$(date +%s)" -lt "$end" ]; do
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  read -r build name <<END
$(sed -n "$((seed / 7 % count + 1))p" "$work/tests")
END
  if ! (cd "$build" && CW_STATS=1 CW_TEST_SEED=$seed CW_TEST_TIMES=${CW_TEST_TIMES:-4} ctest -V -R "^$(echo "$name" | sed 's/\./\\./g')\$") \
    >"$work/out" 2>&1; then
    cat "$work/out"
    echo "soak: FAILED after $runs runs, $operations operations: $name in $build with CW_TEST_SEED=$seed"
    exit 1
  fi
  runs=$((runs + 1))
  right=$(count_right "$work/out")
  operations=$((operations + ${right% *})) checks=$((checks + ${right#* }))
done

results=docs/results/soak.md
[ -e "$results" ] || cat >"$results" <<'END'
# Random operations against their models

`make soak HOURS=n` draws tests at random, each with another seed, and adds a line here when all were right.
Operations are what `CW_STATS=1` counts: puts, gets, accumulates and read-modify-writes, blocking or not. The goal is
10^9 in all rows together.

| day | commit | processor | runs | operations | checks |
|---|---|---|---|---|---|
END
echo "| $(date +%F) | $(git rev-parse --short HEAD) | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)," \
  "$(nproc) cores | $runs | $operations | $checks |" >>"$results"
echo "soak: $runs runs, $operations operations, $checks checks, none failed ($results)"
