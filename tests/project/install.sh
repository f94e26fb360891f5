# Installs this build (and the other MPI's, if it has been built) into one empty prefix, then builds
# and runs outside programs against it: find_package, pkg-config shared and static, plain -larmci.
# cwga is installed where it was built; a program on ga.h is built against it then.
set -eu
work=$(mktemp -d)
touch "$work/begun"
builds=$BUILD # those that are installed
builds_in_order=$BUILD
# A failure proves nothing if ninja rebuilt the installed files meanwhile.
finish() {
  status=$?
  for build in $builds; do
    [ $status = 0 ] || ! [ "$build/.ninja_log" -nt "$work/begun" ] || { say "skipped: $build was rebuilt meanwhile"; status=77; }
  done
  rm -rf "$work"
  exit $status
}
trap finish EXIT
prefix=$work/prefix
outside=$SOURCE/tests/project/outside
cd "$work"

say() { echo "-- $*"; }
run() { # run PROGRAM: on two processes; the first one says "right"
  $MPIEXEC -n 2 "$1" >out 2>&1 || { cat out; say "$1 failed"; exit 1; }
  grep -q '^right$' out || { cat out; say "$1 did not say that all is right"; exit 1; }
}

case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
first=$BUILD
second=${BUILD%/*}/$other
# The other MPI's build is installed first, so that the names without MPI are its links, which must not matter.
is_built() { # is_built BUILD MPI: all that its installation copies
  [ -f "$1/cmake_install.cmake" ] && ! [ -e "$1/under-way" ] || return 1 # CI builds one MPI's while it tests the other's
  for name in $(cat "$1/cmake_install.cmake" "$1"/vocl/cmake_install.cmake 2>/dev/null |
    grep -oE '(programs|vocl)/cw-[a-z]*"' | tr -d '"' | sort -u); do
    [ -x "$1/$name" ] || return 1
  done
  for name in causeway armci $(grep -o 'lib/libcwga' "$1/cmake_install.cmake" | sed 's|lib/lib||' | sort -u); do
    [ -f "$1/lib$name-$2.a" ] && [ -f "$1/lib$name-$2.so" ] || return 1
  done
}
if is_built "$second" "$other"; then
  say "installing both MPIs, $other first"
  builds="$first $second"
  builds_in_order="$second $first"
  cmake --install "$second" --prefix "$prefix" >log || { cat log; exit 1; }
fi
say "installing $MPI"
cmake --install "$first" --prefix "$prefix" >installed 2>&1 || { cat installed; exit 1; }
no_dangling() { # no_dangling FOLDER
  for link in $(find "$1" -type l); do
    [ -e "$link" ] || { say "dangling link: $link"; exit 1; }
  done
}
no_dangling "$prefix"
python3 -B "$SOURCE/docs/site/links.py" "$prefix/share/doc/causeway" >log || { cat log; say 'dead links in share/doc'; exit 1; }

say 'relative prefixes, also below a root of its own'
for root in '' "$work/root"; do
  DESTDIR=$root cmake --install "$first" --prefix below/here >log 2>&1 || { cat log; exit 1; }
  no_dangling "$root$work/below/here"
  "$root$work/below/here/bin/cw-info" --version >log || { cat log; exit 1; }
  (cd "$root$work/below/here" && find . ! -path "*/__pycache__*" | sort) >"${root:-.}/names"
done
cmp names root/names
rm -r below root

has_ga() { [ -f "$prefix/lib/libcwga-$MPI.a" ]; }
run_ga() { # run_ga PROGRAM: unless calls of it are left out
  grep -qE '\((NGA_Create|NGA_Put|NGA_Get|GA_Destroy|GA_Dgemm)\)' "$SOURCE/interfaces/ga/base/unsupported.def" || run "$1"
}

say 'find_package'
cmake -S "$outside" -B cmake -DCMAKE_PREFIX_PATH="$prefix" -DCAUSEWAY_MPI="$MPI" >log 2>&1 &&
  cmake --build cmake >>log 2>&1 || { cat log; exit 1; }
for program in native armci native-static armci-static; do run "cmake/$program"; done
! has_ga || for program in ga ga-static; do run_ga "cmake/$program"; done
for program in cmake/memory-*; do [ ! -x "$program" ] || run "$program"; done

say 'find_package in a project of C++ alone'
cxx() { # cxx FOLDER OPTION...
  cmake -S "$outside-cxx" -B "$@" -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 &&
    cmake --build "$1" >>log 2>&1 || { cat log; exit 1; }
  for program in vector vector-static; do
    run "$1/$program"
    grep -q 'causeway.*1 call.* were not read.*-11' out || { cat out; say "$1/$program: an unread failure is not told"; exit 1; }
  done
}
cxx cxx -DCAUSEWAY_MPI="$MPI"
cxx cxx-after-mpi -DFIND_MPI_FIRST=ON -DMPI_CXX_COMPILER="$(echo "$MPICC" | sed s/mpicc/mpicxx/)" # that one is taken

if has_ga; then
  say 'find_package(GlobalArrays), in a project of C and C++'
  ga_package() { # ga_package FOLDER OPTION...
    cmake -S "$outside-ga" -B "$@" >log 2>&1 && cmake --build "$1" >>log 2>&1 || { cat log; exit 1; }
    for program in beside objects; do run "$1/$program"; done
  }
  ga_package globalarrays -DCMAKE_PREFIX_PATH="$prefix" -DCAUSEWAY_MPI="$MPI" -DINTEGER_BYTES=8
  ga_package globalarrays-i4 -DGlobalArrays_ROOT="$prefix/lib/cwga/$MPI-i4" -DCAUSEWAY_STATIC=ON -DINTEGER_BYTES=4
fi

say 'pkg-config, shared and static'
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
flags=$(pkg-config --cflags "causeway-$MPI")
"$CC" "$outside/native.c" $flags $(pkg-config --libs "causeway-$MPI") -o native
run ./native
"$CC" "$outside/native.c" $flags $(pkg-config --variable=static_libs "causeway-$MPI") -o native
run ./native
"$CC" "$outside/armci.c" $flags $(pkg-config --variable=static_libs "armci-$MPI") -o armci
run ./armci
pkg-config --exists causeway armci
if has_ga; then
  flags=$(pkg-config --cflags "cwga-$MPI")
  for libs in --libs --variable=static_libs; do
    "$CC" "$outside/ga.c" $flags $(pkg-config $libs "cwga-$MPI") -o ga
    run_ga ./ga
  done
  pkg-config --exists cwga
  "${CXX:-c++}" "$outside-ga/objects.cpp" $flags $(pkg-config --libs "cwga-$MPI") -o objects
  run ./objects
fi

if has_ga && command -v gfortran >/dev/null; then
  say 'Fortran, with integers of 8 and of 4 bytes'
  for library in cwga cwga-i4; do
    case $library in cwga) size=-fdefault-integer-8 ;; *) size= ;; esac
    for libs in --libs --variable=static_libs; do
      gfortran $size -std=legacy -funconstrained-commons "$outside/memory.F" $(pkg-config --cflags "$library-$MPI") \
        $(pkg-config $libs "$library-$MPI") -o memory
      run ./memory
    done
  done
