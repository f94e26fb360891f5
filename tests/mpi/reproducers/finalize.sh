# Shows whether a plain MPI program on 4 hosts sometimes hangs in MPI_Finalize. Ends with 0 if it does, because the row is then
# needed.
# Usage: finalize.sh HOSTS_SH mpich|openmpi PROGRAM CW_INFO
if ! "$4" | grep -q '^ *mpich_finalize '; then
  echo 'mpich_finalize: skipped: this MPI is free of it, as its row says'
  exit 77
fi
enough=20 # runs without a hang: it hung in 4 of 8
for run in $(seq $enough); do
  sh "$1" --limit 4 "$2" 4 1 "$3"
  status=$?
  case $status in
  0) ;;
  124 | 137) echo "mpich_finalize: the bug is still there (run $run)" && exit 0 ;;
  *) exit $status ;;
  esac
done
echo "mpich_finalize: fixed in this MPI: remove the row from src/core/mpi/workaround.c"
exit 1
