#!/bin/sh
# Simulates the library on many nodes of a machine like the Cray XT5, for every virtual topology.
#   sh bench/scale/run.sh            16 to 1024 nodes, one process and one server a node: CSV files in
#                                    build/bench/scale; about 8 minutes of one core, 3 GB of memory at
#                                    1024 nodes
#   sh bench/scale/run.sh --smoke    16 nodes, a few seconds: for ctest; 77 without SimGrid
#
# NODES='16 64'        other numbers of nodes (16 32 64 128 256 512 1024 2048 4096)
# TOPOLOGIES=mfcg      other topologies
# PROCESSES=11         processes of a node besides its server, default 1
# PATTERNS=counter     other traffic, see traffic.c
# SCALE_OUT=folder     instead of build/bench/scale
# SCALE_RESULTS=folder a copy of the results goes there: bench/show.sh makes tables and pictures of it
#
# Needs SimGrid 3.32 (Debian's libsimgrid-dev); installs it, except with --smoke. The library's sources
# are compiled by smpicc, unchanged, with simulated.h before each file. What platform.cpp says about
# the machine goes together with smpi/os, ois, or below: 1 us of processor time for a send and a
# receive, and 0.25 ns a byte where data arrives (a copy or a sum at 4 GB/s).
set -eu
here=$(dirname "$(readlink -f "$0")")
root=$(readlink -f "$here/../..")
smoke=
[ "${1:-}" != --smoke ] || smoke=--smoke
out=${SCALE_OUT:-$root/build/bench/scale${smoke:+-smoke}}

if [ -z "$smoke" ]; then
  sh "$root/cmake/install-packages.sh" scale
elif ! command -v smpicc >/dev/null || ! command -v g++ >/dev/null; then
  echo 'run.sh: skipped: SimGrid (libsimgrid-dev) is not installed'
  exit 77
fi
mkdir -p "$out/objects"

# --- Build: everything again when any file is newer ----------------------------------------------

