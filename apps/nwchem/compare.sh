#!/bin/sh
# Compares NWChem on libcwga with NWChem on Debian's libga over our libarmci: both run each input on each layout in turns, and
# the order changes from turn to turn.
#   compare.sh mpich|openmpi FOLDER [INPUT...]
# FOLDER is build.sh's, and has both programs. INPUT: a file's name without .nw; dimer (CCSD(T)), water4 (SCF) and
# dft if none is named. In the environment:
#   TIMES=n            turns; 5 is the default
#   LAYOUTS='2-processes 2-hosts'   this is the default; run.sh lists the others
#   LIMIT=seconds      for a run; 900 is the default
# It prints medians, and ratios of medians: libcwga's time, divided by libga's. "cpu" is the CPU time of all processes,
# including MPI's start and end, which varies less than the clock on a busy machine.
set -eu
usage='usage: compare.sh mpich|openmpi FOLDER [INPUT...]'
mpi=${1:?$usage} folder=$(readlink -f "${2:?$usage}")
shift 2
[ $# -gt 0 ] || set -- dimer water4 dft
times=${TIMES:-5}
limit=${LIMIT:-900}
. "$(dirname "$(readlink -f "$0")")/common.sh"
layouts=${LAYOUTS:-2-processes 2-hosts}
for way in "$mpi" "$mpi-own"; do
  program=$folder/$way/bin/LINUX64/nwchem
  [ -x "$program" ] || { echo "nwchem: no $program: build.sh makes it" >&2; exit 2; }
done
runs=$folder/compare-$mpi # what they print stays there

# Prints "wall cpu energy" if the run succeeded. The second line of the shell's `times` is that of its children.
measure() { # WAY INPUT LAYOUT OUTPUT
  cpu=$(
    perform "$folder/$1/bin/LINUX64/nwchem" "$2" "$3" "$4" || exit
    times >"$runs/times" # of this shell: no pipe
    sed -n '2s/[ms]/ /gp' "$runs/times" | awk '{ print 60 * $1 + $2 + 60 * $3 + $4 }'
  ) || return
  wall=$(seconds_of "$4" | cut -d ' ' -f 1) energy=$(energy_of "$4")
  [ -n "$wall" ] && [ -n "$energy" ] && echo "$wall $cpu $energy"
}

row() { # INPUT LAYOUT
  cwga=$runs/$1-$2-$mpi-own.times libga=$runs/$1-$2-$mpi.times
  if [ ! -s "$cwga" ] || [ ! -s "$libga" ]; then
    echo "| $1 | $(shown "$2") | failed, or not possible here | | | | | | |"
    return
  fi
  echo "$(median "$cwga" 2) $(median "$libga" 2) $(median "$cwga" 1) $(median "$libga" 1)" \
    "$(head -n 1 "$cwga" | cut -d ' ' -f 3) $(head -n 1 "$libga" | cut -d ' ' -f 3)" |
    awk -v input="$1" -v layout="$(shown "$2")" '{
      printf "| %s | %s | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f | %.0e |\n", input, layout, $1, $2, $1 / $2,
             $3, $4, $3 / $4, $5 - $6 }'
}

rm -rf "$runs"
mkdir -p "$runs"
echo "$times turns, $mpi"
echo '| input | on | libcwga, cpu s | libga, cpu s | ratio | libcwga, wall s | libga, wall s | ratio | energies differ by |'
echo '|---|---|--:|--:|--:|--:|--:|--:|--:|'
status=0
for input; do
  for layout in $layouts; do
    first=$mpi-own second=$mpi
    for turn in $(seq "$times"); do
      for way in $first $second; do
        output=$runs/$input-$layout-$way.$turn.out
        code=0
        measure "$way" "$input" "$layout" "$output" >>"$runs/$input-$layout-$way.times" || code=$?
        case $code in 0 | 77) continue ;; esac # 77: not possible here
        echo "nwchem: $input on $(shown "$layout") failed; see $output" >&2
        status=1
      done
      swap=$first first=$second second=$swap
    done
    row "$input" "$layout"
  done
done
exit $status