fi

say 'what a program is linked with, shared and static'
for library in causeway $(! has_ga || echo cwga cwga-i4); do
  for libs in --libs --variable=static_libs; do
    "$CC" "$outside/native.c" $(pkg-config --cflags "causeway-$MPI") $(pkg-config $libs "$library-$MPI") -o native
    if ldd ./native | grep -E 'blas|lapack|hdf5'; then
      say "with $libs of $library it should load none of these"
      exit 1
    fi
  done
done

say 'mpicc -larmci, shared and static'
mpicc=$MPICC
"$mpicc" "$outside/armci.c" -I "$prefix/include/cwarmci" -I "$prefix/include" -L "$prefix/lib" "-larmci-$MPI" \
  -Wl,-rpath,"$prefix/lib" -o armci
run ./armci
"$mpicc" "$outside/armci.c" -I "$prefix/include/cwarmci" -I "$prefix/include" -L "$prefix/lib" \
  -Wl,-Bstatic "-larmci-$MPI" -Wl,-Bdynamic -o armci
run ./armci
! has_ga || {
  say 'mpicc -lcwga'
  echo '#include <ga.h>' | "$mpicc" -x c -fsyntax-only -I "$prefix/include/cwga" -
  for header in message mp3 armci; do
    [ ! -e "$prefix/include/$header.h" ] || { say "include/$header.h has a common name"; exit 1; }
  done
  "$mpicc" "$outside/ga.c" -I "$prefix/include/cwga" -I "$prefix/include/cwarmci" -I "$prefix/include" -L "$prefix/lib" "-lcwga-$MPI" -Wl,-rpath,"$prefix/lib" -o ga
  run_ga ./ga
}

