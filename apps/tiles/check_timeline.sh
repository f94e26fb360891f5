#!/bin/sh
# Checks that `tiles --timeline` shows the tasks of each worker. Usage: check_timeline.sh MPIEXEC... TILES
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() {
  echo "$*" >&2
  cat "$work/out" >&2
  exit 1
}

CW_DEVICE=host "$@" --size 300 --tile 30 --timeline "$work/picture.svg" >"$work/out" || wrong "tiles fails with --timeline"
if command -v xmllint >/dev/null; then
  xmllint --noout "$work/picture.svg" || wrong "the picture is no XML"
fi
[ "$(tail -n 1 "$work/picture.svg")" = "</svg>" ] || wrong "the picture has no end"
grep -q "The picture: $work/picture.svg" "$work/out" || wrong "the picture is not named"
# There are 2 workers with hosts alone, and 4 with devices alone and with both. Each line has 72 columns.
[ "$(grep -c '^  process [01] [a-z ]* |[-#+ ]\{72\}|$' "$work/out")" = 10 ] || wrong "there are not 10 workers"
[ "$(grep -c 'process [01] device' "$work/picture.svg")" = 4 ] || wrong "the picture does not have 4 devices"
# Checks which workers run tasks on hosts alone, and on devices alone.
sed -n '/^host/,/^device/p' "$work/out" | grep -q 'host  *|.*[#+]' || wrong "no host runs a task"
sed -n '/^device/,/^both/p' "$work/out" | grep -q 'device *|.*[#+]' || wrong "no device runs a task"
! sed -n '/^device/,/^both/p' "$work/out" | grep -q 'host  *|.*[-#+]' || wrong "a host runs a task of devices"
