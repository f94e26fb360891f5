#!/bin/sh
# tools/opencl-programs.sh FOLDER: puts programs that use OpenCL, and that nobody here wrote, into FOLDER: clinfo, piglit
# in part, CLBlast's tests, clFFT's client, ffmpeg, pyopencl, hashcat, clpeak, with the libraries of theirs that are not
# installed. They are Debian's, unpacked and not installed, and only tests use them (tests/vocl/programs.sh). Does nothing
# where that has been done. FOLDER/programs then holds VARIABLE=value lines with which they run. 330 MB; 140 MB to fetch.
set -eu
root=${1:?usage: tools/opencl-programs.sh FOLDER}
[ ! -e "$root/programs" ] || exit 0
if ! command -v dpkg-deb >/dev/null || ! command -v apt-get >/dev/null; then
  echo "opencl-programs: no apt here: tests of virtual OpenCL with others' programs will be skipped" >&2
  exit 0
fi
mkdir -p "$root/packages/partial"
root=$(cd "$root" && pwd)

# PoCL is tools/pocl-root.sh's. piglit needs much for its graphics, and of it only OpenCL's part is unpacked.
needed() {
  apt-get install -s --no-install-recommends clinfo clblast-tests clfft-client ffmpeg python3-pyopencl hashcat clpeak |
    awk '$1 == "Inst" && $2 !~ /^(clang-|libclang|llvm-|libllvm|libpocl|pocl-)/ { print $2 }'
}
fetch() {
  list=$(needed) && [ -n "$list" ] && cd "$root/packages" && apt-get download $list piglit
}
echo "opencl-programs: fetching programs into $root"
as_root=
[ "$(id -u)" -eq 0 ] || as_root='sudo -n'
if ! fetch >"$root/log" 2>&1 && ! { $as_root apt-get update && fetch; } >"$root/log" 2>&1; then
  tail -n 20 "$root/log" >&2
  echo "opencl-programs: apt-get failed; its last lines are above" >&2
  exit 1
fi
for package in "$root"/packages/*.deb; do
  case ${package##*/} in
  piglit_*)
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --wildcards './usr/lib/*/piglit/bin/cl-*' \
      './usr/lib/*/piglit/lib/libpiglitutil*' './usr/lib/*/piglit/tests/cl/*' './usr/lib/*/piglit/generated_tests/cl/*' ;;
  *) dpkg-deb -x "$package" "$root" ;;
  esac
done
rm -rf "$root/packages"

# hashcat looks for its files beside itself.
mkdir "$root/hashcat"
cp "$root/usr/bin/hashcat" "$root/hashcat/"
for file in "$root"/usr/share/hashcat/*; do
  ln -s "$(readlink -f "$file")" "$root/hashcat/${file##*/}"
done

piglit=$(echo "$root"/usr/lib/*/piglit)
libraries=${piglit%/piglit}
cat >"$root/programs.new" <<END
PROGRAMS=$root/usr/bin
PROGRAMS_LIBRARIES=$libraries:$libraries/blas:$libraries/pulseaudio:$piglit/lib
PIGLIT_SOURCE_DIR=$piglit
PYTHONPATH=$root/usr/lib/python3/dist-packages
HASHCAT=$root/hashcat
END
mv "$root/programs.new" "$root/programs"
