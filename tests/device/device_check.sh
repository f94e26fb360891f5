# What tools/device-check.sh says of the outcomes of tests: a ctest of ours has them. Usage: device_check.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# outcome STATUS WORDS CTEST-STATUS LINES: what ctest prints, and what must come of it
outcome() {
  { echo '#!/bin/sh'; echo "cat <<'E'"; echo "$4"; echo E; echo "exit $3"; } >"$folder/ctest"
  chmod +x "$folder/ctest"
  got=0
  CTEST=$folder/ctest sh "$SOURCE/tools/device-check.sh" "$folder" "$folder/file" >"$folder/said" || got=$?
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
exit $failed
