# `make install` installs the packages that building for the chosen MPI needs, and neither the other MPI nor those that only
# tests need. Without apt scripts/install-packages.sh prints what it would install.
set -eu
cd "$SOURCE"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
failed=0
case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac

command=$(make --no-print-directory -n install MPI="$MPI" PREFIX=/nowhere |
  grep -o 'scripts/install-packages.sh.*')
# shellcheck disable=SC2086 # words
asked=$(PATH=$empty /bin/sh $command 2>&1)
echo "make install MPI=$MPI: $asked"
for word in gcc cmake ninja-build "lib$MPI-dev" libopenblas-dev "libscalapack-$MPI-dev" "libhdf5-$MPI-dev" python3-dev python3-cffi; do
  case " $asked " in *" $word "*) ;; *) echo "$word is missing"; failed=1 ;; esac
done
for word in $other spin iproute2 globalarrays clang qemu aarch64 gfortran pytest; do
  case $asked in *$word*) echo "$word is not needed"; failed=1 ;; esac
done

# If the user declines, nothing is installed and the missing packages are listed; what cannot work is reported at once.
mkdir "$empty/bin"
printf '#!/bin/sh\nexit 1\n' >"$empty/bin/dpkg-query"
printf '#!/bin/sh\ntouch "%s"\n' "$empty/called" >"$empty/bin/apt-get"
chmod +x "$empty/bin/"*
if asked=$(CW_INSTALL=no PATH=$empty/bin:$PATH sh scripts/install-packages.sh build 2>&1); then
  echo 'CW_INSTALL=no: status 0, though packages are missing'
  failed=1
fi
[ ! -e "$empty/called" ] || { echo 'CW_INSTALL=no: apt-get was called'; failed=1; }
case $asked in *'forbids'*'apt-get install gcc'*) ;; *) echo "CW_INSTALL=no says: $asked"; failed=1 ;; esac
for wrong in 'demo NODES=9' 'demo NODES=1' 'install PREFIX=/a\ b'; do
  if said=$(eval "make --no-print-directory -n $wrong" 2>&1); then
    echo "make $wrong would begin"
    failed=1
  fi
  case $said in *"${wrong#* }"* | *'a prefix with a space'*) ;; *) echo "make $wrong says: $said"; failed=1 ;; esac
done
exit $failed
