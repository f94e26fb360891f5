#!/bin/sh
# Runs the differential test's program twice and compares what they logged, line by line.
#
# Usage: compare.sh [--across] FOLDER ONE OTHER OPTIONS...
#   FOLDER     for the logs; made if it is missing
#   ONE, OTHER the two commands, each one argument: "mpiexec -n 2 .../differ_ga"
#   OPTIONS    for both programs: --seed 7 --operations 2000
#   --across   the numbers of processes differ: only what does not depend on it is compared
#
# ONE_OPTIONS and OTHER_OPTIONS in the environment go to one of them only. A difference is shown with
# both lines, all values of the round's arrays in full, and the commands that repeat it.
here=$(dirname "$0")
across=
if [ "$1" = --across ]; then
  across=1
  shift
fi
folder=$1 one=$2 other=$3
shift 3
mkdir -p "$folder" || exit 1
limit=${DIFFER_TIMEOUT:-100}

# run NAME COMMAND OPTIONS...: writes the logs FOLDER/NAME.0, .1, ... and the output FOLDER/NAME.out
run() {
  name=$1 command=$2
  shift 2
  rm -f "$folder/$name".*
  # shellcheck disable=SC2086 # a command of several words
  timeout "$limit" $command --log "$folder/$name" "$@" >"$folder/$name.out" 2>&1 </dev/null
}

# said NAME STATUS COMMAND: prints the end of the output of a run that failed
said() {
  [ "$2" -eq 0 ] && return
  bad=1
  echo "$3: ended with status $2; its last operations and words:"
  for log in "$folder/$1".[0-9]*; do
    echo "$log: $(tail -n 1 "$log" | cut -c 1-400)"
  done
  tail -n 8 "$folder/$1.out"
}

bad=0
# shellcheck disable=SC2086 # several options
run one "$one" "$@" $ONE_OPTIONS && status=0 || status=$?
said one "$status" "$one"
# shellcheck disable=SC2086 # several options
run other "$other" "$@" $OTHER_OPTIONS && status=0 || status=$?
said other "$status" "$other"

# Prints the difference in the earliest operation of all logs.
found=
for log in "$folder"/one.[0-9]*; do
  rank=${log##*.}
  [ -n "$across" ] && [ "$rank" != 0 ] && continue
  line=$(awk -v across="$across" -f "$here/compare.awk" "$log" "$folder/other.$rank") || {
    bad=1
    number=$(echo "$line" | sed -n '1s/^difference in \([0-9.]*\).*/\1/p')
    if [ -z "$found" ] || [ "$(printf '%s\n%s\n' "$number" "$least" | sort -V | head -n 1)" = "$number" ]; then
      found="process $rank: $line" least=$number
    fi
  }
done
if [ -n "$found" ]; then
  echo "$found"
  echo "to repeat this round, with all values:"
  for command in "$one $ONE_OPTIONS" "$other $OTHER_OPTIONS"; do
    echo "  $command $* --round ${least%%.*} --verbose --log /tmp/differ"
  done
fi
if [ $bad -eq 0 ]; then
  lines=$(cat "$folder"/one.[0-9]* | wc -l)
  echo "no difference in $lines lines: $*"
  [ "$lines" -gt 0 ] || exit 1 # programs that did nothing have proved nothing
fi
exit $bad
