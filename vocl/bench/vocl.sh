#!/bin/sh
# Virtual OpenCL beside the vendor's, which is PoCL: times of calls, and of programs of other projects.
#   vocl.sh BUILD_DIR [calls]       BUILD_DIR: build/mpich/vocl, or where vocl/ was built alone
# calls                    no programs
# ROUNDS=101               turns of calls; programs have a fifth or a tenth of them
# PROXY='VARIABLE=value'   one more side: the same library, in this environment
set -eu
build=$(readlink -f "${1:?usage: vocl.sh BUILD_DIR [calls]}") what=${2:-}
root=$(readlink -f "$(dirname "$0")/../..")
bench=$build/bench/causeway-vocl library=$build/libcw-vocl.so
rounds=${ROUNDS:-101}
[ -e "$root/build/pocl-root/pocl" ] || { echo 'vocl.sh: no PoCL: sh scripts/pocl-root.sh build/pocl-root' >&2; exit 77; }
while IFS= read -r line; do export "${line?}"; done <"$root/build/pocl-root/pocl"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export POCL_CACHE_DIR="$cache"

vendor=$OCL_ICD_VENDORS
ours="OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library CW_VOCL_VENDORS=$vendor"
set -- native "OCL_ICD_VENDORS=$vendor" library "$ours"
[ -z "${PROXY:-}" ] || set -- "$@" proxy "$ours $PROXY"

echo "$(basename "$vendor"), turns: $rounds"
"$bench" calls "$rounds" "$@"

[ "$what" != calls ] || exit 0
list=$root/build/opencl-programs/programs
[ -e "$list" ] || { echo 'no programs: sh vocl/scripts/opencl-programs.sh build/opencl-programs'; exit 0; }
while IFS= read -r line; do export "${line?}"; done <"$list"
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$PROGRAMS_LIBRARIES" OPENBLAS_NUM_THREADS=1
echo
"$bench" heads
"$bench" program $((rounds / 5 + 1)) clinfo "$PROGRAMS/clinfo" "$@"
"$bench" program $((rounds / 10 + 1)) xgemv "$PROGRAMS/clblast_test_xgemv -platform 0 -device 0" "$@"
"$bench" program $((rounds / 5 + 1)) clFFT "$PROGRAMS/clFFT-client -x 256 -y 256 --double -p 3" "$@"