build() {
  cd "$out"
  g++ -O2 -shared -fPIC -I/usr/include/smpi "$here/simulated.cpp" -o libsimulated.so -lsimgrid
  g++ -O2 -shared -fPIC "$here/platform.cpp" -o platform.so -lsimgrid
  optimised=-O1
  [ -z "$smoke" ] || optimised=-O0
  flags="-std=gnu11 $optimised -I$root/include -I$root/src -I$here -DCW_VERSION=\"simulated\"
    -DSMPI_NO_OVERRIDE_MALLOC -include $here/simulated.h -Wno-discarded-qualifiers"
  rm -f objects/*
  for file in "$root"/src/*/*.c "$root"/src/*/*/*.c "$here/traffic.c"; do
    # shellcheck disable=SC2086 # a list of words
    smpicc $flags -c "$file" -o "objects/$(echo "${file#"$root"/}" | tr / _).o"
  done
  smpicc objects/*.o -o traffic -L. -lsimulated "-Wl,-rpath,$out" -lpthread
  touch built
}
if [ ! -e "$out/built" ] || [ -n "$(find "$root/src" "$root/include" "$here" -newer "$out/built" \
  -name '*.[ch]*' | head -n 1)" ]; then
  rm -f "$out/built"
  (build)
fi

# --- Simulate -------------------------------------------------------------------------------------

torus_of() {
  case $1 in
  16) echo 4x2x2 ;; 32) echo 4x4x2 ;; 64) echo 4x4x4 ;; 128) echo 8x4x4 ;; 256) echo 8x8x4 ;;
  512) echo 8x8x8 ;; 1024) echo 16x8x8 ;; 2048) echo 16x16x8 ;; 4096) echo 16x16x16 ;;
  *) echo "run.sh: no torus of $1 nodes" >&2 && exit 2 ;;
  esac
}

# simulate NODES TOPOLOGY: lines of CSV
simulate() {
  ranks=$((processes + 1))
  hosts=$out/hosts-$1-$ranks
  seq 0 $(($1 * ranks - 1)) | awk -v ranks="$ranks" '{ print "node-" int($1 / ranks) }' >"$hosts"
  torus=$(torus_of "$1")
  # All ranks are in one process: their thread-local variables need room, and only an MPI window can
  # be a zone. Nobody spins: that would take no simulated time.
  # shellcheck disable=SC2086 # a list of words
  env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4000000 SCALE_TORUS="$torus" \
    CW_ROUTE=server CW_SERVER=rank CW_TOPOLOGY="$2" CW_SPIN=0 CW_SERVER_SPIN=0 CW_SERVER_TIMEOUT=60 \
    CW_ZONE=mpi CW_ZONE_SIZE=8388608 CW_CHUNK_SIZE=1048576 \
    timeout 1800 smpirun -np $(($1 * ranks)) -platform "$out/platform.so" -hostfile "$hosts" \
    --cfg=smpi/privatization:dlopen --cfg=smpi/simulate-computation:no --cfg=network/crosstraffic:0 \
    --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=smpi/barrier:ompi_bruck \
    --cfg=smpi/os:0:1e-6:0 --cfg=smpi/ois:0:1e-6:0 --cfg=smpi/or:0:1e-6:2.5e-10 \
    --cfg=smpi/test:0 --cfg=smpi/iprobe:0 --cfg=smpi/wtime:0 \
    --cfg=smpi/async-small-thresh:65537 --cfg=smpi/send-is-detached-thresh:65537 \
    --log=root.thres:warning "$out/traffic" $smoke $patterns 2>&1
}

# study CSV NODES TOPOLOGIES PATTERNS: all combinations
study() {
  csv=$1 patterns=$4
  echo "$columns" >"$csv.part"
  for count in $2; do
    for topology in $3; do
      begin=$(date +%s)
      simulate "$count" "$topology" >"$out/lines" || true
      # smpirun's status is 0 after MPI_Abort.
      if [ "$(tail -n 1 "$out/lines")" != verified ]; then
        echo "run.sh: $topology on $count nodes failed:" >&2
        cat "$out/lines" >&2
        exit 1
      fi
      sed '$d' "$out/lines" >>"$csv.part"
      echo "$topology, $count nodes: $(($(date +%s) - begin)) s"
    done
  done
  mv "$csv.part" "$csv"
}

columns='topology,nodes,processes,pattern,seconds,messages,bytes,requests,credits,hot_requests,hot_peers'
columns=$columns,buffer_bytes,neighbours,answer_peers
processes=${PROCESSES:-1}
topologies=${TOPOLOGIES:-fcg mfcg cfcg hypercube}
if [ -n "$smoke" ]; then
  study "$out/smoke.csv" 16 "$topologies" ''
  exit 0
fi
results=$out/scale${PROCESSES:+-$PROCESSES}.csv
study "$results" "${NODES:-16 32 64 128 256 512 1024}" "$topologies" "${PATTERNS:-}"
chosen="${PROCESSES:-}${PATTERNS:-}${NODES:-}${TOPOLOGIES:-}"
if [ -z "$chosen" ]; then
  echo "What if a node that more than 32 messages arrive at, at a time, loses bandwidth:"
  export SCALE_FLOWS=32
  study "$out/scale-flows.csv" '16 64 256' 'fcg mfcg' large
  unset SCALE_FLOWS
fi

# --- Show -----------------------------------------------------------------------------------------

echo
awk -F, -f "$here/table.awk" "$results"
if [ -z "$chosen" ]; then
  echo
  echo 'What if, large:'
  awk -F, -f "$here/table.awk" "$out/scale-flows.csv"
fi
if [ -n "${SCALE_RESULTS:-}" ] && [ -z "$chosen" ]; then
  mkdir -p "$SCALE_RESULTS"
  cp "$results" "$SCALE_RESULTS/scale.csv"
  echo "$(date -u +%Y-%m-%d), commit $(git -C "$root" rev-parse --short HEAD), simulated" \
    >"$SCALE_RESULTS/scale.run"
fi
echo "Results: $results"
