#!/bin/sh
# Runs the inputs beside this script with the NWChem that build.sh made, in several layouts of processes. Compares
# energies and derivatives with those that Debian's NWChem finds on one process (in the inputs), and times with
# those of the first layout. The exit status is 0 if all of them agree.
#   [GA=own] run.sh mpich|openmpi FOLDER [INPUT...]
# FOLDER is build.sh's; what the runs print, with CW_STATS=1, stays in FOLDER/<mpi>/runs/ or, with GA=own,
# FOLDER/<mpi>-own/runs/. INPUT: a file's name without .nw; water, water4 and dimer if none is named, and all of
# them with GA=own. In the environment:
#   TIMES=n            n runs of each in turn, and the median of their times
#   LIMIT=seconds      for a run; 900 is the default
#   LAYOUTS='1-process 2-processes 2-hosts'   this is the default. LAYOUTS=all: these and
#     4-processes
#     2-nodes          2 processes, each of them a virtual node of its own
#     servers          2 virtual nodes of one process and one server each
#     agents           2 virtual nodes of 2 processes; the kernel copies no memory from process to process
#     windows          2 virtual nodes without servers: MPI's one-sided operations
set -eu
usage='usage: [GA=own] run.sh mpich|openmpi FOLDER [INPUT...]'
mpi=${1:?$usage} folder=$(readlink -f "${2:?$usage}")
shift 2
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
limit=${LIMIT:-900}
tolerance=1e-8 # hartree
[ -x "$program" ] || { echo "nwchem: no $program: build.sh makes it" >&2; exit 2; }
. "$(dirname "$(readlink -f "$0")")/common.sh"
layouts=${LAYOUTS:-1-process 2-processes 2-hosts}
[ "$layouts" != all ] || layouts=$every_layout

status=0
failed() {
  echo "nwchem: $*" >&2
  status=1
}

one_run() { # INPUT LAYOUT NUMBER: leaves its output, its energy and its time; 77: it cannot be had here
  name=$1-$2
  output=$runs/$name.$3.out
  perform "$program" "$1" "$2" "$output" && result=0 || result=$?
  [ "$result" -ne 77 ] || return 77
  energy=$(energy_of "$output") seconds=$(seconds_of "$output")
  if [ "$result" -ne 0 ] || [ -z "$energy" ] || [ -z "$seconds" ]; then
    tail -n 20 "$output" >&2
    failed "$1 on $(shown "$2") failed with status $result; the last lines of $output are above"
    return 1
  fi
  found="$energy $(derivatives_of "$output")" expected=$(expected_of "$1")
  echo "$found $expected" >>"$runs/$name.found"
  echo "$seconds" >>"$runs/$name.times"
  echo "$found $expected" | awk -v most=$tolerance '
    function size(x) { return x < 0 ? -x : x }
    NF != 4 || size($1 - $3) > most || size($2 - $4) > 2e-5 + 1e-5 * size($4) { exit 1 }' ||
    failed "$1 on $(shown "$2"): energy and derivatives are $found; Debian's NWChem finds $expected"
}

row() { # INPUT LAYOUT
  name=$1-$2
  if [ ! -s "$runs/$name.times" ]; then
    [ "$2" = 2-hosts ] && why=$skipped || why=''
    printf '| %-11s | %-11s | %s | | | | |\n' "$1" "$(shown "$2")" "${why:-failed}"
    return
  fi
  one=$runs/$1-${layouts%% *}.times
  ratio='-'
  [ ! -s "$one" ] || ratio=$(echo "$(median "$runs/$name.times" 1) $(median "$one" 1)" | awk '{ printf "%.2f", $1 / $2 }')
  # Prints the run with the largest difference.
  awk -v input="$1" -v layout="$(shown "$2")" -v seconds="$(median "$runs/$name.times" 1)" \
    -v cpu="$(median "$runs/$name.times" 2)" -v ratio="$ratio" '
    { off = $1 - $3; size = off < 0 ? -off : off }
    NR == 1 || size > most { most = size; energy = $1; difference = off }
    END { printf "| %-11s | %-11s | %20s | %10.1e | %8.1f | %8.1f | %5s |\n", input, layout, energy, difference, cpu, seconds, ratio }
  ' "$runs/$name.found"
}

mkdir -p "$runs"
printf '| %-11s | %-11s | %20s | %10s | %8s | %8s | %5s |\n' input on 'energy, hartree' difference 'cpu, s' 'wall, s' ratio
echo '|---|---|--:|--:|--:|--:|--:|'
for input; do
  rm -rf "$runs/$input"-*
  skipped=''
  for number in $(seq "$times"); do
    for layout in $layouts; do
      one_run "$input" "$layout" "$number" && continue
      [ $? -ne 77 ] || skipped='skipped: hosts.sh says why in its output'
    done
  done
  for layout in $layouts; do row "$input" "$layout"; done
done
echo "nwchem: $mpi: what the runs printed, with the statistics of CW_STATS=1, is in $runs"
[ $status -eq 0 ] || echo "nwchem: $mpi: not all is right; the messages are above" >&2
exit $status
