# A build that looks for Global Arrays must find an installed libcwga: ga-config has the options that NWChem's makefiles use,
# the headers exist, and programs compile, link and run with its output, for both sizes of INTEGER and with the fixed names of
# NWChem's link line, also after the installation has been moved.
set -eu
[ -f "$BUILD/libcwga-$MPI.a" ] || [ -f "$BUILD/lib/libcwga-$MPI.a" ] || { echo 'no libcwga in this build'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cmake --install "$BUILD" --prefix "$work/first" >log || { cat log; exit 1; }
mv first moved
prefix=$(readlink -f "$work")/moved

failed=0
fail() {
  echo "$*"
  failed=1
}
expect() { # CONFIG ANSWER OPTION...
  config=$1 answer=$2
  shift 2
  said=$("$config" "$@") || fail "$config $* fails"
  [ "$said" = "$answer" ] || fail "$config $* says '$said', not '$answer'"
}

for suffix in '' -i4; do
  folder=$prefix/lib/cwga/$MPI$suffix
  for config in "$folder/bin/ga-config" "$prefix/bin/ga-config-$MPI$suffix"; do
    expect "$config" yes --enable-f77
    expect "$config" 0 --use_peigs
    expect "$config" 1 --use_scalapack
    expect "$config" 4 --blas_size
    expect "$config" 4 --scalapack_size
    expect "$config" 0 --use_elpa
    expect "$config" "-I$folder/include" --cppflags
    expect "$config" "-L$folder/lib" --ldflags
    expect "$config" '' --network_ldflags
    expect "$config" '' --network_libs
    expect "$config" "-I$folder/include -L$folder/lib" --cppflags --cflags --ldflags
    "$config" --version | grep -qE '^5\.[0-9]+\.[0-9]+\+causeway-[0-9.]+$' || fail "$config: what version is this?"
    ! "$config" --nonsense 2>/dev/null || fail "$config answers what nobody may ask"
    expect "$config" "-I$folder/include" -cppflags
    ! "$config" -nonsense 2>/dev/null || fail "$config answers what nobody may ask"
  done
  # Headers that NWChem's sources include.
  for header in mafdecls.fh global.fh tcgmsg.fh msgtypesf.h sf.fh eaf.fh dra.fh chemio.h typesf2c.h ga.h macdecls.h \
    tcgmsg.h ga-mpi.h eaf.h macommon.h gacommon.h matypes.h ga-mpi.fh msgtypesc.h coms.h farg.h services.h init_term.h; do
    [ -f "$folder/include/$header" ] || fail "no $header in $folder/include"
  done
done
[ "$("$prefix/bin/ga-config" --ldflags)" = "-L$prefix/lib/cwga/$MPI/lib" ] || fail 'the plain ga-config answers for another library'

# The files that Debian's Global Arrays and ARMCI-MPI install must exist under their names, except for libtool's files,
# manuals, and headers of layers inside GA: pnga_ and wnga_ below ga.h, f2c_ below MA's names of Fortran, ELIO below EAF, SF
# and DRA.
not_for_programs='ga-papi\.h|ga-wapi\.h|maf2c\.fh|elio\.h'
{ dpkg -L libglobalarrays-dev libarmci-mpi-dev 2>/dev/null || true; } |
  sed -nE 's|^/usr/include/([^/]+)$|include/\1|p; s|^/usr/lib/[^/]+/(lib[^/]+\.a)$|lib/\1|p; s|^/usr/(bin/.+)$|\1|p' |
  grep -vE "/($not_for_programs)$" | sort -u >theirs
case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
while read -r file; do
  case $file in *-$other.a) continue ;; esac
  for suffix in '' -i4; do
    [ -e "$prefix/lib/cwga/$MPI$suffix/$file" ] || fail "lib/cwga/$MPI$suffix has no $file, which Debian's packages have"
  done
done <theirs
for suffix in '' -i4; do
  for file in cwga.h causeway.h causeway/array.h; do
    [ -f "$prefix/lib/cwga/$MPI$suffix/include/$file" ] || fail "no $file in lib/cwga/$MPI$suffix"
  done
