#!/bin/sh
# Runs the inputs beside this script with the NWChem that build.sh made, in several layouts of processes, and
# compares energies and times with one process's, and one process's energies with those that Debian's Global
# Arrays finds (in the inputs).
#   [GA=own] run.sh mpich|openmpi FOLDER [INPUT...]
# FOLDER is build.sh's; what the runs print, with CW_STATS=1, stays in FOLDER/<mpi>/runs/ or, with GA=own,
# FOLDER/<mpi>-own/runs/. INPUT: a file's name without .nw; water, water4 and dimer if none is named, and all of
# them with GA=own. In the environment:
#   TIMES=n            n runs of each in turn, and the median of their times
#   LAYOUTS='1-process 2-processes 2-hosts'   this is the default; the others are compared with the first. Further:
#     4-processes
#     2-nodes          2 processes, each of them a virtual node of its own
#     servers          2 virtual nodes of one process and one server each
set -eu
usage='usage: [GA=own] run.sh mpich|openmpi FOLDER [INPUT...]'
mpi=${1:?$usage} folder=$(readlink -f "${2:?$usage}")
shift 2
here=$(dirname "$(readlink -f "$0")")
case ${GA:-debian} in
own)
  way=$mpi-own
  [ $# -gt 0 ] || set -- water water4 dimer dft mp2 optimize frequencies property
  ;;
*)
  way=$mpi
  [ $# -gt 0 ] || set -- water water4 dimer
  ;;
esac
program=$folder/$way/bin/LINUX64/nwchem
runs=$folder/$way/runs
times=${TIMES:-1}
layouts=${LAYOUTS:-1-process 2-processes 2-hosts}
tolerance=1e-8 # hartree
limit=900      # seconds for a run
[ -x "$program" ] || { echo "nwchem: no $program: build.sh makes it" >&2; exit 2; }

export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 CW_STATS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=mpiexec.$mpi
[ "$mpi" != openmpi ] || launch='mpiexec.openmpi --oversubscribe --bind-to none'

execute() { # LAYOUT INPUT: in a folder of its own
  start="timeout $limit $launch -n"
  # shellcheck disable=SC2086 # commands in words
  case $1 in
  1-process | 2-processes | 4-processes) $start "${1%%-*}" "$program" "$2" ;;
  2-nodes) CW_NODE_SIZE=1 $start 2 "$program" "$2" ;;
  servers) CW_NODE_SIZE=1 CW_SERVER=rank $start 4 "$program" "$2" ;;
  2-hosts) sh "$here/../../tests/multinode/hosts.sh" --limit "$limit" "$mpi" 2 1 "$program" "$2" ;;
  *) echo "run.sh: no layout is called $1" && return 2 ;;
  esac
}

