# The worked examples of CONTRIBUTING.md must be right: each of examples/*.patch changes the files that its section names, in
# at most eight lines, and has the effects that the section describes. All of them are applied to a copy of the tree. Only the
# files that they change are compiled there; everything else comes from this build.
set -eu
cd "$SOURCE"
failed=0
tree=$BUILD/worked-examples
build=$tree/build/$MPI
log=$BUILD/worked-examples.log
say() { echo "$*"; failed=1; }
run() { "$@" >"$log" 2>&1 || { tail -n 20 "$log"; echo "failed: $*" | cut -c1-200; exit 1; }; }
expect() { # expect TEXT COMMAND...: prints the text
  text=$1
  shift
  "$@" >"$log" 2>&1 || true
  grep -qF -e "$text" "$log" || say "not printed: $text, by $(echo "$*" | cut -c1-200)"
}

# --- The sections and the patches -------------------------------------------------------------------
for patch in tests/project/examples/*.patch; do
  name=$(basename "$patch")
  awk -v name="(\`$name\`)" '/^#/ { inside = index($0, name); next } inside && NF' CONTRIBUTING.md >"$log"
  lines=$(wc -l <"$log")
  [ "$lines" -gt 0 ] && [ "$lines" -le 8 ] || say "CONTRIBUTING.md: $lines lines about $name; it may be 1 to 8"
  for file in $(sed -n 's|^--- a/||p' "$patch"); do
    grep -qF "$file" "$log" || say "CONTRIBUTING.md: the section of $name does not name $file"
  done
done
for name in $(sed -n 's/^### .*(`\(.*\.patch\)`)$/\1/p' CONTRIBUTING.md); do
  [ -f "tests/project/examples/$name" ] || say "CONTRIBUTING.md: there is no tests/project/examples/$name"
done

# --- The tree ---------------------------------------------------------------------------------------
rm -rf "$tree"
mkdir -p "$tree/build"
tar -cf - --exclude='./build*' --exclude=./.git . | tar -xf - -C "$tree"
[ ! -d build/objects ] || ln -s "$SOURCE/build/objects" "$tree/build/objects" # for ccache
for patch in tests/project/examples/*.patch; do
  run patch -d "$tree" -p1 --no-backup-if-mismatch -i "$SOURCE/$patch"
done
run sh "$tree/scripts/modules.sh"
run env SOURCE="$tree" sh tests/project/modules.sh
run env SOURCE="$tree" sh tests/project/purpose.sh
run cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCW_MPI="$MPI" -DCMAKE_C_COMPILER="$CC"

# relink FILE OBJECTS...: links FILE with these objects. Missing objects and libraries are taken from $BUILD.
relink() {
  file=$1 here=
  shift
  for word in $(ninja -C "$build" -t commands "$file" | grep -e " -o $file "); do
    case $word in
    *.a) word="$* $BUILD/$word" ;;
    *.o) [ -e "$build/$word" ] || word=$BUILD/$word ;;
    esac
    here="$here $word"
  done
  (cd "$build" && run eval "$here")
}

# check OBJECT...: compiles the sources of these objects, without output
check() {
  for object; do
    mkdir -p "$build/$(dirname "$object")" # for the list of headers
    (cd "$build" && run eval "$(ninja -t commands -s "$object" | tail -n 1) -fsyntax-only")
  done
}

# --- What they do -----------------------------------------------------------------------------------
core=CMakeFiles/cw_core_objects.dir/src/core
route=CMakeFiles/cw_move_objects.dir/src/move/route
objects="$core/base/settings.c.o $core/mpi/workaround.c.o"
# shellcheck disable=SC2086 # a list of words
run ninja -C "$build" $objects $core/example/example.c.o $route/route_choice.c.o $route/example/example_route.c.o \
  cw_reproduce_mpich_example tests/sync/CMakeFiles/example.dir/example.c.o
# shellcheck disable=SC2086
relink programs/cw-info $objects
expect 'cwi_route_example' nm -u "$build/$route/route_choice.c.o"
expect 'CW_EXAMPLE           = off' "$build/programs/cw-info" --settings
expect '|mpich_example;' "$build/programs/cw-info" --settings
expect "the setting CW_EXAMPLE is 'maybe'; it may be off|on" env CW_EXAMPLE=maybe "$build/programs/cw-info"
expect 'none: the example of CONTRIBUTING.md' "$build/programs/cw-info" --all
expect 'sync.example.server.n2' ctest --test-dir "$build" -N
expect 'mpi.reproducers.mpich_example' ctest --test-dir "$build" -N

number=$core/number array=CMakeFiles/cw_data_objects.dir/src/data/array_kernels
run ninja -C "$build" $number/number_type.c.o
check $number/kernels_update.c.o $number/kernels_reduce.c.o $array/kernels_numbers.c.o
expect CW_SHORT strings "$build/$number/number_type.c.o"

cwga=$(ninja -C "$build" -t targets all | sed -n 's/^\(libcwga-[a-z]*\.so\.[^ ]*\): C_SHARED.*/\1/p')
if [ -n "$cwga" ]; then
  run ninja -C "$build" CMakeFiles/cw_ga_either_objects.dir/interfaces/ga/group/group.c.o CMakeFiles/cw_ga_objects.dir/ga_fortran/names.c.o
  relink "$cwga"
  printf '#include <ga.h>\nint main(void)\n{\n  return GA_Example() != NGA_Example();\n}\n' >"$build/example.c"
  # shellcheck disable=SC2086
  run "$CC" $MPI_CFLAGS -I"$tree/interfaces/ga/include" -o "$build/in_c" "$build/example.c" "$build/$cwga"
  printf '      integer*8 ga_example, nga_example\n      print *, ga_example() + nga_example()\n      end\n' >"$build/example.f"
  ! command -v gfortran >/dev/null || run gfortran -o "$build/in_fortran" "$build/example.f" "$build/$cwga"
fi
rm -rf "$tree"
exit $failed
