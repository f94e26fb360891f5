# Runs a job several times; each must end by itself, and well.
#   often.sh TIMES SECONDS mpich|openmpi HOSTS PER_HOST [NAME=VALUE...] PROGRAM ARGUMENTS...
hosts=$(dirname "$(readlink -f "$0")")/hosts.sh
times=$1 seconds=$2
shift 2
for run in $(seq "$times"); do
  sh "$hosts" --limit "$seconds" "$@"
  status=$?
  [ $status -eq 0 ] || { echo "run $run of $times ended with status $status" && exit $status; }
done
echo "$times of $times runs ended"
