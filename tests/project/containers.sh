# The build commands of the Dockerfile and of the Apptainer definition, in a Debian root that has nothing but its base
# packages; then a program compiled and run in there. Neither Docker nor Apptainer is needed, and their own words (FROM,
# COPY, %files) are not tested. Usage: containers.sh [docker|apptainer]...
set -eu
if [ "${CW_INSIDE:-}" != yes ]; then
  mine=
  [ "$(id -u)" -eq 0 ] || mine='--map-root-user --map-auto'
  # shellcheck disable=SC2086 # a list of words
  unshare $mine --mount true 2>/dev/null || { echo 'skipped: this needs root, or user namespaces'; exit 77; }
  command -v mmdebstrap >/dev/null || { echo 'skipped: sh scripts/install-packages.sh root'; exit 77; }
  export CW_INSIDE=yes
  # shellcheck disable=SC2086
  exec unshare $mine --mount --propagation private sh "$0" "$@"
fi
unset CW_INSIDE
work=$(mktemp -d "${TMPDIR:-/tmp}/containers.XXXXXX")
trap 'umount -R "$work"/*/proc "$work"/*/dev 2>/dev/null || :; rm -rf --one-file-system "$work"' EXIT
recipe=$SOURCE/packaging
other_mpi=$([ "$MPI" = mpich ] && echo openmpi || echo mpich)

# The lines of a recipe that a shell in the image runs.
commands_of() { # docker|apptainer MPI
  echo 'set -e'
  case $1 in
  docker) sed -n 's/^RUN //p' "$recipe/docker/Dockerfile" | sed "s/\$MPI/$2/g; /^cw-info/s|^|/opt/causeway/bin/|" ;;
  apptainer) sed -n '/^%post/,/^%environment/p; /^%test/,$p' "$recipe/apptainer/causeway.def" | grep -v '^%' |
    sed "s/{{ MPI }}/$2/g; s|^ *cw-info|/opt/causeway/bin/cw-info|" ;;
  esac
}
check() { # docker|apptainer MPI
  root=$work/$1
  release=$(sed -n 's/^ARG DEBIAN=//p; s/^ *DEBIAN=//p' "$recipe"/*/Dockerfile "$recipe"/*/causeway.def | sort -u)
  [ "$release" = 12 ] || { echo "the recipes are for Debian $release, and this test for 12"; exit 1; }
  echo "-- $1 for $2"
  mmdebstrap --variant=minbase --mode=root bookworm "$root" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
  mkdir "$root/src"
  (cd "$SOURCE" && git ls-files -z | tar -c --null -T - | tar -xC "$root/src")
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  [ ! -e /etc/apt/apt.conf.d ] || cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
  for folder in proc dev; do mount --rbind "/$folder" "$root/$folder"; done
  inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    PKG_CONFIG_PATH=/opt/causeway/lib/pkgconfig chroot "$root" sh -c "$1"; }
  inside "$(commands_of "$1" "$2")" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
  [ ! -e "$root/src" ] || { echo 'the sources are still in the image'; exit 1; }
  cp "$SOURCE/tests/project/outside/native.c" "$root/native.c"
  inside "mpicc.$2 native.c \$(pkg-config --cflags --libs causeway-$2) -o native && mpiexec.$2 -n 2 ./native" >"$work/log" 2>&1 &&
    grep -q '^right$' "$work/log" || { cat "$work/log"; exit 1; }
  du -sh --one-file-system "$root"
}
[ $# -gt 0 ] || set -- docker apptainer
for kind; do
  case $kind in docker) check docker "$MPI" ;; *) check apptainer "$other_mpi" ;; esac
done
