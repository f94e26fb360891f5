#!/bin/sh
# Makes pages and pictures of the CSV files that bench/run.sh has written: NAME.md and *.svg beside them.
#   show.sh FOLDER [PAGES]        PAGES: the pages go there, and no picture is drawn (a test compares them with docs/results)
#   show.sh --table NAME FOLDER   prints all tables of NAME, also those that are too long or too wide for its page
# NAME-intel is MPICH on a machine of Intel's (MACHINE=intel bench/run.sh).
set -eu
most_rows=60 most_columns=10 # of all tables of a page, and of each; pages with more have pictures and name the CSV files
print=
[ "${1:-}" != --table ] || { print=${2:?usage: show.sh --table NAME FOLDER} && shift 2; }
folder=$(readlink -f "${1:?usage: show.sh [--table NAME] FOLDER [PAGES]}")
here=$(dirname "$(readlink -f "$0")")
tables=${2:-$folder}
cd "$folder"

# about NAME: prints a heading and describes the numbers
about() {
  case $1 in
  direct) echo "# One node, two processes

The limit is a store or load loop, \`memcpy\`, or the plain loop \`y += a x\` between the same two buffers;
for create-free it is two barriers of the team." ;;
  window) echo "# Everything through MPI, two virtual nodes

Causeway runs with \`CW_ROUTE=rma CW_NODE_SIZE=1\`. The limit is MPI's one-sided operation on a window of \`MPI_Win_create\`.
ARMCI-MPI runs with its default, \`MPI_Win_allocate\`. On Open MPI that gives its windows shared memory, and a put is a store:
no operation on other memory is as fast. Inside a node Causeway normally uses the direct route." ;;
  namespaces) echo "# Everything through MPI, two hosts

The hosts are two network namespaces with TCP between them; they share no memory. Causeway runs with \`CW_ROUTE=rma\`. The
limit is MPI's one-sided operation on a window of \`MPI_Win_create\`." ;;
  server) echo "# Two hosts through their servers

The hosts are two network namespaces with TCP between them, with one process and one server each. All sides run at
MPI_THREAD_MULTIPLE. The limit of round trips and of gets below 64 KiB is MPI's ping-pong. The limit of other contiguous
transfers is a stream of MPI_Send; that of rows is Causeway's contiguous transfer of the same bytes. Round trips are medians of
single operations on all sides. Rows called *-mean* are means of the same loops, and include all waits for a core. All other
rows are means, too." ;;
  server-busy) echo "# Two hosts, and the target computes

These are the transfers of [server](server.md), but process 1 computes outside MPI for the whole turn. *idle* is Causeway's
time with a target that waits. ARMCI-MPI *waits* until the target calls MPI again (100 ms)." ;;
  copy) echo "# Copies by size and address difference

Times are in nanoseconds. *difference* is (destination - source) mod 4096. *string* is the processor's instruction
\`rep movsb\`. *copy* is Causeway's copy by the method that it measured to be the fastest. *get* is a whole \`cw_get\` of the same
bytes." ;;
  arrays) echo "# Arrays on one node, two processes

In \`bench/arrays/arrays.c\` process 0 works on the part of process 1. In rows with \`both\`, half of the elements are in its
own part, and in rows with \`own\` all of them. Causeway is libcwga. Global Arrays is Debian's, once on our libarmci and once on
Debian's ARMCI-MPI. The limit is \`memcpy\` or a loop by hand on the memory of libcwga's arrays. For create and destroy it is two
barriers, for GA_Sync one. The sides take turns in one run; times are medians, and every ratio is of one run. UNDER means that
the aim is missed, or that another side is faster. Cyclic arrays have native calls only." ;;
  fortran) echo "# Calls of Fortran programs, one process

\`bench/arrays/fortran.c\` runs loops in Fortran (\`bench/arrays/fortran_loops.F90\`, with INTEGERs of 8 bytes) and the same loops
in C. One program uses libcwga, another one Debian's Global Arrays with its ARMCI-MPI; they take turns. The limit is a loop on
the array's memory, or \`pwrite\` or \`pread\` of the same bytes; for \`dra_write\` it is a stream of \`pwrite\` of 1 MiB. Files
lie in \`/dev/shm\`. Times are medians, and every ratio to the limit is of one run. UNDER means that the aim is missed." ;;
  whole-*) echo "# Operations on whole arrays and patches, one node, processes: ${1#whole-}

\`bench/arrays/whole.c\` measures libcwga, and Debian's Global Arrays on our libarmci and on ARMCI-MPI, in turns. UNDER means that
one of the others is faster." ;;
  patches) echo "# Patches of arrays, two hosts

\`bench/arrays/patches.c\` compares transfers of patches of an array on another host, through its server, with the raw transfer
of the same shape. Puts and accumulates are means of a turn that ends with a fence." ;;
  matrices) echo "# Local matrices on an element-cyclic matrix, one node

In \`bench/arrays/matrices.c\` process 0 moves a local matrix of 512 x 512 doubles, by a call and by loops written for that
distribution. Every other column is at process 1. The two take turns; times are medians." ;;
  datatypes) echo "# Derived datatypes, or pieces that are copied together

In \`bench/arrays/matrices.c datatypes\`, after figure 6 of Ghosh et al. (2016), process 0 moves local matrices to and from an
element-cyclic matrix, through MPI's windows. Process 1, on another node, has every other column. *copied together* is
\`CW_RMA_METHOD=batched\`, *datatypes* is \`direct\`. Puts and accumulates are flushed one by one. The two take turns; times are
medians." ;;
  proxy-scale) echo "# The communication of Hartree-Fock on simulated nodes

\`sh bench/scale/run.sh --proxy\` runs the tasks of [proxy](proxy.md) on a simulated torus, with one process and one server on
each node. Times are in milliseconds." ;;
  proxy) echo "# The communication of Hartree-Fock

In \`bench/tasks/proxy.c\`, after figure 7 of Ghosh et al. (2016), tasks from a counter add tiles to an element-cyclic matrix, and
other tasks get them. *ORIG* uses AXPY epochs that end by messages, *ORIG-NBX* epochs that end by consensus. *RMA* is one-sided
and flushed at the end; *RMAB* is one-sided and complete locally. The four take turns; times are medians." ;;
  multiply) echo "# Products of matrices, one node, two processes

\`bench/arrays/multiply.c\` measures \`cw_array_multiply\`, GA_Dgemm of Debian's Global Arrays on our libarmci, and PDGEMM, in
turns. The limit is DGEMM of the BLAS on each process." ;;
  protect) echo "# Commits of protected arrays, and files

In \`bench/arrays/protect.c\` processes of one node commit an array of doubles with \`cw_array_commit\`, save it with
\`cw_arrays_save\` to a disk and to \`/dev/shm\`, and read both again with \`cw_array_recover\` and \`cw_array_load\`. The limit of
a commit with one copy is that each process copies its part twice by \`memcpy\`. All take turns; times are medians. A file is
on the disk when the call returns." ;;
  solvers) echo "# Solvers, one node, two processes

\`bench/arrays/solvers.c\` measures ScaLAPACK alone, in milliseconds, on a matrix in blocks of 64 that is distributed as ScaLAPACK
expects it; the time includes the memory that it works in. The other columns are how many times as fast Causeway's call is on
arrays of one block for each process, of blocks of 64, and element-cyclic. Times are medians of turns, with 16 right-hand sides.
Below 500 rows the calls use LAPACK on one process." ;;
  updates) echo "# Many blocking updates to one node, two hosts

\`bench/transfers/updates.c\` compares blocking accumulates to one process of another host with a stream of MPI_Send of the same
bytes, in messages of a packet's size. The lines below the table are operations that must not become slower because updates wait
for further ones (\`CW_GATHER\`)." ;;
  threads) echo "# Round trips of several threads, two hosts

In \`bench/transfers/threads.c\` threads of process 0 fetch and add at process 1, or get 8 bytes from it; process 1 sleeps outside
MPI. The limit is MPI's ping-pong of as many threads, in which process 1 only sends back. Rates are of the fastest of five
turns." ;;
  views | views-hosts) echo "# Views of memory, $([ "$1" = views ] && echo one node || echo two hosts)

In \`bench/transfers/views.c\` process 0 puts into memory of process 1, which waits. The sides take turns; times are medians. With
more threads than cores, each time is of a thread that shares its core. The tables follow the figures 8 and 9 (threads), 10 and
11 (streams), 12 (memory) and 5 (the target computes for 20 ms) of Schuchart et al., \"Quo Vadis MPI RMA?\" (2021)." ;;
  tasks | tasks-hosts) echo "# Tasks, $([ "$1" = tasks ] && echo one node || echo two hosts)

\`bench/tasks/tasks.c\` measures the time to add and run an empty task, to steal one, and to find that there is no task left. The
limit and Causeway take turns; times are medians. UNDER means that the aim is missed." ;;
  uneven) echo "# A list of tasks of uneven work

In \`bench/tasks/uneven.c\` a counter of process 0 hands out one task after the other, or every process puts its part of the
list into a pool. The work of a task is drawn from Pareto's distribution. Both take turns; times are medians." ;;
  uts) echo "# The Unbalanced Tree Search

\`bench/tasks/uts.sh\` runs \`apps/uts\` sequentially and on a pool of tasks, and \`bench/tasks/uts_polling.c\`, which steals by
messages. A process of the latter polls for messages after a number of nodes; the table has the best of several numbers. The
programs take turns; times are medians." ;;
  survive) echo "# CW_FAILURES=survive while no process fails, two processes of one node

\`bench/tasks/survive.sh\` runs collective calls and the Unbalanced Tree Search with and without this setting, and the search on a
pool of tasks that survives. The sides take turns; times are medians. Pools on several nodes give out each task in a
message of process 0 ([design](../design/surviving-tasks.md#several-nodes))." ;;
  uts-device) echo "# The Unbalanced Tree Search with a kernel, two processes

\`bench/tasks/uts_device.sh\` runs \`apps/uts --device\` on hosts alone, on devices alone, and with each task where it will end
first, in turns. Two cores act as the devices, so hosts and devices share the cores. Times are medians." ;;
  collectives | collectives-hosts) echo "# Collective calls, $([ "$1" = collectives ] && echo one node || echo two hosts), two processes

\`bench/collectives/collectives.c\` measures Causeway's calls and MPI's with the same bytes, in turns; times are medians of 15
turns. *bytes* is the size of the data that is broadcast or reduced, or of each piece. A nonblocking call is followed by its
wait." ;;
  device) echo "# Devices, two processes

In \`bench/devices/device.c\` process 0 moves data to or from a device, its own or that of process 1, which sleeps. The limit is
the time of the parts alone: direct calls of the device's back end, memcpy, a futex round trip between two sleepers, MPI's
messages. For 8 bytes it is their sum, for more bytes the slowest of them. *naive* is a program that copies the data to host
memory, puts or gets that, and lets process 1 move it to or from its device. Rows lie 4 KiB apart on the device. The sides take
turns; times are medians. UNDER means that the aim is missed, or that the naive program is faster." ;;
  kinds) echo "# Hosts and a device at work together, one process

\`bench/devices/kinds.c\` runs tasks of equal length on the host alone, on the device alone, and each where it will end first. A
thread of the host acts as the device and sleeps for the time of each kernel (\`CW_DEVICE_HOST_ITEM=1000\`), so the number of cores
does not matter. The limit is 1 / (1 / host + 1 / device). The three take turns, with a priority above other programs where
\`chrt -r 1\` is allowed; times are medians. UNDER means that the aim is missed." ;;
  vocl) echo "# Virtual OpenCL

\`vocl/bench/vocl_bench.c\` measures calls and programs on the vendor's OpenCL, which is PoCL, and the same through libcw-vocl. They
run in processes that take turns, with a priority above other programs where \`chrt -r 1\` is allowed; times are medians. *more a
call* is the additional time, divided by the number of calls. The aim is 30 ns, or 1.02 of the time where that is more. UNDER
means that it is missed.

\`vocl/bench/vocl_proxies.sh\` measures the same through proxies of this node and of another virtual one. The limit of a call that
waits is the vendor's time, a futex round trip and, to another node, MPI's ping-pong. For 1 MiB or more it is the slower of the
vendor's time and MPI's stream. The aims are 1.5 times the limit; 0.85 of its rate for writes and 0.90 for reads; 200 ns for
each call that does not wait; 1.3 times bytes / stream + build for moves; and 1.7 times as fast by balancing." ;;
  idle) echo "# An answer after a pause, two hosts

In \`bench/transfers/idle.c\` process 0 sleeps for a while and then gets 8 bytes from process 1, which sleeps outside MPI. The last
column is the part of a core that process 0's server uses while all sleep." ;;
  crowd) echo "# More processes than cores

\`bench/transfers/crowd.c\` runs the same tasks on one process, and on four processes of two hosts. The difference of the CPU times
is the cost of waiting." ;;
  profile) echo "# Cost of a profile

\`bench/transfers/profile.c\` measures puts and gets of 8 bytes between two processes of a node, without and with CW_PROFILE in
turns." ;;
  start) echo "# A start of many processes, one machine

In \`bench/transfers/start.sh\` every process starts, passes a barrier, makes an array with 1024 numbers for each process, puts a
block of it at the next process, frees the array, and ends. This is done with MPI alone (a window instead of the array), with
Causeway, and as a GA program. Several nodes are virtual nodes, each with a server. Processes outnumber the cores. CPU is the
time in user and kernel mode, averaged over the processes. Memory is the average of Pss (shared memory is divided by the number
of its users), after the start of MPI and after the array is freed. VmHWM is the maximum of all processes, with all that they
share." ;;
  start-job) echo "# A job that does nothing, two processes of one node

\`bench/transfers/start_job.sh\`: the launcher starts two processes, which call MPI_Init, cw_init, cw_finalize and
MPI_Finalize, or only MPI's two calls, and ends. The time is of all of this, also of loading the libraries. The sides take turns.
If the system allows it, the processes have real-time priority, and the launcher has a higher one. So the load of the machine
hardly changes the times." ;;
  failures) echo "# A process dies under mpiexec

\`tests/failures/launcher_probe.c\`, a program of MPI alone with four processes of one node: one dies. The others notice it, work
for two seconds without MPI, communicate if the table says so, and end one after the other, the last 3.6 s after the death. *in a
shell* is \`sh -c 'trap : USR1; \"\$@\"; exit \$?' sh program\`. *end by themselves* counts the survivors that reach their own end, and
that return from MPI_Finalize if they call it. *MPI_Abort(6) of one* means that the other survivors do not end. Jobs that have not
ended after 25 s hang. *lines lost* counts the output of the processes that printed. [When a process dies](../guide/failure.md) has
the options to use. [failures-messages](failures-messages.md) shows what MPI can do after a death, also on several hosts." ;;
  failures-messages) echo "# Messages of MPI after a death

\`tests/failures/message_probe.c\`, a program of MPI alone, starts as [the guide](../guide/failure.md) says; the hosts are network
namespaces with TCP between them (UCX). All processes exchange messages all the time, every 16th of 256 KiB. Some kill themselves
by SIGKILL at a random instruction, or a host is lost. Numbers count the runs in which all survivors succeed. *multiple*
is MPI_THREAD_MULTIPLE with a second thread that polls; the others have MPI_THREAD_SINGLE. A message with a dead process *waits* if
it has not completed after 0.4 s. *messages then* are exchanged after that. The window, and the communicator that is duplicated,
were made before the death. *begun* means that the survivors at last receive 256 KiB that the dead process had begun to send; this
is then the column of the receive. A *status* of \`hangs\` means that the launcher did not end within 15 s.

- **Survivors can use MPI on several hosts, with both MPIs**: messages, one-sided calls, and new communicators work after one
  death and after two. They worked for 11 minutes after a host had been cut off, too (three runs each, not in the table).
  These failures are not explained: with Open MPI a new communicator took more than 3 s in 1 to 3 runs of four rows, and with MPICH
  put or get did in 2 runs of *begun*. The machine was busy; a row in which two runs began late was measured again.
- **MPI does not report the death.** A receive waits for ever. A send to a dead process returns an error between hosts, but
  completes on one host and to a host that is cut off. Detection and time limits must be the library's own.
- **Three cases end processes with MPICH.** The launcher ends the job if it loses a host's daemon at once (20 of 20), but not if
  the host is only silent. It also ends the job if a process dies while it asks the launcher, which happens when survivors let
  MPI progress and two die within 20 ms (1 of 40 runs, \`unable to forward PMI response\`). On one host UCX ends a process that
  reads a large message of a dead one (\`process_vm_readv\`, 20 of 20 in rows of *begun*, and by chance in others).
- **Open MPI between hosts** needs UCX: with ob1 and TCP, messages among survivors were stuck in the one run that was tried.
- **The end**: with MPICH the job ends when all survivors have called \`_exit\`, unless a host is cut off. Open MPI's launcher
  hangs if the dead process shared its host with another one. MPI_Abort ends the job with MPICH only, MPI_Finalize fails
  or makes the launcher hang. The script that starts such a job must kill the launcher." ;;
  failures-slurm) echo "# A process dies under Slurm

The program and the columns are those of [failures](failures.md), on one host of the cluster of \`tests/multinode/slurm.sh\`." ;;
  python) echo "# The Python package, one node, two processes

\`bench/python\` measures the package causeway beside numpy, mpi4py's windows (Win.Allocate, Lock_all; Debian's mpi4py is on Open
MPI), dask.array, h5py and multiprocessing. Debian has no shmem4py. The sides take turns; times are medians. Process 1 sleeps
while process 0 transfers. Copies of numpy are between the same memory of process 0 and its own part of the array. The ratios of
1 MiB differ between jobs: in 12 other jobs they were 0.90 to 1.05, with medians of 1.00. Products of matrices are OpenBLAS's on all sides.
A job's time is that of a whole job, from the launcher's start to its end." ;;
  prk) echo "# The Parallel Research Kernels, one node, two processes

\`bench/prk\` ([its page](../reference/prk.md)) compares Causeway with plain MPI two-sided, through shared memory, and one-sided. The
sides take turns; rates are medians of nine, and every run is verified. Ratios are Causeway's rate divided by the peer's." ;;
  prk-hosts) echo "# The Parallel Research Kernels, two hosts, two processes

\`bench/prk\` ([its page](../reference/prk.md)) compares Causeway with plain MPI two-sided and one-sided. The sides take turns; rates
are medians of five, of random and random-exact medians of three. Every run is verified. Ratios are Causeway's rate divided by
the peer's." ;;
  scf) echo "# Hartree-Fock for four waters, cc-pVDZ, one node

\`bench/tasks/scf.sh\` runs \`apps/scf\` on 1 and 2 processes in turns." ;;
  nwchem) echo "# NWChem on Causeway

\`apps/nwchem/run.sh\` runs NWChem's inputs. Times are in seconds; *ratio* is the time divided by that of one process." ;;
  nwchem-layouts) echo "# NWChem on libcwga, in all layouts

\`GA=own LAYOUTS=all apps/nwchem/run.sh\` runs the inputs, and describes each layout. *Difference* is the difference, in hartree,
from the energy that Debian's NWChem (package nwchem-openmpi, with its own Global Arrays) finds on one process; 1e-8 is allowed.
Gradients, frequencies and shieldings are compared, too. *cpu* is that of the first process; *ratio* is the time on the clock
divided by that of one process." ;;
  nwchem-compare) echo "# NWChem on libcwga and on libga

\`apps/nwchem/compare.sh\` runs NWChem on libcwga and on Debian's libga over our libarmci, in turns. Times are medians, and ratios
are those of medians. *cpu* is user and system time of all processes." ;;
  scale) echo "# Simulated nodes

\`bench/scale/run.sh\` runs the library itself on SimGrid's SMPI, on a 3-D torus of 2 GB/s and 6 µs, with one process and one
server on each node." ;;
  scale-prk) echo "# The Parallel Research Kernels on simulated nodes

\`sh bench/scale/run.sh --prk\` runs \`bench/prk\` ([its page](../reference/prk.md)) on the same machine as [scale](scale.md), with
one process and one server on each node. Rates are of simulated time, in which only messages take time; computing, copying and
packing take none. Ratios are Causeway's rate divided by the peer's; each run is verified." ;;
  search) echo "# The Unbalanced Tree Search on simulated nodes

\`bench/scale/search.c\` runs on the same machine as [scale](scale.md), with one process on each node. It searches tree T1, in
which every node stands for 25, so that there are as many as in T1L. With 14 µs for a node the sequential search of T1L takes
58 s, with 2 µs 8 s; these are an old processor, and one that has instructions for SHA-1. *half* and *one* are the library
itself. *locks* takes five operations for a steal: lock, read, write, get, unlock. *polling* steals by messages, and polls for
them at every node or every fourth, whichever is better. The end of the search costs nothing with these two. Efficiency is the
time of all nodes, one after the other, divided by the number of processes and the time." ;;
  esac
}

runs() { # NAME: date, machine and command of each result
  for run in "$1"-mpich.run "$1"-openmpi.run "$1"-intel.run "$1.run"; do
    [ -s "$run" ] || continue
    result=$(basename "$run" .run)
    case $result in
    scale) command='SCALE_RESULTS=docs/results sh bench/scale/run.sh' ;;
    failures | failures-slurm) command='sh tests/failures/launchers.sh docs/results' ;;
    failures-messages) command='sh tests/failures/messages.sh docs/results' ;;
    scale-prk) command='SCALE_RESULTS=docs/results sh bench/scale/run.sh --prk' ;;
    proxy-scale) command='SCALE_RESULTS=docs/results sh bench/scale/run.sh --proxy' ;;
    search) command='SCALE_RESULTS=docs/results sh bench/scale/run.sh --search' ;;
    *-openmpi) command="sh bench/run.sh build/openmpi openmpi docs/results ${1%-[12]}" ;;
    *-intel) command="MACHINE=intel sh bench/run.sh build/mpich mpich docs/results ${1%-[12]}" ;;
    *) command="sh bench/run.sh build/mpich mpich docs/results ${1%-[12]}" ;;
    esac
    echo "- $result: $(cat "$run"); \`$command\`"
  done
}

files() { # NAME: its CSV files
  for file in "$1"-mpich.csv "$1"-openmpi.csv "$1"-intel.csv "$1".csv; do
    [ ! -s "$file" ] || echo "$file"
  done
}

table() { # NAME: all its tables
  # shellcheck disable=SC2046 # a list of files
  case $1 in
  proxy-scale) awk -F, -f "$here/scale/proxy.awk" proxy-scale.csv ;;
  scale) awk -F, -f "$here/scale/table.awk" scale.csv ;;
  scale-prk) awk -F, -f "$here/scale/prk.awk" scale-prk.csv ;;
  search) awk -F, -f "$here/scale/search.awk" search.csv ;;
  direct | window | namespaces | server | server-busy)
    awk -f "$here/driver/summary.awk" $(files "$1" | grep -v intel)
    [ ! -s "$1-intel.csv" ] || { printf '\n%s-intel:\n\n' "$1" && awk -f "$here/driver/summary.awk" "$1-intel.csv"; }
    ;;
  *)
    rows=table.awk
    [ "$1" != copy ] || rows=driver/copy.awk
    for file in $(files "$1"); do
      echo "$(basename "$file" .csv):" && echo && awk -f "$here/$rows" "$file" && echo
    done
    ;;
  esac
}

# page NAME: prints its tables or, if they are long or wide, its pictures and the names of its CSV files.
page() {
  table "$1" >"$whole"
  awk -F '[|]' -v most="$most_rows" -v widest="$most_columns" '
    /^\|/ { rows++; if (NF - 2 > columns) columns = NF - 2 }
    /^\|[-:|]*$/ { rows -= 2 }
    END { exit !(rows > most || columns > widest) }' "$whole" || { cat "$whole"; return; }
  for picture in $(pictures "$1"); do
    echo "![$1]($picture.svg)"
  done
  echo
  for file in $(files "$1"); do
    echo "- [$file]($file)"
  done
  echo
  echo "\`sh bench/show.sh --table $1 docs/results\` prints the tables. $(awk '
    /^\|/ { rows++ } /^\|[-:|]*$/ { rows -= 2 } /^\|/ && /UNDER|\*\*/ { missed++ }
    END { printf "They have %d rows%s.", rows, missed ? "; in " missed " of them an aim is missed" : "" }' "$whole")"
}

pictures() { # NAME: the pictures of a page without tables
  case $1 in
  direct) echo one-node ;;
  device) echo device-latency device-bandwidth ;;
  vocl) echo vocl-bytes ;;
  *) echo "$1" ;;
  esac
}

if [ -n "$print" ]; then
  table "$print"
  exit
fi
whole=$(mktemp)
trap 'rm -f "$whole"' EXIT
mkdir -p "$tables"
for name in direct window namespaces server server-busy copy arrays fortran whole-1 whole-2 patches matrices datatypes proxy multiply protect solvers updates threads views views-hosts tasks tasks-hosts uneven uts survive uts-device collectives collectives-hosts device kinds vocl idle crowd profile start start-job python failures failures-messages failures-slurm prk prk-hosts scf nwchem nwchem-layouts nwchem-compare scale scale-prk search proxy-scale; do
  [ -n "$(files $name)" ] || continue
  { about $name && echo && runs $name && echo && page $name; } >"$tables/$name.md"
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
  gnuplot -e "results='$folder'; bench='$here'" "$here/plot.gp" || [ -n "${BENCH_OPTIONS:-}" ] || exit 1 # options may leave rows out
else
  echo 'show.sh: no pictures: gnuplot is not installed' >&2
fi
echo "Results: $folder"
