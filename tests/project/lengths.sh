# Files may have at most 700 lines, functions at most 80, and nine in ten functions at most 40.
set -eu
cd "$SOURCE"
folders=
for folder in include src interfaces vocl apps bench examples programs tests; do
  [ ! -d $folder ] || folders="$folders $folder"
done
failed=0

long=$(find $folders -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 700')
[ -z "$long" ] || { printf 'Files of more than 700 lines:\n%s\n' "$long"; failed=1; }

# A function body begins with a line "{" or with ") {" outside any other, and ends with } at the start of a line.
lengths=$(find $folders -name '*.c' | xargs awk '
  FNR == 1 { start = 0 }
  !start && (/^\{$/ || /\) \{$/) { start = FNR }
  /^}/ && start { print FNR - start + 1, FILENAME ":" start; start = 0 }' | sort -n)
echo "$lengths" | awk '$1 > 80 { print "more than 80 lines: " $2 " (" $1 ")"; bad = 1 } END { exit bad }' ||
  failed=1
echo "$lengths" | grep -vE ' (tests|bench|vocl/tests|vocl/bench)/' | awk '
  { length_of[NR] = $1 }
  END {
    p90 = length_of[int((NR * 9 + 9) / 10)]
    printf "%d functions, 90 %% have at most %d lines\n", NR, p90
    exit NR < 10 || p90 > 40
  }' || failed=1
exit $failed
