#!/bin/sh
# scripts/debian-root.sh RELEASE MAKE-ARGUMENTS...: runs `make MAKE-ARGUMENTS` on another release of Debian, as in
# `make check ROOT=trixie`. The release lives in build/root/RELEASE; mmdebstrap makes it at the first use, from the system's
# own mirror: half a minute, 300 MB, and what the command installs. The checkout is bound into it, and what is
# built there lies in build/RELEASE. Needs root, or a system that lets users make namespaces.
set -eu
release=${1:?usage: scripts/debian-root.sh RELEASE MAKE-ARGUMENTS...}
shift
source=$(cd "$(dirname "$0")/.." && pwd)
root=$source/build/root/$release
say() { echo "debian-root: $*" >&2; }

# --- Namespaces: mounts that only this command sees, and that end with it ------------------------

if [ "${CW_INSIDE:-}" != yes ]; then
  mine=
  [ "$(id -u)" -eq 0 ] || mine='--map-root-user --map-auto'
  # shellcheck disable=SC2086 # a list of words
  if ! unshare $mine --mount true 2>/dev/null; then
    say 'this needs root, or user namespaces (and ranges of ids in /etc/subuid and /etc/subgid)'
    exit 1
  fi
  sh "$source/scripts/install-packages.sh" root
  export CW_INSIDE=yes
  # shellcheck disable=SC2086
  exec unshare $mine --mount --propagation private sh "$0" "$release" "$@"
fi

# --- The release -------------------------------------------------------------------------------------

if [ ! -e "$root/made" ]; then
  mirror=$(apt-get indextargets --format '$(SITE)' 'Origin: Debian' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
  say "making Debian $release in build/root/$release from ${mirror:=http://deb.debian.org/debian}"
  mkdir -p "$source/build/root"
  rm -rf "$root"
  if ! mmdebstrap --variant=minbase --mode=root --include=gcc,libc6-dev,make,cmake,git,ca-certificates \
    "$release" "$root" "$mirror" >"$source/build/root/$release.log" 2>&1; then
    tail -n 20 "$source/build/root/$release.log" >&2
    say 'mmdebstrap failed; its last lines are above'
    rm -rf "$root"
    exit 1
  fi
  touch "$root/made"
fi

# --- What it sees of this system ---------------------------------------------------------------------

mkdir -p "$root/causeway" "$source/build/$release"
for folder in proc sys dev; do
  mount --rbind "/$folder" "$root/$folder"
done
mount -t tmpfs tmpfs "$root/run"
mount --bind "$source" "$root/causeway"
mount --bind "$source/build/$release" "$root/causeway/build"
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
# Compilers and their launchers are this system's.
exec env -u CW_INSIDE -u ROOT -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CC -u CXX \
  -u CMAKE_C_COMPILER_LAUNCHER -u CMAKE_CXX_COMPILER_LAUNCHER \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/tmp \
  chroot "$root" make -C /causeway "$@"
