#!/bin/sh
# Measures, and writes the results into a folder: CSV files, and pages and pictures that show.sh makes of them.
#   run.sh BUILD_DIR mpich|openmpi OUT [NAME...]   one MPI: all measurements, or those that are named
#   run.sh --all [OUT]                             everything: both MPIs in build/, NWChem if it is built
#                                                  there, and the simulated nodes. OUT: docs/results
#                                                  (but for the simulated search, which takes an hour:
#                                                  SCALE_RESULTS=OUT sh bench/scale/run.sh --search)
#
#   direct       two processes of one node
#   window       two virtual nodes (CW_NODE_SIZE=1): everything through MPI. ARMCI-MPI runs with its
#                defaults, and MPI may give its windows shared memory, which it cannot for ours
#   namespaces   two hosts of tests/multinode/hosts.sh: TCP between them, and no shared memory
#   server       the same hosts, through the server of each; the limit is MPI's messages
#   server-busy  the same, and the target computes; the limit is the time when it waits
#   copy         copies by size and address difference
#   arrays       arrays of libcwga and of Debian's Global Arrays, two processes of one node
#   patches      patches of arrays between the two hosts, and the raw transfers of the same shape
#   matrices     local matrices on a cyclic one, two processes of one node, and loops by hand
#   datatypes    local matrices on a cyclic one, through MPI's windows of two virtual nodes and of two hosts: copied
#                together, and by derived datatypes
#   proxy        the communication of Hartree-Fock: epochs and one-sided, one node and two hosts, with a server and
#                without one, with tasks that compute, and on blocks of 5 x 5
#   multiply     products of matrices: ours, those of Global Arrays and PBLAS
#   protect      commits and recoveries of protected arrays, two processes of one node, beside files
#   solvers      solvers, two processes of one node, and ScaLAPACK alone
#   fortran      calls of Fortran programs, one process, and Debian's Global Arrays on ARMCI-MPI; files in /dev/shm
#   whole        all their operations on whole arrays and patches, on one process and on two. ARMCI-MPI has
#                ARMCI_USE_WIN_ALLOCATE=0: Debian's MPICH gives it windows of which it loses data
#   updates      many blocking accumulates to one node
#   threads      round trips of several threads
#   views        views of windows, two processes of one node; views-hosts: two hosts. Threads, order, memory
#                handles, and a target that computes; the peer is MPI
#   tasks        tasks that are added, run and stolen, and phases without any, one node; tasks-hosts: two hosts
#   uneven       a list of tasks of uneven work, handed out by a counter, and by a pool of tasks
#   uts          the Unbalanced Tree Search on pools of tasks, alone, and by messages
#   survive      what CW_FAILURES=survive costs collective calls and pools of tasks while no process fails
#   uts-device   the same with a kernel: on hosts alone, on the emulated device, on PoCL, and on both
#   collectives  collective calls beside MPI's, one node; collectives-hosts: two hosts
#   device       transfers to and from devices: the host back end and, where `sh scripts/pocl-root.sh build/pocl-root`
#                has put PoCL, OpenCL's; two processes of one node, and of two virtual ones
#   kinds        hosts and a device at work together: tasks of 20 us to 2 ms on a device with a clock of its own
#   vocl         virtual OpenCL beside PoCL: calls, and programs where `sh vocl/scripts/opencl-programs.sh build/opencl-programs`
#                has put them. PROXY='VARIABLE=value ...': one more side. Then the same through proxies of this node
#                and of another virtual one, beside MPI's messages; moves, and balancing
#   idle         answers after silence, and what a server takes meanwhile
#   crowd        more processes than cores
#   profile      what CW_PROFILE costs a put and a get of 8 bytes
#   start        start and end of 4 to 256 processes (START_PROCESSES), beside MPI's own
#   start-job    start and end of two processes that do nothing, from outside, beside MPI's own
#   python       the Python package beside numpy, mpi4py's windows, dask.array, h5py and multiprocessing
#   prk          the Parallel Research Kernels beside plain MPI in three ways, one node; prk-hosts: two hosts
#   scf          Hartree-Fock on 1 and 2 processes
#   nwchem       NWChem's inputs, where `make nwchem` has built it
#   nwchem-layouts   all of them on libcwga in all layouts, where `make nwchem GA=own` has built it
#   nwchem-compare   NWChem on libcwga and on libga over libarmci, where both have been built
#
# MACHINE=intel: results are called NAME-intel instead of NAME-mpich, and show.sh puts them beside those of the machine
# that the others come from. A program that this build does not have is left out. BENCH_OPTIONS: more options for the driver, e.g.
# '--rounds 3 --only put'. BENCH_DISK: a folder on a disk, for the files of protect (default /var/tmp). Times on a machine that
# others use are noise: measure on a quiet one.
set -eu
usage='usage: run.sh BUILD_DIR mpich|openmpi OUT [NAME...] | run.sh --all [OUT]'
here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$here")

