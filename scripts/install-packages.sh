#!/bin/sh
# Installs the Debian packages that are needed and missing; says so, or does nothing.
# Usage: scripts/install-packages.sh [build] [mpich] [openmpi] [math] [test] [demo] [hosts] [apps] [lint] [docs] [python] [binding]
#                                     [aarch64] [abi] [scale] [pictures] [nwchem] [root] [slurm] [compilers] [browser] [deb]
#   (default: all but the last ten, from binding on)
#   build    compiler and tools; the libraries need one MPI beside
#   mpich    that MPI
#   openmpi  that MPI
#   math     matrix multiply, solvers, files and libcwga: BLAS, and ScaLAPACK and HDF5 of the named MPIs
#   test     what the tests need beside both MPIs
#   demo     make demo and make uts
#   hosts    hosts made of network namespaces
#   apps     demo, programs on Debian's Global Arrays, the benchmarks
#   lint     make lint
#   docs     manual pages and the site: make man, make docs
#   python   the Python package, its tests and its benchmarks; python3-dask is a peer of these
#   binding  the Python package alone
#   aarch64  make aarch64: programs for that processor are compiled and run here
#   abi      make check-abi and make save-abi
#   scale    the simulated machine of bench/scale; only when asked for
#   nwchem   make nwchem: what unpacks and compiles NWChem, beside apps; only when asked for
#   pictures drawing those of docs/pictures again
#   root     another release of Debian (make check ROOT=trixie)
#   compilers make compilers
#   deb      make deb
#   browser  tests/programs/report: pages of cw-report in Chromium; only make nightly asks for it
#   slurm    tests/multinode/slurm.sh; only make nightly asks for it. Their daemons are not started
# CW_INSTALL=no in the environment: says what is missing, and installs nothing.
set -eu

build='gcc libc6-dev make cmake ninja-build ccache pkg-config binutils opencl-c-headers libdw-dev libjansson-dev
  libncurses-dev libotf2-trace-dev'
mpich='mpich libmpich-dev'
openmpi='openmpi-bin libopenmpi-dev'
math=libopenblas-dev
math_mpich='libscalapack-mpich-dev libhdf5-mpich-dev'
math_openmpi='libscalapack-openmpi-dev libhdf5-openmpi-dev'
abi='abigail-tools xz-utils'
test="$abi"' locales python3-yaml patch g++ gfortran hdf5-tools otf2-tools gnuplot-nox iproute2 spin tmux
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross libblas64-3 liblapack64-3 man-db tcl
  lua5.3 lua-posix lua-filesystem lua-json lua-term'
browser='chromium'
demo='liblapack-dev libint2-dev nwchem-data libssl-dev'
hosts=iproute2
apps="$demo libglobalarrays-dev libarmci-mpi-dev libscalapack-mpich-dev libscalapack-openmpi-dev
  libopenblas-dev liblapacke-dev gfortran gnuplot-nox"
lint='clang-format clang-tidy cppcheck mypy python3-flake8 python3-numpy'
binding='python3-dev python3-cffi python3-numpy'
python="$binding python3-pytest python3-hypothesis python3-mpi4py python3-h5py python3-dask python3-ipython python3-ipykernel python3-nbconvert python3-matplotlib python3-pip python3-setuptools
  python3-venv python3-wheel"
docs='python3-markdown-it python3-mdit-py-plugins mandoc man-db python3-sphinx python3-myst-parser furo'
aarch64="$test qemu-user"
scale='libsimgrid-dev gcc g++ gnuplot-nox'
nwchem='dpkg-dev perl gfortran libblas-dev liblapack-dev nwchem-data iproute2'
pictures='graphviz'
root='mmdebstrap'
deb='build-essential debhelper dh-python lintian xz-utils'
compilers='clang'
slurm='slurmctld slurmd slurm-client munge iproute2'

groups=${*:-build mpich openmpi math test apps lint docs python}
wanted=
for word in $groups; do
  case $word in
  math)
    wanted="$wanted $math"
    for mpi in mpich openmpi; do
      case " $groups " in *" $mpi "*) eval "wanted=\"\$wanted \$math_$mpi\"" ;; esac
    done ;;
  build | mpich | openmpi | test | demo | hosts | apps | lint | docs | python | binding | aarch64 | abi | scale | pictures | nwchem | root | \
    slurm | compilers | browser | deb)
    eval "wanted=\"\$wanted \$$word\"" ;;
  *) echo "install-packages: no group of packages is called $word" >&2 && exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-packages: no apt here; assuming that these are installed:" $wanted >&2
  exit 0
fi

missing=
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "${CW_INSTALL:-yes}" = no ]; then
  echo "install-packages: missing, and CW_INSTALL=no forbids to install them: apt-get install$missing" >&2
  exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
  as_root=sudo
  if ! command -v sudo >/dev/null; then
    echo "install-packages: as root, please do: apt-get install$missing" >&2
    exit 1
  fi
fi

# Debian starts the daemons that it installs, and again with each start of the system. Ours are Slurm's and MUNGE's.
daemons= policy=/usr/sbin/policy-rc.d made=
for daemon in munge slurmctld slurmd; do
  case " $missing " in *" $daemon "*) daemons="$daemons $daemon" ;; esac
done
forbid_daemons() {
  [ -n "$daemons" ] && [ ! -e $policy ] || return 0
  printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
  made=yes
  $as_root chmod +x $policy
}
leave_no_daemons() {
  [ -z "$made" ] || $as_root rm -f $policy
  [ -z "$daemons" ] || ! command -v systemctl >/dev/null || $as_root systemctl disable $daemons 2>/dev/null || :
}

echo "install-packages: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"; leave_no_daemons' EXIT
forbid_daemons
# Another apt may be at work: it is waited for.
if ! { $as_root apt-get update &&
       $as_root env DEBIAN_FRONTEND=noninteractive \
         apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "install-packages: apt-get failed; its last lines are above" >&2
  exit 1
fi
