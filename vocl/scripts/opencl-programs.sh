#!/bin/sh
# vocl/scripts/opencl-programs.sh FOLDER: puts OpenCL programs of other projects into FOLDER: clinfo, piglit
# in part, CLBlast's tests, clFFT's client, ffmpeg, pyopencl, hashcat, clpeak, with the libraries of theirs that are not
# installed. They are Debian's, unpacked and not installed, and only tests use them (vocl/tests/programs.sh). Does nothing
# where that has been done. FOLDER/programs then holds VARIABLE=value lines with which they run. 330 MB; 140 MB to fetch.
set -eu
root=${1:?usage: vocl/scripts/opencl-programs.sh FOLDER}
[ ! -e "$root/programs" ] || exit 0
. "$(dirname "$0")/../../scripts/fetch.sh"
has_apt opencl-programs "tests of virtual OpenCL with others' programs" || exit 0
mkdir -p "$root"
root=$(cd "$root" && pwd)

# PoCL is scripts/pocl-root.sh's. piglit needs much for its graphics, and of it only OpenCL's part is unpacked.
needed() {
  programs=$(apt-get install -s --no-install-recommends clinfo clblast-tests clfft-client ffmpeg python3-pyopencl hashcat \
    clpeak | awk '$1 == "Inst" && $2 !~ /^(clang-|libclang|llvm-|libllvm|libpocl|pocl-)/ { print $2 }')
  [ -z "$programs" ] || printf '%s\n' "$programs" piglit
}
fetch opencl-programs "$root" programs
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
