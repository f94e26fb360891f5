#!/bin/sh
# Measures the whole time of a job that does nothing, from the launcher's start to its end: with MPI alone, and on each of
# Causeway's libraries. The sides take turns.
#   start_job.sh BUILD_DIR LAUNCHER...
# START_ROUNDS=10: another number of rounds than 100.
set -eu
build=${1:?usage: start_job.sh BUILD_DIR LAUNCHER...}
shift
times=$(mktemp)
trap 'rm -f "$times"' EXIT
sides='mpi causeway causeway_static cwga'

round=0
while [ $round -lt "${START_ROUNDS:-100}" ]; do
  for side in $sides; do
    program=$build/bench/causeway-start-$side
    [ -x "$program" ] || continue
    begin=$(date +%s%N)
    "$@" "$program" </dev/null
    echo "$side $begin $(date +%s%N)" >>"$times"
  done
  round=$((round + 1))
done

libraries() { ldd "$build/bench/causeway-start-$1" | grep -c '=>'; }
echo '| | libraries that the program is linked with | median, ms | quartiles, ms | above MPI alone, ms |'
for side in $sides; do
  [ -x "$build/bench/causeway-start-$side" ] || continue
  awk -v side="$side" '$1 == side { print ($3 - $2) / 1e6 }' "$times" | sort -n | awk -v side="$side" \
    -v libraries="$(libraries "$side")" -v mpi="${mpi:-}" '{ time[NR] = $1 }
      function at(share) { return time[int(share * (NR - 1)) + 1] }
      END {
        above = mpi == "" ? "–" : sprintf("%.1f", at(0.5) - mpi)
        printf "| %s | %d | %.1f | %.1f to %.1f | %s |\n", side, libraries, at(0.5), at(0.25), at(0.75), above
      }' >"$times.row"
  cat "$times.row"
  mpi=${mpi:-$(awk -F' [|] ' '{ print $3 }' "$times.row")}
  rm "$times.row"
done
