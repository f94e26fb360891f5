#!/bin/sh
# tools/pocl-root.sh FOLDER: puts PoCL, which makes the processor an OpenCL device, and Oclgrind, which runs kernels
# and finds wrong accesses, into FOLDER, with what they need that is not installed. They are unpacked, not installed: the
# starts of MPICH and of hwloc ask every OpenCL that is, and would take 0.2 s longer. Does nothing where that has been
# done. FOLDER/pocl and FOLDER/oclgrind then hold VARIABLE=value lines that make programs find the one or the other:
#   env $(cat build/pocl-root/pocl) program
set -eu
root=${1:?usage: tools/pocl-root.sh FOLDER}
[ ! -e "$root/pocl" ] || exit 0
if ! command -v dpkg-deb >/dev/null || ! command -v apt-get >/dev/null; then
  echo "pocl-root: no apt here: tests of OpenCL will be skipped" >&2
  exit 0
fi
mkdir -p "$root/packages/partial"
root=$(cd "$root" && pwd)

# What PoCL calls of clang's is in the libraries; the compiler as a program is not needed.
needed() {
  apt-get install -s --no-install-recommends pocl-opencl-icd oclgrind |
    awk '$1 == "Inst" && $2 !~ /^(clang-[0-9]+|libclang1-.*|llvm-.*)$/ { print $2 }'
}
fetch() {
  list=$(needed) && [ -n "$list" ] && cd "$root/packages" && apt-get download $list
}
echo "pocl-root: fetching PoCL and Oclgrind into $root"
as_root=
[ "$(id -u)" -eq 0 ] || as_root='sudo -n'
if ! fetch >"$root/log" 2>&1 && ! { $as_root apt-get update && fetch; } >"$root/log" 2>&1; then
  tail -n 20 "$root/log" >&2
  echo "pocl-root: apt-get failed; its last lines are above" >&2
  exit 1
fi
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
