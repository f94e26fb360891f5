#!/bin/sh
# Formatting, clang-tidy and cppcheck over all sources, flake8 and mypy over the Python package. Usage: scripts/lint.sh BUILD [FILE...]
# BUILD holds a compile_commands.json; with FILEs only these go through clang-format and clang-tidy. ANALYZER=no leaves
# out clang's search through paths, which takes three quarters of the time.
set -eu
build=${1:?usage: scripts/lint.sh BUILD [FILE...]}
shift
cd "$(dirname "$0")/.."
[ -f "$build/compile_commands.json" ] || { echo "lint: no $build/compile_commands.json" >&2; exit 2; }
jobs=$(nproc)
status=0

# Some files are compiled several times, with other headers or names: once is enough here. Generated files are left
# out: they do not exist before a build. Clang does not know all of gcc's options, nor
# starts compilers by ccache.
mkdir -p "$build/lint"
awk -v generated="\"$PWD/$build/" '/^\{/ { entry = "" }
  { gsub(/ -mmemset-strategy=[^ "]*/, ""); sub(/"command": "env ([^ ]*=[^ ]* )*[^ ]*ccache /, "\"command\": \""); entry = entry (entry == "" ? "" : "\n") $0 }
  /^  "file": / { file = $0; sub(/,$/, "", file) }
  /^\}/ { sub(/,$/, "", entry); if (!(file in seen) && !index(file, generated)) all = all (all == "" ? "" : ",\n") entry; seen[file] = 1 }
  END { print "[\n" all "\n]" }' "$build/compile_commands.json" >"$build/lint/compile_commands.json"
build=$build/lint

folders=
for folder in include src interfaces vocl apps bench examples programs tests; do
  [ ! -d $folder ] || folders="$folders $folder"
done
whole=no
[ $# -gt 0 ] || whole=yes
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $(find $folders -name '*.[ch]' ! -name msgtypesf.h | sort) # that one is Fortran

echo "lint: clang-format ($# files)"
unformatted=$(printf '%s\n' "$@" | xargs -n 50 -P "$jobs" clang-format --dry-run -Werror 2>&1 |
  sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: error: .*/clang-format -i \1/p' | sort -u)
[ -z "$unformatted" ] || { echo "$unformatted"; status=1; }

# The analyzer's path search is for what users run; tests have too many paths and the sanitizers.
tidy() { # tidy PATTERN OPTIONS...: the compiled files whose names match PATTERN
  pattern=$1
  shift
  echo "$compiled" | grep -E "$pattern" |
    xargs -r -n 24 -P "$jobs" clang-tidy --quiet -p "$build" "$@" 2>/dev/null || status=1
}
compiled=$({ printf '%s\n' "$@" && sed -n "s|^  \"file\": \"$PWD/\([^\"]*\)\".*|\1|p" "$build/compile_commands.json"; } | sort | uniq -d)
echo "lint: clang-tidy ($(echo "$compiled" | wc -l) files)"
if [ "${ANALYZER:-yes}" = no ]; then
  tidy '^(src|interfaces|vocl/src|apps|examples|programs)/' '--checks=-clang-analyzer-*' --extra-arg=-Wno-unknown-pragmas # gcc's
else
  tidy '^(src|interfaces|vocl/src|apps|examples|programs)/'
fi
tidy '^(tests|bench|vocl/tests|vocl/bench)/' '--checks=-clang-analyzer-*'

echo "lint: cppcheck"
cppcheck --quiet --error-exitcode=1 --project="$build/compile_commands.json" -j "$jobs" \
  --enable=warning,performance --inline-suppr \
  --suppressions-list=scripts/cppcheck-suppressions.txt || status=1

if [ "$whole" = yes ]; then
  echo "lint: flake8 and mypy"
  /usr/bin/python3 -m flake8 --max-line-length 140 --per-file-ignores '__init__.py:F401' bindings/python bench/python || status=1
  (cd bindings/python && mypy --cache-dir "$OLDPWD/$build/mypy") || status=1
fi

[ $status -ne 0 ] || echo "lint: clean"
exit $status
