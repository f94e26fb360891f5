#!/bin/sh
# scripts/deb.sh FOLDER: builds the Debian packages from the source archive, leaves them in FOLDER, and checks them with lintian.
# DEB_BUILD_OPTIONS: dpkg-buildpackage's, with parallel=N.
set -eu
folder=$(mkdir -p "${1:?usage: scripts/deb.sh FOLDER}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
archive=$(sh scripts/dist.sh "$folder")
version=$(basename "$archive" .tar.xz | sed 's/^causeway-//')
tree=$folder/causeway-$version
rm -rf "$tree" "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo
tar -xf "$archive" -C "$folder"
mv "$archive" "$folder/causeway_$version.orig.tar.xz"
cp -R "$tree/packaging/debian" "$tree/debian"
debian_version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$tree/debian/changelog")
case $debian_version in
"$version"-*) ;;
*) echo "deb.sh: packaging/debian/changelog has version $debian_version, CMakeLists.txt $version" >&2; exit 1 ;;
esac
# Objects are shared with earlier builds where ccache is installed.
if command -v ccache >/dev/null; then
  export PATH="/usr/lib/ccache:$PATH" CCACHE_DIR="$PWD/build/objects" CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_MAXSIZE=2G
fi
cd "$tree"
dpkg-buildpackage --build=binary --no-sign --no-pre-clean
cd "$folder"
rm -rf "$tree"
lintian --allow-root --fail-on error,warning ./*.changes