if [ "${1:-}" = --all ]; then
  out=${2:-$root/docs/results} status=0
  for mpi in mpich openmpi; do
    sh "$0" "$root/build/$mpi" $mpi "$out" || status=1
  done
  SCALE_RESULTS=$out sh "$here/scale/run.sh" || status=1
  SCALE_RESULTS=$out sh "$here/scale/run.sh" --prk || status=1
  sh "$here/show.sh" "$out" || status=1
  exit $status
fi

build=$(readlink -f "${1:?$usage}") mpi=${2:?$usage} out=${3:?$usage}
shift 3
names=${*:-direct window namespaces server server-busy copy arrays fortran whole patches matrices datatypes proxy multiply protect solvers updates threads views views-hosts tasks tasks-hosts uneven uts survive uts-device collectives collectives-hosts device kinds vocl idle crowd profile start start-job python prk prk-hosts scf nwchem nwchem-layouts nwchem-compare}
[ -x "$build/bench/causeway-bench" ] || { echo "run.sh: no $build/bench/causeway-bench" >&2; exit 2; }
mkdir -p "$out"
out=$(readlink -f "$out") label=${MACHINE:-$mpi}

case $mpi in
mpich) launch='mpiexec.mpich' ;;
openmpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launch='mpiexec.openmpi --oversubscribe --bind-to none'
  ;;
*) echo "$usage" >&2; exit 2 ;;
esac
hosts="$here/../tests/multinode/hosts.sh $mpi"
commit=$(git -C "$root" rev-parse --short HEAD)
git -C "$root" diff --quiet HEAD -- src include interfaces vocl bench apps || commit="$commit and changes"
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints the line that is stored beside each result: date, commit, machine and load.
note() {
  model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
  echo "$(date -u +%Y-%m-%d), commit $commit, $(nproc) cores of ${model:-$(uname -m)}, load $(cut -d' ' -f1 /proc/loadavg) at the start"
}

# try RESULT COMMAND...: shows the command's output. If the command succeeds, the file $part, which it has filled, becomes
# RESULT in $out. Status 77 means that the command was skipped.
try() {
  result=$1 run=$out/${1%.*}.run code=0
  shift
  note >"$run.part"
  timeout --foreground "$limit" "$@" >"$log" 2>&1 || code=$?
  cat "$log"
  if [ $code -eq 0 ]; then
    mv "$run.part" "$run"
    mv "$part" "$out/$result"
  else
    rm -f "$run.part" "$part"
  fi
  return $code
}

# driver NAME MODE COMMAND...: runs the driver by COMMAND. MODE may contain further options
driver() {
  name=$1 mode=$2
  shift 2
  echo "$name, $mpi:"
  for peer in '' --no-peer; do
    part=$out/$name-$label.part code=0
    # shellcheck disable=SC2086 # lists of words
    try "$name-$label.csv" "$@" "$build/bench/causeway-bench" --mode $mode --label "$name" --csv "$part" \
      $peer ${BENCH_OPTIONS:-} || code=$?
    case $code in 0 | 77) break ;; esac
    echo "run.sh: $name, $mpi failed ($code)${peer:+, also without ARMCI-MPI}" >&2
  done
  [ $code -eq 0 ] || [ $code -eq 77 ] || status=1
}

# printed NAME COMMAND...: the result is what the command prints on its standard output, as CSV
printed() {
  name=$1
  shift
  echo "$name, $mpi:"
  part=$out/$name-$label.part code=0
  # shellcheck disable=SC2016 # for the inner shell
  try "$name-$label.csv" sh -c 'csv=$1 out=$2; shift 2; "$@" >"$out.text" && cat "$out.text" && awk -f "$csv" "$out.text" >"$out"' \
    sh "$here/csv.awk" "$part" "$@" || code=$?
  rm -f "$part.text"
  [ $code -eq 0 ] || [ $code -eq 77 ] || { echo "run.sh: $name, $mpi failed ($code)" >&2; status=1; }
}

