#!/bin/sh
# Does the benchmark run, cover every row, and find the data right? No times are judged.
#   smoke.sh BENCH MPIEXEC...
set -eu
bench=${1:?usage: smoke.sh BENCH MPIEXEC...}
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
csv=$folder/smoke.csv

"$@" -n 2 "$bench" --mode direct --rounds 1 --block 0.02 --csv "$csv" >"$folder/table" || {
  cat "$folder/table"
  echo 'smoke: the benchmark failed'
  exit 1
}

# operation, how many sizes
cat >"$folder/expected" <<END
put8 1
get8 1
fetch-add 1
put 12
get 12
acc 12
acc-one 12
put-rows 6
get-rows 6
acc-rows 6
create-free 1
barrier 1
fence 1
lock-unlock 1
END
awk -F, -v expected="$folder/expected" '
  BEGIN {
    while ((getline line < expected) > 0) { split(line, word, " "); sizes[word[1]] = word[2] }
  }
  NR == 1 { next }
  !($3 in sizes) { print "smoke: a row that nobody expects: " $0; bad = 1 }
  { seen[$3]++ }
  $6 <= 0 || $7 <= 0 { print "smoke: no time: " $0; bad = 1 }
  $12 !~ /^11/ { print "smoke: wrong data: " $0; bad = 1 }
  END {
    for (name in sizes)
      if (seen[name] != sizes[name]) {
        print "smoke: " name ": " seen[name] + 0 " rows, not " sizes[name]
        bad = 1
      }
    exit bad
  }' "$csv"
tail -n 1 "$folder/table"
