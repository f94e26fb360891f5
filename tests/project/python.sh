# The installed Python package: `make install` puts the modules for both MPIs (if the other one has been built) into one
# folder, from which 2 processes of each import it; uninstall removes it with the byte code that Python has added. pip builds
# the package in an environment of its own against the installed library, and reports a library that is missing or of another
# version.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "-- $*"; }
fail() { cat "$work/log"; say "$*"; exit 1; }
build=$(sed -n 's/^CW_BINDING_PYTHON:[^=]*=//p' "$BUILD/CMakeCache.txt")
[ -x "$build" ] || { say 'skipped: the Python package is not built: sh scripts/install-packages.sh binding'; exit 77; }
"$build" -c 'import numpy' 2>/dev/null || { say 'skipped: python3-numpy is not installed'; exit 77; }
prefix=$work/prefix
unset PYTHONDONTWRITEBYTECODE PYTHONPATH
cd "$work"

case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
second=${BUILD%/*}/$other
installed=
is_built() { # is_built BUILD MPI: the other MPI's library and module, and no build under way
  [ ! -e "$1/under-way" ] && [ -f "$1/libcauseway-$2.so" ] && [ -f "$1/python/causeway/_$2.abi3.so" ]
}
if is_built "$second" "$other"; then
  if cmake --install "$second" --prefix "$prefix" >log 2>&1; then
    installed=$other
  else
    rm -rf "$prefix" # only a part of it is built
  fi
fi
cmake --install "$BUILD" --prefix "$prefix" >log 2>&1 || fail 'make install failed'
installed="$MPI $installed"
path=$(sed -n 's/^Python finds the package causeway by PYTHONPATH=//p' log)
[ -d "$path/causeway" ] || fail 'the installation does not name the folder of the Python package'

cat >program.py <<'PYTHON'
import causeway as cw
assert cw.processes() == 2, cw.processes()
array = cw.empty((4, 6), "f8")
array.local[...] = cw.process() + 1
array.sync()
assert cw.node(1 - cw.process()) in range(cw.nodes())
array.free()
if cw.process() == 0:
    print("right", cw.mpi, cw.__version__, cw.__file__)
PYTHON
run() { # run MPI PYTHON FOLDER: FOLDER has the package that the program imports
  case $1 in
  mpich) launch=mpiexec.mpich ;;
  openmpi) launch='mpiexec.openmpi --oversubscribe --bind-to none' ;;
  esac
  [ "$1" != "$MPI" ] || launch=$MPIEXEC
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $launch -n 2 "$2" program.py >log 2>&1 || fail "$1: the program failed"
  grep -q "^right $1 .* $3/causeway/__init__.py$" log || fail "$1: the package of $3 is not imported"
}
for mpi in $installed; do
  say "import from the installation, $mpi"
  PYTHONPATH=$path run "$mpi" "$build" "$path"
done
[ -d "$path/causeway/__pycache__" ] || fail 'Python has written no byte code, whose removal is tested next'

if ! "$build" -m venv --system-site-packages environment >log 2>&1; then
  say 'without pip: no python3-venv here'
else
  say 'pip, against the installed library'
  mkdir -p source/bindings
  cp "$SOURCE/CMakeLists.txt" source
  cp -R "$SOURCE/bindings/python" source/bindings
  find source -name '*.so' -exec rm {} +
  pip() { # pip COMMAND ARGUMENT...: only what is installed here is used
    CFLAGS=-O0 environment/bin/python -m pip --disable-pip-version-check "$@" --no-index --no-deps --no-build-isolation \
      source/bindings/python >log 2>&1
  }
  if PKG_CONFIG_LIBDIR=$work pip wheel -w wheels || ! grep -q 'pkg-config does not find causeway-mpich.pc and causeway-openmpi.pc' log; then
    fail 'pip should report that no library is installed'
  fi
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" CAUSEWAY_MPI="$MPI"
  sed 's/^project(causeway VERSION [0-9.]*/project(causeway VERSION 99.0.0/' "$SOURCE/CMakeLists.txt" >source/CMakeLists.txt
  if pip wheel -w wheels || ! grep -q "the installed libcauseway for $MPI has version .*, and this package has 99.0.0" log; then
    fail 'pip should report a library of another version'
  fi
  cp "$SOURCE/CMakeLists.txt" source
  pip wheel -w wheels || fail 'pip builds no wheel'
  "$build" -m zipfile -l wheels/causeway-*-abi3-*.whl | awk 'NR > 1 { print $1 }' | grep -v dist-info | sort >names
  { cd "$SOURCE/bindings/python" && find causeway -name '*.py' -o -name py.typed && echo "causeway/_$MPI.abi3.so"; } | sort >expected
  diff expected names >log || fail 'the wheel has not these files, or others'
  environment/bin/python -m pip --disable-pip-version-check install --no-index --no-deps wheels/*.whl >log 2>&1 || fail 'pip install failed'
  (unset CAUSEWAY_MPI && run "$MPI" environment/bin/python "$(echo "$work"/environment/lib/python3*/site-packages)")

  say 'an archive of the sources'
  (cd source/bindings/python && unset PKG_CONFIG_PATH && "$build" setup.py -q sdist -d "$work/dist" >"$work/log" 2>&1) || fail 'no archive'
  tar -tzf dist/causeway-*.tar.gz | sed 's|^[^/]*/||' | grep -vE '/$|^$|egg-info|^setup.cfg$|^PKG-INFO$' | sort >names
  { cd "$SOURCE/bindings/python" && find causeway -name '*.py' -o -name py.typed &&
    ls MANIFEST.in binding.cdef binding.h mpi_stub/mpi.h patch.h pyproject.toml setup.py write_binding.py; } | sort >expected
  diff expected names >log || fail 'the archive has not these files, or others'
fi

say uninstall
# shellcheck disable=SC2086 # a list of words
sh "$SOURCE/scripts/uninstall.sh" "$prefix" $installed >log 2>&1 || fail 'uninstall failed'
[ ! -e "$prefix" ] || { find "$prefix" >log && fail 'uninstall leaves these'; }
say 'all right'
