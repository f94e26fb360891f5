# The libraries must have the GA names of names.txt, which are those of Global Arrays, and no others. Test programs must call
# each of them. Usage: names.sh NAMES LIBRARY... -- PROGRAM...
set -eu
names=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
sort "$names" >"$work/names"
[ "$(wc -l <"$work/names")" -gt 500 ] || { echo 'hardly any names'; failed=1; }
# symbols KIND FILE: prints Fortran's names of GA that the file defines (T) or refers to (U).
# Sparse arrays have a test of their own.
symbols() {
  nm "$2" | awk -v kind="$1" '$(NF - 1) == kind { sub(/@.*/, "", $NF); print $NF }' |
    sed -n 's/^\(n\{0,1\}ga_[a-z0-9_]*\)_$/\1/p' | grep -v '^nga_sprs_' | sort -u
}
while [ "$1" != -- ]; do
  symbols T "$1" | comm -3 "$work/names" - >"$work/differ"
  [ ! -s "$work/differ" ] || { echo "$1 has not these, or, indented, others:"; cat "$work/differ"; failed=1; }
  shift
done
shift
for program; do symbols U "$program"; done | sort -u | comm -23 "$work/names" - >"$work/differ"
[ ! -s "$work/differ" ] || { echo 'no test calls these:'; cat "$work/differ"; failed=1; }
exit $failed
