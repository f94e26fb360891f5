# Every header compiles alone, as C11 and as C++17; the public ones without any extension.
set -u
cd "$SOURCE"
failed=0
unit=$(mktemp) # a header of macros alone makes no unit
trap 'rm -f "$unit"' EXIT
echo 'extern int unit;' >"$unit"
warnings='-Wall -Wextra -Werror -fsyntax-only'
# MPI's own C++ bindings are not wanted; designated initializers may leave members out.
cxx_only='-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -Wno-missing-field-initializers'

check() { # check FOLDERS FLAGS...: all headers under them
  folder=$1
  shift
  for header in $(find $folder -name '*.h' | sort -u); do
    "$CC" -x c -std=c11 $warnings $MPI_CFLAGS "$@" -include "$header" "$unit" ||
      { echo "does not compile alone in C: $header"; failed=1; }
    "${CXX:-c++}" -x c++ -std=c++17 $warnings $MPI_CFLAGS $cxx_only "$@" \
      -include "$header" "$unit" || { echo "does not compile alone in C++: $header"; failed=1; }
  done
}
check include -pedantic -Iinclude
internal='-Isrc/core -Isrc/move -Isrc/data -Isrc/work -Isrc'
check 'compat/armci/include compat/ga/include' -pedantic -Iinclude
check compat -Iinclude $internal -Icompat -Icompat/armci/include -Icompat/ga/include
# Without BLAS and HDF5 there are no headers of theirs, which these two need.
rooms=$(find src -mindepth 1 -maxdepth 2 -type d)
[ -n "$MATH_CFLAGS" ] || rooms=$(echo "$rooms" | grep -vE '^src/data(/linear|/file|)$')
check "$rooms" $MATH_CFLAGS -D_GNU_SOURCE -Iinclude $internal
exit $failed
