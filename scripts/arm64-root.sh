#!/bin/sh
# scripts/arm64-root.sh FOLDER: puts Debian's MPICH for arm64, and the libraries it needs, into FOLDER, for
# the preset aarch64. It uses apt, but with lists and a status of its own: the system does not learn of
# a second architecture, and nothing is installed. (libmpich-dev:arm64 cannot be installed beside the
# amd64 one.) Does nothing where that has been done.
set -eu
root=${1:?usage: scripts/arm64-root.sh FOLDER}
[ ! -x "$root/mpicc" ] || exit 0
mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
root=$(cd "$root" && pwd)
: >"$root/apt/status"
cat >"$root/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$root/apt";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt";
END
export APT_CONFIG="$root/apt/conf"
echo "arm64-root: fetching MPICH for arm64 into $root"
if ! { apt-get update && apt-get install -y --download-only libmpich12; } >"$root/apt/log" 2>&1; then
  tail -n 20 "$root/apt/log" >&2
  echo "arm64-root: apt-get failed; its last lines are above" >&2
  exit 1
fi
for package in "$root"/apt/archives/*.deb; do
  dpkg-deb -x "$package" "$root"
done
rm -rf "$root/apt"

# mpi.h is the same file on both architectures.
libraries=$root/usr/lib/aarch64-linux-gnu
ln -sf libmpich.so.12 "$libraries/libmpich.so"
cat >"$root/mpicc.new" <<END
#!/bin/sh
# A compiler wrapper as MPICH's: with -show it prints what it would run.
[ "\${1:-}" != -show ] || { shift; show=echo; }
\${show:-} aarch64-linux-gnu-gcc "\$@" -I/usr/include/x86_64-linux-gnu/mpich \\
  -L$libraries -lmpich -Wl,-rpath-link,$libraries:$root/lib/aarch64-linux-gnu
END
chmod +x "$root/mpicc.new"
mv "$root/mpicc.new" "$root/mpicc"
