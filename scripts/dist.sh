#!/bin/sh
# scripts/dist.sh FOLDER: writes the source archive causeway-VERSION.tar.xz into FOLDER and prints its path. It has the files
# that git tracks, as they are in the working tree. Without git, or its folder (an unpacked archive, a root of another release of
# Debian): all files but build/.
set -eu
folder=$(mkdir -p "${1:?usage: scripts/dist.sh FOLDER}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
export LC_ALL=C
version=$(sed -n 's/^project(causeway VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
archive=$folder/causeway-$version.tar.xz
list=$(mktemp)
trap 'rm -f "$list" "$archive.part"' EXIT
if [ -e .git ] && git rev-parse 2>/dev/null; then
  # Files that the working tree has deleted are left out.
  git ls-files -z | xargs -0 sh -c 'for file; do [ ! -e "$file" ] && [ ! -L "$file" ] || printf "%s\0" "$file"; done' sh | sort -z >"$list"
  time=$(git log -1 --format=%ct)
else
  find . \( -path ./build -o -path './build-*' -o -path ./.git \) -prune -o ! -type d -printf '%P\0' | sort -z >"$list"
  time=$(stat -c %Y CMakeLists.txt)
fi
tar --null --files-from="$list" --mtime="@$time" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  --transform="flags=r;s|^|causeway-$version/|" -cf - | xz -6 -T0 >"$archive.part"
mv "$archive.part" "$archive"
echo "$archive"
