# Compiles a program with `use mpi_f08` by MPI's wrapper, with each size of INTEGER and each kind of library, and runs it on
# two nodes. Usage: f08.sh MPIFORT F08_F90 LIBRARY... -- MPIEXEC arguments..., each library as OPTION=FILE.
set -eu
mpifort=$1 program=$2 libraries=
shift 2
while [ "$1" != -- ]; do
  libraries="$libraries $1"
  shift
done
shift
command -v "$mpifort" >/dev/null || { echo "no $mpifort"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '      use mpi_f08\n      end\n' >module.f
"$mpifort" -c module.f 2>/dev/null || { echo "$mpifort has no module mpi_f08"; exit 77; }
for library in $libraries; do
  "$mpifort" "${library%%=*}" -std=legacy -funconstrained-commons $INCLUDES "$program" "${library#*=}" $MATH \
    -Wl,-rpath,"$(dirname "${library#*=}")" -o f08
  for how in plain thread; do
    CW_NODE_SIZE=1 "$@" ./f08 $how
  done
done
