# The Debian packages, as an administrator and a user meet them: built on their release of Debian, and installed in a root that
# has nothing but its base packages, Debian's own ARMCI and Global Arrays, and compilers. An older version is installed,
# and upgraded; programs of each library are compiled by pkg-config and by CMake and run with both MPIs; purging removes
# everything. Usage: debian.sh bookworm|trixie
set -eu
release=$1
unset CC # which another release does not have, and which would bypass ccache
if [ "${CW_INSIDE:-}" != yes ]; then
  mine=
  [ "$(id -u)" -eq 0 ] || mine='--map-root-user --map-auto'
  # shellcheck disable=SC2086 # a list of words
  unshare $mine --mount true 2>/dev/null || { echo 'skipped: this needs root, or user namespaces'; exit 77; }
  command -v mmdebstrap >/dev/null || { echo 'skipped: sh scripts/install-packages.sh root'; exit 77; }
  here=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  echo "-- building the packages for $release"
  cd "$SOURCE"
  packages=$SOURCE/build/deb
  [ "$release" = "$here" ] || packages=$SOURCE/build/$release/deb
  MAKEFLAGS='' make --no-print-directory deb $([ "$release" = "$here" ] || echo "ROOT=$release") >"$BUILD/deb-$release.log" 2>&1 ||
    { tail -n 40 "$BUILD/deb-$release.log"; exit 1; }
  export CW_INSIDE=yes PACKAGES="$packages"
  # shellcheck disable=SC2086
  exec unshare $mine --mount --propagation private sh "$0" "$release"
fi
unset CW_INSIDE
work=$(mktemp -d "${TMPDIR:-/tmp}/debian.XXXXXX")
root=$work/root
trap 'umount -R "$root"/proc "$root"/sys "$root"/dev 2>/dev/null || :; rm -rf --one-file-system "$work"' EXIT
say() { echo "-- $(date +%T) $*"; }
fail() { echo "debian.sh: $*"; exit 1; }
inside() { # inside COMMAND: its output is in $work/log
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe chroot "$root" sh -ec "$1" >"$work/log" 2>&1 </dev/null ||
    { tail -n 40 "$work/log"; fail "failed: $1"; }
}
install_files() { inside "apt-get install -y -o Dpkg::Use-Pty=0 $1"; }
names() { # names FILE: all files of the root, but those that apt and dpkg write for any package
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./root -o -path ./var/log \
    -o -path ./var/cache -o -path ./var/lib/apt -o -path './var/lib/dpkg/*-old' -o -path ./packages \) -prune -o \
    -printf '%p %y %l\n' | sort) >"$1"
}

say "a root of $release"
mmdebstrap --variant=minbase --mode=root "$release" "$root" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
for folder in proc sys dev; do mount --rbind "/$folder" "$root/$folder"; done
mkdir -p "$root/packages/new" "$root/packages/old"
cp "$PACKAGES"/*.deb "$root/packages/new/"
rm -f "$root"/packages/new/*-dbgsym_*.deb
version=$(dpkg-deb -f "$root"/packages/new/libcauseway-dev_*.deb Version)
ours=$(for file in "$root"/packages/new/*.deb; do dpkg-deb -f "$file" Package; done)
# The packages of an older version: these, under another version number.
for file in "$root"/packages/new/*.deb; do
  dpkg-deb -R "$file" "$work/unpacked"
  sed -i -E -e "s/$version/0.0.1-1/g" -e "s/(lib(causeway|cwga)[a-z0-9-]* [(]>= )${version%-*}[)]/\\10.0.1)/g" \
    "$work/unpacked/DEBIAN/control"
  dpkg-deb -Znone -b "$work/unpacked" "$root/packages/old" >/dev/null
  rm -r "$work/unpacked"
done

say 'compilers, MPI, and the libraries of Debian that the packages need'
inside 'apt-get update'
install_files 'gcc g++ gfortran cmake make pkgconf libarmci-mpi-dev libglobalarrays-dev liblapack-dev libscalapack-mpi-dev man-db'
inside 'apt-get -s install /packages/new/*.deb'
needed=$(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$work/log" | grep -vxF "$ours")
install_files "$(echo $needed)"
names "$work/before"

say 'an older version, and an upgrade'
install_files '/packages/old/*.deb'
cp "$SOURCE"/tests/project/outside/native.c "$root/tmp/native.c"
inside 'cd /tmp && mpicc.mpich native.c $(pkg-config --cflags --libs causeway-mpich) -o older && mpiexec.mpich -n 2 ./older'
grep -qx right "$work/log" || fail 'a program on the older version'
install_files '/packages/new/*.deb'
inside "dpkg-query -W -f '\${Package} \${Version} \${db:Status-Status}\\n' $(echo $ours)"
[ "$(grep -cx ".* $version installed" "$work/log")" = "$(echo "$ours" | wc -l)" ] || { cat "$work/log"; fail 'an upgrade'; }
inside 'mpiexec.mpich -n 2 /tmp/older && dpkg --verify '"$(echo $ours)"' && apt-get check'
grep -qx right "$work/log" || fail 'a program of the older version, after the upgrade'

# --- Programs ---------------------------------------------------------------------------------------
cp -r "$SOURCE/tests/project/outside" "$root/tmp/"
cat >"$root/tmp/beside.c" <<'END'
/* On Debian's libraries as well as on Causeway's. */
#ifdef WITH_GA
#include <ga.h>
#include <macdecls.h>
#endif
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
  double right = 1;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef WITH_GA
  int size = 10;
  double two = 2;
  GA_Initialize();
  MA_init(C_DBL, 1000, 1000);
  int array = NGA_Create(C_DBL, 1, &size, (char *)"twos", NULL);
  GA_Fill(array, &two);
  right = GA_Ddot(array, array) == 40;
  GA_Terminate();
