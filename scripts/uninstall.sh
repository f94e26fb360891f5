#!/bin/sh
# scripts/uninstall.sh PREFIX MPI...: removes the installations for these MPIs from PREFIX, by the lists that they have
# there (cmake/CwInstall.cmake). Files that the other MPI's installation has, too, stay.
set -eu
cd "${1:?usage: scripts/uninstall.sh PREFIX MPI...}"
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/all" "$work/kept"
for mpi in mpich openmpi; do
  case " $* " in *" $mpi "*) list=$work/all ;; *) list=$work/kept ;; esac
  find . -maxdepth 5 -path "*/cmake/causeway/installed-$mpi.txt" -exec cat {} + >>"$list"
done
[ -s "$work/all" ] || { echo "uninstall: there is no installation for $* in $PWD" >&2; exit 1; }
sort -u "$work/kept" -o "$work/kept"
sort -u "$work/all" | comm -23 - "$work/kept" >"$work/removed"
while IFS= read -r file; do rm -f "$file"; done <"$work/removed"
awk -F/ '{
  folder = $1
  for (i = 2; i < NF; i++) {
    folder = folder "/" $i
    if (folder ~ /\/(causeway|cwga|globalarrays)(\/|$)/) print folder
  }
}' "$work/removed" | sort -ru | while IFS= read -r folder; do rmdir --ignore-fail-on-non-empty "$folder"; done
echo "uninstalled $(wc -l <"$work/removed") files from $PWD"
