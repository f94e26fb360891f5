# Programs linked with the last release run with these libraries (make check-abi). In a copy of libarmci, a function that is
# removed, an argument and a public structure that change are each reported. Usage: abi.sh VERSION LIBRARY..., libarmci first.
set -u
command -v abidiff >/dev/null || { echo 'skipped: no libabigail here (abigail-tools)'; exit 77; }
cd "$SOURCE"
version=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

sh scripts/abi.sh check "$version" "$@" || failed=1

# changed NAME WORDS VERSION: of the changed library in $work/NAME.so, a version like this reports the words.
changed() {
  if CW_ABI_INCLUDE="$work/include" sh scripts/abi.sh check "$3" "$work/libarmci-mpich.so" >"$work/said" 2>&1; then
    echo "$1: not reported"
    failed=1
  fi
  grep -qE "$2" "$work/said" || { echo "$1: no '$2' in:"; cat "$work/said"; failed=1; }
}
command_of() { ninja -C "$BUILD" -t commands -s "$1" | tail -n 1; }
# link SEDSCRIPT: the library, linked by a command that is changed.
link() {
  command_of "libarmci-mpich.so.$version" | sed "s| -o [^ ]*| -o $work/libarmci-mpich.so|; $1" >"$work/link"
  (cd "$BUILD" && sh "$work/link") || { echo "the changed library does not link: $1"; failed=1; }
}
# compile OBJECT SOURCE: with the headers and the source below $work, to $work/object.o.
compile() {
  command_of "$1" |
    sed "s|-I$SOURCE/include|-I$work/include|; s| -MD .* -o [^ ]*| -o $work/object.o|; s|-c $SOURCE/|-c $work/|" >"$work/compile"
  (cd "$BUILD" && sh "$work/compile") || { echo "the changed $2 does not compile"; failed=1; }
}
# copy FILE SEDSCRIPT: a changed copy.
copy() {
  mkdir -p "$work/$(dirname "$1")"
  sed "$2" "$SOURCE/$1" >"$work/$1"
  ! cmp -s "$SOURCE/$1" "$work/$1" || { echo "nothing changed in $1 by $2"; failed=1; }
}
last=$(ls cmake/abi/armci-*.xml.xz | sed 's/.*-\(.*\)[.]xml[.]xz/\1/')
next=$(echo "$last" | awk -F. '{ print $1 == 0 ? "0." $2 + 1 ".0" : $1 + 1 ".0.0" }')
cp -r include "$work/include"

copy cmake/armci.map '/^  local:/a cw_version;'
link "s|$SOURCE/cmake/armci.map|$work/cmake/armci.map|"
changed 'a function removed' 'Removed function' "$last"
changed 'a function removed in a version that may' 'give these symbol versions new names: ARMCI_0 CAUSEWAY_0' "$next"
copy cmake/armci.map "/^  local:/a cw_version;
  s/^\([A-Z]*\)_0 {/\1_$next {/"
link "s|$SOURCE/cmake/armci.map|$work/cmake/armci.map|"
CW_ABI_INCLUDE="$work/include" sh scripts/abi.sh check "$next" "$work/libarmci-mpich.so" >"$work/said" 2>&1 ||
  { echo 'new symbol versions do not allow a change:'; cat "$work/said"; failed=1; }

copy include/causeway/runtime.h 's/^int cw_process_node(int process);/int cw_process_node(long process);/'
copy src/core/team/world.c 's/^int cw_process_node(int process)/int cw_process_node(long process)/'
compile CMakeFiles/cw_core_objects.dir/src/core/team/world.c.o world.c
link "s|CMakeFiles/cw_core_objects.dir/src/core/team/world.c.o|$work/object.o|"
changed 'a changed argument' "parameter 1 of type 'int' changed" "$last"

copy include/causeway/device.h 's/^  size_t memory;/  size_t memory, added;/'
copy src/move/device/device.c '$a /* changed */'
compile CMakeFiles/cw_move_objects.dir/src/move/device/device.c.o device.c
link "s|CMakeFiles/cw_move_objects.dir/src/move/device/device.c.o|$work/object.o|"
changed 'a changed structure' "data member.*insertion|type size changed" "$last"
exit $failed
