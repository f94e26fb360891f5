#!/bin/sh
# What `make device-check` runs on a machine with an NVIDIA device: the device tests on NVIDIA's own driver. All that is
# worth knowing goes into one file, to be sent back. Usage: tools/device-check.sh BUILD FILE
# BUILD has the tests built. Exit status: 0 all passed, 1 some failed, 77 no device can be used here.
set -eu
build=${1:?usage: tools/device-check.sh BUILD FILE}
file=${2:?usage: tools/device-check.sh BUILD FILE}
source=$(cd "$(dirname "$0")/.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
say() { echo "device-check: $*" | tee -a "$file"; }

{
  echo "# Causeway device-check, $(date -u '+%Y-%m-%d %H:%M UTC')"
  echo "revision: $(git -C "$source" describe --always --dirty 2>/dev/null || echo unknown)"
  echo "system: $(uname -srm), $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release 2>/dev/null | tr -d '"')"
  echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
  echo "memory: $(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
  echo "driver: $(head -n 1 /proc/driver/nvidia/version 2>/dev/null || echo none)"
  nvidia-smi --query-gpu=index,name,driver_version,memory.total,compute_mode --format=csv 2>&1 |
    sed 's/^/nvidia-smi: /' || true
  nvidia-smi topo -m 2>/dev/null | sed 's/^/topology: /' || true
  echo "MPI: $(sed -n 's/^CW_MPICC:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null)"
  echo "compiler: $(cc --version 2>/dev/null | head -n 1)"
} >"$file"

status=0
${CTEST:-ctest} --test-dir "$build" --label-regex '^nvidia$' --verbose >"$log" 2>&1 || status=1
cat "$log" >>"$file"
# ctest's own lines: " 1/2 Test #3: device.backends.cuda.nvidia.n1 ...   Passed    0.5 sec"
count() { grep -cE "^ *[0-9]+/[0-9]+ Test +#.*$1" "$log" || true; }
passed=$(count 'Passed') skipped=$(count '\*\*\*Skipped') all=$(count '')
say "$passed of $all tests passed, $skipped found no device"
if [ "$status" -ne 0 ] || [ "$all" -eq 0 ]; then
  grep -E '^ *[0-9]+/[0-9]+ Test +#' "$log" | grep -vE 'Passed|Skipped' | tee -a "$file" || true
  status=1
  say 'FAILED'
elif [ "$passed" -eq 0 ]; then
  status=77
  say "there is no NVIDIA device to check: $(sed -n 's/.*: skipped: //p' "$log" | head -n 1)"
elif [ "$skipped" -gt 0 ]; then
  status=1
  say 'FAILED: some tests found a device, and others did not'
else
  say 'all passed'
fi
echo "Please send back $file"
exit $status
