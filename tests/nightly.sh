#!/bin/sh
# nightly.sh BUILD...: what `make nightly` has found, from build/nightly-BUILD.log: the table of docs/results/nightly.md, and
# status 1 if a test has failed. A line for each build; failed tests by name.
set -eu
results=docs/results/nightly.md
failed=0
{
  cat <<END
# The last nightly run

\`make nightly\` runs every test, on every layout of hosts and with every injected fault, the sanitizers' tests, and the
quick tests on Debian 13 (trixie); it writes this page.

$(date +%F), commit $(git rev-parse --short HEAD), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores.

| build | tests | failed | skipped | minutes | failed tests |
|---|---|---|---|---|---|
END
  for build; do
    awk -v build="$build" '
      / tests passed, [0-9]+ tests failed out of [0-9]+$/ { bad = $4; all = $NF }
      /^Total Test time/ { seconds = $(NF - 1) }
      /\*\*\*Skipped/ { skipped++ }
      /^[ \t]*[0-9]+ - .* \((Failed|Timeout|SEGFAULT|Subprocess aborted|Not Run)\)/ { names = names (names == "" ? "" : ", ") "`" $3 "`" }
      END {
        if (all == "") { print "| " build " | none has run | | | | |"; exit }
        printf "| %s | %d | %d | %d | %.0f | %s |\n", build, all, bad, skipped, seconds / 60, names
      }' "build/nightly-$build.log" 2>/dev/null || echo "| $build | none has run | | | | |"
  done
} >"$results"
sed -n '/^|/p' "$results"
if ! awk -F' *[|] *' '/^[|] / && $2 != "build" && !($3 + 0 > 0 && $4 == 0) { exit 1 }' "$results"; then
  echo "make nightly: not all is right: $results"
  exit 1
fi
