#!/bin/sh
# Builds NWChem from Debian's sources, in one of two ways:
#   build.sh BUILD_DIR mpich|openmpi FOLDER [JOBS]      with Debian's libga on Causeway's libarmci, which is
#                                                       BUILD_DIR/libarmci-<mpi>.so
#   GA=own build.sh PREFIX mpich|openmpi FOLDER [JOBS]  with Causeway's libcwga alone, which is installed in
#                                                       PREFIX, as anybody's own build takes it
# FOLDER gets everything: the sources in source/ and converted/, and for each MPI a copy in <mpi>/ or <mpi>-own/,
# where the program is bin/LINUX64/nwchem. It takes what is there already: called again it goes on, or does nothing.
# It builds what energies, gradients, Hessians and properties of SCF, DFT, MP2 and CCSD(T) need, and no other
# module.
set -eu
usage='usage: [GA=own] build.sh BUILD_DIR|PREFIX mpich|openmpi FOLDER [JOBS]'
build=$(readlink -f "${1:?$usage}") mpi=${2:?$usage} folder=${3:?$usage} jobs=${4:-$(nproc)}
kind=${GA:-debian}
case $kind in
own)
  way=$mpi-own ga=$build/lib/cwga/$mpi
  needed=$ga/bin/ga-config
  ;;
debian)
  way=$mpi ga=/usr/lib/$(gcc -print-multiarch)/ga/$mpi
  needed=$build/libarmci-$mpi.so
  ;;
*) echo "nwchem: GA=$kind: choose GA=own or GA=debian" >&2; exit 2 ;;
esac
[ -f "$needed" ] || { echo "nwchem: no $needed" >&2; exit 2; }
mkdir -p "$folder"
folder=$(readlink -f "$folder")
top=$folder/$way
program=$top/bin/LINUX64/nwchem

fail() { # SENTENCE LOG
  tail -n 30 "$2" >&2
  echo "nwchem: $1; the last lines of $2 are above" >&2
  exit 1
}

# The lines deb-src that belong to the system's lines deb. apt knows them once it has fetched its lists.
source_lines() { # OPTIONS of apt-get
  # shellcheck disable=SC2016 # apt's variables
  apt-get "$@" indextargets --format '$(ORIGIN) deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -n -E 's/^(Debian|Ubuntu) //p' | sort -u
}

# With apt's lists in a folder of our own: the system does not learn of source packages.
fetch() {
  log=$folder/fetch.log
  lists=$folder/apt/lists
  mkdir -p "$lists/partial" "$folder/apt/archives/partial" "$folder/apt/none"
  source_lines >"$folder/apt/sources.list"
  if [ ! -s "$folder/apt/sources.list" ]; then
    set -- -o "Dir::State::lists=$lists" -o APT::Sandbox::User=root
    apt-get "$@" update >"$log" 2>&1 || fail 'apt-get update failed' "$log"
    source_lines "$@" >"$folder/apt/sources.list"
  fi
  cat >"$folder/apt/conf" <<EOF
APT::Sandbox::User "root";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "$folder/apt/none";
Dir::State::lists "$lists";
Dir::Cache "$folder/apt";
EOF
  echo "nwchem: fetching Debian's source package into $folder/source (190 MB)"
  rm -rf "$folder/unpacked"
  mkdir "$folder/unpacked"
  (export APT_CONFIG="$folder/apt/conf" && cd "$folder/unpacked" &&
    apt-get update && apt-get source --quiet nwchem) >"$log" 2>&1 ||
    fail 'apt-get gave no source package' "$log"
  rm -rf "$folder/source" "$folder/apt"
  mv "$folder"/unpacked/nwchem-*/ "$folder/source"
  rm -rf "$folder/unpacked"
}

# What NWChem's makefiles ask the environment for. Fortran's integers are of 8 bytes, as in both libraries;
# those of BLAS, LAPACK, ScaLAPACK and MPI of 4.
settings() {
  unset MAKEFLAGS MFLAGS GA
  export NWCHEM_TOP="$top" NWCHEM_TARGET=LINUX64
  export NWCHEM_MODULES='ddscf nwdft mp2_grad ccsd hessian property driver'
  export FC=gfortran CC=gcc USE_ARUR=y USE_NOFSCHECK=TRUE LARGE_FILES=TRUE NWCHEM_LONG_PATHS=y
  export BLAS_SIZE=4 SCALAPACK_SIZE=4 USE_64TO32=y USE_MPI=y USE_MPIF=y USE_MPIF4=y USE_SCALAPACK=y
  export HAS_BLAS=yes BLAS_LIB=-lblas LAPACK_LIB=-llapack BLASOPT='-llapack -lblas'
  export SCALAPACK="-lscalapack-$mpi"
  export MPICC="mpicc.$mpi" MPIFC="mpifort.$mpi" MPIF90="mpif90.$mpi" MPIF77="mpif77.$mpi"
  export EXTERNAL_GA_PATH="$ga"
}

