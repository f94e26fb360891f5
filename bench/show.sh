#!/bin/sh
# Tables and pictures of what bench/run.sh has measured: NAME.md and *.svg beside the CSV files.
#   show.sh FOLDER [TABLES]
# NAME-intel is MPICH on a machine of Intel's (MACHINE=intel bench/run.sh). TABLES: the tables go there, and no picture is drawn (a test compares them with those in docs/results).
set -eu
folder=$(readlink -f "${1:?usage: show.sh FOLDER [TABLES]}")
here=$(dirname "$(readlink -f "$0")")
tables=${2:-$folder}
cd "$folder"

# about NAME: a heading, and what the numbers are
about() {
  case $1 in
  direct) echo "# One node, two processes

The limit is a store or load loop, \`memcpy\`, or the plain loop \`y += a x\` between the same two buffers;
for create-free it is two barriers of the team." ;;
  window) echo "# Everything through MPI, two virtual nodes

\`CW_ROUTE=rma CW_NODE_SIZE=1\`. The limit is MPI's one-sided operation on a window of \`MPI_Win_create\`.
ARMCI-MPI runs with its defaults, \`MPI_Win_allocate\`. On Open MPI that gives its windows shared memory, and
its put is a store: no operation on other memory is as fast. On one node our answer is the direct route." ;;
  namespaces) echo "# Everything through MPI, two hosts

Two network namespaces, TCP between them: nobody shares memory. \`CW_ROUTE=rma\`; the limit is MPI's
one-sided operation on a window of \`MPI_Win_create\`." ;;
  server) echo "# Two hosts through their servers

Two network namespaces with one process and one server each, TCP, all sides at MPI_THREAD_MULTIPLE.
The limit of round trips and of gets below 64 KiB is MPI's ping-pong; of other contiguous transfers a stream
of MPI_Send; of rows our own contiguous transfer of the same bytes. Round trips are medians of single
operations on all sides. Rows called *-mean* tell what the same loops cost with all waits for a core in
them. All other rows are means, too." ;;
  server-busy) echo "# Two hosts, and the target computes

As [server](server.md), but process 1 computes outside MPI for the whole turn. *idle* is our own time with a
target that waits. ARMCI-MPI *waits* until the target calls MPI again (100 ms)." ;;
  copy) echo "# Copies by size and address difference

Nanoseconds. *difference* is (destination - source) mod 4096. *string* is the processor's instruction \`rep movsb\`,
*copy* Causeway's copy, by the way that it measured to be the fastest, *get* a whole \`cw_get\` of the same bytes." ;;
  arrays) echo "# Arrays on one node, two processes

\`bench/arrays/arrays.c\`: process 0 acts on the part of process 1, if nothing else is said: \`both\` is half in its own
part, \`own\` all. Causeway is libcwga; Global Arrays is Debian's, once on our libarmci and once on Debian's
ARMCI-MPI. The limit is \`memcpy\` or a loop by hand on the memory of libcwga's arrays; for create and destroy
it is two barriers, for GA_Sync one. Medians, alternating in one run; every ratio is of one run. UNDER: the aim
is missed, or one of the others is faster. Cyclic arrays have native calls only." ;;
  fortran) echo "# Calls of Fortran programs, one process

\`bench/arrays/fortran.c\`: loops in Fortran (\`bench/arrays/fortran_loops.F90\`, an INTEGER of 8 bytes), and the same in C, on libcwga
and on Debian's Global Arrays with its ARMCI-MPI, two programs in turns. The limit is a loop on the array's memory,
\`pwrite\` or \`pread\` of the same bytes, in turns with the others; for \`dra_write\` a stream of \`pwrite\` of 1 MiB. Files lie
in \`/dev/shm\`. Medians; every ratio to the limit is of one run. UNDER: the aim is missed." ;;
  whole-*) echo "# Operations on whole arrays and patches, one node, processes: ${1#whole-}

\`bench/arrays/whole.c\`: libcwga, and Debian's Global Arrays on our libarmci and on ARMCI-MPI, in turns." ;;
  patches) echo "# Patches of arrays, two hosts

\`bench/arrays/patches.c\`: patches of an array on another host, through its server, against the raw transfer of the same
shape. Puts and accumulates are means of a turn that ends with a fence." ;;
  matrices) echo "# Local matrices on an element-cyclic matrix, one node

\`bench/arrays/matrices.c\`: process 0 moves a local matrix of 512 x 512 doubles, by a call and by loops written for that
distribution. Every other column is at process 1. Medians; the two take turns." ;;
  datatypes) echo "# Derived datatypes, or copied together

\`bench/arrays/matrices.c datatypes\`, after figure 6 of Ghosh et al. (2016): process 0 moves local matrices to and from an
element-cyclic matrix, of which process 1 on another node has every other column, through MPI's windows. *copied
together*: \`CW_RMA_METHOD=batched\`; *datatypes*: \`direct\`. Puts and accumulates are flushed one by one. Medians;
the two take turns." ;;
  proxy-scale) echo "# The communication of Hartree-Fock on simulated nodes

\`sh bench/scale/run.sh --proxy\`: the tasks of [proxy](proxy.md) on a simulated torus, one process and one server a
node; milliseconds." ;;
  proxy) echo "# The communication of Hartree-Fock

\`bench/tasks/proxy.c\`, after figure 7 of Ghosh et al. (2016): tasks from a counter add tiles to an element-cyclic matrix,
then others get them. *ORIG*: AXPY epochs that end by messages; *ORIG-NBX*: by consensus; *RMA*: one-sided, flushed at
the end; *RMAB*: one-sided, complete locally. Medians; the ways take turns." ;;
  multiply) echo "# Products of matrices, one node, two processes

\`bench/arrays/multiply.c\`: \`cw_array_multiply\`, GA_Dgemm of Debian's Global Arrays on our libarmci, and PDGEMM, in turns." ;;
  solvers) echo "# Solvers, one node, two processes

\`bench/arrays/solvers.c\`: ScaLAPACK alone on a matrix in blocks of 64 that lies as it wants it, in milliseconds (with the
memory it works in); and how many times as fast the call is on arrays of one block for each process, of blocks of 64,
and element-cyclic. Medians of turns. Right-hand sides: 16. Below 500 rows the calls use LAPACK on one process." ;;
  updates) echo "# Many blocking updates to one node, two hosts

\`bench/transfers/updates.c\`: blocking accumulates to one process of another host, against a stream of MPI_Send with the
same bytes in messages of a packet's size, and what must not suffer from messages that wait for company." ;;
  threads) echo "# Round trips of several threads, two hosts

\`bench/transfers/threads.c\`: threads of process 0 fetch and add at process 1, or get 8 bytes from it; process 1 sleeps
outside MPI. The limit is MPI's ping-pong of as many threads, for which process 1 does nothing but send back. The fastest
of five turns." ;;
  views | views-hosts) echo "# Views of memory, $([ "$1" = views ] && echo one node || echo two hosts)

\`bench/transfers/views.c\`: process 0 puts into memory of process 1, which waits; the ways take turns, medians. With more
threads than cores each time is of a thread that shares its core. The tables are those of the figures 8 and 9
(threads), 10 and 11 (streams), 12 (memory) and 5 (the target computes for 20 ms) of Schuchart et al., \"Quo Vadis MPI
RMA?\" (2021)." ;;
  tasks | tasks-hosts) echo "# Tasks, $([ "$1" = tasks ] && echo one node || echo two hosts)

\`bench/tasks/tasks.c\`: what it costs to add and run a task without contents, to steal, and to find out that there is no
task at all. Limit and ours take turns, medians. UNDER: the aim is missed." ;;
  uneven) echo "# A list of tasks of uneven work

\`bench/tasks/uneven.c\`: a counter of process 0 hands out one task after the other, or every process puts its part of the
list into a pool. Works are drawn from Pareto's distribution. Medians; the ways take turns." ;;
  uts) echo "# The Unbalanced Tree Search

\`bench/tasks/uts.sh\`: \`apps/uts\` on a pool of tasks, sequentially, and \`bench/tasks/uts_polling.c\`, which steals by messages
that each process looks for every so many nodes: of several numbers the best. Medians, in turns." ;;
  uts-device) echo "# The Unbalanced Tree Search with a kernel, two processes

\`bench/tasks/uts_device.sh\`: \`apps/uts --device\` in turns: hosts alone, devices alone, and each task where it is over first.
Two processors play the devices: cores and device are the same. Medians." ;;
  collectives | collectives-hosts) echo "# Collective calls, $([ "$1" = collectives ] && echo one node || echo two hosts), two processes

\`bench/collectives/collectives.c\`: Causeway's calls and MPI's with the same bytes, in turns; medians of 15 turns. bytes: of what
is broadcast or reduced, or of each piece. Nonblocking calls are waited for at once." ;;
  device) echo "# Devices, two processes

\`bench/devices/device.c\`: process 0 moves data to or from a device, its own or that of process 1, which sleeps. The limit is
what the parts take alone: the device's back end asked directly, memcpy, a futex round trip between two sleepers, MPI's
messages; of 8 bytes their sum, of more the slowest. *naive*: a program that brings the data to host memory, puts or
gets that, and lets process 1 move it on. Rows lie 4 KiB apart on the device. Medians; the sides take turns. UNDER: the
aim is missed, or the naive program is faster." ;;
  kinds) echo "# Hosts and a device at work together, one process

\`bench/devices/kinds.c\`: tasks of equal length on the host alone, on the device alone, and each where it is over first. The host
plays the device, on a clock of its own (\`CW_DEVICE_HOST_ITEM=1000\`): it sleeps, so that cores do not matter. The limit is
1 / (1 / host + 1 / device). Medians; the ways take turns, before other programs where \`chrt -r 1\` is allowed. UNDER: the aim is missed." ;;
  vocl) echo "# Virtual OpenCL

\`vocl/bench/vocl_bench.c\`: calls and programs on the vendor's OpenCL, which is PoCL, and the same through libcw-vocl, in processes of
their own that take turns, before other programs where \`chrt -r 1\` is allowed; medians. *more a call*: beyond native,
divided by the calls. The aim is 30 ns, or 1.02 of the time where that is more; UNDER: it is missed.

Then, by \`vocl/bench/vocl_proxies.sh\`, through proxies of this node and of another virtual one. The limit of a call that waits
is the vendor's time, a futex round trip and, to another node, MPI's ping-pong; that of 1 MiB and more the slower of the
vendor's time and MPI's stream. Aims: 1.5 times the limit; 0.85 of its rate for writes and 0.90 for reads; 200 ns for
each call that waits for nothing; moves 1.3 times bytes / stream + build; balancing 1.7 times as fast.

![Transfers by size](vocl-bytes.svg)" ;;
  idle) echo "# Silence, two hosts

\`bench/transfers/idle.c\`: process 0 sleeps for a while, then fetches 8 bytes from process 1, which sleeps outside MPI.
The last column is what process 0's server takes of a core while all sleep." ;;
  crowd) echo "# More processes than cores

The same tasks on one process, and on four processes of two hosts: what waiting costs beside computing." ;;
  profile) echo "# What a profile costs

\`bench/transfers/profile.c\`: puts and gets of 8 bytes between two processes of a node, without and with CW_PROFILE in turn." ;;
  start) echo "# A start of many processes, one machine

\`bench/transfers/start.sh\`: every process starts, meets the others, makes an array with 1024 numbers for each, puts a block of it
at the next process, frees the array, and ends: with MPI alone (a window instead of the array), with Causeway, and as a
GA program. Several nodes: virtual ones, each with a server. Processes outnumber the cores. CPU: of user and kernel, a
process on average. Memory: what is shared is divided by those that share it (Pss), on average, once MPI has started and
once the array is gone; VmHWM: the most of any process, with all that it shares." ;;
  start-job) echo "# A job that does nothing, two processes of one node

\`bench/transfers/start_job.sh\`: the launcher starts two processes, which call MPI_Init, cw_init, cw_finalize and
MPI_Finalize, or only MPI's two calls, and ends. The time is of all of this, also of loading the libraries. The sides take turns." ;;
  prk) echo "# The Parallel Research Kernels, one node, two processes

\`bench/prk\` ([its page](../reference/prk.md)): Causeway, and plain MPI two-sided, through shared memory, and one-sided. The sides
take turns; medians of nine; every run is verified. Ratios are Causeway's rate to the peer's." ;;
  prk-hosts) echo "# The Parallel Research Kernels, two hosts, two processes

\`bench/prk\` ([its page](../reference/prk.md)): Causeway, and plain MPI two-sided and one-sided. The sides take turns; medians of five,
of random and random-exact of three; every run is verified. Ratios are Causeway's rate to the peer's." ;;
  scf) echo "# Hartree-Fock for four waters, cc-pVDZ, one node

\`bench/tasks/scf.sh\`: 1 and 2 processes in turns." ;;
  nwchem) echo "# NWChem on Causeway

\`apps/nwchem/run.sh\`: seconds, and against one process." ;;
  nwchem-layouts) echo "# NWChem on libcwga, in all layouts

\`GA=own LAYOUTS=all apps/nwchem/run.sh\`, which says what each layout is. *Difference*: from the energy that Debian's
NWChem (package nwchem-openmpi, with its own Global Arrays) finds on one process, hartree; 1e-8 is allowed. Gradients,
frequencies and shieldings are compared, too. *cpu*: of the first process; *ratio*: on the clock, against one process." ;;
  nwchem-compare) echo "# NWChem on libcwga and on libga

\`apps/nwchem/compare.sh\`: NWChem on libcwga and on Debian's libga over our libarmci, in turns; medians, and ratios of
medians. *cpu*: user and system of all processes." ;;
  scale) echo "# Simulated nodes

\`bench/scale/run.sh\`: the library itself on SimGrid's SMPI, on a 3-D torus of 2 GB/s and 6 µs; one process
and one server a node." ;;
  scale-prk) echo "# The Parallel Research Kernels on simulated nodes

\`sh bench/scale/run.sh --prk\`: \`bench/prk\` ([its page](../reference/prk.md)) on the same machine as [scale](scale.md), one process
and one server a node. Rates are of simulated time, in which only messages take time: what processes compute, copy and
pack is free. Ratios are Causeway's rate to the peer's; each run is verified." ;;
  search) echo "# The Unbalanced Tree Search on simulated nodes

\`bench/scale/search.c\` on the same machine as [scale](scale.md), one process a node: tree T1, of which every node
stands for 25, so that there are as many as in T1L. With 14 µs a node the sequential search of T1L takes 58 s, with 2 µs
8 s: an old processor, and one that has instructions for SHA-1. *half* and *one* are the library itself; *locks* takes
five operations for a steal: lock, read, write, get, unlock; *polling* steals by messages, and looks for them at every
node or every fourth, whichever is better. The end of these two costs nothing. Efficiency: the time of all nodes, one
after the other, divided by processes and time." ;;
  esac
}

runs() { # NAME: when and where, for each result
  for run in "$1"-mpich.run "$1"-openmpi.run "$1"-intel.run "$1.run"; do
    [ ! -s "$run" ] || echo "- $(basename "$run" .run): $(cat "$run")"
  done
}

# table NAME: from its CSV files, or as its program printed it
table() {
  csv=$(ls "$1"-mpich.csv "$1"-openmpi.csv 2>/dev/null || true)
  # shellcheck disable=SC2086 # a list of files
  case $1 in
  copy) for file in $csv $(ls copy-intel.csv 2>/dev/null || true); do echo "$(basename "$file" .csv):" && echo && awk -f "$here/driver/copy.awk" "$file" && echo; done ;;
  proxy-scale) awk -F, -f "$here/scale/proxy.awk" proxy-scale.csv ;;
  scale) awk -F, -f "$here/scale/table.awk" scale.csv ;;
  scale-prk) awk -F, -f "$here/scale/prk.awk" scale-prk.csv ;;
  search) awk -F, -f "$here/scale/search.awk" search.csv ;;
  *)
    [ -z "$csv" ] || awk -f "$here/driver/summary.awk" $csv
    [ ! -s "$1-intel.csv" ] || { printf '\n%s-intel:\n\n' "$1" && awk -f "$here/driver/summary.awk" "$1-intel.csv"; }
    ;;
  esac
  for text in "$1"-mpich.txt "$1"-openmpi.txt "$1"-intel.txt; do
    [ ! -s "$text" ] || { echo "$(basename "$text" .txt):" && awk -f "$here/printed.awk" "$text" && echo; }
  done
}

mkdir -p "$tables"
for name in direct window namespaces server server-busy copy arrays fortran whole-1 whole-2 patches matrices datatypes proxy multiply solvers updates threads views views-hosts tasks tasks-hosts uneven uts uts-device collectives collectives-hosts device kinds vocl idle crowd profile start start-job prk prk-hosts scf nwchem nwchem-layouts nwchem-compare scale scale-prk search proxy-scale; do
  [ -n "$(ls "$name"-mpich.csv "$name"-openmpi.csv "$name"-mpich.txt "$name"-openmpi.txt "$name".csv 2>/dev/null)" ] ||
    continue
  { about $name && echo && runs $name && echo && table $name; } >"$tables/$name.md"
done

if [ $# -gt 1 ]; then
  exit 0
fi
if [ -e ../performance.md ]; then # of docs/: its table is made of these
  sh "$here/performance.sh" . >../performance.table
  awk '/^<!-- end of bench.performance.sh -->$/ { skip = 0 } !skip { print }
    /^<!-- written by bench.performance.sh -->$/ { skip = 1; while ((getline line <"../performance.table") > 0) print line }' \
    ../performance.md >../performance.new
  mv ../performance.new ../performance.md
  rm ../performance.table
fi
if command -v gnuplot >/dev/null; then
  gnuplot -e "results='$folder'" "$here/plot.gp" || [ -n "${BENCH_OPTIONS:-}" ] || exit 1 # options may leave rows out
else
  echo 'show.sh: no pictures: gnuplot is not installed' >&2
fi
echo "Results: $folder"
