#!/bin/sh
# Builds NWChem from Debian's sources, in one of two ways:
#   build.sh BUILD_DIR mpich|openmpi FOLDER [JOBS]      with Debian's libga on Causeway's libarmci, which is
#                                                       BUILD_DIR/libarmci-<mpi>.so
#   GA=own build.sh PREFIX mpich|openmpi FOLDER [JOBS]  with Causeway's libcwga alone, which is installed in
#                                                       PREFIX, like a user's own build
# FOLDER gets all files: the sources in source/ and converted/, and for each MPI a copy in <mpi>/ or <mpi>-own/, where the
# program is bin/LINUX64/nwchem. Existing results are kept: a second call continues, or does nothing. It builds the modules for
# energies, gradients, Hessians and properties of SCF, DFT, MP2 and CCSD(T), and no others.
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
  echo "nwchem: $1; the last lines of $2 are above. What was made until then is kept: call it again" >&2
  exit 1
}

# Writes the lines deb-src for the system's lines deb. apt uses them once it has fetched its lists.
source_lines() { # OPTIONS of apt-get
  # shellcheck disable=SC2016 # apt's variables
  apt-get "$@" indextargets --format '$(ORIGIN) deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -n -E 's/^(Debian|Ubuntu) //p' | sort -u
}

# apt's lists are in a separate folder, so the configuration of the system does not change.
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

# Variables that NWChem's makefiles read. Fortran's integers are of 8 bytes, as in both libraries;
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

# Each of several hundred calls of make would compile programs to find MPI. A script in TREE replaces that.
know_mpi() { # TREE
  for what in mpi_include mpi_lib libmpi; do
    answer=$(bash "$folder/source/src/tools/guess-mpidefs" --$what 2>/dev/null)
    echo "[ \"\$1\" != --$what ] || echo '$answer'"
  done >"$1/answers"
  { echo '#!/bin/sh'; cat "$1/answers"; } >"$1/src/tools/guess-mpidefs"
  rm "$1/answers"
}