# Each of several hundred calls of make would compile programs to find out where MPI is: TREE's script knows.
know_mpi() { # TREE
  for what in mpi_include mpi_lib libmpi; do
    answer=$(bash "$folder/source/src/tools/guess-mpidefs" --$what 2>/dev/null)
    echo "[ \"\$1\" != --$what ] || echo '$answer'"
  done >"$1/answers"
  { echo '#!/bin/sh'; cat "$1/answers"; } >"$1/src/tools/guess-mpidefs"
  rm "$1/answers"
}

# A copy of the sources, without the largest modules that nobody needs here, for BLAS and ScaLAPACK with integers of
# 4 bytes. Every way begins with it. NWChem's own way to it takes many times as long, for two reasons that go here.
convert() {
  log=$folder/convert.log tree=$folder/converted.part
  echo "nwchem: converting the sources (64_to_32)"
  rm -rf "$tree"
  mkdir "$tree"
  (cd "$folder/source" && tar -c --exclude=src/tce --exclude=src/nwpw src) | tar -x -C "$tree"
  # Each call of make asks the compilers for their version over a hundred times: once is enough.
  sed -i -E 's/^( *(GNUMAJOR|GNUMINOR|GNU_GE_[0-9_]*|_?GOT[A-Z0-9]*|_CPU|_GCC4|_USE_SCALAPACK) *)= *(\$\(shell)/\1:= \3/' \
    "$tree/src/config/makefile.h"
  # 64_to_32 tries 390 names on each line, one after the other: first it asks for all of them at once.
  # shellcheck disable=SC2016 # Perl's variables
  sed -i -e 's!^foreach \$file (@ARGV){!$any = join("|", @from);\n$any = qr/$any/i;\n&!' \
    -e 's!|| /^\$/ *){!|| /^$/ || $_ \!~ $any){!' "$tree/src/config/64_to_32.pl"
  know_mpi "$tree"
  for what in nwchem_config 64_to_32; do
    NWCHEM_TOP=$tree make -C "$tree/src" $what >"$log" 2>&1 || fail "could not do '$what'" "$log"
  done
  mv "$tree" "$folder/converted"
}

copy() {
  rm -rf "$top.part"
  cp -a "$folder/converted" "$top.part"
  sed -i "s/MAKEFLAGS = -j [0-9]* /MAKEFLAGS = -j $jobs /" "$top.part/src/config/makefile.h"
  know_mpi "$top.part"
  mv "$top.part" "$top"
}

run() { # WHAT COMMAND...: a step that is done once
  what=$1
  shift
  [ ! -f "$top/$what.done" ] || return 0
  echo "nwchem: $way: $what"
  "$@" >"$top/$what.log" 2>&1 || fail "could not do '$what' for $way" "$top/$what.log"
  touch "$top/$what.done"
}

# -larmci-<mpi>, which is what Debian's ga-config says, is Debian's libarmci where that is installed: its
# folder comes first on the command line. A full path is not searched for.
link_debian() {
  make -C "$top/src" link COMM_LIBS=-lpthread GA_LIBS="-lga-$mpi $build/libarmci-$mpi.so -Wl,-rpath,$build"
}

# NWChem 7.3 forgets the folder of EXTERNAL_GA_PATH on its link line.
link_own() { LDOPTIONS="-L$ga/lib" make -C "$top/src" link; }

# The program takes nobody else's library.
check_debian() {
  used=$(ldd "$program" | sed -n 's/.*libarmci[^ ]* => \([^ ]*\) .*/\1/p')
  case $used in
  "$build"/*) ;;
  *) echo "nwchem: $program takes its libarmci from '$used', not from $build" >&2; exit 1 ;;
  esac
}
check_own() {
  nm "$program" >"$top/names"
  if ! grep -q ' T cw_put$' "$top/names" || grep ' T ARMCI_Put$' "$top/names" || ldd "$program" | grep libarmci; then
    echo "nwchem: $program has another Global Arrays than Causeway's" >&2
    exit 1
  fi
}

settings
[ -d "$folder/source" ] || fetch
[ -d "$folder/converted" ] || convert
[ -d "$top" ] || copy
run compile make -C "$top/src" libraries
[ "$kind" = debian ] || [ "$program" -nt "$build/lib/libcwga-$mpi.a" ] || rm -f "$top/link.done" # it has it inside
run link "link_$kind"
"check_$kind"