#else
  void *slices[2];
  double one = 1, got = 0;
  ARMCI_Init();
  int me = armci_msg_me();
  ARMCI_Malloc(slices, sizeof one);
  ARMCI_Put(&one, slices[1 - me], sizeof one, 1 - me);
  ARMCI_Barrier();
  ARMCI_Get(slices[1 - me], &got, sizeof got, 1 - me);
  right = got == 1;
  ARMCI_Free(slices[me]);
  ARMCI_Finalize();
#endif
  MPI_Finalize();
  if (right && rank == 0)
    puts("right");
  return !right;
}
END
triplet=$(inside 'gcc -print-multiarch' && cat "$work/log")
lib=/usr/lib/$triplet
run() { # run MPI PROGRAM
  inside "cd /tmp && mpiexec.$1 -n 2 ./$2"
  grep -qx right "$work/log" || { cat "$work/log"; fail "$2 with $1"; }
}
loads() { # loads PROGRAM PATTERN: the program's libraries match
  inside "ldd /tmp/$1"
  grep -qE "$2" "$work/log" || { cat "$work/log"; fail "$1 should load $2"; }
}
loads_none() { # loads_none PROGRAM
  inside "ldd /tmp/$1"
  ! grep -E 'lib(causeway|armci|cwga)' "$work/log" || fail "$1 should be on Debian's library"
}
for mpi in mpich openmpi; do
  say "$mpi: pkg-config"
  for pair in causeway:native armci:armci armci:beside cwga:ga cwga-i4:ga; do
    inside "cd /tmp && f=outside/${pair#*:}.c; [ -f \$f ] || f=${pair#*:}.c
      mpicc.$mpi \$f \$(pkg-config --cflags --libs ${pair%:*}-$mpi) -o program"
    run $mpi program
    loads program "lib${pair%:*}-$mpi.so.0 =>"
  done
  for size in cwga:-fdefault-integer-8 cwga-i4:; do
    inside "cd /tmp && mpif90.$mpi ${size#*:} -std=legacy -funconstrained-commons outside/memory.F \
      \$(pkg-config --cflags --libs ${size%:*}-$mpi) -o program"
    run $mpi program
    inside "cd /tmp && mpif90.$mpi ${size#*:} -std=legacy -funconstrained-commons outside/memory.F \
      \$(pkg-config --cflags --variable=static_libs ${size%:*}-$mpi) -o program"
    run $mpi program
    loads_none program
  done

  say "$mpi: CMake, shared and static, C and Fortran"
  inside "cd /tmp && rm -rf cmake && cmake -S outside -B cmake -DCAUSEWAY_MPI=$mpi && cmake --build cmake"
  for program in native armci ga memory-cwga memory-cwga-i4; do
    run $mpi cmake/$program
    [ $program != "${program#memory}" ] || run $mpi cmake/$program-static
  done

  say "$mpi: folders that builds take for ARMCI and Global Arrays; Debian's own"
  inside "cd /tmp && mpicc.$mpi beside.c -I/usr/include/cwarmci -L$lib/cwarmci/$mpi/lib -larmci-$mpi -o program"
  run $mpi program
  loads program "libarmci-$mpi.so.0 =>"
  inside "cd /tmp && c=ga-config-$mpi-i4
    mpicc.$mpi -DWITH_GA beside.c \$(\$c --cppflags --ldflags --libs) -o program"
  run $mpi program
  inside "nm /tmp/program | grep -q ' cw_init$'"
  # NWChem's makefile links in this way (docs/reference/porting.md).
  inside "cd /tmp && ga=$lib/cwga/$mpi && mpif90.$mpi \$(\$ga/bin/ga-config --fflags --cppflags) outside/arrays.F -L\$ga/lib \
    \$(\$ga/bin/ga-config --libs) -lscalapack-$mpi -llapack -lblas -lpthread -o program"
  run $mpi program
  loads_none program
  inside "nm /tmp/program | grep -q ' T cw_put$'"
  inside "cd /tmp && mpicc.$mpi beside.c -larmci-$mpi -o program"
  run $mpi program
  loads_none program
  inside "cd /tmp && mpicc.$mpi -DWITH_GA beside.c \$($lib/ga/$mpi/bin/ga-config --libs) -lgfortran -lm -o program"
  run $mpi program
  loads_none program
  inside "! nm /tmp/program | grep cw_init"

  say "$mpi: Python"
  inside "cd /tmp && printf 'import causeway as cw\\ncw.empty((4, 4)).local[...] = 1\\nassert cw.processes() == 2\\nif cw.process() == 0:\\n  print(cw.mpi)\\n' >program.py &&
    mpiexec.$mpi -n 2 python3 program.py"
  grep -qx $mpi "$work/log" || { cat "$work/log"; fail "import causeway with $mpi"; } # Open MPI 5 may warn of networks

  say "$mpi: examples and programs of causeway-doc and causeway-tools"
  inside "rm -rf /tmp/examples && cp -r /usr/share/doc/causeway/examples /tmp && make -C /tmp/examples MPI=$mpi"
  inside 'cd /tmp/examples && for source in *.c; do test -x "${source%.c}" || { echo "$source was not compiled"; exit 1; }; done; ! find . -name "*.gz" | grep .'
  inside "mpiexec.$mpi -n 2 /tmp/examples/queens"
  # The commands of the manual pages. They are the same for each MPI but for its name.
  inside "mkdir -p /tmp/manual && cd /tmp/manual && zcat /usr/share/man/man3/*.gz | sed 's/\\\\-/-/g; s/\\\\e\$//' |
    awk '/^mpi.*\\/examples\\//{ printf \"%s\", \$0; getline; print }' | sort -u | sed 's/mpich/$mpi/g' >commands &&
    test \$(wc -l <commands) -ge 15 && sh -ex commands"
  inside "man cw_put && man cw-info-$mpi && man ga-config-$mpi"
  inside "cw-info-$mpi --version && cw-view-$mpi --version && cw-vocl-$mpi --help && cw-report --version && cw-top --version"
  inside "update-alternatives --set cw-info /usr/bin/cw-info-$mpi && cw-info --version"
  [ "$(readlink "$root/etc/alternatives/cw-view")" = "/usr/bin/cw-view-$mpi" ] || fail "cw-view is not that of $mpi"
  inside "update-alternatives --set causeway-$triplet $lib/pkgconfig/causeway-$mpi.pc"
  inside "pkg-config --libs causeway armci cwga"
  grep -q "lcwga-$mpi" "$work/log" || fail "pkg-config cwga is not that of $mpi"
