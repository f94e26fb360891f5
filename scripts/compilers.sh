#!/bin/sh
# compilers.sh MPI [NAME...]: the libraries with other compilers and other options than the presets'. A warning is an
# error, and what was built passes random transfers, atomics, tasks and GA calls against their models. All is built under
# build/compilers; a line for each says what came out, and the status is 1 if one failed.
#   clang    clang                     c23      gcc -std=gnu23 (GCC 14)
#   lto      gcc -flto                 O3       gcc -O3 -march=native
#   asan     gcc's address and undefined-behaviour sanitizers
set -eu
cd "$(dirname "$0")/.."
mpi=${1:?usage: scripts/compilers.sh MPI [NAME...]}
shift
[ $# -gt 0 ] || set -- clang c23 lto O3 asan
models='^(transfer\.transfers\.random|route\.atomic|task\.tasks\.phases|interfaces\.ga\.arrays)\..*n2$'
programs='transfers atomic tasks'
mkdir -p build/compilers
failed=0

tests_of_ga() { # where libcwga is built
  ! ctest --test-dir "$folder" -N | grep -q 'interfaces\.ga\.arrays' || echo test_cwga_arrays
}
build() { # NAME CMAKE-ARGUMENTS...
  folder=build/compilers/$1-$mpi
  shift
  rm -rf "$folder"
  cmake -S . -B "$folder" -G Ninja -DCW_MPI="$mpi" "$@" &&
    cmake --build "$folder" --target libraries cw-info $programs $(tests_of_ga) &&
    (cd "$folder" && ctest --output-on-failure -R "$models")
}

for name; do
  case $name in
  clang) set -- -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ ;;
  c23) set -- -DCMAKE_C_STANDARD=23 ;;
  lto) set -- -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON ;;
  O3) set -- -DCMAKE_BUILD_TYPE=Release '-DCMAKE_C_FLAGS=-O3 -march=native' ;;
  asan) set -- -DCW_SANITIZE=address,undefined ;;
  *) echo "compilers: no $name; there are clang, c23, lto, O3, asan" >&2 && exit 2 ;;
  esac
  log=build/compilers/$name-$mpi.log
  if build "$name" "$@" >"$log" 2>&1; then
    echo "$name: $(sed -n 's/^-- The C compiler identification is //p' "$log"), $(sed -n 's/^100% tests passed.* out of //p' "$log") tests passed"
  else
    echo "$name: FAILED ($log)"
    grep -m 10 -E 'error:|warning:|\*\*\*|CMake Error' "$log" || tail -n 5 "$log"
    failed=1
  fi
done
exit $failed