if has_ga; then
  say 'two of the libraries in one program: one copy of the runtime, or a message at the start'
  link() { # link PROGRAM ARGUMENT...: beside.c
    out=$1
    shift
    "$mpicc" "$@" -I "$prefix/include/cwga" -I "$prefix/include/cwarmci" -I "$prefix/include" -L "$prefix/lib" -L . -Wl,-rpath,"$prefix/lib:$PWD" -o "$out"
  }
  beside=$outside-ga/beside.c
  link middle.so -shared -fPIC "$outside-ga/middle.c" "-larmci-$MPI"
  mv middle.so libmiddle.so
  link both "$beside" "-lcwga-$MPI" "-larmci-$MPI" "-lcauseway-$MPI"
  run ./both
  link both -DMIDDLE "$beside" "-lcwga-$MPI" -lmiddle
  run ./both
  math=$(pkg-config --variable=static_libs "cwga-$MPI")
  for order in 'cwga armci' 'armci cwga' 'causeway cwga'; do
    link both "$beside" "$prefix/lib/lib${order% *}-$MPI.a" "$prefix/lib/lib${order#* }-$MPI.a" $math
    run ./both
  done
  refused() { # refused FILE FILE: the message has both
    if $MPIEXEC -n 2 ./both >log 2>&1 || ! grep -q "two of Causeway's libraries: .*$1.* runs, .*$2" log; then
      cat log
      say "two runtimes in one program: a message should name $1 and $2"
      exit 1
    fi
  }
  link both "$beside" "-larmci-$MPI" "-lcwga-$MPI"
  refused "libcwga-$MPI.so" "libarmci-$MPI.so"
  link both "$beside" "-larmci-$MPI" "$prefix/lib/libcwga-$MPI.a" $math
  refused /both "libarmci-$MPI.so"
  sed 's/GA_Initialize();/ARMCI_Init(); GA_Initialize();/' "$beside" >started.c
  link both started.c "-larmci-$MPI" "-lcwga-$MPI"
  refused "libarmci-$MPI.so" "libcwga-$MPI.so"
fi

if [ -f "$prefix/lib/libcauseway-$other.a" ]; then
  say 'two MPIs in one program'
  for pair in causeway:native armci:armci $(! has_ga || echo cwga:ga); do
    for library in "-l${pair%:*}-$other" "$prefix/lib/lib${pair%:*}-$other.a"; do
      if "$mpicc" "$outside/${pair#*:}.c" -I "$prefix/include/cwga" -I "$prefix/include/cwarmci" -I "$prefix/include" -L "$prefix/lib" "$library" -lm \
        -Wl,-rpath,"$prefix/lib" -o mixed >log 2>&1 || ! grep -q "undefined.*cw_built_for_$MPI" log; then
        cat log
        say "compiled for $MPI and linked with $library: the linker should ask for cw_built_for_$MPI"
        exit 1
      fi
    done
  done
  # Without Causeway's header the linker cannot notice the wrong library: the first call ends the job, or returns an error.
  cat >by_hand.c <<'END'
#include <mpi.h>
int START();
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  return START(MPI_COMM_WORLD);
}
END
  for pair in causeway:cw_init armci:ARMCI_Init $(! has_ga || echo cwga:GA_Initialize); do
    "$mpicc" by_hand.c -DSTART="${pair#*:}" -L "$prefix/lib" "-l${pair%:*}-$other" -Wl,-rpath,"$prefix/lib" -o by_hand
    if CW_ALONE=1 ./by_hand >log 2>&1 ||
      ! grep -q "built for .*, but the process runs .*Causeway's library for it (its name ends with -$MPI)" log; then
      cat log
      say "compiled for $MPI and run with lib${pair%:*}-$other: ${pair#*:} should say so"
      exit 1
    fi
  done
  if cmake -S "$outside" -B mixed-cmake -DCMAKE_PREFIX_PATH="$prefix" -DCAUSEWAY_MPI="$other" -DMPI_C_COMPILER="$mpicc" \
    >log 2>&1 || ! tr -s ' \n' ' ' <log | grep -q "Causeway would be the one for $other"; then
    cat log
    say "find_package takes Causeway for $other with $MPI"
    exit 1
  fi