has() { [ -x "$build/${2:-bench}/causeway-$1" ] || { echo "$1: not in this build"; return 1; }; }

# With real-time priority, other programs do not take the core from a measurement.
alone=
! chrt -r 1 true 2>/dev/null || alone='chrt -r 1'

# Runs one measurement. The launchers are lists of words.
# shellcheck disable=SC2086
measure() {
  program=$build/bench/causeway-$1
  case $1 in
  direct) driver direct direct $launch -n 2 ;;
  window) driver window window env CW_ROUTE=rma CW_NODE_SIZE=1 $launch -n 2 ;;
  namespaces) driver namespaces window $hosts 2 1 CW_ROUTE=rma ;;
  server) driver server server $hosts 2 1 CW_ROUTE=server ;;
  server-busy) driver server-busy 'server --busy' $hosts 2 1 CW_ROUTE=server ;;
  copy)
    if "$build/bench/causeway-bench" --help | grep -q -- --table; then
      driver copy 'direct --table copy' $launch -n 2
    else
      echo 'copy: not in this build'
    fi
    ;;
  arrays) ! has arrays-causeway || printed arrays sh "$here/arrays/arrays.sh" "$build/bench" $launch -n 2 ;;
  fortran) ! has fortran-causeway || printed fortran $alone sh "$here/arrays/fortran.sh" "$build/bench" $launch -n 1 ;;
  whole)
    ! has whole-causeway || for processes in 1 2; do
      printed whole-$processes env ARMCI_USE_WIN_ALLOCATE=0 PROGRAM=whole \
        sh "$here/arrays/arrays.sh" "$build/bench" $launch -n $processes
    done
    ;;
  multiply)
    ! has multiply-causeway || printed multiply $launch -n 2 "$program-causeway" 1024 2048 4096
    ;;
  protect)
    # shellcheck disable=SC2016 # for the inner shell
    ! has protect || printed protect sh -c 'program=$1 disk=$2; shift 2; for n in 2 4; do "$@" -n $n "$program" 9 64 "$disk" /dev/shm || exit 1; done' \
      sh "$program" "${BENCH_DISK:-/var/tmp}" $launch
    ;;
  solvers) ! has solvers || printed solvers env OPENBLAS_NUM_THREADS=1 $launch -n 2 "$program" ;;
  patches | updates | threads | idle) ! has "$1" || printed "$1" $hosts 2 1 CW_ROUTE=server "$program" ;;
  profile) ! has profile || printed profile $launch -n 2 "$program" ;;
  matrices) ! has matrices || printed matrices $launch -n 2 "$program" ;;
  datatypes)
    ! has matrices ||
      printed datatypes sh -c "program='$build/bench/causeway-matrices' && echo 'two virtual nodes of one host' &&
        CW_ROUTE=rma CW_NODE_SIZE=1 $launch -n 2 \$program datatypes && echo 'two hosts, TCP' &&
        $hosts 2 1 CW_ROUTE=rma \$program datatypes"
    ;;
  proxy)
    ! has proxy || printed proxy sh -c "for n in 2 4; do $launch -n \$n '$program' || exit 1; done &&
      for server in thread none; do $hosts 2 1 CW_SERVER=\$server '$program' || exit 1; done &&
      $hosts 2 1 CW_SERVER=thread '$program' 11 1000 && $hosts 2 1 CW_SERVER=thread '$program' 11 0 64 5"
    ;;
  views) ! has views || printed views $launch -n 2 "$program" ;;
  views-hosts) ! has views || printed views-hosts $hosts 2 1 CW_ROUTE=server "$build/bench/causeway-views" ;;
  tasks)
    ! has tasks || printed tasks sh -c "$launch -n 2 '$program' && CW_NODE_SIZE=1 $launch -n 4 '$program' phase"
    ;;
  tasks-hosts)
    ! has tasks || printed tasks-hosts $hosts 2 1 CW_ROUTE=server "$build/bench/causeway-tasks" steal phase
    ;;
  uneven)
    ! has uneven || printed uneven sh -c "$launch -n 1 '$program' && $launch -n 2 '$program' &&
      $hosts 2 1 CW_ROUTE=server '$program'"
    ;;
  uts) ! has uts-polling || printed uts sh "$here/tasks/uts.sh" "$build" ;;
  survive) ! has collectives || printed survive sh "$here/tasks/survive.sh" "$build" $launch -n 2 ;;
  uts-device) printed uts-device sh "$here/tasks/uts_device.sh" "$build" $launch ;;
  collectives) ! has collectives || printed collectives $launch -n 2 "$program" ;;
  collectives-hosts)
    ! has collectives ||
      printed collectives-hosts $hosts 2 1 CW_ROUTE=server "$build/bench/causeway-collectives"
    ;;
  device)
    pocl=$root/build/pocl-root/pocl
    kinds='CW_DEVICE=host'
    [ ! -e "$pocl" ] || kinds="CW_DEVICE=host CW_DEVICE=opencl,CW_DEVICE_SHARED=never CW_DEVICE=opencl"
    ! has device || printed device sh -c "for kind in $kinds; do
      more= && [ \$kind = CW_DEVICE=host ] || more=\$(cat '$pocl') || exit 1
      for nodes in CW_NODE_SIZE=2 CW_NODE_SIZE=1; do
        env \$more \$(echo \$kind | tr , ' ') \$nodes $launch -n 2 '$program' || exit 1
      done
    done"
    ;;
  kinds) ! has kinds || printed kinds env CW_DEVICE_HOST_ITEM=1000 $alone $launch -n 1 "$program" ;;
  vocl) # proxies' servers run as other programs do, so proxies must not be before these
    ! has vocl vocl/bench ||
      printed vocl sh -c "$alone sh '$root/vocl/bench/vocl.sh' '$build/vocl' && echo && sh '$root/vocl/bench/vocl_proxies.sh' '$build/vocl' $mpi"
    ;;
  crowd)
    ! has crowd || printed crowd sh -c "$launch -n 1 '$program' && $hosts 2 2 '$program'"
    ;;
  start) ! has start || printed start sh "$here/transfers/start.sh" "$build" $launch ;;
  start-job) # The launcher precedes its processes, which poll: otherwise it waits for the end of their time slices.
    ! has start-mpi || printed start-job ${alone:+chrt -r 2} sh "$here/transfers/start_job.sh" "$build" $launch -n 2 $alone
    ;;
  python)
    if ls "$build"/python/causeway/_$mpi.* >/dev/null 2>&1; then
      printed python sh "$here/python/python.sh" "$build" $mpi $launch
    else
      echo 'python: not in this build'
    fi
    ;;
  prk) printed prk $launch -n 2 "$build/bench/prk/prk" ;;
  prk-hosts) # of two iterations of random, 2 ms, the servers' waking would be a part
    prk="$hosts 2 1 CW_ROUTE=server $build/bench/prk/prk"
    printed prk-hosts sh -c "for kernel in random random-exact; do
        $prk \$kernel --threads --size 16x1 --iterations 20 --rounds 3 || exit 1; done &&
      $prk --threads --rounds 5 synch_p2p stencil transpose nstream reduce sparse dgemm amr pic \
      transpose-ga nstream-ga dgemm-ga"
    ;;
  scf)
    if [ -x "$build/apps/scf/scf" ]; then
      printed scf sh "$here/tasks/scf.sh" "$build"
    else
      echo 'scf: not in this build'
    fi
    ;;
  nwchem | nwchem-layouts | nwchem-compare)
    folder=${NWCHEM:-$root/build/nwchem} scripts=$root/apps/nwchem
    case $1 in
    nwchem) needed=$mpi ;;
    nwchem-layouts) needed=$mpi-own ;;
    nwchem-compare) needed="$mpi $mpi-own" ;;
    esac
    for way in $needed; do
      [ -x "$folder/$way/bin/LINUX64/nwchem" ] && continue
      echo "$1: not built in $folder/$way (make nwchem, make nwchem GA=own)"
      return
    done
    case $1 in
    nwchem) printed nwchem env TIMES=3 sh "$scripts/run.sh" "$mpi" "$folder" ;;
    nwchem-layouts) limit=14400 && printed nwchem-layouts env GA=own LAYOUTS=all sh "$scripts/run.sh" "$mpi" "$folder" ;;
    nwchem-compare) limit=14400 && printed nwchem-compare sh "$scripts/compare.sh" "$mpi" "$folder" ;;
    esac
    ;;
  *) echo "run.sh: there is no measurement called $1" >&2; exit 2 ;;
  esac
}

for each in $names; do
  limit=1800
  measure "$each"
done
sh "$here/show.sh" "$out" || status=1
exit $status