done
inside 'cw-vocl run -- sh -c "cat /etc/OpenCL/vendors/causeway.icd"'
inside "test -e $lib/\$(cat /etc/OpenCL/vendors/causeway.icd)"
say 'documents: links, and the paths that the guide for packages has'
inside 'cp -rL /usr/share/doc/causeway /tmp/documents'
python3 -B "$SOURCE/docs/site/links.py" "$root/tmp/documents" >"$work/log" || { head -n 40 "$work/log"; fail 'dead links in causeway-doc'; }
grep -q '^[0-9]* pages, [0-9]\{5,\} links' "$work/log" || { cat "$work/log"; fail 'hardly a link was looked at'; }
paths=$(grep -oE '/(usr|etc)/[A-Za-z0-9_./+-]*[A-Za-z0-9]' "$SOURCE/docs/guide/packages.md" | sed "s/x86_64-linux-gnu/$triplet/" | sort -u)
[ "$(echo "$paths" | wc -l)" -ge 15 ] || fail "the guide for packages has only the paths $paths"
inside "ls -d $(echo $paths)"
inside 'man -k causeway | head -n 1'
grep -q '^causeway (7)' "$work/log" || { cat "$work/log"; fail 'man -k causeway does not begin with causeway(7)'; }
inside 'cd /usr/share/doc/causeway-doc && test -s examples/queens.c && test -s html/index.html && test -s docs/guide/packages.md'
inside 'test -s /usr/share/doc/causeway/docs/guide/getting-started.md && test -s /usr/share/doc/libcauseway-dev/changelog.gz'
sed "s!<multiarch>!$triplet!g; s!<mpi>!mpich!g" "$root/usr/share/doc/libcauseway-dev/README.Debian" >"$work/readme"
paths=$(grep -oE '/usr/[A-Za-z0-9_./+-]*[A-Za-z0-9]' "$work/readme" | sort -u)
[ "$(echo "$paths" | wc -l)" -ge 4 ] || fail "README.Debian has only the paths $paths"
inside "ls -d $(echo $paths) && update-alternatives --display causeway-$triplet"

say 'purge'
rm -rf "$root"/tmp/*
inside "apt-get purge -y $(echo $ours)"
names "$work/after"
diff "$work/before" "$work/after" || fail 'purging leaves these, or removes them'
say 'all right'
