#!/bin/sh
# jobs.sh dump|killed|full PROGRAM mpiexec...: run jobs one after the other, on files in a folder of their own.
set -eu
what=$1 program=$2
shift 2
case $what in
inside) mount -t tmpfs -o size=1m tmpfs "$1" || exit 77
  folder=$1
  shift
  "$@" -n 2 "$program" full "$folder/full.h5"
  exit ;;
dump) command -v h5dump >/dev/null || { echo 'skipped: no h5dump'; exit 77; } ;;
full) unshare -m true 2>/dev/null || { echo 'skipped: this user may not make a mount namespace'; exit 77; } ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=$folder/saved.h5

dump() {
  "$@" -n 3 "$program" save "$file"
  (cd "$folder" && h5dump saved.h5) >"$folder/seen"
  diff "${0%/*}/saved.dump" "$folder/seen"
  "$@" -n 2 "$program" load "$file"
  "$@" -n 1 "$program" load "$file"
}

killed() {
  for round in 1 2 3; do
    # (mpiexec of MPICH 4.2.1 returns 0 for some jobs that died: https://github.com/pmodels/mpich/issues/7057)
    "$@" -n 2 "$program" die "$file" >"$folder/out" 2>&1 || true
    if grep -qE "gave|checks" "$folder/out"; then
      cat "$folder/out"
      echo "FAILED: nobody died"
      exit 1
    fi
    left=$(find "$folder" -name 'saved.h5.*.partial' | wc -l)
    [ "$left" -le $round ] || { echo "FAILED: $left files are left by $round jobs"; exit 1; }
    "$@" -n 2 "$program" generation "$file"
  done
}

case $what in
dump | killed) $what "$@" ;;
full) unshare -m sh "$0" inside "$program" "$folder" "$@" ;;
esac
