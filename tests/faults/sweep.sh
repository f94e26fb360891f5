#!/bin/sh
# sweep.sh allocations|calls|system known-list command...
# Runs the command (2 processes of a program with tests/faults/inject.c) once without faults, to find where and how often the
# library allocates memory (or calls MPI, or the file system). Then runs it once for each of those calls, which fails on one
# process. Each run must end soon, with success or with a message about the failed call. A hang, a crash, "bug in Causeway",
# wrong data, a report of misuse that the program did not commit, or memory that is left is an error.
#
#   CW_TEST_FAULT_TRIES=20    number of faults that are tried, in an order that spreads over all of them; 0 means all
#   CW_TEST_FAULT_ONLY=regex  only sites whose name matches: a file, a function
#   CW_TEST_FAULT_OFFSET=n    where in that order to begin; by default another place each time, which is printed
#   CW_TEST_FAULT_LASTS=1     all later calls on that process fail, too
#   CW_TEST_FAULT_KNOWN=0     try the sites in the known list, too
#   CW_TEST_FAULT_HANG=100    seconds after which a process hangs
# All of one layout by hand (5 to 20 minutes):
#   export CW_CHUNK_SIZE=262144 CW_SERVER_BULK=16384 CW_SERVER_TIMEOUT=8 CW_NODE_SIZE=1
#   CW_TEST_FAULT_TRIES=0 sh tests/faults/sweep.sh calls tests/faults/known.txt \
#     mpiexec.mpich -n 2 build/mpich/tests/faults/faults_native
# One fault by hand, with a name that the sweep prints (without GO_ON it ends at the first error):
#   CW_TEST_FAULT_SITE=calloc@src/core/base/hash_map.c:grow:22 CW_TEST_FAULT_NUMBER=1 CW_TEST_FAULT_RANK=0 \
#     CW_TEST_FAULT_GO_ON=1 mpiexec.mpich -n 2 build/mpich/tests/faults/faults_native
kind=$1 known=$2
shift 2
[ "$kind" = calls ] || export CW_TEST_FAULT_GO_ON=1
: "${CW_TEST_FAULT_TRIES:=20}"
: "${CW_TEST_FAULT_OFFSET:=$(($(date +%s) % 9973))}"
[ "${CW_TEST_FAULT_KNOWN:-1}" = 1 ] || known=/dev/null
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR="$work/tmp" OMPI_MCA_btl_vader_backing_directory="$work/tmp"

run() {
  rm -rf "$work/tmp"/*
  timeout -k 3 60 "$@" >"$work/output" 2>&1
}

# Open MPI's launcher hangs in about one of several hundred jobs that MPI_Abort ends. A job that hangs is run once more, and
# this is reported.
run_twice() {
  code=0
  run "$@" || code=$?
  [ $code = 124 ] || [ $code = 137 ] || return $code
  echo "once more, because the job did not end: CW_TEST_FAULT_SITE=$site CW_TEST_FAULT_NUMBER=$number CW_TEST_FAULT_RANK=$rank"
  run "$@"
}

# Prints rank and number of the pieces of memory that the library has not freed.
pieces() {
  sed -n 's/^.*left: rank \([0-9]*\) has \([0-9-]*\) pieces.*/\1 \2/p' "$1" | sort
}

