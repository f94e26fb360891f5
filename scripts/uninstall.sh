#!/bin/sh
# scripts/uninstall.sh PREFIX MPI...: removes the installations for these MPIs from PREFIX, by the lists that they have
# there (cmake/install-list.cmake.in). Files that the other MPI's installation has, too, stay. Empty folders that an
# installation has made are removed.
set -eu
export LC_ALL=C
cd "${1:?usage: scripts/uninstall.sh PREFIX MPI...}"
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/all" "$work/kept" "$work/folders"
lists() { find . -maxdepth 5 -path "*/cmake/causeway/installed-$1.txt"; }
for mpi in mpich openmpi; do
  case " $* " in *" $mpi "*) list=$work/all ;; *) list=$work/kept ;; esac
  lists $mpi | xargs -r cat >>"$list"
done
[ -s "$work/all" ] || { echo "uninstall: there is no installation for $* in $PWD" >&2; exit 1; }
sort -u "$work/kept" -o "$work/kept"
sort -u "$work/all" | comm -23 - "$work/kept" >"$work/removed"
xargs -r -d '\n' rm -f <"$work/removed"
# Python writes byte code beside its modules.
grep '\.py$' "$work/removed" | while IFS= read -r file; do
  name=$(basename "$file" .py) cache=$(dirname "$file")/__pycache__
  rm -f "$cache/$name".*.pyc
  rmdir "$cache" 2>/dev/null || :
done
lists folders | xargs -r cat | sort -ru >"$work/folders"
[ -s "$work/kept" ] || lists folders | xargs -r rm -f
while IFS= read -r folder; do
  case $folder in .) folder=$PWD ;; esac
  rmdir "$folder" 2>/dev/null || :
done <"$work/folders"
echo "uninstalled $(wc -l <"$work/removed") files from $PWD"
