#!/bin/sh
# Simulates the library on many nodes of a machine like the Cray XT5, for every virtual topology.
#   sh bench/scale/run.sh            16 to 1024 nodes, one process and one server a node: CSV files in
#                                    build/bench/scale; about 8 minutes of one core, 3 GB of memory at
#                                    1024 nodes (4096: 11 minutes and 17 GB for mfcg with the patterns start and array)
#   sh bench/scale/run.sh --smoke    16 nodes, a few seconds: for ctest; 77 without SimGrid
#   sh bench/scale/run.sh --search   the Unbalanced Tree Search with several ways to share its nodes, see
#                                    search.c; about an hour of one core, 3 GB of memory
#   sh bench/scale/run.sh --proxy    the communication of Hartree-Fock by epochs and one-sidedly, see proxy.c:
#                                    16 nodes, 8 minutes of one core
#   sh bench/scale/run.sh --prk      kernels of bench/prk, by Causeway and by plain MPI, each verified. With 16 nodes a
#                                    minute of one core; with 64 transpose, amr and dgemm take three or four, random-exact
#                                    up to 13, the others one or two; synch_p2p, stencil and reduce one with 256, too
#
# NODES='16 64'        other numbers of nodes (16 32 64 128 256 512 1024 2048 4096)
# TOPOLOGIES=mfcg      other topologies
# PROCESSES=11         processes of a node besides its server, default 1
# PATTERNS=counter     other traffic, see traffic.c
# WAYS='half locks'    other ways to share nodes, see search.c
# NANOSECONDS='14000'  other lengths of a node of the tree
# TASKS='0.5 32'       other numbers of tasks of a process
# KERNELS=stencil      other kernels of bench/prk
# SCALE_OUT=folder     instead of build/bench/scale
# SCALE_RESULTS=folder a copy of the results goes there: bench/show.sh makes tables and pictures of it
#
# Needs SimGrid 3.32 (Debian's libsimgrid-dev); installs it, except with --smoke. The library's sources
# are compiled by smpicc, unchanged, with simulated.h before each file. The machine
# of platform.cpp is completed by smpi/os, ois, or below: 1 us of processor time for a send and a
# receive, and 0.25 ns a byte where data arrives (a copy or a sum at 4 GB/s).
set -eu
here=$(dirname "$(readlink -f "$0")")
root=$(readlink -f "$here/../..")
smoke='' search='' proxy='' prk=''
[ "${1:-}" != --smoke ] || smoke=--smoke
[ "${1:-}" != --search ] || search=--search
[ "${1:-}" != --proxy ] || proxy=--proxy
[ "${1:-}" != --prk ] || prk=--prk
out=${SCALE_OUT:-$root/build/bench/scale${smoke:+-smoke}}

