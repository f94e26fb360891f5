"""Builds the extension module for each MPI whose libcauseway pkg-config finds, for pip.

CAUSEWAY_MPI=mpich or openmpi in the environment chooses one of them. PKG_CONFIG_PATH names the folders of libraries that are
not installed in the system's own folders, such as PREFIX/lib/pkgconfig after `make install PREFIX=...`.
"""
import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import write_binding  # noqa: E402, of this folder, which pip does not search by itself

MPIS = ("mpich", "openmpi")


def version():
    """Returns the version: CMake's in a source tree, in an archive of this folder that of its PKG-INFO."""
    for path, pattern in ((HERE / "../../CMakeLists.txt", r"^project\(causeway VERSION ([\d.]+)"),
                          (HERE / "PKG-INFO", r"^Version: ([\d.]+)")):
        found = path.exists() and re.search(pattern, path.read_text(), re.M)
        if found:
            return found[1]
    sys.exit("causeway: neither the CMakeLists.txt of Causeway's source tree nor PKG-INFO has a version")


def mpi_of(ext):
    """Returns the MPI that an extension module is for."""
    return ext.name.rpartition("_")[2]


def pkg_config(library, *options):
    """Returns the words that pkg-config prints for a library, or None if it does not find the library."""
    try:
        done = subprocess.run(["pkg-config", *options, library], capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit("causeway: pkg-config is not installed; it finds libcauseway (Debian: apt install pkgconf)")
    return done.stdout.split() if done.returncode == 0 else None


def libraries():
    """Returns the MPIs whose library is installed, or the one of CAUSEWAY_MPI, and checks the libraries' version."""
    wanted = os.environ.get("CAUSEWAY_MPI")
    if wanted and wanted not in MPIS:
        sys.exit(f"causeway: CAUSEWAY_MPI is {wanted}; it can be {' or '.join(MPIS)}")
    found = [mpi for mpi in ([wanted] if wanted else MPIS) if pkg_config(f"causeway-{mpi}", "--exists") is not None]
    if not found:
        names = " and ".join(f"causeway-{mpi}.pc" for mpi in ([wanted] if wanted else MPIS))
        sys.exit(f"causeway: pkg-config does not find {names}. Install libcauseway first: the Debian packages "
                 "libcauseway-mpich-dev or libcauseway-openmpi-dev, or `make install PREFIX=...` in Causeway's source tree. "
                 "Then set PKG_CONFIG_PATH to PREFIX/lib/pkgconfig.")
    for mpi in found:
        installed = pkg_config(f"causeway-{mpi}", "--modversion")[0]
        if installed != version():
            sys.exit(f"causeway: the installed libcauseway for {mpi} has version {installed}, and this package has {version()}")
    return found


class BuildBindings(build_ext):
    """Writes and compiles the C source of the extension modules. An archive of the sources is made without a library."""

    def run(self):
        found = libraries()
        self.extensions = [ext for ext in self.extensions if mpi_of(ext) in found]
        super().run()

    def build_extension(self, ext):
        library = f"causeway-{mpi_of(ext)}"
        folder = pathlib.Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"_{mpi_of(ext)}.c"
        write_binding.write(ext.name, pkg_config(library, "--variable=includedir")[0], str(source))
        ext.sources = [str(source)]
        ext.include_dirs = [str(HERE)]
        ext.extra_compile_args = ["-w", *pkg_config(library, "--cflags")]
        ext.extra_link_args = pkg_config(library, "--libs")
        super().build_extension(ext)


setup(version=version(), cmdclass={"build_ext": BuildBindings}, options={"bdist_wheel": {"py_limited_api": "cp311"}},
      ext_modules=[Extension(f"causeway._{mpi}", [], py_limited_api=True) for mpi in MPIS])
