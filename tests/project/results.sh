# The pages in docs/results are those that bench/show.sh makes of the CSV files there. Rows are named by their number and bytes.
# Tables that programs print become CSV and back, with commas and quotes; a long table is left out of its page.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE"
failed=0

sh bench/show.sh docs/results "$work"
for table in "$work"/*.md; do
  diff "docs/results/$(basename "$table")" "$table" || {
    echo "docs/results/$(basename "$table") is not what bench/show.sh makes"
    failed=1
  }
done
sh bench/performance.sh docs/results >"$work/performance"
sed -n '/^<!-- written by bench.performance.sh -->$/,/^<!-- end of bench.performance.sh -->$/p' docs/performance.md | sed '1d;$d' |
  diff - "$work/performance" || { echo 'docs/performance.md does not have the table of bench/performance.sh'; failed=1; }
[ "$(ls "$work" | wc -l)" -ge 6 ] || { echo 'hardly any table was made'; failed=1; }

printf 'mpi,mode,operation,bytes\nmpich,direct,put-rows,8,256,50,100,200,0,0,0,111,UNDER,ok\n' >"$work/rows.csv"
awk -f bench/driver/summary.awk "$work/rows.csv" | grep -qF '| put-rows | 256 x 8 | 100.0 ns | **0.50** | 2.00 |' || {
  echo '256 rows of 8 bytes are not called 256 x 8'
  failed=1
}

# shellcheck disable=SC2016 # backquotes of Markdown
printf 'on two hosts, TCP\n| call | time, s |\n|---|--:|\n| `f(a, b)` |   1.50 |\n| "g" | |\nthe end\n| call | n |\n|---|--:|\n| h | - |\n' >"$work/printed"
printf '    on two hosts, TCP\n\n| call | time, s |\n|---|--:|\n| `f(a, b)` | 1.50 |\n| "g" |  |\n\n    the end\n\n| call | n |\n|---|---|\n| h | - |\n' >"$work/expected"
awk -f bench/csv.awk "$work/printed" >"$work/printed.csv"
awk -f bench/table.awk "$work/printed.csv" | diff "$work/expected" - || { echo 'a printed table is not the same after CSV'; failed=1; }

mkdir "$work/long" "$work/pages"
{ printf '| call | bytes |\n|---|--:|\n' && seq 61 | sed 's/.*/| get | & |/'; } | awk -f bench/csv.awk >"$work/long/patches-mpich.csv"
sh bench/show.sh "$work/long" "$work/pages"
if grep -q '^|' "$work/pages/patches.md" || ! grep -qF '(patches-mpich.csv)' "$work/pages/patches.md"; then
  echo 'a table of 61 rows is in its page, or the page does not name the CSV file'
  failed=1
fi
sh bench/show.sh --table patches "$work/long" | grep -qF '| get | 61 |' || { echo 'show.sh --table lacks a row'; failed=1; }

for ways in 'string_ns,:90,:90 | 60 | 70 | 1.50' '::- | 60 | 70 | 1.50' 'string_ns,:30,:30 | 60 | 70 | 2.00'; do
  name=${ways%%:*} rest=${ways#*:}
  printf 'bytes,rows,difference,memcpy_ns,forward_ns,backward_ns,%scopy_ns,get_ns\n8,256,16,50,40,80,%s60,70\n' \
    "$name" "${rest%%:*}" >"$work/copies.csv"
  awk -f bench/driver/copy.awk "$work/copies.csv" | grep -qF "| 256 x 8 | 16 | 50 | 40 | 80 | ${rest#*:} |" || {
    echo "the table of copies is wrong: $ways"
    failed=1
  }
done

exit $failed
