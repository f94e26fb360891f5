# Arrays on disk from job to job. Usage: dra_jobs.sh WHAT PROGRAM mpiexec...
#   processes  read by other numbers of processes and nodes; files that remain of an older array of that name
#   damaged    text and files that are cut off, foreign or missing: the array is not opened
#   full       no space, or a read-only folder: the job ends with a message, and an older array stays
#   killed     a job that is killed while it writes: the array is there, each number old or new
set -eu
what=$1
program=$2
shift 2
mpiexec=$*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() { # run PROCESSES arguments...
  count=$1
  shift
  # shellcheck disable=SC2086 # mpiexec is a list of words
  timeout 100 $mpiexec -n "$count" "$program" "$@"
}

ends() { # ends SENTENCE PROCESSES arguments...
  sentence=$1
  shift
  if run "$@" >output 2>&1; then
    cat output
    echo "the job succeeded: $*"
    exit 1
  fi
  grep -q -- "$sentence" output || { cat output; echo "it did not say: $sentence"; exit 1; }
  ! grep -E 'Sanitizer|runtime error' output || exit 1
}

broken() { # broken SENTENCE: the array cannot be opened
  run 2 broken "$work/array" >output 2>&1 || { cat output; exit 1; }
  grep -q -- "DRA_Open: $1" output || { cat output; echo "it did not say: $1"; exit 1; }
}

case $what in
processes)
  run 1 write one 7 1
  run 3 read one 7
  CW_NODE_SIZE=1 run 2 read one 7
  CW_NODE_SIZE=1 run 3 write three 8 0
  ls three.info three.0 three.1 three.2 >/dev/null
  run 1 read three 8
  CW_NODE_SIZE=1 run 4 read three 8
  CW_NODE_SIZE=2 run 4 again three 9
  run 2 read three 9
  # A new array of that name with other files: the files of the old one are deleted, and no others.
  echo 'of somebody' >three.3
  run 2 write three 5 2
  [ "$(echo three*)" = 'three.0 three.1 three.3 three.info' ] || { ls; echo 'of three files two are in use'; exit 1; }
  run 2 write three 6 1
  [ "$(echo three*)" = 'three three.3 three.info' ] || { ls; echo 'one file is in use'; exit 1; }
  run 1 write three 7 4
  [ "$(cat three.3 | head -c 8)" = Causeway ] || { echo 'three.3 is in use'; exit 1; }
  run 3 read three 7
  cp three.3 three.4
  run 2 delete three
  [ "$(echo three*)" = three.4 ] || { ls; echo 'deleted'; exit 1; }
  ;;
damaged)
  run 2 write "$work/array" 1 2
  mkdir kept
  cp array* kept
  restore() { cp kept/* .; }
  truncate -s 10000 array.1
  broken "file '$work/array.1' has only 10000 of the"
  restore
  truncate -s 10 array.0
  broken "file '$work/array.0' is not a disk resident array"
  restore
  cp array.0 array.1
  broken "file '$work/array.1' belongs to another array"
  restore
  rm array.1
  broken "file '$work/array.1' cannot be opened: No such file"
  restore
  head -c 4000 /dev/zero >array.info
  broken "file '$work/array.info' does not describe"
  printf '2 6 4 1001 1 6 4 1 1\narray\n' >array.info
  broken "file '$work/array.info' does not describe"
  sed 's/^dims .*/dims 9999999999 9999999999 9999999999/' kept/array.info >array.info
  broken "file '$work/array.info' does not describe"
  sed 's/^files .*/files 0/' kept/array.info >array.info
  broken "file '$work/array.info' does not describe"
  sed 's/^element .*/element 1/' kept/array.info >array.info
  broken "file '$work/array.info' does not describe"
  rm array.info
  broken "file '$work/array.info' cannot be opened: No such file"
  restore
  run 1 read "$work/array" 1
  run 2 write "$work/array" 2 2
  cp kept/array.info .
  broken "file '$work/array.0' belongs to another array"
  ;;
full)
  run 2 write array 1 1
  ends 'NDRA_Create: .*File too large' 2 limited array 2 1
  [ -z "$(find . -name '*.partial')" ] || { ls; echo 'something was left'; exit 1; }
  run 1 read array 1
  # One of two files fits.
  run 2 write array 1 2
  CW_NODE_SIZE=1 ends 'NDRA_Create: .*File too large' 2 limited array 2 2
  CW_NODE_SIZE=1 ends 'NDRA_Create: .*File too large' 2 limited other 2 2
  [ "$(echo *)" = 'array.0 array.1 array.info output' ] || { ls; echo 'something was left, or is gone'; exit 1; }
  run 1 read array 1
  ends "NDRA_Write: .*cannot be written to file 'late': File too large" 2 late late 2 1
  ends 'NDRA_Create: .*Not a directory' 2 write /dev/null/array 2 1
  # Without permission to mount, these are left out.
  if unshare -m true 2>/dev/null; then
    mkdir small
    export work program mpiexec
    unshare -m sh -eu -c '
      mount -t tmpfs -o size=64k tmpfs small
      timeout 100 $mpiexec -n 2 "$program" write small/array 2 1 >output 2>&1 && exit 1
      grep -q "NDRA_Write: .*cannot be written to file .small/array.: No space left" output || { cat output; exit 1; }
      until mount -o remount,ro small; do sleep 0.2; done # processes of the job that ended may have files open
      timeout 100 $mpiexec -n 2 "$program" write small/other 2 1 >output 2>&1 && exit 1
      grep -q "NDRA_Create: .*Read-only file system" output || { cat output; exit 1; }
      timeout 100 $mpiexec -n 2 "$program" broken small/array >output 2>&1 || { cat output; exit 1; }
      grep -q "DRA_Open: .*Read-only file system" output || { cat output; exit 1; }' ||
      { echo 'on a small file system'; exit 1; }
  fi
  ;;
killed)
  run 2 write array 1 2
  for after in 0.1 0.137; do
    # shellcheck disable=SC2086
    $mpiexec -n 2 "$program" forever array >said 2>&1 &
    job=$!
    until grep -q written said; do sleep 0.1; done
    sleep $after
    kill -9 $job
    wait $job 2>/dev/null || true
    sleep 0.3
    run 3 read array 1 2
  done
  ;;
esac
