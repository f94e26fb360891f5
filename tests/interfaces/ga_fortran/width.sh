# A program whose INTEGER has another size than the library expects must fail with a message about this and its remedy: when it
# is compiled, before main, or in the first call that shows it. Usage: width.sh GFORTRAN INCLUDE LIBCWGA_SO LIBCWGA_A
# LIBCWGA_I4_SO LIBCWGA_I4_A -- MPIEXEC arguments...
set -eu
fortran=$1 include=$2 shared_8=$3 static_8=$4 shared_4=$5 static_4=$6
shift 7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
options_8=-fdefault-integer-8 options_4=-DCWGA_INTEGER_4

refused() { # refused WHAT SENTENCE COMMAND...: the command fails with the sentence
  what=$1 sentence=$2
  shift 2
  if "$@" >log 2>&1 || ! grep -qF -- "$sentence" log; then
    echo "$what: not '$sentence', but"
    cat log
    failed=1
  fi
}
# link PROGRAM LIBRARY
link() { "$fortran" "$1.o" "$2" $LIBRARIES -Wl,-rpath,"$(dirname "$2")" -o "$1"; }

headers='global.fh mafdecls.fh tcgmsg.fh eaf.fh sf.fh dra.fh'
write() { # write HEADER...: one.F includes them
  { echo '      program one' && echo '      implicit none' && printf '#include "%s"\n' "$@" && echo '      call ma_trace(0)' &&
    echo '      end'; } >one.F
}
write $headers
cp one.F one.F90
for file in one.F one.F90; do
  refused "$file, INTEGER of 4 bytes" compile_with_fdefault_integer_8_or_DCWGA_INTEGER_4 "$fortran" -I "$include" -c $file
  [ "$(grep -c 'compile_with_' log)" -eq 6 ] || { echo 'one of the files does not check INTEGER'; failed=1; }
  refused "$file, INTEGER of 8 bytes" compile_without_fdefault_integer_8 "$fortran" -I "$include" $options_8 $options_4 -c $file
done
for size in 8 4; do
  eval "\"$fortran\" -I \"$include\" \$options_$size -c one.F && link one \"\$shared_$size\"" && ./one
done
# other_width WHAT NAME LIBRARY_8 SENTENCE_4 LIBRARY_4 SENTENCE_8: NAME, compiled for INTEGERs of each width and linked with
# the library of the other width, must fail with these messages.
other_width() {
  "$fortran" -I "$include" $options_4 -c "$2"
  link "${2%.*}" "$3"
  refused "$1, 4 bytes on libcwga" "$4" "./${2%.*}"
  "$fortran" -I "$include" $options_8 -c "$2"
  link "${2%.*}" "$5"
  refused "$1, 8 bytes on libcwga-i4" "$6" "./${2%.*}"
}

for header in $headers; do
  write $header
  includes="(where it includes $header)"
  other_width "$header" one.F "$shared_8" "but 8 in libcwga: compile the program with -fdefault-integer-8, or" \
    "$shared_4" "INTEGER has 8 bytes in this program $includes"
done
printf '      program two\n#include "global.fh"\n      call pbeginf\n      end\n' >two.F
other_width 'static, where the program refers to nothing that the include file is about' two.F \
  "$static_8" 'or link libcwga-i4 instead' "$static_4" 'link libcwga instead'
printf '      integer int_mb(2)\n      common /mbc_int/ int_mb\n      call pbeginf\n      end\n' >three.f
includes='in this program (where it includes mafdecls.fh)'
other_width "common blocks of another GA's mafdecls.fh" three.f \
  "$shared_8" "INTEGER has 4 bytes $includes" "$shared_4" "INTEGER has 8 bytes $includes"

# A program without an include file. In memory each number is followed by another one.
cat >four.f90 <<'END'
program four
  implicit none
  logical ma_init, ma_push_get, ma_pop_stack, nga_create, status
  external ma_init, ma_push_get, ma_pop_stack, nga_create
  integer :: code(2) = (/1013, 7/), many(2) = 1000, dims(2) = (/10, 10/), ndim(2) = (/2, 0/), none(2) = -1
  integer :: lo(2) = 1, hi(2) = 5, ld(2) = 10
  integer :: handle(2) = 0
  integer*8 k
  double precision a(10, 10)
  character(8) which
  call getarg(1_4, which)
  call pbeginf
  call ga_initialize
  if (which == 'ma') status = ma_init(code, many, many)
  if (code(2) == 7 .and. storage_size(ndim) == 32) code(2) = 0
  if (which == 'type') code(2) = 1
  if (which == 'ndim') ndim(2) = 1
  status = nga_create(code, ndim, dims, 'matrix', none, handle)
  if (which == 'handle') handle(2) = 1
  call nga_put(handle, lo, hi, a, ld)
end program four
END
"$fortran" -c four.f90
link four "$shared_8"
half='INTEGER seems to have 4 bytes in this program, but it has 8 in libcwga: compile'
refused 'ma_init, 4 bytes' "ma_init: datatype is 30064772085, whose lower 4 bytes are 1013: $half" "$@" ./four ma
refused 'nga_create, 4 bytes' "nga_create: type is 4294968309, whose lower 4 bytes are 1013: $half" "$@" ./four type
remark='if INTEGER has 4 bytes in this program, compile the program with -fdefault-integer-8'
refused 'nga_create, ndim, 4 bytes' "$remark" "$@" ./four ndim
refused 'nga_create, dims, 4 bytes' "$remark" "$@" ./four dims
"$fortran" $options_8 -c four.f90
link four "$shared_4"
refused 'nga_create, 8 bytes' 'nga_create: dims(2) is 0; it must be positive (if INTEGER has 8 bytes in this program, link libcwga instead' \
  "$@" ./four dims
exit $failed