# Prints why the run that ended with this status is wrong, or nothing if it is right.
judge() {
  # UCX 1.18 aborts, with its own message, a process that copies from one that has ended.
  if grep -q 'process_vm_[a-z]*v(.* No such process' "$work/output"; then
    sed -i '/^FAILED: rank [0-9]* crashes (signal 6)/d' "$work/output"
  fi
  said='^causeway(\[[0-9]+\])?: '
  if grep -q '^FAILED' "$work/output"; then
    grep -m1 '^FAILED' "$work/output"
  elif grep -q 'bug in Causeway' "$work/output"; then
    grep -m1 'bug in Causeway' "$work/output"
  elif grep -qE 'FAILED|Segmentation fault|[Ss]ignal:? (Seg|Abort|Bus|Float|[0-9]*.?(4|6|7|8|11)[^0-9])' "$work/output"; then
    grep -m1 -E 'FAILED|Segmentation|[Ss]ignal' "$work/output"
  elif [ "$1" = 124 ] || [ "$1" = 137 ]; then
    echo "the job did not end"
  elif ! grep -q '^fault: ' "$work/output"; then
    [ "$1" = 0 ] || echo "ended with status $1, and nothing had failed"
  elif find "$work/tmp" -name '*.partial' | grep -q . && [ "$2" != sys_unlink ]; then
    echo "a file that is not complete is left"
  elif [ "$1" = 0 ]; then
    if [ "$(grep -c 'is well' "$work/output")" != 2 ]; then
      echo "ended with status 0, but not well"
    else
      pieces "$work/output" | awk -v clean="$clean" '
        BEGIN { split(clean, had) }
        $2 > had[$1 + 1] { print "rank " $1 " leaves " $2 " pieces of memory, and not " had[$1 + 1]; exit }'
    fi
  elif ! grep -qE "$said" "$work/output"; then
    echo "ended with status $1 without a sentence"
  elif [ "$kind" != system ] && ! grep -qE "$said.*($2|memory|MPI_Test|(process|rank) [0-9]+ cannot)" "$work/output"; then
    echo "no sentence names what failed"
  fi
}

if ! CW_TEST_FAULT_LIST="$work/list" run "$@"; then
  cat "$work/output"
  echo "FAILED: not even without faults"
  exit 1
fi

clean=$(pieces "$work/output" | cut -d' ' -f2 | tr '\n' ' ')

# Prints lines of rank, number and site: the first call of every site first, then some of the later ones, including the last.
for rank in 0 1; do
  sed "s/^/$rank /" "$work/list.$rank"
done | awk -v kind=$kind '
  kind == ($3 ~ /^MPI_/ ? "calls" : $3 ~ /^sys_/ ? "system" : "allocations") {
    for (number = 1; number < $2; number *= 2)
      print number, $1, number, $3
    print number, $1, $2, $3
  }' | sort -n -k1,1 -k4 -k3,3 | cut -d' ' -f2- >"$work/plan"
grep -v '^ *#' "$known" | grep . | cut -d' ' -f1 >"$work/skipped"
grep -vFf "$work/skipped" "$work/plan" | grep -E -- "${CW_TEST_FAULT_ONLY:-@}" >"$work/left"
plan=$(wc -l <"$work/plan") left=$(wc -l <"$work/left")
echo "$plan faults, $((plan - left)) of them known or not asked for; CW_TEST_FAULT_OFFSET=$CW_TEST_FAULT_OFFSET"

[ "$CW_TEST_FAULT_TRIES" -gt 0 ] && [ "$CW_TEST_FAULT_TRIES" -lt "$left" ] || CW_TEST_FAULT_TRIES=$left
tried=0 wrong=0 well=0
# Steps by the golden section spread evenly over all of them.
stride=$(awk -v n="$left" 'function gcd(a, b) { return b == 0 ? a : gcd(b, a % b) }
  BEGIN { s = int(n * 0.618) + 1; while (gcd(s, n) > 1) s++; print s }')
while [ $tried -lt "$CW_TEST_FAULT_TRIES" ]; do
  line=$(((CW_TEST_FAULT_OFFSET + tried * stride) % left + 1))
  tried=$((tried + 1))
  read -r rank number site <<END
$(sed -n "${line}p" "$work/left")
END
  CW_TEST_FAULT_SITE=$site CW_TEST_FAULT_NUMBER=$number CW_TEST_FAULT_RANK=$rank run_twice "$@"
  status=$?
  why=$(judge $status "${site%@*}")
  [ $status = 0 ] && well=$((well + 1))
  [ -z "$why" ] && continue
  wrong=$((wrong + 1))
  echo "--- CW_TEST_FAULT_SITE=$site CW_TEST_FAULT_NUMBER=$number CW_TEST_FAULT_RANK=$rank: $why"
  grep -vE '^ *(=|$)' "$work/output" | head -${CW_TEST_FAULT_LINES:-12} | cut -c1-300
done
echo "tried $tried faults of $left: $well ended well, $((tried - well - wrong)) with a sentence, $wrong wrong"
[ $wrong = 0 ] || echo "FAILED"
[ $wrong = 0 ] && [ $tried -gt 0 ]
