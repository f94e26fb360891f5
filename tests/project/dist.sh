# The source archive: unpacked into a folder without git, it configures, builds the libraries, passes tests, and makes an archive
# with the same content.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$(sh "$SOURCE/scripts/dist.sh" "$work")
tar -xf "$archive" -C "$work"
tree=${archive%.tar.xz}
[ -d "$tree" ] || { echo "$archive has no folder $(basename "$tree")"; exit 1; }
cd "$tree"
! git rev-parse 2>/dev/null || { echo "skipped: $work is in a repository of git"; exit 77; }
again=$(sh scripts/dist.sh "$work/again")
cmp "$archive" "$again"
mkdir build
[ ! -d "$SOURCE/build/objects" ] || ln -s "$SOURCE/build/objects" build/objects # for ccache
run() { "$@" >log 2>&1 || { tail -n 40 log; echo "failed: $*"; exit 1; }; }
run cmake --preset "$MPI" -DCW_MPICC="$MPICC"
run cmake --build "build/$MPI" -j 2 --target cw_libraries tests/base/all tests/team/all
run ctest --test-dir "build/$MPI" --output-on-failure -R '^(base|team)\.|^project\.(names|words|documents|contributing)$' -L quick
tail -n 5 log
