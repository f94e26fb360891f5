# Causeway within a parent project of C, of C++ and of Fortran alone, by add_subdirectory and by FetchContent: the parent's
# variables, options, targets, tests and installation stay as they were, and the targets have the names of
# find_package(causeway). `subproject.sh build` also builds the parent's programs and runs them, and installs what
# CW_INSTALL_RULES adds.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CC CXX # the generator's own compilers
case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
command -v "mpicxx.$other" >/dev/null || other=$MPI

configure() { # FOLDER LANGUAGE OPTION...
  folder=$work/$1
  language=$2
  shift 2
  echo "-- a parent project of $language: $*"
  cmake -S "$SOURCE/tests/project/parent" -B "$folder" -G Ninja -DLANGUAGE="$language" -DCAUSEWAY="$SOURCE" "$@" \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
install_to() { # FOLDER PREFIX
  cmake --install "$work/$1" --prefix "$work/$2" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
has_compiler() { command -v "$1" >/dev/null || { echo "-- no $1: this language is left out"; return 1; }; }

# Neither a build type nor an MPI of its own.
configure c C -DHOW=add_subdirectory -DCW_MPI="$MPI" -DEXPECT_MPI="$MPI"
install_to c nothing
[ ! -e "$work/nothing" ] || { find "$work/nothing"; echo 'the parent installs Causeway, and was not asked to'; exit 1; }
# The MPI that the parent has found decides.
! has_compiler c++ || configure cxx CXX -DHOW=FetchContent -DWITH_MPI=ON -DMPI_CXX_COMPILER="mpicxx.$other" \
  -DEXPECT_MPI="$other" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=OFF
! has_compiler gfortran || configure fortran Fortran -DHOW=add_subdirectory -DCW_INSTALL_RULES=ON -DCW_MPI="$MPI" \
  -DEXPECT_MPI="$MPI" -DCMAKE_BUILD_TYPE=Release

[ "${1:-}" = build ] || exit 0
build() { # FOLDER
  cmake --build "$work/$1" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
}
run() { # PROGRAM: on two processes; the first one prints "right"
  $MPIEXEC -n 2 "$1" >"$work/log" 2>&1 && grep -q '^ *right$' "$work/log" || { cat "$work/log"; echo "$1 failed"; exit 1; }
}
build c
for program in "$work"/c/uses-*; do run "$program"; done
[ ! -e "$work/c/causeway/programs" ] || { echo 'the parent builds programs of Causeway'; exit 1; }
if [ "$other" = "$MPI" ] && [ -d "$work/cxx" ]; then
  build cxx
  for program in "$work"/cxx/uses-*; do run "$program"; done
fi
if [ -d "$work/fortran" ]; then
  build fortran
  for program in "$work"/fortran/uses-*cwga*; do run "$program"; done
  install_to fortran prefix
  "$work/prefix/bin/cw-info-$MPI" --version
  cmake -S "$SOURCE/tests/project/outside" -B "$work/outside" -DCMAKE_PREFIX_PATH="$work/prefix" -DCAUSEWAY_MPI="$MPI" \
    >"$work/log" 2>&1 && cmake --build "$work/outside" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  run "$work/outside/native"
fi
