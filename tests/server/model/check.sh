#!/bin/sh
# Searches the model with spin: check.sh NEXT_HOPS TOPOLOGY NODES REQUESTS any|hot [fails]
# fails: an error must be found. Exit status 77: there is no spin.
set -eu
next_hops=$1 topology=$2 nodes=$3 requests=$4 targets=$5 expected=${6:-passes}
model=$(dirname "$(readlink -f "$0")")/forwarding.pml
command -v spin >/dev/null || { echo "skipped: needs spin" >&2; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
"$next_hops" "$topology" "$nodes" >next_hops.h
cp "$model" model.pml
defines=-DREQUESTS=$requests
[ "$topology" != ring ] || defines="$defines -DRING"
[ "$targets" = any ] || defines="$defines -DHOT"
spin -a $defines model.pml
# NOFAIR, SAFETY: deadlocks and assertions. What is too large for memory is an error.
${CC:-cc} -w -O1 -DSAFETY -DNOFAIR -DCOLLAPSE -DMEMLIM=1500 -DVECTORSZ=4096 -o pan pan.c
./pan -m2000000 -w22 >output 2>&1 || { cat output; exit 1; }
grep -E 'errors:|states, stored|pan: wrote|pan:1|assertion|invalid' output
if grep -qE 'out of memory|max search depth too small|Search not completed' output &&
   [ "$expected" = passes ]; then
  echo 'the search is not complete'
  exit 1
fi
case $expected in
passes) grep -q 'errors: 0' output ;;
fails) ! grep -q 'errors: 0' output ;;
esac
