# Runs the random program on two libraries. With both, each result must agree with the model, and process 0 must print the
# same.
# Usage: same.sh ONE OTHER ROUNDS SEED...; ONE and OTHER are commands of several words.
set -u
one=$1 other=$2 rounds=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# run WHO COMMAND SEED
run() {
  # shellcheck disable=SC2086 # a command of several words
  $2 "$3" "$rounds" peer >"$work/$1" 2>"$work/$1.err" </dev/null && return
  echo "seed $3: $2 has failed:"
  tail -n 1 "$work/$1"
  head -n 20 "$work/$1.err"
  failed=1
}
for seed; do
  run one "$one" "$seed"
  run other "$other" "$seed"
  grep -q . "$work/one" || { echo "seed $seed: nothing was printed"; failed=1; }
  diff "$work/one" "$work/other" >"$work/differ" && continue
  echo "seed $seed: the first lines that differ:"
  head -n 6 "$work/differ"
  failed=1
done
exit $failed