done

# The sizes of types in C depend on the folder, without an option.
for size in '8 ' '4 -i4'; do
  folder=$prefix/lib/cwga/$MPI${size#* }
  printf '#include <ga.h>\n_Static_assert(sizeof(Integer) == %s, "Integer");\n' "${size% *}" >integer.c
  "$MPICC" -fsyntax-only -I"$folder/include" integer.c || fail "Integer in C has not ${size% *} bytes in $folder"
done

run() { # PROGRAM: on two processes; the first says "right"
  $MPIEXEC -n 2 "$1" >out 2>&1 || { cat out; fail "$2 fails"; return; }
  grep -q '^right$' out || { cat out; fail "$2 does not say that all is right"; }
}
mpifort=$("$prefix/bin/ga-config-$MPI" --f77)
if ! command -v "$mpifort" >/dev/null; then
  echo "no $mpifort: nothing is compiled"
  exit $failed
fi
for suffix in '' -i4; do
  config=$prefix/bin/ga-config-$MPI$suffix
  for program in memory arrays; do
    flags="$($config --fflags --cppflags)"
    $mpifort $flags "$SOURCE/tests/project/outside/$program.F" $($config --ldflags --libs) -o $program
    run ./$program "$program, compiled as ga-config$suffix says,"
    # The link line of NWChem has other libraries after -lga -larmci.
    $mpifort $flags -c "$SOURCE/tests/project/outside/$program.F" -o $program.o
    $mpifort -L"$prefix/lib/cwga/$MPI$suffix/lib" $program.o -lga -larmci -lscalapack-$MPI -llapack -lblas -o $program
    run ./$program "$program, linked with -lga -larmci,"
  done
  # Other programs name these two alone. arrays.F multiplies matrices.
  $mpifort -L"$prefix/lib/cwga/$MPI$suffix/lib" arrays.o -lga -larmci -o arrays
  run ./arrays 'arrays, linked with -lga -larmci alone,'
done

# Programs in C++, and with ARMCI alone and beside GA, with the options of ga-config and each order of the libraries.
config=$prefix/bin/ga-config-$MPI
mpicxx=$(echo "$MPICC" | sed 's/mpicc\([^/]*\)$/mpicxx\1/')
"$mpicxx" $($config --cppflags) "$SOURCE/tests/project/outside-ga/objects.cpp" $($config --ldflags) -lga++ $($config --libs) -o objects
run ./objects 'a program in C++'
"$MPICC" $($config --cppflags) "$SOURCE/tests/project/outside-ga/beside.c" $($config --ldflags) -larmci -lga -o beside
run ./beside 'ARMCI beside GA'
"$MPICC" $($config --cppflags) "$SOURCE/tests/project/outside/armci.c" $($config --ldflags) "-larmci-$MPI" -o armci
run ./armci 'ARMCI alone'
"$MPICC" $($config --cppflags) "$SOURCE/tests/project/outside/ga.c" $($config --ldflags) -lga -o ga
run ./ga 'a program in C with a product of matrices, linked with -lga alone,'
echo 'void dgemm_(void); void pdpotrf_(void); int main(void) { dgemm_(); pdpotrf_(); return 0; }' >blas.c
"$MPICC" blas.c -L"$prefix/lib/cwga/$MPI-i4/lib" -lga -o blas || fail 'libga.a of 4 bytes brings no BLAS and ScaLAPACK'
# If INTEGER has 8 bytes, the program's own BLAS is used although it comes after -lga.
printf '#include <stdio.h>\nvoid dgemm_(void);\nvoid dgemm_(void) { puts("right"); }\n' >own.c
"$CC" -shared -fPIC own.c -o libown.so
echo 'void dgemm_(void); int main(void) { dgemm_(); return 0; }' >blas.c
"$MPICC" blas.c -L"$prefix/lib/cwga/$MPI/lib" -lga -larmci -L. -lown -Wl,-rpath,"$PWD" -o blas
[ "$(./blas)" = right ] || fail "libga.a of 8 bytes replaces the program's BLAS"
exit $failed
