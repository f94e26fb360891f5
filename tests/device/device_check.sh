# Checks what scripts/device-check.sh reports for each outcome of tests and programs, which a fake ctest and fake programs
# produce. Then runs the benchmark and tiles themselves on a library that is no driver. Usage: device_check.sh [BUILD DRIVER]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# outcome STATUS WORDS CTEST-STATUS LINES: ctest ends with CTEST-STATUS and prints LINES; the check must end with STATUS and
# print WORDS
outcome() {
  { echo '#!/bin/sh'; echo "cat <<'E'"; echo "$4"; echo E; echo "exit $3"; } >"$folder/ctest"
  chmod +x "$folder/ctest"
  got=0
  CTEST=$folder/ctest sh "$SOURCE/scripts/device-check.sh" "$folder" "$folder/file" >"$folder/said" || got=$?
  [ "$got" -eq "$1" ] && grep -qF "$2" "$folder/said" && grep -qF "$2" "$folder/file" &&
    grep -q '^processor: .*[1-9][0-9]* cores' "$folder/file" && return
  echo "exit status $got, not $1; '$2' should be said:"
  cat "$folder/said" "$folder/file"
  failed=1
}
pass='1/2 Test #3: device.backends.cuda.nvidia.n1 ......   Passed    0.50 sec'
skip='2/2 Test #4: device.cuda_shared.nvidia.n2 ........***Skipped   0.40 sec'
fail='2/2 Test #4: device.cuda_shared.nvidia.n2 ........***Failed    0.40 sec'
outcome 0 'all passed' 0 "$pass"
outcome 0 '1 of 1 tests passed' 0 "$pass"
outcome 1 'cuda_shared.nvidia.n2' 8 "$pass
$fail"
outcome 1 'others did not' 0 "$pass
$skip"
outcome 77 'no NVIDIA device to check: no libcuda.so.1' 0 "4: cuda_shared: skipped: no libcuda.so.1 (cannot open)
$skip"
outcome 1 FAILED 0 'No tests were found!!!'

# In the tests above the programs are missing and are left out. Now a benchmark exists, which ends with these statuses.
outcome 0 'benchmark: left out, '"$folder/bench/causeway-device is not built" 0 "$pass"
mkdir "$folder/bench"
program() { printf '#!/bin/sh\necho "$CW_DEVICE, $# words, CW_NODE_SIZE=$CW_NODE_SIZE"\nexit %s\n' "$1" >"$folder/bench/causeway-device"; }
program 0
chmod +x "$folder/bench/causeway-device"
outcome 0 "benchmark: left out, no launcher in $folder/launcher" 0 "$pass"
printf '#!/bin/sh\n[ "$1 $2" = "-n 2" ] || exit 9\nshift 2\nexec "$@"\n' >"$folder/launch"
chmod +x "$folder/launch"
echo "$folder/launch" >"$folder/launcher"
outcome 0 'benchmark: done' 0 "$pass"
grep -q 'cuda, 0 words, CW_NODE_SIZE=1' "$folder/file" || { cat "$folder/file" && failed=1; }
outcome 0 'tiles: left out' 0 "$pass"
program 3
outcome 1 'benchmark: FAILED (exit status 3)' 0 "$pass"
outcome 77 'no NVIDIA device to check: no libcuda.so.1' 0 "4: cuda_shared: skipped: no libcuda.so.1 (cannot open)
$skip"
! grep -q benchmark "$folder/said" || { echo 'a benchmark ran without a device' && failed=1; }

[ $# -gt 0 ] || exit $failed
# ours WORDS: the file of a whole check must contain the words
ours() { grep -q "$1" "$folder/file" || { echo "the file has no '$1'" && failed=1; }; }
printf '#!/bin/sh\necho "%s"\n' "$pass" >"$folder/ctest"
CTEST=$folder/ctest CW_CUDA_LIBRARY=$2 FAKE_CUDA_DELAY=0 FAKE_CUDA_TABLE=kernel_functions BENCH='1 1024' TILES=300 \
  sh "$SOURCE/scripts/device-check.sh" "$1" "$folder/file" || failed=1
ours 'cw-info: *cuda 1: .*fake device 1'
ours "fake device 1, one node"
ours "fake device 1, two virtual nodes"
ours 'benchmark by agents: done'
ours "put my device to a peer's"
ours '^both .*e-1[0-9]$\|tiles: left out'
[ $failed -eq 0 ] || cat "$folder/file"
exit $failed
