#!/bin/sh
# Tests failures of a host or of the network between hosts.
#   faults.sh killed   mpich|openmpi [NAME=VALUE...] victim    one process on the second host is killed (-9)
#   faults.sh silent   mpich|openmpi [NAME=VALUE...] endless [WAIT]
#                      the cable of the second host is cut
#   faults.sh delay|loss|slow mpich|openmpi [NAME=VALUE...] program arguments...
#                      the program passes, the network does not help it
# The first two: the job ends by itself, soon, with an error that names the host or process.
hosts=$(dirname "$(readlink -f "$0")")/hosts.sh
fault=$1 mpi=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT

run() { # what, after hosts.sh's own options, it runs on two hosts
  begin=$(date +%s%N)
  sh "$hosts" "$@" >"$output" 2>&1
  status=$?
  milliseconds=$((($(date +%s%N) - begin) / 1000000))
  cat "$output"
  [ $status -ne 77 ] || exit 77
  echo "the job ended with status $status after $milliseconds ms"
}

failed=0
check() { # SENTENCE, then a condition that should hold
  sentence=$1
  shift
  "$@" && return
  echo "FAILED: $sentence"
  failed=1
}
# shellcheck disable=SC2317 # called by check
says() { grep -qE "$1" "$output"; }
ended_within() { # SECONDS
  check 'the job says that all is well' [ "$status" -ne 0 ]
  check "the job did not end by itself within $1 s" [ $milliseconds -lt $(($1 * 1000)) ]
}

# Each cable transports the packets to its host.
on_cables() {
  echo "for n in 1 2; do tc qdisc add dev cable\$n root $*; done"
}

case $fault in
killed)
  run --limit 120 "$mpi" 2 1 "$@" transfers
  check 'the job did not get as far as the kill' says 'victim dies'
  check 'a process went on without the dead one' eval '! says "went on"'
  ended_within 115
  check 'nothing names the dead process' says 'RUNNING AT 10\.213\.77\.2|rank 1 .*on node 10\.213\.77\.2|process 1'
  ;;
silent)
  # Open MPI's mpiexec waits for its own daemon on the host that is cut off: the job is ended when it has printed everything.
  end=
  [ "$mpi" != openmpi ] || end='--end cwhost2'
  # shellcheck disable=SC2086 # an option in words
  run --limit 120 $end --when 'at work' 'ip link set cable2 down' "$mpi" 2 1 CW_SERVER_TIMEOUT=4 "$@"
  check 'the job did not get as far as the cut' says 'at work'
  [ "$mpi" = openmpi ] || ended_within 115
  check 'nothing names the silent node' says 'node 1|process 1'
  check 'nothing names its host' says 'cwhost2'
  ;;
delay) run --limit 100 --network "$(on_cables netem delay 2ms 1ms)" "$mpi" 2 1 "$@" ;;
loss) run --limit 100 --network "$(on_cables netem loss 1%)" "$mpi" 2 1 "$@" ;;
# If the kernel has no netem, a queue delays packets and drops them when it is full.
slow)
  run --limit 100 --network "$(on_cables tbf rate 100mbit burst 8kb limit 30kb)" "$mpi" 2 1 "$@"
  ;;
*) echo "faults.sh: there is no fault '$fault'" >&2 && exit 2 ;;
esac
case $fault in delay | loss | slow)
  check 'the program did not pass' [ "$status" -eq 0 ]
  check 'the program did not say so' says passed
  ;;
esac
exit $failed
