# Has this MPI a bug exactly when its row in src/core/mpi/workaround.c says so?
# Usage: expect.sh CW_INFO BUG COMMAND...; the command ends as reproducer.h says.
info=$1 bug=$2
shift 2
"$@"
status=$?
said=no
"$info" | grep -q "^   $bug " && said=yes
case $said.$status in
no.0)
  echo "$bug: this MPI has the bug, but by the versions of its row it has not"
  exit 1 ;;
no.1)
  echo "$bug: the versions of its row do not name this MPI, either"
  exit 77 ;;
esac
exit $status
