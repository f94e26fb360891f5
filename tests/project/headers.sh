# Every header compiles alone as C11, and as C++17: the public ones alone and without any extension, those of a storey
# together, because each start of the compiler costs a quarter of a second.
set -u
cd "$SOURCE"
failed=0
unit=$(mktemp) # a header of macros alone makes no unit
trap 'rm -f "$unit"' EXIT
echo 'extern int unit;' >"$unit"
warnings='-Wall -Wextra -Werror -fsyntax-only'
# MPI's own C++ bindings are not wanted; designated initializers may leave members out.
cxx_only='-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -Wno-missing-field-initializers'

# The build compiles it alone: it comes first in the file of its name.
is_first() { # is_first HEADER
  file=${1%.h}.c
  [ -f "$file" ] && grep -m 1 '^#include' "$file" | grep -qE "[\"/]$(basename "$1")\"$"
}
headers() { find $1 -name '*.h' ! -name msgtypesf.h ! -path '*/cxx/*' | sort -u; } # that one is Fortran, those are C++
in_c() { # in_c HEADER FLAGS...: alone, as C
  header=$1
  shift
  "$CC" -x c -std=c11 $warnings $MPI_CFLAGS "$@" -include "$header" "$unit" ||
    { echo "does not compile alone in C: $header"; failed=1; }
}
cxx() { # cxx HEADERS FLAGS...: together, as C++
  # shellcheck disable=SC2086 # words
  included=$(printf ' -include %s' $1)
  shift
  "${CXX:-c++}" -x c++ -std=c++17 $warnings $MPI_CFLAGS $cxx_only "$@" $included "$unit" ||
    { echo "does not compile in C++:$included"; failed=1; }
}
installed() { # installed FOLDERS FLAGS...
  folders=$1
  shift
  for header in $(headers "$folders"); do
    in_c "$header" "$@"
    cxx "$header" "$@"
  done
}
internal() { # internal FOLDERS FLAGS...: in C++ all together
  folders=$1
  shift
  for header in $(headers "$folders"); do
    is_first "$header" || in_c "$header" "$@"
  done
  # shellcheck disable=SC2086 # a list of folders
  cxx "$(find $folders -maxdepth 1 -name '*.h')" "$@"
}
installed include -pedantic -Iinclude
inside='-Isrc/core -Isrc/move -Isrc/data -Isrc/work -Isrc/vocl -Isrc'
installed 'compat/armci/include compat/ga/include' -pedantic -Iinclude
for header in compat/ga/cxx/*.h; do
  cxx "$header" -pedantic -Iinclude -Icompat/ga/include
done
internal "$(find compat -type d ! -name include ! -name cxx)" -Iinclude $inside -Icompat -Icompat/armci/include -Icompat/ga/include
# A storey at a time, and routes apart: they use names of their own for what others have, too.
for storey in src/core src/move src/move/route src/data src/work src/report src/runtime src/vocl; do
  rooms=$(find "$storey" -type d)
  [ "$storey" != src/move ] || rooms=$(echo "$rooms" | grep -v /route/)
  [ "$storey" != src/move/route ] || rooms=$(echo "$rooms" | grep /route/)
  # Without BLAS and HDF5 there are no headers of theirs, which these two need.
  [ -n "$MATH_CFLAGS" ] || rooms=$(echo "$rooms" | grep -vE '^src/data(/(linear|file).*)?$')
  internal "$rooms" $MATH_CFLAGS -D_GNU_SOURCE -Iinclude $inside
done
exit $failed
