# Every header must compile alone as C11, and public ones as C++17, too, without any extension. Internal ones are for C alone.
set -u
cd "$SOURCE"
failed=0
unit=$(mktemp) # a header of macros alone makes no unit
trap 'rm -f "$unit"' EXIT
echo 'extern int unit;' >"$unit"
warnings='-Wall -Wextra -Werror -fsyntax-only'
# MPI's own C++ bindings are left out; designated initializers may omit members.
cxx_only='-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -Wno-missing-field-initializers'

# The build compiles these headers alone, because each is included first in the file of its name.
firsts=$(find src vocl/src interfaces -name '*.c' -exec awk '/^#include/ {
  own = FILENAME; sub(/c$/, "h", own)
  included = $2; gsub(/^["<]|[">]$/, "", included); sub(/.*\//, "", included)
  name = own; sub(/.*\//, "", name)
  if (name == included) print own
  nextfile }' {} +)
is_first() { # is_first HEADER
  case "
$firsts
" in *"
$1
"*) ;; *) return 1 ;; esac
}
headers() { find $1 -name '*.h' ! -name msgtypesf.h ! -path '*/cxx/*' | sort -u; } # that one is Fortran, those are C++
in_c() { # in_c HEADER FLAGS...: alone, as C
  header=$1
  shift
  "$CC" -x c -std=c11 $warnings $MPI_CFLAGS "$@" -include "$header" "$unit" ||
    { echo "does not compile alone in C: $header"; failed=1; }
}
cxx() { # cxx HEADER FLAGS...: alone, as C++
  header=$1
  shift
  "${CXX:-c++}" -x c++ -std=c++17 $warnings $MPI_CFLAGS $cxx_only "$@" -include "$header" "$unit" ||
    { echo "does not compile alone in C++: $header"; failed=1; }
}
installed() { # installed FOLDERS FLAGS...
  folders=$1
  shift
  for header in $(headers "$folders"); do
    in_c "$header" "$@"
    cxx "$header" "$@"
  done
}
internal() { # internal FOLDERS FLAGS...
  folders=$1
  shift
  for header in $(headers "$folders"); do
    is_first "$header" || in_c "$header" "$@"
  done
}
installed include -pedantic -Iinclude
inside='-Isrc/core -Isrc/move -Isrc/data -Isrc/work -Isrc/observe -Ivocl/src -Isrc'
installed 'interfaces/armci/include interfaces/ga/include' -pedantic -Iinclude
for header in interfaces/ga/cxx/*.h; do
  cxx "$header" -pedantic -Iinclude -Iinterfaces/ga/include
done
internal "$(find interfaces -type d ! -name include ! -name cxx)" -Iinclude $inside -Iinterfaces -Iinterfaces/armci/include -Iinterfaces/ga/include
folders=$(find src vocl/src -mindepth 1 -type d)
# Some modules need headers of BLAS and HDF5, which may be missing.
[ -n "$MATH_CFLAGS" ] || folders=$(echo "$folders" | grep -vE '^src/data(/(blas|linear|solvers|file).*)?$')
internal "$folders" $MATH_CFLAGS -D_GNU_SOURCE -Iinclude $inside
exit $failed
