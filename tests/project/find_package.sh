# find_package(causeway) with components, versions and both spellings: what it finds, and what it reports about what it does
# not find. Nothing is compiled; project.install builds and runs programs. The other MPI's installation is a copy of this
# one under its name, without Global Arrays' interface.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CC CXX CAUSEWAY_MPI
prefix=$work/prefix
failed=0
case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
cmake --install "$BUILD" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
package=$(dirname "$(find "$prefix" -name causeway-config.cmake)")
version=$(sed -n 's/^set(PACKAGE_VERSION \(.*\))/\1/p' "$package/causeway-config-version.cmake")
major=${version%%.*}
minor=${version#*.}
minor=${minor%%.*}

ask() { # WORDS [OPTION...]: configures a project with find_package(WORDS)
  asked="find_package($*)"
  words=$(echo "$1" | tr ' ' ';')
  shift
  status=0
  cmake -S "$SOURCE/tests/project/asks" -B "$work/asks-$language" -G Ninja -DLANGUAGES="$language" -U '*auseway*' -U 'CAUSEWAY*' \
    -U 'MPI*' -U CMAKE_DISABLE_FIND_PACKAGE_MPI -DCMAKE_PREFIX_PATH="$prefix" -DASK="$words" "$@" >"$work/log" 2>&1 || status=$?
  said=$(tr -s ' \n' ' ' <"$work/log")
}
wrong() { cat "$work/log"; echo "$asked: $*"; failed=1; }
says() { # TEXT...: the output has each
  for text; do
    case $said in *"$text"*) ;; *) wrong "no '$text' in the output" ;; esac
  done
}
finds() { # the version and this MPI
  [ "$status" = 0 ] || wrong 'an error'
  says "found: TRUE $version $MPI"
}
rejects() { # TEXT...: an error that has each text
  [ "$status" != 0 ] || wrong 'no error'
  says "$@"
}
lacks() { # TEXT...: not found, which is no error
  [ "$status" = 0 ] || wrong 'an error'
  says 'found: FALSE' "$@"
}

language=C
ask causeway
finds
says 'target: causeway::causeway ' 'target: causeway::armci ' 'target: causeway::causeway-static' 'target: causeway::armci-static'
ask "Causeway REQUIRED COMPONENTS causeway armci OPTIONAL_COMPONENTS shmem"
finds
says 'component armci: TRUE' 'component shmem: FALSE'
if [ -f "$package/causeway-$MPI-cwga-targets.cmake" ]; then
  ask "causeway REQUIRED COMPONENTS ga"
  finds
  says 'component ga: TRUE' 'target: causeway::cwga ' 'target: causeway::cwga-i4 ' 'target: causeway::cwga-i4-static'
fi

ask "causeway REQUIRED COMPONENTS shmem armci"
rejects "The component shmem is not installed for $MPI." "Installed for $MPI in" ': causeway, armci'
ask "Causeway COMPONENTS shmem"
lacks "The component shmem is not installed for $MPI."
ask "causeway QUIET COMPONENTS shmem"
lacks
case $said in *'not installed'*) wrong 'QUIET is not quiet' ;; esac
ask "causeway REQUIRED COMPONENTS globalarrays"
rejects 'Causeway has no component globalarrays. The components are causeway, armci, ga,'

for accepted in "$major.$minor" "$version" "$version EXACT" "0.1...$major.$minor.99" "$major.$minor...<$((major + 1))"; do
  ask "causeway $accepted REQUIRED"
  finds
done
for rejected in "$major.$((minor + 1))" "$((major + 1))" "$major.$minor EXACT" "0.0.1...<$major.$minor" "$((major + 1))...$((major + 2))"; do
  ask "Causeway $rejected REQUIRED"
  case $rejected in "$major.$minor EXACT") finds ;; *) rejects "version: $version" ;; esac # 0.3 and 0.3.0 are equal
done

ask "causeway REQUIRED" -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
rejects 'find_package(MPI) finds no MPI. Causeway was built with' '-DMPI_C_COMPILER='
ask "causeway REQUIRED" -DCAUSEWAY_MPI=$other
rejects "Causeway is installed here for: $MPI, not for CAUSEWAY_MPI=$other."
language=CXX
ask "causeway REQUIRED"
finds

language=C
for file in "$package/causeway-$MPI"*; do
  case $file in *cwga*) continue ;; esac
  sed "s/$MPI/$other/g" "$file" >"$package/causeway-$other${file#"$package/causeway-$MPI"}"
done
for name in causeway armci; do
  for file in "$prefix/lib/lib$name-$MPI".*; do
    touch "$prefix/lib/lib$name-$other${file#"$prefix/lib/lib$name-$MPI"}"
  done
done
ask "causeway REQUIRED COMPONENTS ga" -DCAUSEWAY_MPI=$other
rejects "The component ga is not installed for $other." "Installed for $other in"
[ ! -f "$package/causeway-$MPI-cwga-targets.cmake" ] || says "-DCAUSEWAY_MPI=$MPI has it."
export CAUSEWAY_MPI=$MPI
ask "causeway REQUIRED"
finds
unset CAUSEWAY_MPI
ask "causeway REQUIRED" -DMPI_FIRST=ON -DMPI_C_COMPILER="$MPICC"
finds
ask "causeway REQUIRED" -DMPI_FIRST=ON -DMPI_C_COMPILER="$MPICC" -DCAUSEWAY_MPI=$other
rejects "Causeway would be the one for $other" "give -DCAUSEWAY_MPI=$MPI"
ask causeway -DMPI_FIRST=ON -DMPI_C_COMPILER="$MPICC" -DCAUSEWAY_MPI=$other
lacks
exit $failed
