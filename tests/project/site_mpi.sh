# The MPI of a site is simulated by scripts that call this build's MPI. CMake must take the first wrapper in PATH if it is of
# the right family, with the launcher beside it. A build folder keeps its wrapper, and make passes CW_MPICC on.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CC # the generator's own compiler
failed=0
say() { echo "$*"; failed=1; }

case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
for family in $MPI $other; do
  mkdir "$work/$family"
  for program in mpicc mpiexec; do
    printf '#!/bin/sh\nexec %s "$@"\n' "$program.$family" >"$work/$family/$program"
    chmod +x "$work/$family/$program"
  done
done

configure() { # FOLDER ARGUMENTS...
  folder=$1
  shift
  cmake -S "$SOURCE" -B "$work/$folder" -G Ninja -DCW_MPI="$MPI" -DCW_TESTS=OFF "$@" >"$work/log" 2>&1
}
is() { # FOLDER VARIABLE VALUE
  grep -q "^$2:[A-Z]*=$3\$" "$work/$1/CMakeCache.txt" ||
    say "$1: not $2=$3, but $(grep "^$2:" "$work/$1/CMakeCache.txt")"
}

PATH=$work/$MPI:$PATH configure first || { cat "$work/log"; exit 1; }
is first CW_MPICC "$work/$MPI/mpicc"
is first MPIEXEC_EXECUTABLE "$work/$MPI/mpiexec"

! configure first -DCW_MPICC="mpicc.$MPI" || say 'a folder took another wrapper than it was made with'
grep -q "was made with $work/$MPI/mpicc" "$work/log" || say "not said: $(cat "$work/log")"

PATH=$work/$other:$PATH configure second || { cat "$work/log"; exit 1; }
is second CW_MPICC "$(command -v "mpicc.$MPI")"
is second MPIEXEC_EXECUTABLE "$(command -v "mpiexec.$MPI")"

! configure third -DCW_MPICC="$work/$other/mpicc" || say "a wrapper of $other was taken for $MPI"
grep -q 'belongs to another MPI' "$work/log" || say "not said: $(cat "$work/log")"

cd "$SOURCE"
! env -u MPI -u MAKEFLAGS make -n CW_MPICC=mpicc >"$work/log" 2>&1 || say 'make took CW_MPICC without MPI'
grep -q 'say with MPI=mpich or MPI=openmpi' "$work/log" || say "not said: $(cat "$work/log")"
env -u MAKEFLAGS make -n "MPI=$MPI" CW_MPICC=/site/mpicc >"$work/log"
grep -q "cmake -DCW_MPICC=/site/mpicc --preset $MPI" "$work/log" || say "make does not pass CW_MPICC on: $(cat "$work/log")"
! grep -q '^ *sh cmake/install-packages' "$work/log" || say 'make installs packages beside a site'"'"'s MPI'
exit $failed
