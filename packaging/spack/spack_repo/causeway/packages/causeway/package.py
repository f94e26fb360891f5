"""Causeway for Spack 1.0 and later: docs/reference/packaging.md describes how to add this repository."""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Causeway(CMakePackage):
    """One-sided communication, global arrays and tasks on MPI, with the interfaces of ARMCI and
    Global Arrays."""

    # The checkout that this recipe belongs to. A copy elsewhere needs the address of a repository.
    _checkout = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))
    homepage = "file://" + _checkout
    git = "file://" + _checkout

    test_requires_compiler = True

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("ga", default=True, description="Global Arrays' interface (libcwga) and linear algebra")
    variant("hdf5", default=True, description="Files of arrays; Global Arrays' interface needs them")
    variant("fortran", default=False, description="Test the interfaces for Fortran; no library needs a compiler for it")
    variant("vocl", default=False, description="Virtual OpenCL")
    variant("otf2", default=False, description="Timelines in the Open Trace Format 2")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cxx", type="test")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("ncurses")
    depends_on("otf2", when="+otf2")
    depends_on("opencl-c-headers", type="build", when="+vocl")
    with when("+ga"):
        depends_on("blas")
        depends_on("lapack")
        depends_on("scalapack")
        depends_on("hdf5+mpi+shared")
        # The library opens these when a program first needs them, and calls BLAS by its C interface.
        depends_on("openblas+shared", when="^[virtuals=blas] openblas")
        depends_on("netlib-scalapack+shared", when="^[virtuals=scalapack] netlib-scalapack")
        conflicts("^[virtuals=blas] intel-oneapi-mkl", msg="of MKL's libraries none is BLAS alone")
    conflicts("+ga", when="~hdf5", msg="Global Arrays' interface needs HDF5: causeway+ga+hdf5 or causeway~ga~hdf5")
    conflicts("+hdf5", when="~ga", msg="files are compiled with linear algebra: causeway+ga+hdf5 or causeway~ga~hdf5")
    conflicts("platform=darwin", msg="Causeway needs Linux")
    conflicts("platform=windows", msg="Causeway needs Linux")

    generator("ninja")

    # MPI libraries by family.
    _families = {
        "openmpi": "openmpi",
        "mpich": "mpich",
        "mvapich": "mpich",
        "mvapich2": "mpich",
        "mvapich-plus": "mpich",
        "cray-mpich": "mpich",
        "intel-oneapi-mpi": "mpich",
    }

    @property
    def family(self):
        name = self.spec["mpi"].name
        if name not in self._families:
            raise InstallError(f"Causeway knows MPICH's and Open MPI's families, and {name} is of neither")
        return self._families[name]

    @property
    def build_targets(self):
        return [] if self.run_tests else ["libraries", "cw-info"]

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("CW_MPI", self.family),
            self.define("CW_MPICC", spec["mpi"].mpicc),
            self.define("CW_TESTS", self.run_tests),
            self.define("CW_WERROR", False),
            self.define("CMAKE_SKIP_INSTALL_ALL_DEPENDENCY", True),
            self.define_from_variant("CW_VOCL", "vocl"),
        ]
        if self.run_tests and spec.satisfies("~fortran"):
            args.append(self.define("CMAKE_Fortran_COMPILER", "NOTFOUND"))
        if spec.satisfies("~otf2"):
            args.append(self.define("CW_OTF2", False))
        if spec.satisfies("+ga"):
            args += [
                self.define("CW_BLAS", spec["blas"].libs[0]),
                self.define("CW_LAPACK", spec["lapack"].libs[0]),
                self.define("CW_SCALAPACK", spec["scalapack"].libs[0]),
                self.define("CW_HDF5", spec["hdf5"].libs[0]),
                self.define("CW_CBLAS_INCLUDE", spec["blas"].headers.directories[0]),
                self.define("CW_HDF5_INCLUDE", spec["hdf5"].prefix.include),
            ]
        else:
            args.append(self.define("CW_HDF5", False))
        return args

    def setup_run_environment(self, env):
        env.set("CAUSEWAY_MPI", self.family)

    @run_after("install")
    def copy_test_sources(self):
        cache_extra_test_sources(self, [join_path("tests", "project", "outside")])

    def test_cw_info(self):
        """the version that cw-info prints"""
        info = which(self.prefix.bin.join("cw-info"))
        out = info("--version", output=str.split, error=str.split)
        assert out.startswith("Causeway "), out

    def test_outside(self):
        """programs of another project, compiled with find_package(causeway) and run"""
        source = self.test_suite.current_test_cache_dir.tests.project.outside
        cmake = which("cmake")
        cmake("-S", source, "-B", "outside", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCAUSEWAY_MPI={self.family}",
              f"-DMPI_C_COMPILER={self.spec['mpi'].mpicc}")
        cmake("--build", "outside")
        mpiexec = which("mpiexec")
        for program in ["native", "armci"] + (["ga"] if self.spec.satisfies("+ga") else []):
            out = mpiexec("-n", "2", join_path("outside", program), output=str.split, error=str.split)
            assert "right" in out, out
