#!/bin/sh
# A program on 4 processes, of which one is killed from outside in the middle of its work. The others finish it.
# Usage: scripts/demo-failure.sh uts UTS LAUNCHER...           Unbalanced Tree Search of T1L
#        scripts/demo-failure.sh scf SCF ENERGY LAUNCHER...    Hartree-Fock of four waters
#   ENERGY  NWChem's energy in hartree
# LAUNCHER is mpiexec with its options. `make demo-failure` runs both. The exit status is 0 if a process was killed and the
# result is right. VICTIM=N in the environment: the process that is killed (2).
set -eu
what=${1:?usage: demo-failure.sh uts|scf PROGRAM ... LAUNCHER...} program=$2
shift 2
cd "$(dirname "$0")/.."
victim=${VICTIM:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# in_the_middle succeeds if the process $id is in the middle of its work.
case $what in
uts)
  title='Unbalanced Tree Search of T1L'
  arguments='T1L --survive'
  right='leaves: as published$'
  when='has searched for more than a second'
  summary='The others ran the tasks that it had left. The number of nodes is the published one.'
  in_the_middle() {
    ticks=$(sed 's/.*) //' "/proc/$id/stat" | cut -d' ' -f12) # time of the processor, with that of MPI_Init
    [ "${ticks:-0}" -gt $((3 * $(getconf CLK_TCK) / 2)) ]
  }
  ;;
scf)
  energy=$1
  shift
  title='Hartree-Fock of four waters, cc-pVDZ,'
  arguments="apps/scf/molecules/water4.xyz --basis cc-pvdz --expect $energy"
  right='^total energy'
  when='is in the fifth iteration'
  summary="The others continued the iteration. The energy is that of NWChem, $energy hartree, to 1e-7."
  in_the_middle() { cat "$work"/output.* | grep -q '^ *4 '; }
  ;;
esac

# Each process stores its id, and becomes the program.
cat >"$work/process" <<'END'
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK} work=${0%/*}
exec >"$work/output.$rank"
echo $$ >"$work/id.$rank"
exec "$@"
END

kill_victim() {
  until [ -s "$work/id.$victim" ]; do sleep 0.1; done
  id=$(cat "$work/id.$victim")
  while kill -0 "$id" 2>/dev/null; do
    if in_the_middle; then
      kill -9 "$id" && echo "Process $victim $when. It is killed (SIGKILL)."
      break
    fi
    sleep 0.02
  done
}

echo "$title on 4 processes, with CW_FAILURES=survive"
kill_victim 2>/dev/null &
killer=$!
status=0
# shellcheck disable=SC2086 # a list of words
CW_FAILURES=survive sh tests/failures/run.sh --limit 600 \
  "$@" -n 4 sh "$work/process" "$program" $arguments >"$work/log" 2>&1 || status=1
kill $killer 2>/dev/null || true
cat "$work"/output.* "$work/log"
cat "$work"/output.* | grep -Eq "$right" || status=1
[ $status -eq 0 ] || { echo 'demo-failure: the others have not finished the work'; exit 1; }
echo "$summary"