# The files that NWChem's makefiles list as USES_BLAS or give to 64_to_32. make itself would read 200 makefiles, and for each
# of them start 500 processes to find compilers, MPI and Global Arrays.
blas_files() { # TREE
  find "$1/src" -name GNUmakefile -exec awk '
    FNR == 1 { folder = FILENAME; sub(/[^\/]*$/, "", folder); listing = 0 }
    sub(/^[ \t]*USES_BLAS[ \t]*[+:]?=/, "") || sub(/^\t\$\(CNFDIR\)\/64_to_32 /, "") { listing = 1 }
    listing {
      listing = /\\[ \t]*$/
      sub(/#.*/, "")
      gsub(/["\\]/, " ")
      for (i = 1; i <= NF; i++) print folder $i
    }' {} + | while read -r pattern; do
    for file in $pattern; do # peigs lists *c *f *F
      [ ! -f "$file" ] || echo "$file"
    done
  done | sort -u
}

# A copy of the sources, without the largest modules that are not needed here, for BLAS and ScaLAPACK with integers of
# 4 bytes. Both kinds of build begin with it. NWChem's own conversion, make 64_to_32, takes minutes, and hours on a busy
# machine. The copy gets its name when it is complete: an interrupted conversion begins again, and takes half a minute.
convert() {
  log=$folder/convert.log tree=$folder/converted.part
  rm -rf "$tree"
  mkdir "$tree"
  (cd "$folder/source" && tar -c --exclude=src/tce --exclude=src/nwpw src) | tar -x -C "$tree"
  # Each call of make runs the same queries of compilers, MPI and Global Arrays over a hundred times, so their results are
  # stored.
  asked='GNUMAJOR|GNUMINOR|GNU_GE_[0-9_]*|_?GOT[A-Z0-9]*|_CPU|_GCC4|_USE_SCALAPACK'
  asked="$asked|GA_[A-Z0-9_]*|MPI_INCLUDE|MPI_LIB|LIBMPI|USE_ARUR"
  sed -i -E "s/^( *($asked) *)= *(\\\$\\(shell)/\\1:= \\3/" "$tree/src/config/makefile.h"
  # 64_to_32 tries 390 names on each line, one after the other. Now it first searches for all of them at once.
  # shellcheck disable=SC2016 # Perl's variables
  sed -i -e 's!^foreach \$file (@ARGV){!$any = join("|", @from);\n$any = qr/$any/i;\n&!' \
    -e 's!|| /^\$/ *){!|| /^$/ || $_ \!~ $any){!' "$tree/src/config/64_to_32.pl"
  know_mpi "$tree"
  for what in nwchem_config directories; do
    NWCHEM_TOP=$tree make -C "$tree/src" $what >"$log" 2>&1 || fail "could not do '$what'" "$log"
  done
  blas_files "$tree" >"$tree/blas-files"
  echo "nwchem: converting $(wc -l <"$tree/blas-files") source files (64_to_32)"
  xargs perl "$tree/src/config/64_to_32.pl" <"$tree/blas-files" >"$log" 2>&1 || fail 'could not convert them' "$log"
  touch "$tree/src/64_to_32"
  mv "$tree" "$folder/converted"
}

# Objects that were compiled for the other MPI can be used, except for the few that call MPI or contain the folder's name: make
# compiles these again, because their archives do not have them.
forget_its_own() { # TREE
  nm -A "$1"/lib/LINUX64/*.a |
    sed -n -E -e 's/^([^:]*):([^:]*):.* U (mpi_|MPI_|ompi_).*/\1 \2/p' -e 's/^([^:]*):(utilc?_nwchem_srcdir\.o):.*/\1 \2/p' |
    sort -u | while read -r archive object; do ar dU "$archive" "$object"; done
}

copy() {
  case $mpi in mpich) other=openmpi ;; *) other=mpich ;; esac
  other=$folder/$other${way#"$mpi"}
  [ -f "$other/compile.done" ] || other=$folder/converted
  rm -rf "$top.part"
  mkdir "$top.part"
  (cd "$other" && tar -c --exclude='./bin/LINUX64/*' --exclude=./runs --exclude='./*.done' .) | tar -x -C "$top.part"
  [ "$other" = "$folder/converted" ] || forget_its_own "$top.part"
  sed -i "s/MAKEFLAGS = -j [0-9]* /MAKEFLAGS = -j $jobs /" "$top.part/src/config/makefile.h"
  know_mpi "$top.part"
  mv "$top.part" "$top"
}

# A killed make leaves incomplete files that are newer than their sources: objects, and the archives that were locked
# then.
forget_halves() {
  find "$top/src" \( -name dependencies -o -name '*.o' -size 0 \) -exec rm -f {} +
  find "$top/src" -name '*.o' -exec nm {} + 2>&1 >/dev/null | sed -n 's/^nm: \(.*\.o\): .*/\1/p' | xargs rm -f
  find "$top/lib" -name '*.lock' -exec sh -c 'for lock; do rm -f "${lock%.lock}.a" "$lock"; done' sh {} +
  find "$top/bin" -type f -exec rm -f {} + # depend.x
}

# make compiles objects that no archive has, and fills archives folder by folder, so the objects of the folder where it was
# killed are added first. peigs does not need that.
keep_objects() {
  find "$top/src" -name peigs -prune -o -name '*.o' -print | sed 's![^/]*$!!' | sort -u | while read -r unfinished; do
    make -C "$unfinished" update_archive
  done
}

compile() {
  forget_halves
  keep_objects
  make -C "$top/src" libraries
}

run() { # WHAT COMMAND...: a step that is done once
  what=$1
  shift
  [ ! -f "$top/$what.done" ] || return 0
  echo "nwchem: $way: $what (what it says is in $top/$what.log)"
  "$@" >"$top/$what.log" 2>&1 || fail "could not do '$what' for $way" "$top/$what.log"
  touch "$top/$what.done"
}

# -larmci-<mpi>, from Debian's ga-config, would be Debian's libarmci where that is installed, because its folder comes first on
# the command line. A full path avoids the search.
link_debian() {
  make -C "$top/src" link COMM_LIBS=-lpthread GA_LIBS="-lga-$mpi $build/libarmci-$mpi.so -Wl,-rpath,$build"
}

# NWChem 7.3 omits the folder of EXTERNAL_GA_PATH on its link line.
link_own() { LDOPTIONS="-L$ga/lib" make -C "$top/src" link; }

# Checks that the program loads no other library of that name.
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
run compile compile
[ "$kind" = debian ] || [ "$program" -nt "$build/lib/libcwga-$mpi.a" ] || rm -f "$top/link.done" # it has it inside
run link "link_$kind"
"check_$kind"
