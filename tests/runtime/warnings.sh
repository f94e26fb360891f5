#!/bin/sh
# warnings.sh PROGRAM MPIEXEC...: checks the warnings of three processes about unknown names and values in the environment, and
# about nodes without a server. Each must appear once in a job, for any number of processes and starts of Causeway, and only if
# there is a reason.
set -eu
program=$1
shift
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0

# expect COUNT PATTERN LEVEL NAME=VALUE...; the rest of this script's arguments start the processes
expect() {
  count=$1 pattern=$2 level=$3 variables=$4
  # shellcheck disable=SC2086 # variables in words
  env $variables $mpiexec -n 3 "$program" "$level" >"$output" 2>&1 || {
    cat "$output"
    echo "FAILED: the job ends with an error: $variables"
    failed=1
  }
  said=$(grep -c "$pattern" "$output" || true)
  [ "$said" -eq "$count" ] && return
  cat "$output"
  echo "FAILED: '$pattern' is said $said times, not $count: $level $variables"
  failed=1
}
mpiexec=$*

# Names
expect 1 'causeway\[0\]: .* CW_CHUNKSIZE, .* CW_CHUNK_SIZE' multiple CW_CHUNKSIZE=64k
expect 1 'CW_LGO, .* CW_LOG' multiple CW_LGO=2
expect 2 'is not a setting' multiple 'CW_LGO=2 CW_RUOTE=direct'
expect 0 'CW_CHUNKSIZE' multiple 'CW_CHUNKSIZE=64k CW_LOG=0'
expect 0 'causeway' multiple 'CW_TEST_SEED=1 CW_TEST_ANYTHING=2 CW_CHUNK_SIZE=64k CWX=1 XCW_LOG=2'

# Values of variables with ARMCI-MPI's names
expect 1 'ARMCI_IOV_METHOD is .BOGUS.* conservative|batched|direct|auto' multiple \
  ARMCI_IOV_METHOD=BOGUS
expect 1 'ARMCI_IOV_BATCHED_LIMIT is .-3.' multiple ARMCI_IOV_BATCHED_LIMIT=-3
expect 0 'causeway' multiple \
  'ARMCI_IOV_METHOD=CONSRV ARMCI_IOV_CHECKS=TRUE ARMCI_SHR_BUF_METHOD=COPY ARMCI_STRIDED_METHOD=X'

# Nodes without a server
expect 1 'no node has a server' single CW_NODE_SIZE=1
expect 1 'no node has a server' single 'CW_NODE_SIZE=2'
expect 0 'causeway' single 'CW_NODE_SIZE=1 CW_SERVER=none'
expect 0 'causeway' single 'CW_NODE_SIZE=1 CW_ROUTE=rma'
expect 0 'causeway' single ''
expect 0 'causeway' multiple CW_NODE_SIZE=1

# Huge pages
denied=1
! grep -q '\[\(advise\|within_size\|always\|force\)\]' /sys/kernel/mm/transparent_hugepage/shmem_enabled || denied=0
expect $denied 'the kernel gives shared memory no huge pages' multiple CW_HUGE_PAGES=1
expect 0 'huge pages' multiple CW_HUGE_PAGES=0
exit $failed
