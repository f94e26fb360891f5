#!/bin/sh
# Runs a program as one process of a job. If it is the process with this rank, kills it with SIGKILL some seconds after it has
# mapped the node's memory, since MPI_Init would wait for it for ever: kill_after.sh RANK SECONDS PROGRAM ARGUMENTS...
rank=$1 seconds=$2
shift 2
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = "$rank" ] || exec "$@"
"$@" &
program=$!
until grep -q memfd: "/proc/$program/maps"; do
  sleep 0.02
done
sleep "$seconds"
kill -9 $program
wait $program
