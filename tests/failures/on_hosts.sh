#!/bin/sh
# on_hosts.sh [--runs N] [--cut NAME] MPI HOSTS PER_HOST WORDS [NAME=VALUE...] PROGRAM ARGUMENTS...: runs a program of which
# processes die on several hosts (tests/multinode/hosts.sh), N times with successive seeds. Prints the output. The exit status
# is 0 if each time a line contains WORDS and no check of the kit has failed; the job is then ended, because launchers hang
# after a death on several hosts (docs/results/failures-messages.md). 77: namespaces are not permitted.
#
# --cut: the last host is cut off within 0.1 s after the line "NAME: cut". All processes of the program NAME must end, those of
# that host, too.
set -eu
usage='usage: on_hosts.sh [--runs N] [--cut NAME] MPI HOSTS PER_HOST WORDS [NAME=VALUE...] PROGRAM ARGUMENTS...'
runs=1 cut='' when='no line' then=true
[ "${1:-}" != --runs ] || { runs=${2:?$usage}; shift 2; }
[ "${1:-}" != --cut ] || { cut=${2:?$usage}; shift 2; }
mpi=${1:?$usage} hosts=${2:?$usage} per_host=${3:?$usage} words=${4:?$usage}
shift 4
output=$(mktemp)
trap 'rm -f "$output"' EXIT
seed=${CW_TEST_SEED:-$(date +%s)}
export CW_TEST_SEED
for run in $(seq "$runs"); do
  CW_TEST_SEED=$((seed + run - 1)) status=0
  if [ -n "$cut" ]; then
    when="$cut: cut" then="sleep 0.0$((CW_TEST_SEED % 10)); ip link set cable$hosts down
      for i in \$(seq 400); do pgrep -x $cut >/dev/null || exit 0; sleep 0.1; done
      echo 'on_hosts: processes remain:'; pgrep -x -a $cut"
  fi
  sh "$(dirname "$0")/../multinode/hosts.sh" --survive --limit 60 --when "$when" "$then" --end "$words" \
    "$mpi" "$hosts" "$per_host" CW_FAILURES=survive CW_SERVER_TIMEOUT=2 "$@" >"$output" 2>&1 || status=$?
  cat "$output"
  [ $status -ne 77 ] || exit 77
  if grep -Eq '^[a-z_]+\[[0-9]+\] |^on_hosts: ' "$output" || ! grep -qF -- "$words" "$output"; then # a check failed, or no end
    echo "on_hosts: run $run with CW_TEST_SEED=$CW_TEST_SEED failed"
    exit 1
  fi
done
