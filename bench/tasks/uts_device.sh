#!/bin/sh
# Runs the Unbalanced Tree Search with a kernel on two processes, on hosts alone, on devices alone and on both, and the search
# without a kernel. They take turns; times are medians in seconds.
#   uts_device.sh BUILD_DIR LAUNCHER...
#
# TREES='T1 T3'  which trees
# TURNS=5        turns of each
set -eu
build=$(readlink -f "${1:?usage: uts_device.sh BUILD_DIR LAUNCHER...}")
shift
root=$(dirname "$(readlink -f "$0")")/../..
uts=$build/apps/uts/uts
[ -x "$uts" ] || { echo "uts_device.sh: no $uts" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Adds the seconds that the program prints to the file of the way.
run() { # WAY TREE OPTION... with $variables
  way=$1 code=0
  shift
  # shellcheck disable=SC2086 # a list of words
  env $variables timeout 300 $launch -n 2 "$uts" "$@" >"$folder/output" 2>&1 || code=$?
  took=$(sed -n 's/^ *\([0-9.]*\) s, .*/\1/p' "$folder/output")
  if [ $code -ne 0 ] || [ -z "$took" ]; then
    cat "$folder/output" >&2
    echo "uts_device.sh: $* failed ($code)" >&2
    exit 1
  fi
  echo "$took" >>"$folder/$way"
}

median() { sort -n "$folder/$1" | awk '{ all[NR] = $1 } END { print all[int(NR / 2) + 1] }'; }

launch=$*
kinds=host
[ ! -e "$root/build/pocl-root/pocl" ] || kinds='host opencl'
echo '| tree | device | without a kernel, s | hosts, s | devices, s | both, s | both / the faster one |'
echo '|---|---|--:|--:|--:|--:|--:|'
for tree in ${TREES:-T1 T3}; do
  for kind in $kinds; do
    variables=CW_DEVICE=$kind
    [ "$kind" = host ] || variables="$variables POCL_MAX_PTHREAD_COUNT=1 $(cat "$root/build/pocl-root/pocl")"
    rm -f "$folder"/*
    # shellcheck disable=SC2034 # repeats the loop
    for turn in $(seq "${TURNS:-5}"); do
      run plain "$tree"
      run host "$tree" --device --where host
      run device "$tree" --device --where device
      run both "$tree" --device
    done
    awk -v tree="$tree" -v kind="$kind" -v plain="$(median plain)" -v host="$(median host)" -v device="$(median device)" \
      -v both="$(median both)" 'BEGIN { printf "| %s | %s | %.3f | %.3f | %.3f | %.3f | %.2f |\n", tree,
        kind == "host" ? "emulated" : "PoCL", plain, host, device, both, both / (host < device ? host : device) }'
  done
done
