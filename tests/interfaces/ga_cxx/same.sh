#!/bin/sh
# A program that prints what each method of GA's C++ classes gives: its lines up to "the end" are those of every.txt,
# which a program on Debian's GA has printed.
# Usage: same.sh COMMAND...
set -u
here=$(dirname "$0")
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$@" >"$printed" || { echo "the program has failed: $?"; tail -5 "$printed"; exit 1; }
sed '/^the end$/q' "$printed" | diff "$here/every.txt" - || { echo 'these lines differ'; exit 1; }
