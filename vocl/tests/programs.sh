# Programs of other projects print through libcw-vocl the same as on the vendor's OpenCL.
# Usage: programs.sh LIBRARY ROOT NAME [PART]: NAME is a function below; ROOT is what vocl/scripts/opencl-programs.sh has made.
# OCL_ICD_VENDORS names the vendor's library. VOCL_PROXIES: number of proxies of a service of VOCL_PROGRAM, the program
# cw-vocl; programs that can choose use the last one's device. Exit status 77: the program is not installed.
set -eu
library=$1 root=$2 name=$3 part=${4:-}
skip() { echo "skipped: $*"; exit 77; }
[ -e "$root/programs" ] || skip "no programs: sh vocl/scripts/opencl-programs.sh build/opencl-programs"
vendor=$OCL_ICD_VENDORS
while IFS= read -r line; do export "${line?}"; done <"$root/programs"
LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$PROGRAMS_LIBRARIES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
last=0
if [ "${VOCL_PROXIES:-0}" -gt 0 ]; then
  program=$VOCL_PROGRAM last=$((VOCL_PROXIES - 1))
  . "$(dirname "$0")/service.sh"
  begin "$VOCL_PROXIES"
fi

# Masks expected differences: names of the platform, times, addresses.
without_differences() {
  sed -e '/[Pp]latform/d' -e '/^[0-9]* warnings\{0,1\} generated/d' -e 's/0x[0-9a-f]*//g' "$@"
}
# on DEVICE COMMAND...: "@" in a word of the command stands for the number.
on() {
  device=$1
  shift
  for word; do
    shift
    set -- "$@" "$(printf '%s' "$word" | sed "s/@/$device/")"
  done
  "$@"
}
# both COMMAND...: natively, then through our library; outputs in $work/native and $work/ours.
both() {
  native=0 ours=0
  on 0 "$@" >"$work/native.raw" 2>&1 || native=$?
  CW_VOCL_VENDORS=$vendor OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library on $last "$@" >"$work/ours.raw" 2>&1 ||
    ours=$?
  without_differences "$work/native.raw" >"$work/native"
  without_differences "$work/ours.raw" >"$work/ours"
}
complain() { # WHAT
  echo "FAILED: $1: natively exit status $native, through libcw-vocl $ours; the outputs differ by:"
  diff "$work/native" "$work/ours" | head -n 20 || true
  failed=1
}
# same COMMAND...: with the same output and exit status, which is 0.
same() {
  both "$@"
  [ "$native" -eq 0 ] || { tail -n 5 "$work/native.raw" && skip "$1 does not run natively ($native)"; }
  [ "$native" -eq "$ours" ] && cmp -s "$work/native" "$work/ours" || complain "$*"
}
# only PATTERN...: keep these lines of both outputs before they are compared.
compare_only() { # PATTERN COMMAND...
  pattern=$1
  shift
  both "$@"
  [ "$native" -eq 0 ] || { tail -n 5 "$work/native.raw" && skip "$1 does not run natively ($native)"; }
  for side in native ours; do
    grep -oE "$pattern" "$work/$side.raw" >"$work/$side" || true
  done
  [ -s "$work/native" ] || { echo "FAILED: $1 says nothing of $pattern"; failed=1; }
  [ "$native" -eq "$ours" ] && cmp -s "$work/native" "$work/ours" || complain "$*"
}

# Properties of a device, without those that differ, which are listed here.
clinfo() {
  left_out='_khr_|__opencl_c_|buffer sharing|Atomics|^ *Atomic (memory|fence)|read/write image args|ommand buffer|queue prop'
  left_out="$left_out|Out-of-order exec|Profiling  |native kernels|SPIR|Success \[|cl_pocl|Extensions"
  # shellcheck disable=SC2046 # one argument each
  compare_only "^.*$" "$PROGRAMS/clinfo" $([ $last -eq 0 ] || echo -d 0:@) >"$work/log"
  failed=0
  for side in native ours; do
    without_differences "$work/$side.raw" | grep -vE "$left_out" >"$work/$side"
  done
  lines=$(wc -l <"$work/ours")
  [ "$lines" -ge 60 ] || { echo "FAILED: only $lines lines are compared" && failed=1; }
  cmp -s "$work/native" "$work/ours" || complain clinfo
}

