# Checks a model with spin; next_hops writes the topology for the model of credits and forwarding.
# Usage: check.sh NEXT_HOPS MODEL TOPOLOGY NODES RESULT SPIN-DEFINITIONS...
# RESULT is what the search must give: fine, no error and no invalid end state; ends, no infinite run; or the first error:
# deadlock, an invalid end state; cycle, an infinite run; disorder, a violated assertion about `executed`; violated:TEXT, a
# violated assertion that contains TEXT.
set -eu
next_hops=$1 model=$2 topology=$3 nodes=$4 wanted=$5
shift 5
compiler=${CC:-gcc}
for program in spin $compiler; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$model" "$folder"
cd "$folder"
"$next_hops" "$topology" "$nodes" >topology.h
spin -a "$@" "$(basename "$model")" >spin.log || { cat spin.log; exit 1; }
search=-DSAFETY options=
case $wanted in
ends | cycle) search=-DNP options=-l ;; # no model has a progress label, so every cycle is one without progress
esac
# -O0: most searches take less time than a compiler that optimizes.
$compiler -O0 -w $search -DCOLLAPSE -DVECTORSZ=4096 -DMEMLIM=1500 -o pan pan.c
./pan -m1000 -w22 $options >pan.log || true # a reached limit is in the log
grep -E 'errors:|stored|elapsed|error:|pan:' pan.log || cat pan.log

if grep -qE 'max search depth|memory limit|out of memory|interrupted' pan.log; then
  echo "the search was not finished"
  exit 1
fi
case $wanted in
fine | ends) grep -q 'errors: 0' pan.log ;;
deadlock) grep -q '^pan:1: invalid end state (at depth' pan.log ;;
cycle) grep -q '^pan:1: non-progress cycle' pan.log ;;
disorder) grep -q '^pan:1: assertion violated .*executed' pan.log ;;
violated:*) grep '^pan:1: assertion violated' pan.log | grep -qF "${wanted#violated:}" ;;
esac
