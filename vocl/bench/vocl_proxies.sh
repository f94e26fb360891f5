#!/bin/sh
# Virtual OpenCL through proxies, beside the vendor's, which is PoCL, and beside what the ways there take alone.
#   vocl_proxies.sh BUILD_DIR mpich|openmpi       BUILD_DIR as for vocl.sh
# What it measures, in this order: calls; transfers by size; moves of a program; two programs on one of two devices.
# ROUNDS=51      turns of calls; transfers and moves have a fifth of them
# LAUNCHES=6000  kernels of each of the two programs: some ten seconds
# Other nodes are virtual ones of this machine (CW_NODE_SIZE=1). PoCL has one thread in each proxy, so that two devices
# are two cores. All services and programs are this script's own, and end with it.
set -eu
build=$(readlink -f "${1:?usage: vocl_proxies.sh BUILD_DIR mpich|openmpi}") mpi=${2:-mpich}
root=$(readlink -f "$(dirname "$0")/../..")
bench=$build/bench/causeway-vocl library=$build/libcw-vocl.so program=$build/cw-vocl
rounds=${ROUNDS:-51} few=$((${ROUNDS:-51} / 5 + 1)) launches=${LAUNCHES:-6000}
[ -e "$root/build/pocl-root/pocl" ] || { echo 'vocl_proxies.sh: no PoCL: sh scripts/pocl-root.sh build/pocl-root' >&2; exit 77; }
while IFS= read -r line; do export "${line?}"; done <"$root/build/pocl-root/pocl"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=mpiexec.$mpi
[ "$mpi" = mpich ] || launch='mpiexec.openmpi --oversubscribe'
work=$(mktemp -d)
services=
leave() {
  for each in $services; do kill "$each" 2>/dev/null || true; done
  rm -rf "$work"
}
trap leave EXIT
export POCL_CACHE_DIR="$work/cache" CW_VOCL_VENDORS="$OCL_ICD_VENDORS" CW_NODE_SIZE=1
vendor=$OCL_ICD_VENDORS

serve() { # NAME PROXIES [NAME=VALUE...]
  name=$1 proxies=$2
  shift 2
  env "$@" "$program" serve --name "bench-$name-$$" -n "$proxies" >"$work/$name" 2>&1 &
  services="$services $!"
  until grep -q '^cw-vocl: ready' "$work/$name"; do
    kill -0 "${services##* }" || { cat "$work/$name" >&2; exit 1; }
    sleep 0.05
  done
}
through() { # NAME DEVICE: the environment of a program
  echo "OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library CW_VOCL_VENDORS=$vendor CW_VOCL_SERVICE=bench-$1-$$" \
    "CW_VOCL_LOCAL=proxy BENCH_VOCL_DEVICE=$2"
}
entry() { awk -v name="$1" '{ value = $NF; $NF = ""; sub(/ +$/, "") } $0 == name { print value }' "$work/limits"; }
until_said() { # FILE PROCESS: its first line, or it has ended
  until [ -s "$1" ]; do kill -0 "$2" 2>/dev/null || exit 1; sleep 0.02; done
}

# shellcheck disable=SC2086 # lists of words
$launch -n 2 "$bench-limit" "$few" >"$work/limits"
serve here 1
serve far 2
set -- native "OCL_ICD_VENDORS=$vendor" here "$(through here 0)" far "$(through far 1)"
echo "futex round trip $(entry futex | awk '{ printf "%.1f", 1e6 * $1 }') us, MPI's ping-pong of 8 bytes" \
  "$(entry ping-pong | awk '{ printf "%.1f", 1e6 * $1 }') us; turns: $rounds"
"$bench" proxies "$rounds" "$work/limits" "$@"
echo "transfers, turns: $few"
"$bench" bytes "$few" "$work/limits" "$@"

# Moves there and back. The moved program is idle, so that there is nothing to drain.
echo 'moves: limit is bytes / stream + build'
echo '| bytes | moves | a move, ms | limit, ms | ratio | |'
echo '|--:|--:|--:|--:|--:|---|'
for bytes in 1048576 67108864; do
  mkfifo "$work/input"
  : >"$work/said"
  # shellcheck disable=SC2046
  env $(through far 0) "$bench" hold $bytes <"$work/input" >"$work/said" &
  held=$!
  exec 9>"$work/input"
  until_said "$work/said" $held
  : >"$work/moves"
  from=0.0 to=1.0
  for _ in $(seq "$few"); do
    session=$("$program" list --name "bench-far-$$" |
      awk -v pid=$held -v proxy="${from%.*}" '$3 == pid && $5 == proxy { print $1 }')
    "$program" move --name "bench-far-$$" "$session" $from $to | sed 's/.* in \([0-9.]*\) s$/\1/' >>"$work/moves"
    next=$from from=$to to=$next
  done
  exec 9>&-
  wait $held
  rm "$work/input"
  for _ in 1 2; do # the first one fills PoCL's cache, which the proxies have filled, too
    build_s=$(env OCL_ICD_VENDORS="$vendor" "$bench" hold $bytes </dev/null)
  done
  sort -n "$work/moves" | awk -v bytes=$bytes -v stream="$(entry "stream $bytes")" -v build="$build_s" '
    { times[NR] = $1 }
    END {
      took = times[int((NR + 1) / 2)]; limit = stream + build
      printf "| %d | %d | %.1f | %.1f | %.2f | %s |\n", bytes, NR, 1e3 * took, 1e3 * limit, took / limit,
        (took <= 1.3 * limit) ? "ok" : "UNDER"
    }'
done

# Two programs begin on one of two devices. Limit: natively each has a device of its own from the start; how much
# faster two cores are than one is the machine's.
echo 'two programs on one of two equal devices: seconds until both have ended, without balancing and with it, and'
echo 'natively on a device each'
echo '| launches of each | one alone, s | both, s | balanced, s | times as fast | natively apart, s | times as fast at most | |'
echo '|--:|--:|--:|--:|--:|--:|--:|---|'
busy() { # PROGRAMS NAME=VALUE...: the seconds of the slower one
  programs=$1
  shift
  running=
  for each in $(seq "$programs"); do
    env "$@" "$bench" busy "$launches" >"$work/busy$each" &
    running="$running $!"
  done
  for each in $running; do wait "$each"; done
  cat "$work"/busy* | sort -n | tail -n 1
  rm "$work"/busy*
}
serve balanced 2 CW_VOCL_BALANCE=1 CW_LOG=2
# shellcheck disable=SC2046 # lists of words
{
  alone=$(busy 1 $(through far 0)) both=$(busy 2 $(through far 0)) balanced=$(busy 2 $(through balanced 0))
  apart=$(busy 2 "OCL_ICD_VENDORS=$vendor" BENCH_VOCL_DEVICE=0)
}
awk -v launches="$launches" -v alone="$alone" -v both="$both" -v balanced="$balanced" -v apart="$apart" 'BEGIN {
  printf "| %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", launches, alone, both, balanced,
    both / balanced, apart, both / apart, (both >= 1.7 * balanced) ? "ok" : "UNDER"
}'
