#!/bin/sh
# Compares the binary interface (ABI) of the shared libraries with that of the last release, by libabigail.
#
#   sh scripts/abi.sh save VERSION LIBRARY...    cmake/abi/ gets what LIBRARY exports, as the reference
#   sh scripts/abi.sh check VERSION LIBRARY...   exit status 1 if programs linked with the last release would break
#
# LIBRARY is a file lib<name>-mpich.so with debugging information; VERSION is its version. The reference is that of MPICH's
# build: with another MPI only MPI's own types differ. It has what the public headers declare, as XML, compressed.
#
# Changes that break programs are allowed where the release policy allows them (docs/reference/releases.md), and then
# all symbols need versions with a new name (cmake/*.map), so that the loader reports a program of the last release.
set -eu
cd "$(dirname "$0")/.."
case "${1-}" in save | check) [ $# -ge 3 ] ;; *) false ;; esac || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
action=$1 version=$2
shift 2
command -v abidw >/dev/null || { echo 'abi.sh: abidw is missing; scripts/install-packages.sh abi installs it' >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=${CW_ABI_INCLUDE:-include} # tests give the headers of a changed library

name_of() { basename "$1" | sed 's/^lib//; s/-mpich[.]so.*//'; }
dump() { # dump LIBRARY FILE
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --exported-interfaces-only \
    --drop-private-types --hd "$include" --hd interfaces/armci/include --hd interfaces/ga/include --out-file "$2" "$1"
}
nodes() { sed -n "s/.*<elf-symbol .* version='\([^']*\)'.*/\1/p" "$1" | sort -u; }
# Versions between which the ABI may change: MAJOR, and while that is 0, MINOR.
series() { case $1 in 0.*) echo "$1" | cut -d. -f1,2 ;; *) echo "$1" | cut -d. -f1 ;; esac; }

save() {
  rm -f "cmake/abi/$name"-[0-9]*.xml.xz
  xz -9e <"$work/now.xml" >"cmake/abi/$name-$version.xml.xz"
  echo "cmake/abi/$name-$version.xml.xz"
}

check() {
  reference=$(ls "cmake/abi/$name"-[0-9]*.xml.xz)
  last=${reference##*-}
  last=${last%.xml.xz}
  xz -d <"$reference" >"$work/last.xml"
  status=0
  abidiff --suppr cmake/abi/private.suppr --no-added-syms "$work/last.xml" "$work/now.xml" >"$work/changes" 2>&1 || status=$?
  if [ $status = 0 ]; then
    echo "lib$name: programs linked with version $last run with this one"
    return
  fi
  cat "$work/changes"
  nodes "$work/now.xml" >"$work/nodes"
  kept=$(nodes "$work/last.xml" | grep -xFf "$work/nodes" | xargs)
  if [ $((status & 3)) != 0 ]; then
    echo "lib$name: abidiff failed"
  elif [ "$(series "$last")" = "$(series "$version")" ]; then
    echo "lib$name: programs linked with version $last may break (above), which version $version must not do"
  elif [ -n "$kept" ]; then
    echo "lib$name: programs linked with version $last may break (above); give these symbol versions new names: $kept"
  else
    echo "lib$name: programs linked with version $last need to be linked again (above), and the loader reports it"
    return
  fi
  failed=1
}

failed=0
for library; do
  name=$(name_of "$library")
  dump "$library" "$work/now.xml"
  "$action"
done
exit $failed