if [ -z "$smoke" ]; then
  command -v smpicc >/dev/null || sh "$root/scripts/install-packages.sh" scale
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
  flags="-std=gnu11 $optimised -I$root/include $(for layer in core move data work observe .; do printf " -I%s" "$root/src/$layer"; done) -I$out/texts -I$here -DCW_VERSION=\"simulated\"
    -DSMPI_NO_OVERRIDE_MALLOC -include $here/simulated.h -Wno-discarded-qualifiers"
  # No simulated process has a device.
  mkdir -p texts/device
  echo 'static const char cwi_kernels_opencl[] = "", cwi_kernels_ptx[] = "";' >texts/device/kernels_text.h
  rm -f objects/* kernels/*
  mkdir -p kernels
  for file in "$root"/bench/prk/*.c; do
    # shellcheck disable=SC2086 # a list of words
    case ${file##*/} in
    ga.c | product_blas.c) ;; # not here
    *) smpicc $flags -c "$file" -o "kernels/$(basename "$file").o" ;;
    esac
  done
  programs="$here/traffic.c $here/proxy.c $root/bench/tasks/proxy_ways.c"
  ! pkg-config --exists libcrypto || programs="$programs $here/search.c $root/apps/uts/tree.c"
  # shellcheck disable=SC2086 # a list of words
  for file in $(find "$root/src" -name '*.c') $programs; do
    case ${file#"$root"/src/} in
    data/array/* | data/array_access/* | data/matrix/* | move/device/opencl/opencl_none.c) ;;
    data/* | move/device/opencl/* | observe/output/source_libdw.c | observe/timeline/timeline_otf2.c) continue ;; # not used
    esac
    # shellcheck disable=SC2086 # a list of words
    smpicc $flags -c "$file" -o "objects/$(echo "${file#"$root"/}" | tr / _).o"
  done
  rm -f ./*.c.o
  for program in $programs; do
    mv "objects/$(echo "${program#"$root"/}" | tr / _).o" .
  done
  smpicc objects/*.o bench_scale_traffic.c.o -o traffic -L. -lsimulated "-Wl,-rpath,$out" -lpthread
  smpicc objects/*.o bench_scale_proxy.c.o bench_tasks_proxy_ways.c.o -o proxy -L. -lsimulated "-Wl,-rpath,$out" -lpthread
  smpicc objects/*.o kernels/*.o -o prk -L. -lsimulated "-Wl,-rpath,$out" -lpthread -lm
  [ ! -e apps_uts_tree.c.o ] ||
    smpicc objects/*.o bench_scale_search.c.o apps_uts_tree.c.o -o search -L. -lsimulated "-Wl,-rpath,$out" \
      -lpthread -lcrypto
  touch built
}
if [ ! -e "$out/built" ] || [ -n "$(find "$root/src" "$root/include" "$root/tests/faults/counted.h" "$root"/bench/tasks/proxy_ways.* "$root/bench/prk" "$here" -newer "$out/built" \
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

# simulate NODES TOPOLOGY PROGRAM ARGUMENTS...: prints lines of CSV
simulate() {
  nodes=$1 topology=$2
  shift 2
  ranks=$((processes + 1))
  if [ $((10 * nodes * ranks)) -gt "$(cat /proc/sys/vm/max_map_count)" ]; then
    echo "run.sh: $((nodes * ranks)) ranks in one process need more memory maps: sysctl -w vm.max_map_count=$((12 * nodes * ranks))" >&2
    exit 2
  fi
  hosts=$out/hosts-$nodes-$ranks
  seq 0 $((nodes * ranks - 1)) | awk -v ranks="$ranks" '{ print "node-" int($1 / ranks) }' >"$hosts"
  torus=$(torus_of "$nodes")
  # All ranks are in one process: their thread-local variables need space, and only an MPI window can
  # be a zone. No rank spins, because that would take no simulated time.
  env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16000000 SCALE_TORUS="$torus" \
    CW_ROUTE=server CW_SERVER=rank CW_TOPOLOGY="$topology" CW_SPIN=0 CW_SERVER_SPIN=0 CW_SERVER_TIMEOUT=60 \
    CW_ZONE=mpi CW_ZONE_SIZE=8388608 CW_CHUNK_SIZE=1048576 \
    timeout 1800 smpirun -np $((nodes * ranks)) -platform "$out/platform.so" -hostfile "$hosts" \
    --cfg=smpi/privatization:dlopen --cfg=smpi/simulate-computation:no --cfg=network/crosstraffic:0 \
    --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=smpi/barrier:ompi_bruck --cfg=smpi/gather:ompi_binomial \
    --cfg=smpi/allreduce:rdb --cfg=smpi/bcast:binomial_tree --cfg=smpi/reduce:binomial \
    --cfg=smpi/os:0:1e-6:0 --cfg=smpi/ois:0:1e-6:0 --cfg=smpi/or:0:1e-6:2.5e-10 \
    --cfg=smpi/test:0 --cfg=smpi/iprobe:0 --cfg=smpi/wtime:0 \
    --cfg=smpi/async-small-thresh:65537 --cfg=smpi/send-is-detached-thresh:65537 \
    --log=root.thres:warning "$@" 2>&1
}

# verified CSV NODES TOPOLOGY PROGRAM ARGUMENTS...: adds the lines to the partial file if the results are right
verified() {
  lines=$1.part
  shift
  simulate "$@" >"$out/lines" || true
  # smpirun's status is 0 after MPI_Abort.
  if [ "$(tail -n 1 "$out/lines")" != verified ]; then
    echo "run.sh: failed: $*" >&2
    cat "$out/lines" >&2
    exit 1
  fi
  sed '$d' "$out/lines" >>"$lines"
}

# search CSV NODES TREE NANOSECONDS: runs all ways; polling is the better one of polls at every and at every fourth node
search() {
  csv=$1
  echo 'way,processes,tree,nanoseconds,seconds,efficiency,steals,stolen,failed' >"$csv.part"
  for work in $4; do
    for count in $2; do
      for way in $ways; do
        looks=1
        [ "$way" != polling ] || looks='1 4'
        for look in $looks; do
          begin=$(date +%s)
          export SEARCH_INTERVAL="$look"
          verified "$csv" "$count" fcg "$out/search" "$3" "$work" "$way"
          echo "$(tail -n 1 "$csv.part"): $(($(date +%s) - begin)) s"
        done
      done
    done
  done
  awk -F, '{ key = $1 "," $2 "," $4 }
    !(key in best) { keys[++count] = key }
    !(key in best) || $6 > best[key] { best[key] = $6; line[key] = $0 }
    END { for (i = 1; i <= count; i++) print line[keys[i]] }' "$csv.part" >"$csv"
  rm "$csv.part"
}

# proxy CSV NODES TASKS
proxy() {
  echo 'way,processes,tasks,seconds' >"$1.part"
  for count in $2; do
    begin=$(date +%s)
    # shellcheck disable=SC2086 # a list of numbers
    verified "$1" "$count" fcg "$out/proxy" $3
    echo "proxy, $count nodes: $(($(date +%s) - begin)) s"
  done
  mv "$1.part" "$1"
}

# size_of KERNEL NODES: prints the size and the iterations of a problem that grows with the nodes, or nothing if it does not
# fit. See docs/reference/prk.md
size_of() {
  side=$(awk -v nodes="$2" 'BEGIN { print int(sqrt(nodes)) }')
  bits=$(awk -v nodes="$2" 'BEGIN { print 10 + log(nodes) / log(2) }')
  case $1 in
  synch_p2p) echo "--size $((4 * $2))x64 --iterations 2" ;;
  stencil) echo "--size $((32 * side)) --iterations 8" ;;
  transpose) [ "$2" -gt 256 ] || echo "--size $((64 * side)) --iterations 4" ;;
  random-exact) [ "$2" -gt 64 ] || echo "--size ${bits}x1 --iterations 2" ;;
  reduce) echo '--size 1000 --iterations 4' ;;
  sparse) [ "$2" -gt 64 ] || echo "--size $((bits / 2 - 1))x4 --iterations 4" ;;
  dgemm) echo "--size $((32 * side)) --iterations 2" ;;
  amr) echo "--size $((32 * side))x$((8 * side + 1)) --iterations 16" ;;
  pic) echo "--size $((4 * $2))x$((10 * $2)) --iterations 40" ;;
  *) echo "run.sh: no size of $1" >&2 && exit 2 ;;
  esac
}

# prk CSV NODES KERNELS: runs each once, for one turn, because simulated time does not vary. Above 64 nodes it leaves out the
# one-sided side, whose windows lock every process at every other one
prk() {
  echo 'kernel,nodes,size,unit,causeway,messages,windows' >"$1.part"
  for kernel in $3; do
    for count in $2; do
      begin=$(date +%s)
      size=$(size_of "$kernel" "$count")
      [ -n "$size" ] || continue
      without=
      [ "$count" -le 64 ] || without='--without one-sided'
      # shellcheck disable=SC2086 # lists of words
      if ! simulate "$count" auto "$out/prk" "$kernel" $size $without --rounds 1 >"$out/lines" ||
        ! awk -v nodes="$count" -f "$here/prk_row.awk" "$out/lines" >>"$1.part"; then
        echo "run.sh: failed: $kernel, $count nodes" >&2
        cat "$out/lines" >&2
        exit 1
      fi
      echo "$(tail -n 1 "$1.part"): $(($(date +%s) - begin)) s"
    done
  done
  mv "$1.part" "$1"
}

# keep NAME CSV: copies the file to the results
keep() {
  [ -n "${SCALE_RESULTS:-}" ] || return 0
  mkdir -p "$SCALE_RESULTS"
  cp "$2" "$SCALE_RESULTS/$1.csv"
  echo "$(date -u +%Y-%m-%d), commit $(git -C "$root" rev-parse --short HEAD), simulated" >"$SCALE_RESULTS/$1.run"
}

# study CSV NODES TOPOLOGIES PATTERNS: simulates all combinations
study() {
  csv=$1 patterns=$4
  echo "$columns" >"$csv.part"
  for count in $2; do
    for topology in $3; do
      begin=$(date +%s)
      # shellcheck disable=SC2086 # a list of words
      verified "$csv" "$count" "$topology" "$out/traffic" $smoke $patterns
      echo "$topology, $count nodes: $(($(date +%s) - begin)) s"
    done
  done
  mv "$csv.part" "$csv"
}

columns='topology,nodes,processes,pattern,seconds,messages,bytes,requests,credits,hot_requests,hot_peers'
columns=$columns,buffer_bytes,neighbours,answer_peers,process_memory,process_most,server_memory,server_most
processes=${PROCESSES:-1}
topologies=${TOPOLOGIES:-fcg mfcg cfcg hypercube}
ways=${WAYS:-half one locks polling}
if [ -n "$search" ]; then
  search "$out/search.csv" "${NODES:-16 64 256 1024}" "${TREE:-T1}" "${NANOSECONDS:-14000 2000}"
  echo
  awk -F, -f "$here/search.awk" "$out/search.csv"
  keep search "$out/search.csv"
  exit 0
fi
if [ -n "$proxy" ]; then
  proxy "$out/proxy.csv" "${NODES:-16}" "${TASKS:-0.5 1 2 4 8 16}"
  echo
  awk -F, -f "$here/proxy.awk" "$out/proxy.csv"
  keep proxy-scale "$out/proxy.csv"
  exit 0
fi
if [ -n "$prk" ]; then
  prk "$out/prk.csv" "${NODES:-16 64}" "${KERNELS:-synch_p2p stencil transpose random-exact reduce sparse dgemm amr pic}"
  echo
  awk -F, -f "$here/prk.awk" "$out/prk.csv"
  keep scale-prk "$out/prk.csv"
  exit 0
fi
if [ -n "$smoke" ]; then
  study "$out/smoke.csv" 16 "$topologies" ''
  ways=half
  proxy "$out/smoke-proxy.csv" 16 0.5
  prk "$out/smoke-prk.csv" 16 stencil
  [ ! -x "$out/search" ] || search "$out/smoke-search.csv" 16 T1 14000
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
[ -n "$chosen" ] || keep scale "$results"
echo "Results: $results"
