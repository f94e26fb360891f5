# Each test must be registered by cw_add_test, have a name that begins with its folder, and a label for the target that runs
# it. `make check` must test every module, and few tests may run only in `make nightly`.
set -eu
cd "$SOURCE"
failed=0
say() { echo "$*"; failed=1; }
# names [--label-regex LABEL]
names() { ctest --test-dir "$BUILD" -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p'; }
has() { printf '%s\n' "$2" | grep -q "^$1\."; }

all=$(names)
quick=$(names --label-regex '^quick$')
nightly=$(names --label-regex '^nightly$')

others=$(grep -rlE '^ *add_test\(' --include=CMakeLists.txt --include='*.cmake' apps bench cmake examples tests programs vocl |
  grep -v '^cmake/CwTests.cmake$' || true)
[ -z "$others" ] || say "add_test in $others: cw_add_test gives names and labels"

for folder in $(printf '%s\n' "$all" | sed 's/\.[^.]*$//' | cut -d. -f1,2 | sort -u); do
  one=${folder%%.*} two=$(echo "$folder" | tr . /)
  [ -d "tests/$one" ] || [ -d "$one" ] || say "tests $folder: there is no folder $one or tests/$one"
  [ "$one" != apps ] && [ "$one" != interfaces ] || [ -d "tests/$two" ] || [ -d "$two" ] || say "tests $folder: no such folder"
done

for module in src/*/*/ interfaces/*/; do
  case $module in src/*) module=$(basename "$module") ;; *) module=interfaces.$(basename "$module") ;; esac
  case $module in mpi | interfaces.start) continue ;; esac # asked by the tests of all others
  has "$module" "$quick" || ! has "$module" "$all" || say "make check tests nothing of $module: no test of it is quick"
done

# On a busy machine a test of seconds takes minutes.
short=$(find "$BUILD" -name CTestTestfile.cmake -exec sed -n 's/.*tests_properties(\[=\[\(.*\)\]=\].* TIMEOUT "\([0-9]*\)".*/\1 \2/p' {} + |
  awk '$2 < 300')
[ -z "$short" ] || say "tests that are ended before five minutes are over: $short"

few=85
count=$(printf '%s\n' "$nightly" | grep -c . || true)
[ "$count" -le $few ] || say "$count tests are nightly: more than $few are a part of the building that CI does not see"
echo "$(printf '%s\n' "$all" | wc -l) tests, $(printf '%s\n' "$quick" | wc -l) quick, $count nightly"
exit $failed
