#!/bin/sh
# scripts/pocl-root.sh FOLDER: puts PoCL, which makes the processor an OpenCL device, and Oclgrind, which runs kernels
# and finds wrong accesses, into FOLDER, with what they need that is not installed. They are unpacked, not installed: the
# starts of MPICH and of hwloc ask every OpenCL that is, and would take 0.2 s longer. Does nothing where that has been
# done. FOLDER/pocl and FOLDER/oclgrind then hold VARIABLE=value lines that make programs find the one or the other:
#   env $(cat build/pocl-root/pocl) program
# and FOLDER/pocl-own those of a PoCL for kernels of ours: it builds them in half the time (scripts/pocl-own.py).
set -eu
root=${1:?usage: scripts/pocl-root.sh FOLDER}
scripts=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$root/pocl-own" ] || exit 0
. "$scripts/fetch.sh"
[ -e "$root/pocl" ] || has_apt pocl-root 'tests of OpenCL' || exit 0
mkdir -p "$root"
root=$(cd "$root" && pwd)

# PoCL calls clang's libraries; the compiler as a program is not needed.
needed() {
  apt-get install -s --no-install-recommends pocl-opencl-icd oclgrind |
    awk '$1 == "Inst" && $2 !~ /^(clang-[0-9]+|libclang1-.*|llvm-.*)$/ { print $2 }'
}
unpack() {
  fetch pocl-root "$root" 'PoCL and Oclgrind'
  for package in "$root"/packages/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  rm -rf "$root/packages"
}
[ -e "$root/pocl" ] || unpack

find_library() { # PATTERN...
  for found in "$@"; do
    [ ! -e "$found" ] || { echo "$found"; return; }
  done
  echo "pocl-root: there is no $1" >&2
  return 1
}
pocl=$(find_library "$root"/usr/lib/*/libpocl.so.*)
oclgrind=$(find_library "$root"/usr/lib/*/oclgrind/liboclgrind-rt-icd.so "$root"/usr/lib/*/liboclgrind-rt-icd.so)
# ocl-icd and Khronos's loader read one variable each. hwloc must not query OpenCL.
variables() { # LIBRARY
  printf '%s\n' "LD_LIBRARY_PATH=${pocl%/*}" "OCL_ICD_VENDORS=$1" "OCL_ICD_FILENAMES=$1" HWLOC_COMPONENTS=-opencl
}
variables_of_pocl() { # FILE LIBRARY
  { variables "$2" && echo POCL_MAX_PTHREAD_COUNT=1; } >"$1.new"
  mv "$1.new" "$1"
}
variables "$oclgrind" >"$root/oclgrind"
variables_of_pocl "$root/pocl" "$pocl"

# A copy of PoCL with less beside it: it looks for its files from where it lies itself. Debian 12's: another one is taken
# whole.
make_own() {
  share=$root/own/usr/share/pocl
  own=$root/own/${pocl#"$root"/}
  llvm=$(LD_LIBRARY_PATH=${pocl%/*} ldd "$pocl" | awk '$1 ~ /^libLLVM-15/ { print $3 }')
  [ -n "$llvm" ] && command -v python3 >/dev/null || return 1
  rm -rf "$root/own"
  mkdir -p "$share" "${own%/*}"
  cp -L "$pocl" "$own"
  cp -R "${pocl%/*}/pocl" "${own%/*}"
  ln -s ../../../../usr/share/pocl/include "$share"
  for whole in "$root"/usr/share/pocl/kernel-*.bc; do # one for each kind of processor; older ones wait a little longer
    case $whole in
      *avx2.bc | *avx512.bc) python3 "$scripts/pocl-own.py" "$llvm" "$whole" "$share/${whole##*/}" || return 1 ;;
      *) ln -s "../../../../usr/share/pocl/${whole##*/}" "$share" ;;
    esac
  done
}
if make_own; then
  variables_of_pocl "$root/pocl-own" "$own"
else
  cp "$root/pocl" "$root/pocl-own"
fi