fi

say 'cw-info'
"$prefix/bin/cw-info-$MPI" --version
case $MPI in # of each version so far
mpich) known=mpich_rget_datatype told='never makes such calls' ;;
*) known=unsigned_extremes told='avoids it' ;;
esac
"$prefix/bin/cw-info-$MPI" --selftest $known --launcher "$MPIEXEC" >out || { cat out; exit 1; }
grep -q "^$known  *has it  *yes  *$told" out || { cat out; say 'the installed selftest does not find a known bug'; exit 1; }

if [ -e "$prefix/bin/cw-view-$MPI" ]; then
  say 'cw-view'
  "$prefix/bin/cw-view-$MPI" --version
  "$prefix/bin/cw-view" --help >log || { cat log; exit 1; }
fi
if [ -e "$prefix/bin/cw-report" ]; then
  say 'cw-report'
  "$prefix/bin/cw-report" --version
  ! ldd "$prefix/bin/cw-report" | grep -E 'jansson|mpi' || { say 'cw-report needs more than a node of a cluster has'; exit 1; }
fi
if [ -e "$prefix/bin/cw-vocl-$MPI" ]; then
  say 'cw-vocl'
  vocl_runs() { # vocl_runs PREFIX
    CW_VOCL_VENDORS=$work OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$1/bin/cw-vocl-$MPI" run -- \
      sh -c 'echo "$OCL_ICD_VENDORS"; exit 3' >log 2>&1 && status=0 || status=$?
    [ $status = 3 ] && grep -q '/lib/libcw-vocl.so$' log || { cat log; say 'cw-vocl does not run a program'; exit 1; }
  }
  vocl_runs "$prefix"
  "$prefix/bin/cw-vocl" --help >log || { cat log; exit 1; }
  say 'vocl/ alone, against the installation'
  alone=${BUILD%/*}/vocl-alone-$MPI # there ccache has the objects
  cmake -S "$SOURCE/vocl" -B "$alone" --fresh -DCW_MPI="$MPI" -DCW_MPICC="$MPICC" -DCW_TESTS=OFF -DCMAKE_PREFIX_PATH="$prefix" \
    >log 2>&1 && cmake --build "$alone" -j 2 >>log 2>&1 && cmake --install "$alone" --prefix "$work/alone" >>log 2>&1 ||
    { cat log; exit 1; }
  vocl_runs "$work/alone"
  ldd "$alone/cw-vocl" | grep -q "libcauseway-$MPI" || { say 'cw-vocl does not link the installed library'; exit 1; }
fi

say 'the last lines of the installation compile a program'
cp "$outside/native.c" program.c
sed -n '/ is installed in /,$p' installed | grep -E '^  (export |.* program[.]c )' >commands
[ "$(wc -l <commands)" = 2 ] || { cat installed; exit 1; }
(unset PKG_CONFIG_PATH && sh -e commands)
run ./program

say 'uninstall: files of others stay, whichever installation goes first'
names() { (cd "$1" && find . -printf '%p %y %l\n' | sort); } # names PREFIX
shared=$work/shared
mkdir -p "$shared/lib/pkgconfig" "$shared/share/doc" "$shared/include/cwarmci"
touch "$shared/lib/pkgconfig/other.pc" "$shared/include/cwarmci/other.h"
names "$shared" >before
uninstall() { # uninstall MPI
  sh "$SOURCE/scripts/uninstall.sh" "$shared" "$1" >log || { cat log; exit 1; }
  no_dangling "$shared"
  ! names "$shared" | grep -v '^./share/doc/' | grep -E "^[^ ]*(-$1[./ ]|/$1[ /])" || { say "these are left of $1"; exit 1; }
}
for order in "$MPI $other" "$other $MPI"; do
  for build in $builds_in_order; do cmake --install "$build" --prefix "$shared" >log || { cat log; exit 1; }; done
  for one in $order; do
    [ "$one" = "$MPI" ] || [ "$builds" != "$first" ] || continue
    uninstall "$one"
    [ "$builds" != "$first" ] || continue
    case $order in
    "$one "*) [ -f "$shared/lib/libcauseway-${order#* }.so" ] || { say "${order#* } is gone, too"; exit 1; } ;;
    esac
  done
  names "$shared" >after
  diff before after || { say 'uninstall leaves these, or removes them'; exit 1; }
done
say 'all right'
