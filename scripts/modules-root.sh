#!/bin/sh
# scripts/modules-root.sh FOLDER: unpacks Environment Modules and Lmod, each of which reads our module files, into FOLDER.
# They are not installed, since each forbids the other, and may be what the system's own shells use. Does nothing where that
# has been done. What they need beside is in the group test of scripts/install-packages.sh.
set -eu
root=${1:?usage: scripts/modules-root.sh FOLDER}
[ ! -e "$root/unpacked" ] || exit 0
. "$(dirname "$0")/fetch.sh"
has_apt modules-root 'tests of module files' || exit 0
mkdir -p "$root"
root=$(cd "$root" && pwd)
needed() { printf '%s\n' environment-modules lmod; }
fetch modules-root "$root" 'Environment Modules and Lmod'
for package in "$root"/packages/*.deb; do
  dpkg-deb -x "$package" "$root"
done
rm -rf "$root/packages"
touch "$root/unpacked"
