#!/bin/sh
# on_hosts.sh MPI HOSTS PER_HOST WORDS [NAME=VALUE...] PROGRAM ARGUMENTS...: runs a program of which a process dies on several hosts
# (tests/multinode/hosts.sh). Prints the output. The exit status is 0 if a line contains WORDS and no check of the kit has failed;
# the job is then ended, because launchers hang after a death on several hosts (docs/results/failures-messages.md). 77: namespaces
# are not permitted.
set -eu
usage='usage: on_hosts.sh MPI HOSTS PER_HOST WORDS [NAME=VALUE...] PROGRAM ARGUMENTS...'
mpi=${1:?$usage} hosts=${2:?$usage} per_host=${3:?$usage} words=${4:?$usage}
shift 4
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
sh "$(dirname "$0")/../multinode/hosts.sh" --survive --limit 60 --when 'no line' true --end "$words" "$mpi" "$hosts" "$per_host" \
  CW_FAILURES=survive CW_SERVER_TIMEOUT=2 "$@" >"$output" 2>&1 || status=$?
cat "$output"
[ $status -ne 77 ] || exit 77
! grep -Eq '^[a-z_]+\[[0-9]+\] ' "$output" || exit 1 # a failed check of the kit
grep -qF -- "$words" "$output"
