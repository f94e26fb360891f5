#!/bin/sh
# tools/pocl-root.sh FOLDER: puts PoCL, which makes the processor an OpenCL device, and Oclgrind, which runs kernels
# and finds wrong accesses, into FOLDER, with what they need that is not installed. They are unpacked, not installed: the
# starts of MPICH and of hwloc ask every OpenCL that is, and would take 0.2 s longer. Does nothing where that has been
# done. FOLDER/pocl and FOLDER/oclgrind then hold VARIABLE=value lines that make programs find the one or the other:
#   env $(cat build/pocl-root/pocl) program
set -eu
root=${1:?usage: tools/pocl-root.sh FOLDER}
[ ! -e "$root/pocl" ] || exit 0
. "$(dirname "$0")/fetch.sh"
has_apt pocl-root 'tests of OpenCL' || exit 0
mkdir -p "$root"
root=$(cd "$root" && pwd)

# What PoCL calls of clang's is in the libraries; the compiler as a program is not needed.
needed() {
  apt-get install -s --no-install-recommends pocl-opencl-icd oclgrind |
    awk '$1 == "Inst" && $2 !~ /^(clang-[0-9]+|libclang1-.*|llvm-.*)$/ { print $2 }'
}
fetch pocl-root "$root" 'PoCL and Oclgrind'
for package in "$root"/packages/*.deb; do
  dpkg-deb -x "$package" "$root"
done
rm -rf "$root/packages"

find_library() { # PATTERN...
  for found in "$@"; do
    [ ! -e "$found" ] || { echo "$found"; return; }
  done
  echo "pocl-root: there is no $1" >&2
  return 1
}
pocl=$(find_library "$root"/usr/lib/*/libpocl.so.*)
oclgrind=$(find_library "$root"/usr/lib/*/oclgrind/liboclgrind-rt-icd.so "$root"/usr/lib/*/liboclgrind-rt-icd.so)
# ocl-icd and Khronos's loader read one variable each. hwloc is not to ask OpenCL what there is.
variables() { # LIBRARY
  printf '%s\n' "LD_LIBRARY_PATH=${pocl%/*}" "OCL_ICD_VENDORS=$1" "OCL_ICD_FILENAMES=$1" HWLOC_COMPONENTS=-opencl
}
variables "$oclgrind" >"$root/oclgrind"
{ variables "$pocl" && echo POCL_MAX_PTHREAD_COUNT=1; } >"$root/pocl.new"
mv "$root/pocl.new" "$root/pocl"
