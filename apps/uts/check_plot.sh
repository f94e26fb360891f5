#!/bin/sh
# Checks that `uts --plot` draws a picture, or reports why it cannot. Usage: check_plot.sh MPIEXEC... UTS
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() {
  echo "$*" >&2
  exit 1
}

"$@" T5 --plot "$work/picture.svg" || wrong "uts fails with --plot"
if command -v xmllint >/dev/null; then
  xmllint --noout "$work/picture.svg" || wrong "the picture is no XML"
fi
[ "$(tail -n 1 "$work/picture.svg")" = "</svg>" ] || wrong "the picture has no end"
grep -q 'Search of T5' "$work/picture.svg" || wrong "the picture has no title"
for process in 0 1; do
  grep -q ">process $process<.*busy [0-9.]* %" "$work/picture.svg" || wrong "process $process has no line"
done
# Both processes visit nodes, so their bars have a height.
[ "$(grep -c "fill='#0060ad' d='M110 [0-9.]*\(H[0-9]*V[0-9.]*\)\{2,\}Z'" "$work/picture.svg")" = 2 ] ||
  wrong "there are not two bars"

if "$@" T5 --plot "$work/no/picture.svg" >"$work/out" 2>&1; then
  wrong "a picture in a folder that is not there is no error"
fi
grep -q "cannot write $work/no/picture.svg: No such file" "$work/out" ||
  wrong "this is what uts says of a folder that is not there: $(cat "$work/out")"
! grep -q 'nodes, depth' "$work/out" || wrong "uts searches before it looks for the file"
