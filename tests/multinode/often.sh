# Runs a job several times; each run must end by itself with status 0. any: one such run is enough, because MPI itself may
# hang.
#   often.sh [any] TIMES SECONDS mpich|openmpi HOSTS PER_HOST [NAME=VALUE...] PROGRAM ARGUMENTS...
hosts=$(dirname "$(readlink -f "$0")")/hosts.sh
enough=all
[ "$1" != any ] || { enough=any && shift; }
times=$1 seconds=$2
shift 2
for run in $(seq "$times"); do
  status=0
  sh "$hosts" --limit "$seconds" "$@" || status=$?
  [ $status -eq 0 ] || echo "run $run of $times ended with status $status"
  case $enough,$status in
  any,0) exit 0 ;;
  all,0 | any,124) ;;
  *) exit $status ;;
  esac
done
[ $status -eq 0 ] || exit $status
echo "$times of $times runs ended"
