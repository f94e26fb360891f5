# The Spack recipe and the EasyBuild file: recipes.py evaluates them with stand-ins for Spack's and EasyBuild's own classes,
# runs the command lines of CMake that they give, and runs the recipe's tests on an installation of this build.
set -eu
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
unset CC CXX CAUSEWAY_MPI
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$BUILD" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "$@"\n' "$MPIEXEC" >"$work/bin/mpiexec"
chmod +x "$work/bin/mpiexec"
PATH=$work/bin:$PATH PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE/tests/project/recipes.py" "$SOURCE" "$BUILD" "$work"
