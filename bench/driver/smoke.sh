#!/bin/sh
# Checks that the benchmark runs, covers every row, and finds the data right. Times are not checked.
#   smoke.sh BENCH MPIEXEC...
set -eu
bench=${1:?usage: smoke.sh BENCH MPIEXEC...}
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
csv=$folder/smoke.csv

# check MODE OPTIONS COMMAND... Standard input has the expected rows: an operation and its number of sizes
check() {
  mode=$1 options=$2
  shift 2
  cat >"$folder/expected"
  # shellcheck disable=SC2086 # options in words
  "$@" -n 2 "$bench" --mode $mode --rounds 1 $options --csv "$csv" >"$folder/table" || {
    cat "$folder/table"
    echo "smoke: the benchmark failed, mode $mode"
    exit 1
  }
  awk -F, -v expected="$folder/expected" '
    BEGIN {
      while ((getline line < expected) > 0) { split(line, word, " "); sizes[word[1]] = word[2] }
    }
    NR == 1 { next }
    !($3 in sizes) { print "smoke: a row that nobody expects: " $0; bad = 1 }
    { seen[$3]++ }
    # -1 is also a time, that of a side that waits until a computing target stops
    $6 <= 0 || $7 == 0 { print "smoke: no time: " $0; bad = 1 }
    $12 !~ /^11/ { print "smoke: wrong data: " $0; bad = 1 }
    END {
      for (name in sizes)
        if (seen[name] != sizes[name]) {
          print "smoke: " name ": " seen[name] + 0 " rows, not " sizes[name]
          bad = 1
        }
      exit bad
    }' "$csv"
  echo "$mode: $(tail -n 1 "$folder/table")"
}

check direct '--block 0.02' "$@" <<END
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

# The module of another build.
cp "$(dirname "$bench")/bench_ours.so" "$folder/other.so"
check direct "--block 0.02 --only put8 --peer $folder/other.so" env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384 "$@" <<END
put8 1
END

"$@" -n 2 "$bench" --table copy --rounds 1 --block 0.001 --csv "$csv" >"$folder/table"
[ "$(wc -l <"$csv")" -eq 127 ] || {
  cat "$folder/table"
  echo 'smoke: the table of copies does not have 126 rows'
  exit 1
}
grep -q '^copy: .*times of the best way\|^copy: library$' "$folder/table" &&
  CW_COPY=library "$@" -n 2 "$bench" --table copy --rounds 1 --block 0.00001 >"$folder/forced" &&
  grep -q '^copy: CW_COPY requests library$' "$folder/forced" || {
  head -n 3 "$folder/table" "$folder/forced"
  echo 'smoke: the table of copies does not say by which way it copies, or takes another than CW_COPY'
  exit 1
}
echo "copies: $(tail -n 1 "$folder/table")"

# Runs on two virtual nodes.
check server '--block 0.02' env CW_NODE_SIZE=1 CW_ROUTE=server "$@" <<END
put8-fence 1
put8-fence-mean 1
get8 1
get8-mean 1
fetch-add 1
fetch-add-mean 1
put 8
get 8
acc 8
put-rows 3
get-rows 3
acc-rows 3
barrier 1
lock-unlock 1
END

check 'server --busy' '--block 0.02 --compute 20 --only acc' env CW_NODE_SIZE=1 CW_ROUTE=server \
  "$@" <<END
acc 8
acc-rows 3
END

# Tasks on one node, and on two virtual ones.
programs=$(dirname "$bench")
{ "$@" -n 2 "$programs/causeway-tasks" 1 1 && CW_NODE_SIZE=1 "$@" -n 2 "$programs/causeway-tasks" steal phase 1 1; } \
  >"$folder/table" || {
  cat "$folder/table"
  echo 'smoke: the benchmark of tasks failed'
  exit 1
}
[ "$(grep -c '^| [a-z0-9][^|]*| *[0-9.]* | [0-9.e+-]* |' "$folder/table")" -eq 24 ] || {
  cat "$folder/table"
  echo 'smoke: the tables of tasks do not have 24 rows'
  exit 1
}
echo "tasks: $(tail -n 1 "$folder/table")"

"$@" -n 2 "$programs/causeway-uneven" 1 100 >"$folder/table" || {
  cat "$folder/table"
  echo 'smoke: the benchmark of uneven tasks failed'
  exit 1
}
echo "uneven: $(tail -n 1 "$folder/table")"
if [ -x "$programs/causeway-uts-polling" ]; then
  # This program checks its results itself.
  "$@" -n 3 "$programs/causeway-uts-polling" T3 >"$folder/table" || {
    cat "$folder/table"
    echo 'smoke: the search by messages failed'
    exit 1
  }
  cat "$folder/table"
fi

# Arrays, if this build has them.
[ -x "$programs/causeway-arrays-causeway" ] || exit 0
ARMCI=causeway TURNS=1 ROUNDS=1 SECONDS_OF_TURN=0.0001 sh "$(dirname "$0")/../arrays/arrays.sh" "$programs" "$@" -n 2 >"$folder/table" || {
  cat "$folder/table"
  echo 'smoke: the benchmark of arrays failed'
  exit 1
}
[ "$(grep -c '^| [a-zA-Z]' "$folder/table")" -eq 75 ] || {
  cat "$folder/table"
  echo 'smoke: the table of arrays does not have 74 rows'
  exit 1
}
echo "arrays: $(tail -n 1 "$folder/table")"