energy_of() {
  sed -n -E 's/^ *Total (SCF energy =|DFT energy =|MP2 energy|CCSD\(T\) energy:) *(-[0-9.]+) *$/\2/p' "$1" | tail -n 1
}
# The sum of all derivatives that the output has: frequencies, shieldings, sizes of the last gradient's numbers. An
# energy does not tell that they are wrong.
derivatives_of() {
  awk '/P\.Frequency/ { for (i = 2; i <= NF; i++) if ($i > 100 || $i < -100) sum += $i }
       /isotropic =/ { sum += $3 }
       /ENERGY GRADIENTS/ { reading = 1; gradient = 0 }
       reading && NF == 8 && $1 ~ /^[0-9]+$/ { for (i = 6; i <= 8; i++) gradient += $i < 0 ? -$i : $i }
       /^ *-+ *$/ { reading = 0 }
       END { printf "%.4f\n", sum + gradient }' "$1"
}
# "energy derivatives" as Debian's Global Arrays finds them
expected_of() { sed -n "s/^# With Debian's Global Arrays: //p" "$here/$1.nw"; }
# "wall cpu": the second is the first process's time on a processor. It tells more where others use the machine.
seconds_of() { sed -n -E 's/^ *Total times +cpu: *([0-9.]+)s +wall: *([0-9.]+)s *$/\2 \1/p' "$1" | tail -n 1; }
median() { cut -d ' ' -f "$2" "$1" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

status=0
failed() {
  echo "nwchem: $*" >&2
  status=1
}

shown() { echo "$1" | tr - ' '; } # a layout's name in tables

one_run() { # INPUT LAYOUT NUMBER: leaves its output, its energy and its time; 77: it cannot be had here
  name=$1-$2
  output=$runs/$name.$3.out
  rm -rf "${runs:?}/$name"
  mkdir "$runs/$name"
  if (cd "$runs/$name" && execute "$2" "$here/$1.nw") >"$output" 2>&1; then result=0; else result=$?; fi
  rm -rf "${runs:?}/$name"
  [ "$result" -ne 77 ] || return 77
  energy=$(energy_of "$output") seconds=$(seconds_of "$output")
  if [ "$result" -ne 0 ] || [ -z "$energy" ] || [ -z "$seconds" ]; then
    tail -n 20 "$output" >&2
    failed "$1 on $(shown "$2") failed with status $result; the last lines of $output are above"
    return 1
  fi
  echo "$energy" >>"$runs/$name.energies"
  echo "$energy $(derivatives_of "$output") $(expected_of "$1")" | awk -v most=$tolerance '
    function size(x) { return x < 0 ? -x : x }
    NF == 4 && (size($1 - $3) > most || size($2 - $4) > 2e-5 + 1e-5 * size($4)) { exit 1 }' ||
    failed "$1 on $(shown "$2"): energy and derivatives are $energy $(derivatives_of "$output");" \
      "Debian's Global Arrays finds $(expected_of "$1")"
  echo "$seconds" >>"$runs/$name.times"
}

row() { # INPUT LAYOUT
  name=$1-$2
  if [ ! -s "$runs/$name.times" ]; then
    [ "$2" = 2-hosts ] && why=$skipped || why=''
    printf '%-11s  %-11s  %s\n' "$1" "$(shown "$2")" "${why:-failed}"
    return
  fi
  one=$1-${layouts%% *}
  reference=$(head -n 1 "$runs/$one.energies")
  # Of several runs, the one that is farthest off.
  worst=$(awk -v one="$reference" '{ off = $1 - one; if (off < 0) off = -off }
                                   NR == 1 || off > most { most = off; energy = $1 } END { print energy }' \
    "$runs/$name.energies")
  difference=$(awk -v a="$worst" -v b="$reference" 'BEGIN { printf "%.1e", a - b }')
  awk -v input="$1" -v layout="$(shown "$2")" -v energy="$worst" -v difference="$difference" \
    -v seconds="$(median "$runs/$name.times" 1)" -v cpu="$(median "$runs/$name.times" 2)" \
    -v one="$(median "$runs/$one.times" 1)" 'BEGIN {
      printf "%-11s  %-11s  %20s  %10s  %8.1f  %8.1f  %5.2f\n", input, layout, energy, difference, cpu, seconds,
             seconds / one }'
  awk -v off="$difference" -v most=$tolerance 'BEGIN { exit off > most || -off > most }' ||
    failed "the energy of $1 on $(shown "$2"), $worst, is not that of $(shown "${layouts%% *}"), $reference: it is off by" \
      "$difference hartree, more than $tolerance"
}

mkdir -p "$runs"
printf '%-11s  %-11s  %20s  %10s  %8s  %8s  %5s\n' input on 'energy, hartree' difference 'cpu, s' 'wall, s' ratio
for input; do
  rm -f "$runs/$input"-*
  skipped=''
  for number in $(seq "$times"); do
    for layout in $layouts; do
      one_run "$input" "$layout" "$number" && continue
      [ $? -ne 77 ] || skipped='skipped: hosts.sh says why in its output'
    done
  done
  [ -s "$runs/$input-${layouts%% *}.times" ] || continue
  for layout in $layouts; do row "$input" "$layout"; done
done
echo "nwchem: $mpi: what the runs printed, with the statistics of CW_STATS=1, is in $runs"
exit $status
