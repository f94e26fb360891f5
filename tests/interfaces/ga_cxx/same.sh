#!/bin/sh
# Runs a program that prints the result of each method of GA's C++ classes. Its lines up to "the end" must be those of
# every.txt, which a program on Debian's GA has printed.
# Usage: same.sh COMMAND...
set -u
here=$(dirname "$0")
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$@" >"$printed" || { echo "the program has failed: $?"; tail -5 "$printed"; exit 1; }
sed '/^the end$/q' "$printed" | diff "$here/every.txt" - || { echo 'these lines differ'; exit 1; }
