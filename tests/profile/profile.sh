#!/bin/sh
# profile.sh NAME SOURCE PROCESSES PROGRAM MPIEXEC...: checks that the profile of a known program is right and matches its
# schema. SOURCE is the program's source, with marks at its call sites. A program that sets its locale has a decimal comma.
set -eu
name=$1 source=$2 processes=$3 program=$4
shift 4
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/locales"
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' |
  localedef -c "$work/locales/comma" >"$work/locales/said" 2>&1 || true # other parts of a locale are missing
[ -f "$work/locales/comma/LC_NUMERIC" ] || { cat "$work/locales/said"; echo 'FAILED: no locale'; exit 1; }
# Some programs have no timeline, because each call is clocked with a timeline.
case $program in *static* | *fortran*) timeline= ;; *) timeline=$work/timeline.json ;; esac
case $name in threads) room=5000 ;; *) room=65536 ;; esac
LOCPATH=$work/locales LC_NUMERIC=comma CW_PROFILE=$work/profile CW_TIMELINE=$timeline CW_TIMELINE_EVENTS=$room \
  "$@" -n "$processes" "$program" 2>"$work/screen" || { cat "$work/screen"; exit 1; }
cat "$work/screen"
awk 'length($0) > 80 && !/^(causeway)?\[/ { print "FAILED: more than 80 columns: " $0; bad = 1 } /^---- /, /^---- all of it/ { n++ }
  END { if (n < 8) print "FAILED: no screen"; exit bad || n < 8 }' "$work/screen"
! LC_ALL=C grep -q '[[:cntrl:]]' "$work/screen" || { echo 'FAILED: the screen has control characters'; exit 1; }
[ "$(ls "$work")" = "locales
profile
screen${timeline:+
timeline.json}" ] || { ls "$work"; echo 'FAILED: other files than the profile are left'; exit 1; }
[ -z "$timeline" ] || python3 "$here/timeline.py" "$timeline" "$work/profile" "$processes"
python3 "$here/check.py" "$here/../../docs/reference/profile.schema.json" "$work/profile" "$name" "$source" "$processes"
