#!/bin/sh
# Measures the Python package beside its peers, where they are installed: numpy, mpi4py (if it is of this MPI), dask.array, h5py,
# multiprocessing. Sides of different programs take turns.
#   python.sh BUILD_DIR mpich|openmpi LAUNCHER...     the launcher without a number of processes
# START_ROUNDS=10, TASK_ROUNDS=5: other numbers of turns.
set -eu
build=${1:?usage: python.sh BUILD_DIR mpich\|openmpi LAUNCHER...} mpi=${2:?}
shift 2
here=$(dirname "$(readlink -f "$0")")
export PYTHONPATH="${CAUSEWAY_PYTHON:-$build/python}" OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$work/byte-code" # as in an installation
has() { "$python" -c "import $1" 2>/dev/null || { echo "$1 is not installed"; return 1; }; }
median() { sort -n | awk '{ at[NR] = $1 } END { printf "%.3g", at[int((NR + 1) / 2)] }'; }

peer=
family=$("$python" -c 'import mpi4py.MPI as m; print("openmpi" if "Open MPI" in m.Get_library_version() else "mpich")' 2>/dev/null) || family=
[ "$family" != "$mpi" ] || peer=mpi4py
"$@" -n 2 "$python" "$here/transfers.py" $peer
! has dask.array || "$@" -n 2 "$python" "$here/matrices.py"
! has h5py || "$@" -n 2 "$python" "$here/files.py" /dev/shm

echo '| tasks | Causeway, 2 processes, ms | multiprocessing.Pool(2), ms |'
echo '|---|--:|--:|'
for case in '1000 0' '200 1000'; do
  for turn in $(seq "${TASK_ROUNDS:-3}"); do
    # shellcheck disable=SC2086 # two words
    "$@" -n 2 "$python" "$here/tasks.py" causeway $case >>"$work/causeway"
    # shellcheck disable=SC2086
    "$python" "$here/tasks.py" multiprocessing $case >>"$work/multiprocessing"
  done
  echo "| ${case% *} of ${case#* } us | $(median <"$work/causeway") | $(median <"$work/multiprocessing") |"
  rm "$work/causeway" "$work/multiprocessing"
done
echo

set -- "$@" -n 2 "$python" -c
for turn in $(seq "${START_ROUNDS:-15}"); do
  while IFS='|' read -r name program; do
    [ -n "$peer" ] || case $program in *mpi4py*) continue ;; esac
    begin=$(date +%s%N)
    "$@" "$program" </dev/null
    echo "$(($(date +%s%N) - begin)) $name" >>"$work/start"
  done <<'PROGRAMS'
pass|pass
import numpy|import numpy
import mpi4py.MPI|import mpi4py.MPI
import numpy, mpi4py.MPI|import numpy, mpi4py.MPI
import causeway|import causeway
import mpi4py.MPI, causeway|import mpi4py.MPI, causeway
PROGRAMS
done
echo '| job of 2 processes | start to end, ms |'
echo '|---|--:|'
for name in pass 'import numpy' 'import mpi4py.MPI' 'import numpy, mpi4py.MPI' 'import causeway' 'import mpi4py.MPI, causeway'; do
  sed -n "s/ $name\$//p" "$work/start" | awk '{ print $1 / 1e6 }' >"$work/one"
  [ ! -s "$work/one" ] || echo "| $name | $(median <"$work/one") |"
done
