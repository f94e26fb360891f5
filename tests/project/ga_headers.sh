# The headers of interfaces/ga/include must have the declarations of Debian's Global Arrays: the same functions with the same
# types, the same constants, types of the same size. Usage: ga_headers.sh FOLDER-OF-GA'S-HEADERS
set -eu
theirs=${1:-/usr/include}
[ -f "$theirs/ga.h" ] && [ -f "$theirs/macdecls.h" ] || { echo "no Global Arrays in $theirs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
ours=$SOURCE/interfaces/ga/include
headers='ga.h ga-mpi.h macdecls.h tcgmsg.h eaf.h sf.h dra.h'
include() { for header in $headers; do echo "#include \"$1/$header\""; done; }
compile() { "$CC" -std=gnu11 -w $MPI_CFLAGS "$@"; }

# Two prototypes that differ do not compile. GA's structures have no names, so they are declared once.
include "$ours" >both.c
# GA 5.9 gives the first arguments, and these take void ** where ours take the address of a pointer of any type.
for name in MA_set_error_callback NGA_Sprs_array_access_col_block NGA_Sprs_array_access_col_block64 NGA_Sprs_array_get_block \
  NGA_Sprs_array_get_block64; do
  echo "#define $name ${name}_of_GA"
done >>both.c
printf '#define %s\n' TYPESF2C_H_ _MATYPES_H >>both.c
include "$theirs" >>both.c
compile -fsyntax-only both.c || { echo 'the prototypes differ'; failed=1; }
# Checks that this test finds errors.
{ cat both.c; echo 'int GA_Zero(int g_a);'; } >seeded.c
! compile -fsyntax-only seeded.c 2>log || { echo 'the test itself is wrong'; failed=1; }

functions() { # functions FOLDER: that its headers declare
  include "$1" | compile -E -P -x c - | tr '\n' ' ' | tr ';{}' '\n\n\n' |
    grep -v typedef | grep -oE '\b(N?GA|MA|ma|tcg|EAF|SF|N?DRA)_[A-Za-z0-9_]+ *\(' | tr -d ' (' | sort -u
}
functions "$theirs" >theirs
functions "$ours" >ours
comm -23 theirs ours | sed 's/$/ is not declared/' | grep . && failed=1
# Functions of GA 5.9.
comm -13 theirs ours | grep -vxE 'N?GA_Initialize_comm|N?GA_Rand|NGA_Set_chunk64|NGA_Sprs_array_[a-z_]+(64)?' |
  sed 's/$/ is not of GA/' | grep . && failed=1

constants() { # constants FOLDER: a program that prints them
  include "$1"
  echo '#include <stdio.h>'
  echo 'static void print(const char *name, long value) { printf("%s %ld%c", name, value, 10); }'
  echo 'int main(void) {'
  include "$theirs" | compile -dM -E -x c - |
    sed -nE 's/^#define ((MT|MA|GA|C|F|EAF|DRA|ELIO|CHEMIO)_[A-Z_]+) [^"]+$/print("\1", \1);/p' | sort
  for type in Integer logical Logical Real DoublePrecision intp SingleComplex DoubleComplex Boolean Pointer \
    MA_AccessIndex MA_LongDouble MA_SingleComplex MA_DoubleComplex MA_LongDoubleComplex ga_nbhdl_t; do
    echo "print(\"size of $type\", sizeof($type)); print(\"alignment of $type\", _Alignof($type));"
  done
  echo 'return 0; }'
}
for side in ours theirs; do
  eval "constants \"\$$side\"" >$side.c
  compile $side.c -o $side.out 2>log || { echo "these headers lack a constant or a type: $side"; cat log; failed=1; continue; }
  ./$side.out | grep -vE '^GA_VERSION_(MINOR|PATCH)' >$side.values # GA 5.9 has the constants of 5.8
done
diff theirs.values ours.values || { echo 'constants or types differ'; failed=1; }

echo "$(wc -l <ours) functions, $(wc -l <ours.values) constants and types"
[ "$(wc -l <ours)" -ge 480 ] && [ "$(wc -l <ours.values)" -ge 60 ] || { echo 'so few were found'; failed=1; }
exit $failed
