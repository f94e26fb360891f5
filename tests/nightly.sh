#!/bin/sh
# nightly.sh all|PART...: runs parts of `make nightly`, each at most two hours, and records each in docs/results/nightly.md
# with its commit. `all` leaves out parts that have run at this commit, so that it continues where it was stopped. nightly.sh
# list [MPI...] prints the parts.
#
# MAKE builds with JOBS compilers at a time, and TESTS tests run at a time.
set -eu
cd "$(dirname "$0")/.."
results=docs/results/nightly.md
faults=4 # parts of the injected faults
limit=7000

list() {
  for mpi in ${*:-mpich openmpi}; do
    echo "$mpi-tests $mpi-vocl $mpi-hosts $(seq -f "$mpi-faults-%g" $faults) trixie-$mpi"
  done
  echo asan tsan
}

# Runs `ctest` with the words in build/$build. The table is made of CTest's log.
tests() {
  (cd "build/$build" && timeout --foreground -s INT -k 60 $limit ctest --output-on-failure --output-log "../nightly-$part.log" "$@") || true
}

# prepare builds everything for an MPI with the options; restore resets the options for other targets.
prepare() {
  "$MAKE" --no-print-directory "build-$build" &&
    cmake "$@" "build/$build" >/dev/null &&
    cmake --build "build/$build" -j "$JOBS" --target all programs-nightly
}
restore() { cmake -DCW_ALL_HOSTS=OFF -DCW_ALL_FAULTS=OFF "build/$build" >/dev/null; }

run() { # run PART
  part=$1 build=${1%%-*}
  printf '\n== nightly: %s\n' "$part"
  rm -f "build/nightly-$part.log"
  case $part in
  *-tests) prepare && tests -j "$TESTS" -LE '^(multinode|faults|vocl)$' ;;
  *-vocl) prepare && tests -j "$TESTS" -L '^vocl$' ;;
  *-hosts) prepare -DCW_ALL_HOSTS=ON && tests -j "$TESTS" -L '^multinode$' && restore ;;
  *-faults-*) prepare -DCW_ALL_FAULTS=ON && tests -j "$TESTS" -L '^faults$' -I "${part##*-},,$faults" && restore ;;
  asan) "$MAKE" --no-print-directory build-asan && tests -j "$JOBS" -L '^asan$' ;;
  tsan) "$MAKE" --no-print-directory build-tsan && tests -L '^tsan$' ;;
  trixie-*) timeout --foreground $limit sh scripts/debian-root.sh trixie check MPI="${part#*-}" >"build/nightly-$part.log" 2>&1 || true ;;
  *) echo "nightly.sh: there is no part $part: $(list | xargs)" >&2; exit 2 ;;
  esac
}

# Prints the last commit that changed anything but the page of results, with + if there are uncommitted changes.
commit() {
  echo "$(git log -1 --format=%h --abbrev=8 -- . ":!$results")$(git diff --quiet HEAD -- . ":!$results" || echo +)"
}

row() { # row PART COMMIT: its row, from the log of CTest
  awk -v part="$1" -v commit="$2" -v date="$(date +%F)" '
    / tests passed, [0-9]+ tests failed out of [0-9]+$/ { bad = $4; all = $NF }
    /^Total Test time/ { seconds = $(NF - 1) }
    /\*\*\*Skipped/ { skipped++ }
    /^[ \t]*[0-9]+ - .* \((Failed|Timeout|SEGFAULT|Subprocess aborted|Subprocess terminated|Not Run)\)/ { names = names (names == "" ? "" : ", ") "`" $3 "`" }
    END {
      if (all == "") { print "| " part " | " commit " | " date " | not to the end | | | | |"; exit }
      printf "| %s | %s | %s | %d | %d | %d | %.0f | %s |\n", part, commit, date, all, bad, skipped, seconds / 60, names
    }' "build/nightly-$1.log" 2>/dev/null || echo "| $1 | $2 | $(date +%F) | not to the end | | | | |"
}

# Writes the page again, with the last row of each part that has ever run.
record() { # record ROW
  rows=$(mktemp)
  { grep -E '^\| [a-z0-9-]+ \| [0-9a-f]{8}' "$results" 2>/dev/null | grep -v "^| $part |" || true; echo "$1"; } | sort >"$rows"
  {
    cat <<END
# The nightly tests

\`make nightly\` runs every test, on every layout of hosts and with every injected fault, the sanitizers' tests, and the
quick tests on Debian 13 (trixie), in parts of at most two hours. It continues with the parts that have not run at this
commit; \`make nightly PART=NAME\` runs one. This page has the last run of each. The commit is the last one that changed more
than this page; + means uncommitted changes, with which all parts run again.

Machine of the last run: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores.

| part | commit | date | tests | failed | skipped | minutes | failed tests |
|---|---|---|---|---|---|---|---|
END
    cat "$rows"
  } >"$results"
  rm -f "$rows"
}
# has_run PART COMMIT: returns 0 if the part has run to its end at this commit, without uncommitted changes.
has_run() {
  case $2 in *+) return 1 ;; esac
  grep -qE "^\| $1 \| $2 \| [0-9-]+ \| [0-9]" "$results" 2>/dev/null
}

[ $# -gt 0 ] || { echo "usage: nightly.sh all|list|PART..." >&2; exit 2; }
if [ "$1" = list ]; then
  shift
  list "$@" | xargs -n 1
  exit
fi
bad=
all=
[ "$1" != all ] || { shift; all=yes; set -- $(list "$@"); }
for one; do
  now=$(commit)
  if [ -z "$all" ] || ! has_run "$one" "$now"; then
    run "$one" || echo "nightly.sh: the build for $one failed" >&2
    record "$(row "$one" "$now")"
  fi
  grep "^| $one |" "$results"
  grep "^| $one |" "$results" | awk -F' *[|] *' '{ exit !($5 + 0 > 0 && $6 == 0) }' || bad="$bad $one"
done
[ -z "$bad" ] || { echo "make nightly: failed or incomplete parts:$bad; see $results"; exit 1; }
