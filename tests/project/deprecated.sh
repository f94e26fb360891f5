# Compilers of C and C++ warn of a deprecated name and name the new one; each such name of the public headers is in the table of
# docs/reference/releases.md, which names the version in which it is removed, and that version has not come. Usage: deprecated.sh VERSION
set -u
version=$1
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# warns WORDS COMMAND...: the warning is the only one, and an error with -Werror.
warns() {
  words=$1
  shift
  "$@" -Wall -fsyntax-only -Iinclude $MPI_CFLAGS >"$work/said" 2>&1 || { echo "does not compile: $*"; cat "$work/said"; failed=1; }
  [ "$(grep -c 'warning:' "$work/said")" = 1 ] && grep -q "deprecated.*$words" "$work/said" ||
    { echo "not one warning with '$words': $*"; cat "$work/said"; failed=1; }
  ! "$@" -Wall -Werror -fsyntax-only -Iinclude $MPI_CFLAGS >"$work/said" 2>&1 || { echo "no error with -Werror: $*"; failed=1; }
}

# The macro on a function, a type and a constant, whatever names are deprecated now.
for what in 'int old(void) CW_DEPRECATED("use fresh");int use(void);int use(void) { return old(); }' \
  'typedef int old CW_DEPRECATED("use fresh"); extern old value;' \
  'enum { fresh, old CW_DEPRECATED("use fresh") = fresh }; int value = old;'; do
  printf '#include <causeway/error.h>\n%s\n' "$what" >"$work/use.c"
  for compiler in "$CC" clang; do
    ! command -v "$compiler" >/dev/null || warns 'use fresh' "$compiler" "$work/use.c"
  done
  ! command -v g++ >/dev/null || warns 'use fresh' g++ -x c++ "$work/use.c"
done

# The names of the headers, with the replacement that each attribute has.
grep -rhoE '[A-Za-z_][A-Za-z0-9_]*(\([^)]*\))? CW_DEPRECATED\("use [A-Za-z0-9_]+' include interfaces/*/include |
  sed -E 's/^([A-Za-z0-9_]+).*"use /\1 /' | sort >"$work/names"
grep -rhoE 'CW_DEPRECATED\("[^"]*' include interfaces/*/include | wc -l >"$work/count"
[ "$(cat "$work/count")" -eq "$(wc -l <"$work/names")" ] || { echo 'an attribute that is not CW_DEPRECATED("use NEW"), behind the name'; failed=1; }
sed -n '/^## Deprecated names/,/^## Supp/s/^| `\([A-Za-z0-9_]*\)` | `\([A-Za-z0-9_]*\)` | [0-9.]* | \([0-9.]*\) |$/\1 \2 \3/p' \
  docs/reference/releases.md | sort >"$work/table"
cut -d' ' -f1,2 "$work/table" | diff "$work/names" - || { echo 'the headers (<) and the table of docs/reference/releases.md (>) differ'; failed=1; }
while read -r old fresh removed; do
  printf '#include <causeway.h>\nlong value = %s;\n' "$old" >"$work/use.c"
  warns "use $fresh" "$CC" "$work/use.c"
  [ "$(printf '%s\n' "$removed" "$version" | sort -V | head -n 1)" != "$removed" ] ||
    { echo "$old is to be removed in version $removed, and this is $version"; failed=1; }
done <"$work/table"
exit $failed
