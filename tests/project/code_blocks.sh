# The code in the documents must compile, and programs in it must run. A block of code in README.md or docs/**/*.md is fenced or
# indented; the line `<!-- compiled: FILE -->` before it names the file of tests/project/code/ that includes it under the
# name "block". A file that says "run:" is a program, linked with libcwga and run on two processes; its output has each
# line that the file gives as "expect: LINE". README's first block of C is such a program without a file. Usage: code_blocks.sh LIBCAUSEWAY_A [LIBCWGA_SO]
set -eu
libcauseway=$1 libcwga=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() {
  echo "$*"
  failed=1
}

awk '/^```/ && inside { exit } inside { print } /^```c$/ { inside = 1 }' "$SOURCE/README.md" >program.c
[ -s program.c ] || { echo 'README.md has no ```c block'; exit 1; }
"$MPICC" -Wall -Wextra -Werror program.c -I "$SOURCE/include" "$libcauseway" -o program
$MPIEXEC -n 2 ./program || fail 'the program of README.md fails'

# Each block goes to a folder of its own with the name of the file.
awk '
  /^<!-- compiled: .* -->$/ { name = $3; wanted = 1; next }
  wanted == 1 && /^$/ { next }
  wanted == 1 { fenced = /^```/; wanted = 2; system("mkdir " name); out = name "/block"; if (fenced) next }
  wanted == 2 && (fenced ? /^```/ : !/^(    .*)?$/) { wanted = 0; close(out) }
  wanted == 2 { if (!fenced) sub(/^    /, ""); print >out }' "$SOURCE"/docs/*.md "$SOURCE"/docs/guide/*.md "$SOURCE"/docs/reference/*.md "$SOURCE"/docs/man/*.md "$SOURCE"/vocl/docs/*.md

# Lines of blocks without a mark that look like C or Fortran.
unmarked=$(awk '
  FNR == 1 { marked = 0 }
  /^<!-- compiled: .* -->$/ { marked = 1; next }
  marked == 1 && /^$/ { next }
  marked == 1 { marked = /^```/ ? 3 : 2; next }
  marked == 2 && !/^(    .*)?$/ { marked = 0 }
  marked == 3 && /^```$/ { marked = 0; next }
  !marked && /^    / && (/;( *(\/\*.*\*\/|\/\/.*))?$/ || /^    #include/ || /^    +call [a-z_]+\(/) { print FILENAME ":" FNR ": " $0 }
  ' "$SOURCE"/docs/*.md "$SOURCE"/docs/guide/*.md "$SOURCE"/docs/reference/*.md "$SOURCE"/docs/man/*.md "$SOURCE"/vocl/docs/*.md)
[ -z "$unmarked" ] || fail "code without the line <!-- compiled: FILE --> before it:
$unmarked"

run() { # NAME FILE: runs ./program, whose output must have the lines that FILE expects
  # shellcheck disable=SC2086 # a list of words
  $MPIEXEC -n 2 ./program >output 2>&1 || { cat output; fail "$1 fails"; return; }
  sed -n 's/.*expect: //p' "$2" | sed 's/ *\*\/$//' >expected
  while IFS= read -r line; do
    grep -qxF -- "$line" output || { cat output; fail "$1: the output has no line '$line'"; }
  done <expected
}

mpifort=$(echo "$MPICC" | sed 's|mpicc\([^/]*\)$|mpifort\1|')
for file in "$SOURCE"/tests/project/code/*; do
  name=$(basename "$file")
  [ -s "$name/block" ] || { fail "no document has the line <!-- compiled: $name -->"; continue; }
  [ -n "$libcwga" ] || continue # without BLAS there is no libcwga, nor its headers
  includes="-I $work/$name -I $SOURCE/interfaces/ga/include -I $SOURCE/include"
  case $name in
  *.c)
    if grep -q 'run:' "$file"; then
      "$MPICC" -std=gnu11 -Wall -Wextra -Werror $includes "$file" "$libcwga" -Wl,-rpath,"$(dirname "$libcwga")" -lm -o program &&
        run "$name" "$file" || fail "$name"
    else
      "$MPICC" -std=gnu11 -Wall -Wextra -Werror -Wno-unused $includes -fsyntax-only "$file" || fail "$name"
    fi
    ;;
  *.cpp) "${CXX:-c++}" -w $MPI_CFLAGS -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $includes -I "$SOURCE/interfaces/ga/cxx" -fsyntax-only \
    "$file" || fail "$name" ;;
  *.F)
    command -v "$mpifort" >/dev/null || continue
    options='-fdefault-integer-8 -funconstrained-commons -std=legacy'
    if grep -q 'run:' "$file"; then
      "$mpifort" $options $includes "$file" "$libcwga" -Wl,-rpath,"$(dirname "$libcwga")" -o program &&
        run "$name" "$file" || fail "$name"
    else
      "$mpifort" $options -fsyntax-only $includes "$file" || fail "$name"
    fi
    ;;
  esac
done
exit $failed
