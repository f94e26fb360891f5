#!/bin/sh
# Runs, for `make device-check` on a machine with an NVIDIA device, the device tests on NVIDIA's own driver, then the
# benchmark of transfers and tiles on devices. The results go into one file, to be sent back.
# Usage: scripts/device-check.sh BUILD FILE
# BUILD has the programs built (target programs-device-check); what is not there is left out.
# BENCH, TILES: arguments of the benchmark and size of tiles' matrices, for tests. Exit status: 0 all passed, 1 some failed, 77 no device can be used here.
set -eu
build=${1:?usage: scripts/device-check.sh BUILD FILE}
file=${2:?usage: scripts/device-check.sh BUILD FILE}
source=$(cd "$(dirname "$0")/.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
say() { echo "device-check: $*" | tee -a "$file"; }
launcher=$(cat "$build/launcher" 2>/dev/null || true)
limit=$(command -v timeout >/dev/null && echo timeout 900 || true)

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
  echo "launcher: ${launcher:-none}"
  "$build/programs/cw-info" 2>&1 | sed 's/^/cw-info: /' || true
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

# run WHAT PROGRAM WORDS...: two processes of this program, with variables and arguments among the words.
run() {
  what=$1 program=$build/$2
  shift 2
  if [ ! -x "$program" ] || [ -z "$launcher" ]; then
    say "$what: left out, $([ -x "$program" ] && echo "no launcher in $build/launcher" || echo "$program is not built")"
    return
  fi
  variables=
  while [ $# -gt 0 ]; do
    case $1 in *=*) variables="$variables $1" && shift ;; *) break ;; esac
  done
  printf '\n## %s:%s -n 2 %s %s\n' "$what" "$variables" "$program" "$*" >>"$file"
  result=0
  env CW_DEVICE=cuda $variables $limit $launcher -n 2 "$program" "$@" >"$log" 2>&1 || result=$?
  cat "$log" >>"$file"
  if [ $result -eq 0 ]; then
    say "$what: done"
  else
    tail -n 5 "$log"
    say "$what: FAILED (exit status $result)"
    status=1
  fi
}
# Processes take devices in turn: where there are several, also the time on one.
if [ $status -ne 77 ]; then
  run 'benchmark' bench/causeway-device ${BENCH:-}
  run 'benchmark by agents' bench/causeway-device CW_DEVICE_PEER=agent ${BENCH:-}
  [ "$(nvidia-smi -L 2>/dev/null | wc -l)" -lt 2 ] ||
    run 'benchmark on one device' bench/causeway-device CUDA_VISIBLE_DEVICES=0 ${BENCH:-}
  run 'benchmark of two virtual nodes' bench/causeway-device CW_NODE_SIZE=1 ${BENCH:-}
  run 'tiles' apps/tiles/tiles CW_STATS=1 CW_LOG=2 --size "${TILES:-2000}"
fi
echo "Please send back $file"
exit $status
