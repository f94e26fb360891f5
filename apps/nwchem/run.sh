#!/bin/sh
# Runs the inputs beside this script with the NWChem that build.sh made: on one process, on two, and on two
# hosts with one process each (tests/multinode/hosts.sh). Compares energies and times with one process's.
#   run.sh mpich|openmpi FOLDER [INPUT...]
# FOLDER is build.sh's; what the runs print, with CW_STATS=1, stays in FOLDER/<mpi>/runs/. INPUT: water,
# water4 or dimer; all of them if none is named. TIMES=n in the environment: n runs of each in turn, and the
# median of their times.
set -eu
usage='usage: run.sh mpich|openmpi FOLDER [INPUT...]'
mpi=${1:?$usage} folder=$(readlink -f "${2:?$usage}")
shift 2
[ $# -gt 0 ] || set -- water water4 dimer
here=$(dirname "$(readlink -f "$0")")
program=$folder/$mpi/bin/LINUX64/nwchem
runs=$folder/$mpi/runs
times=${TIMES:-1}
tolerance=1e-8 # hartree
limit=900      # seconds for a run
[ -x "$program" ] || { echo "nwchem: no $program: build.sh makes it" >&2; exit 2; }

export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 CW_STATS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=mpiexec.$mpi
[ "$mpi" != openmpi ] || launch='mpiexec.openmpi --oversubscribe --bind-to none'

# The names of the layouts are those of the table's rows.
execute() { # LAYOUT INPUT: in a folder of its own
  case $1 in
  '1 process' | '2 processes')
    # shellcheck disable=SC2086 # a command in words
    timeout "$limit" $launch -n "${1%% *}" "$program" "$2"
    ;;
  '2 hosts') sh "$here/../../tests/multinode/hosts.sh" --limit "$limit" "$mpi" 2 1 "$program" "$2" ;;
  esac
}

energy_of() { sed -n -E 's/^ *Total (SCF energy =|CCSD\(T\) energy:) *(-[0-9.]+) *$/\2/p' "$1" | tail -n 1; }
# "wall cpu": the second is the first process's time on a processor. It tells more where others use the machine.
seconds_of() { sed -n -E 's/^ *Total times +cpu: *([0-9.]+)s +wall: *([0-9.]+)s *$/\2 \1/p' "$1" | tail -n 1; }
median() { cut -d ' ' -f "$2" "$1" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

status=0
failed() {
  echo "nwchem: $*" >&2
  status=1
}

one_run() { # INPUT LAYOUT NUMBER: leaves its output, its energy and its time; 77: it cannot be had here
  name=$1-$(echo "$2" | tr ' ' -)
  output=$runs/$name.$3.out
  rm -rf "${runs:?}/$name"
  mkdir "$runs/$name"
  if (cd "$runs/$name" && execute "$2" "$here/$1.nw") >"$output" 2>&1; then result=0; else result=$?; fi
  rm -rf "${runs:?}/$name"
  [ "$result" -ne 77 ] || return 77
  energy=$(energy_of "$output") seconds=$(seconds_of "$output")
  if [ "$result" -ne 0 ] || [ -z "$energy" ] || [ -z "$seconds" ]; then
    tail -n 20 "$output" >&2
    failed "$1 on $2 failed with status $result; the last lines of $output are above"
    return 1
  fi
  echo "$energy" >>"$runs/$name.energies"
  echo "$seconds" >>"$runs/$name.times"
}

row() { # INPUT LAYOUT
  name=$1-$(echo "$2" | tr ' ' -)
  if [ ! -s "$runs/$name.times" ]; then
    [ "$2" = '2 hosts' ] && why=$skipped || why=''
    printf '%-7s  %-11s  %s\n' "$1" "$2" "${why:-failed}"
    return
  fi
  one=$1-1-process
  reference=$(head -n 1 "$runs/$one.energies")
  # Of several runs, the one that is farthest off.
  worst=$(awk -v one="$reference" '{ off = $1 - one; if (off < 0) off = -off }
                                   NR == 1 || off > most { most = off; energy = $1 } END { print energy }' \
    "$runs/$name.energies")
  difference=$(awk -v a="$worst" -v b="$reference" 'BEGIN { printf "%.1e", a - b }')
  awk -v input="$1" -v layout="$2" -v energy="$worst" -v difference="$difference" \
    -v seconds="$(median "$runs/$name.times" 1)" -v cpu="$(median "$runs/$name.times" 2)" \
    -v one="$(median "$runs/$one.times" 1)" 'BEGIN {
      printf "%-7s  %-11s  %20s  %10s  %8.1f  %8.1f  %5.2f\n", input, layout, energy, difference, cpu, seconds,
             seconds / one }'
  awk -v off="$difference" -v most=$tolerance 'BEGIN { exit off > most || -off > most }' ||
    failed "the energy of $1 on $2, $worst, is not that of one process, $reference: it is off by" \
      "$difference hartree, more than $tolerance"
}

mkdir -p "$runs"
printf '%-7s  %-11s  %20s  %10s  %8s  %8s  %5s\n' input on 'energy, hartree' difference 'cpu, s' 'wall, s' ratio
for input; do
  rm -f "$runs/$input"-*
  skipped=''
  for number in $(seq "$times"); do
    for layout in '1 process' '2 processes' '2 hosts'; do
      one_run "$input" "$layout" "$number" && continue
      [ $? -ne 77 ] || skipped='skipped: hosts.sh says why in its output'
    done
  done
  [ -s "$runs/$input-1-process.times" ] || continue
  for layout in '1 process' '2 processes' '2 hosts'; do row "$input" "$layout"; done
done
echo "nwchem: $mpi: what the runs printed, with the statistics of CW_STATS=1, is in $runs"
exit $status