# verdict FILE: prints piglit's verdict.
verdict() { sed -n 's/^PIGLIT: {"result": "\([a-z]*\)".*/\1/p' "$1" | tail -n 1; }
# piglit_case COMMAND...: where the vendor's library ends the program without a verdict, we may do better.
piglit_case() {
  both "$@"
  wanted=$(verdict "$work/native.raw") got=$(verdict "$work/ours.raw")
  [ -n "$wanted" ] || wanted="none (exit status $native)"
  [ -n "$got" ] || got="none (exit status $ours)"
  echo "$wanted" >>"$work/verdicts"
  case $wanted in
  none*) return 0 ;;
  "$got") [ "$native" -eq "$ours" ] && return 0 ;;
  esac
  complain "piglit's ${1##*/} ${2:-}: $wanted, $got"
}
summary() { # LEAST
  sort "$work/verdicts" | uniq -c
  passed=$(grep -cx pass "$work/verdicts" || true)
  [ "$passed" -ge "$1" ] || { echo "FAILED: only $passed pass natively" && failed=1; }
}
piglit_api() {
  for each in "$PIGLIT_SOURCE_DIR"/bin/cl-*; do
    [ "${each##*/}" = cl-program-tester ] || piglit_case "$each"
  done
  summary 40
}
# NUMBER kernels of piglit's, from the first on, or from FIRST on: PART is [FIRST+]NUMBER.
piglit_kernels() {
  first=1
  case $part in *+*) first=${part%+*} part=${part#*+} ;; esac
  find "$PIGLIT_SOURCE_DIR/tests/cl" "$PIGLIT_SOURCE_DIR/generated_tests/cl" -name '*.cl' -o -name '*.program_test' |
    sort | tail -n "+$first" | head -n "$part" >"$work/list"
  while IFS= read -r file; do
    piglit_case "$PIGLIT_SOURCE_DIR/bin/cl-program-tester" "$file"
  done <"$work/list"
  summary $(($(wc -l <"$work/list") * 6 / 10))
}

ffmpeg() {
  { printf 'YUV4MPEG2 W128 H96 F25:1 Ip A1:1 C420\n'
    for frame in 1 2 3 4 5; do
      printf 'FRAME\n'
      awk -v x="$frame" 'BEGIN { for (i = 0; i < 18432; i++) { x = (x * 1103 + 12345) % 65536; printf "%c", 33 + x % 90 } }'
    done; } >"$work/in.y4m"
  filters=format=yuv420p,hwupload,avgblur_opencl=3,unsharp_opencl,hwdownload,format=yuv420p
  compare_only 'MD5=[0-9a-f]{32}' "$PROGRAMS/ffmpeg" -v error -init_hw_device opencl=ocl:0.@ -filter_hw_device ocl \
    -i "$work/in.y4m" -vf $filters -f md5 -
}

clblast() {
  for test in ${part:-xdot xher xgemv xtrsv}; do
    compare_only '[0-9]+ test\(s\) [a-z]+' "$PROGRAMS/clblast_test_$test" -platform 0 -device @
  done
}

clfft() {
  for sizes in '-x 1024' '-x 256 -y 256 --double'; do
    # shellcheck disable=SC2086 # words
    both "$PROGRAMS/clFFT-client" $sizes -p 3
    sed -i '/^Execution/d' "$work/native" "$work/ours"
    [ "$native" -eq 0 ] || skip "clFFT-client does not run natively"
    [ "$ours" -eq 0 ] && cmp -s "$work/native" "$work/ours" || complain "clFFT-client $sizes"
  done
}

pyopencl() {
  python=$(command -v /usr/bin/python3) || skip "no /usr/bin/python3"
  same "$python" "$(dirname "$0")/programs.py"
}

hashcat() {
  printf password | md5sum | cut -d' ' -f1 >"$work/hash.txt"
  cd "$HASHCAT"
  compare_only '^[0-9a-f]{32}:.*|Status\.+: .*' ./hashcat -m 0 -a 3 -D 1 --force --potfile-disable --quiet \
    "$work/hash.txt" 'passwo?l?l'
}

clpeak() {
  compare_only 'Kernel launch latency|Compute units.*' "$PROGRAMS/clpeak" -d @ --kernel-latency
}

# Through the library alone, through one proxy, through proxies of three nodes.
by_all() { # NAME [PART]
  for proxies in 0 1 3; do
    echo "== $*, $proxies proxies"
    status=0
    VOCL_PROXIES=$proxies sh "$0" "$library" "$root" "$@" || status=$?
    [ $status -eq 0 ] || [ $status -eq 77 ] || failed=1
  done
}
# For nightly tests: everything except piglit's kernels, and some of these.
all() {
  for each in clinfo piglit_api ffmpeg clblast clfft pyopencl clpeak hashcat; do by_all $each; done
}
kernels() { by_all piglit_kernels "$part"; }

$name
[ "${VOCL_PROXIES:-0}" -eq 0 ] || finish
exit $failed
