# shellcheck shell=sh disable=SC2154 # mpi and limit: their scripts set them
# What run.sh and compare.sh have in common: how NWChem runs in a layout of processes, and how to read what it
# prints. They set mpi and limit first.
every_layout='1-process 2-processes 4-processes 2-nodes servers agents windows 2-hosts'
here=$(dirname "$(readlink -f "$0")")
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 CW_STATS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=mpiexec.$mpi
[ "$mpi" != openmpi ] || launch='mpiexec.openmpi --oversubscribe --bind-to none'

start() { # LAYOUT PROGRAM INPUT-FILE
  with="timeout $limit $launch -n"
  # shellcheck disable=SC2086 # commands in words
  case $1 in
  1-process | 2-processes | 4-processes) $with "${1%%-*}" "$2" "$3" ;;
  2-nodes) CW_NODE_SIZE=1 $with 2 "$2" "$3" ;;
  servers) CW_NODE_SIZE=1 CW_SERVER=rank $with 4 "$2" "$3" ;;
  agents) CW_NODE_SIZE=2 CW_ATTACH=never $with 4 "$2" "$3" ;;
  windows) CW_NODE_SIZE=1 CW_SERVER=none $with 2 "$2" "$3" ;;
  2-hosts) sh "$here/../../tests/multinode/hosts.sh" --limit "$limit" "$mpi" 2 1 "$2" "$3" ;;
  *) echo "nwchem: no layout is called $1; there are $every_layout" >&2 && return 2 ;;
  esac
}

# perform PROGRAM INPUT LAYOUT OUTPUT: runs it in a folder of its own, beside OUTPUT
perform() {
  scratch=${4%.out}.scratch
  rm -rf "$scratch"
  mkdir "$scratch"
  if (cd "$scratch" && start "$3" "$1" "$here/$2.nw") >"$4" 2>&1; then ended=0; else ended=$?; fi
  rm -rf "$scratch"
  return $ended
}

energy_of() {
  sed -n -E 's/^ *Total (SCF energy =|DFT energy =|MP2 energy|CCSD\(T\) energy:) *(-[0-9.]+) *$/\2/p' "$1" | tail -n 1
}
# Prints the sum of all derivatives in the output: frequencies, shieldings, absolute values of the last gradient. They may be
# wrong although the energy is right.
derivatives_of() {
  awk '/P\.Frequency/ { for (i = 2; i <= NF; i++) if ($i > 100 || $i < -100) sum += $i }
       /isotropic =/ { sum += $3 }
       /ENERGY GRADIENTS/ { reading = 1; gradient = 0 }
       reading && NF == 8 && $1 ~ /^[0-9]+$/ { for (i = 6; i <= 8; i++) gradient += $i < 0 ? -$i : $i }
       /^ *-+ *$/ { reading = 0 }
       END { printf "%.4f\n", sum + gradient }' "$1"
}
# Prints "energy derivatives", the results of Debian's NWChem on one process
expected_of() { sed -n "s/^# Debian's NWChem: //p" "$here/$1.nw"; }
# Prints "wall cpu"; the second is the CPU time of the first process, which varies less on a busy machine.
seconds_of() { sed -n -E 's/^ *Total times +cpu: *([0-9.]+)s +wall: *([0-9.]+)s *$/\2 \1/p' "$1" | tail -n 1; }
median() { cut -d ' ' -f "$2" "$1" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
shown() { echo "$1" | tr - ' '; } # a layout's name in tables
