# differ.sh OURS THEIRS: checks that both programs print the same for some seeds.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for seed in 1 2 3 4 5; do
  "$1" $seed 2000 >"$work/ours"
  "$2" $seed 2000 >"$work/theirs"
  [ "$(wc -l <"$work/ours")" -gt 2000 ] || { echo "seed $seed: hardly anything was printed"; exit 1; }
  diff "$work/ours" "$work/theirs" >"$work/diff" || { echo "seed $seed:"; head -n 20 "$work/diff"; exit 1; }
done
