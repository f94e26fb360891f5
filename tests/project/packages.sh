# `make install` asks apt for what building for the MPI that was named needs: not for the other MPI,
# and not for what tests need. Without apt cmake/install-packages.sh prints what it would install.
set -eu
cd "$SOURCE"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
failed=0
case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac

command=$(make --no-print-directory -n install MPI="$MPI" PREFIX=/nowhere |
  grep -o 'cmake/install-packages.sh.*')
# shellcheck disable=SC2086 # words
asked=$(PATH=$empty /bin/sh $command 2>&1)
echo "make install MPI=$MPI: $asked"
for word in gcc cmake ninja-build "lib$MPI-dev" libopenblas-dev "libscalapack-$MPI-dev" "libhdf5-$MPI-dev"; do
  case " $asked " in *" $word "*) ;; *) echo "$word is missing"; failed=1 ;; esac
done
for word in $other spin iproute2 globalarrays clang qemu aarch64 gfortran; do
  case $asked in *$word*) echo "$word is not needed"; failed=1 ;; esac
done
exit $failed
