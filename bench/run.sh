#!/bin/sh
# Measures everything for one MPI: tables (Markdown), CSV files and plots in OUT_DIR.
#   run.sh BUILD_DIR mpich|openmpi OUT_DIR
#
#   direct       two processes of one node
#   window       two virtual nodes (CW_NODE_SIZE=1): everything through MPI. ARMCI-MPI runs with its
#                defaults, and MPI may give its windows shared memory, which it cannot for ours
#   namespaces   two hosts of tests/multinode/hosts.sh: nobody has shared memory, TCP between them
#   server       the same hosts, through the server of each; the limit is MPI's messages
#   server-busy  the same, and the target computes; the limit is the time when it waits
#
# BENCH_OPTIONS: more options for the driver, e.g. '--rounds 3 --only put'.
# Times on a machine that others use are noise: look at the last column of the tables.
set -eu
usage='usage: run.sh BUILD_DIR mpich|openmpi OUT_DIR'
build=${1:?$usage} mpi=${2:?$usage} out=${3:?$usage}
here=$(dirname "$(readlink -f "$0")")
bench=$(readlink -f "$build/bench/causeway-bench") || { echo "run.sh: no $build/bench/causeway-bench" >&2; exit 2; }
mkdir -p "$out"

case $mpi in
mpich) launch='mpiexec.mpich' ;;
openmpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launch='mpiexec.openmpi --oversubscribe --bind-to none'
  ;;
*) echo "$usage" >&2; exit 2 ;;
esac
status=0

# measure MODE DRIVER_MODE COMMAND...: DRIVER_MODE may be followed by options, COMMAND is what stands
# before the driver
measure() {
  mode=$1 driver_mode=$2
  shift 2
  table=$out/$mode-$mpi.md csv=$out/$mode-$mpi.csv
  {
    echo "# $mode, $mpi"
    echo
    echo "$(date -u +%Y-%m-%d), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
    echo
  } >"$table"
  for peer in '' --no-peer; do
    # shellcheck disable=SC2086 # lists of words
    if timeout --foreground 1800 "$@" "$bench" --mode $driver_mode --label "$mode" --csv "$csv" \
      $peer ${BENCH_OPTIONS:-} >"$table.part" 2>"$table.errors"; then
      cat "$table.part" >>"$table"
      [ -z "$peer" ] || echo 'ARMCI-MPI is left out: with it the run failed.' >>"$table"
      cat "$table"
      cat "$table.errors" >&2
      rm -f "$table.part" "$table.errors"
      return
    else
      result=$?
    fi
    [ "$result" -ne 77 ] || break
    echo "run.sh: $mode, $mpi failed ($result)${peer:+, also }${peer}:" >&2
    tail -n 20 "$table.errors" >&2
  done
  cat "$table.errors" >&2
  rm -f "$table" "$table.part" "$table.errors" "$csv"
  [ "$result" -eq 77 ] || status=1
}

# shellcheck disable=SC2086 # a command in words
measure direct direct $launch -n 2
# shellcheck disable=SC2086
measure window window env CW_ROUTE=window CW_NODE_SIZE=1 $launch -n 2
on_hosts() { # MODE DRIVER_MODE [NAME=VALUE...]
  name=$1 driver=$2
  shift 2
  measure "$name" "$driver" "$here/../tests/multinode/hosts.sh" "$mpi" 2 1 "$@"
}
on_hosts namespaces window CW_ROUTE=window
on_hosts server server CW_ROUTE=server
on_hosts server-busy 'server --busy' CW_ROUTE=server

if command -v gnuplot >/dev/null; then
  gnuplot -e "results='$out'; plots='$out'" "$here/plot.gp" || status=1
else
  echo 'run.sh: no plots: gnuplot is not installed' >&2
fi
echo "Results: $out"
exit $status
