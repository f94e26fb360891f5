"""Evaluates the Spack recipe and the EasyBuild file (recipes.sh). Neither Spack nor EasyBuild is a Debian package, so small
classes stand in for theirs: they know the names that the recipes use, and reject others."""
import contextlib
import os
import re
import shlex
import subprocess
import sys
import types

source, build, work = sys.argv[1:]
cache = dict(re.findall(r"^([A-Za-z0-9_]+):[A-Z]+=(.*)$", open(f"{build}/CMakeCache.txt").read(), re.M))
mpi = cache["CW_MPI"]
has_math = all(os.path.exists(cache[f"CW_{name}"]) for name in ("BLAS", "LAPACK", "SCALAPACK", "HDF5"))
version = re.search(r"project\(causeway VERSION ([0-9.]+)", open(f"{source}/CMakeLists.txt").read())[1]
failures = 0


def expect(condition, text):
    global failures
    if not condition:
        print(text)
        failures += 1


def configure(what, arguments, targets, environment=None):
    """Configures with a recipe's arguments: CMake must know each of them, and the targets exist. Returns Ninja's files."""
    folder = f"{work}/{what.replace(' ', '_')}"
    command = ["cmake", "-S", source, "-B", folder, "-G", "Ninja", *arguments]
    print("--", what, *arguments)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, f"{what}: cmake failed:\n{done.stdout}")
    expect("not used by the project" not in done.stdout, f"{what}: CMake does not know an option:\n{done.stdout}")
    ninja = subprocess.run(["ninja", "-C", folder, "-t", "commands", *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(ninja.returncode == 0, f"{what}: {ninja.stdout[-500:]}")
    return ninja.stdout


# --- Spack -------------------------------------------------------------------------------------------------------------------

class InstallError(Exception):
    pass


class CMakePackage:
    """What the recipe inherits: options in the form in which Spack writes them."""
    run_tests = False

    def __init__(self, spec, prefix=None):
        self.spec = spec
        self.prefix = prefix

    @staticmethod
    def define(name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.variants[variant])


variants, asked = {}, []


@contextlib.contextmanager
def when(condition):
    asked.append(condition)
    yield


def directive(name, options):
    def record(text, **given):
        expect(set(given) <= set(options), f"Spack's {name} does not take {set(given) - set(options)}")
        asked.append(given.get("when", ""))
        if name == "depends_on":
            expect(re.fullmatch(r"[a-z0-9-]+(@[0-9.:]+)?([+~][a-z]+)*", text), f"depends_on({text})")
    return record


class Tool:
    def __init__(self, path):
        self.path = path

    def __call__(self, *arguments, output=None, error=None):
        done = subprocess.run([self.path, *arguments], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise InstallError(f"{self.path} {arguments}: {done.stdout}")
        return done.stdout


class Path(str):
    """A folder whose attributes are the folders below it."""
    def __getattr__(self, name):
        return Path(os.path.join(self, name))

    def join(self, name):
        return Path(os.path.join(self, name))


class Spec:
    def __init__(self, name, **chosen):
        self.variants = {**variants, **chosen}
        libraries = {"blas": "BLAS", "lapack": "LAPACK", "scalapack": "SCALAPACK", "hdf5": "HDF5"}
        self.parts = {part: types.SimpleNamespace(
            libs=[cache[f"CW_{option}"]], headers=types.SimpleNamespace(directories=[cache["CW_CBLAS_INCLUDE"]]),
            prefix=types.SimpleNamespace(include=cache["CW_HDF5_INCLUDE"])) for part, option in libraries.items()}
        self.parts["mpi"] = types.SimpleNamespace(name=name, mpicc=cache["CW_MPICC"])

    def __getitem__(self, name):
        return self.parts[name]

    def satisfies(self, text):
        return self.variants[text[1:]] == (text[0] == "+")


def load_recipe():
    path = f"{source}/packaging/spack/spack_repo/causeway/packages/causeway/package.py"
    names = {
        "variant": lambda name, default, description: variants.__setitem__(name, default),
        "version": directive("version", ["branch", "tag", "sha256"]), "license": directive("license", []),
        "depends_on": directive("depends_on", ["type", "when"]), "conflicts": directive("conflicts", ["when", "msg"]),
        "generator": directive("generator", []), "when": when, "run_after": lambda phase: lambda method: method,
        "which": lambda name: Tool(name), "join_path": os.path.join, "InstallError": InstallError,
        "cache_extra_test_sources": lambda package, folders: None,
    }
    module = types.ModuleType("spack.package")
    module.__dict__.update(names)
    system = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    system.CMakePackage = CMakePackage
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module, system.__name__: system})
    recipe = {"__file__": path, "__name__": "package"}
    exec(compile(open(path).read(), path, "exec"), recipe)
    return recipe["Causeway"]


Causeway = load_recipe()
expect(set(variants) == {"ga", "hdf5", "fortran", "vocl", "otf2"}, f"variants: {variants}")
for condition in asked:
    for name in re.findall(r"[+~]([a-z0-9]+)", condition):
        expect(name in variants or condition.startswith("^"), f"'{condition}' names no variant")
expect(os.path.samefile(Causeway.git.replace("file://", ""), source), f"the recipe takes its sources from {Causeway.git}")
expect(Causeway(Spec("intel-oneapi-mpi")).family == "mpich", "the family of Intel MPI")
try:
    Causeway(Spec("fujitsu-mpi")).cmake_args()
    expect(False, "an MPI of no known family is taken")
except InstallError as error:
    expect("fujitsu-mpi" in str(error), error)

standard = [f"-DCMAKE_INSTALL_PREFIX:STRING={work}/spack", "-DCMAKE_BUILD_TYPE:STRING=Release"]
cases = {"without ga": dict(ga=False, hdf5=False)}
if has_math:
    cases["default"] = {}
    cases["all variants"] = dict(vocl=True, otf2=True, fortran=True)
for what, chosen in cases.items():
    package = Causeway(Spec(mpi, **chosen))
    planned = configure(f"spack {what}", standard + package.cmake_args(), package.build_targets)
    expect((f"libcwga-{mpi}.a" in planned) == package.spec.variants["ga"], f"{what}: libcwga is wrong")
    expect(("libcw-vocl.so" in planned) == package.spec.variants["vocl"], f"{what}: libcw-vocl.so is wrong")

package = Causeway(Spec(mpi, ga=has_math), Path(f"{work}/prefix"))
package.test_suite = types.SimpleNamespace(current_test_cache_dir=Path(source))
os.environ["PATH"] = f"{work}/bin:{os.environ['PATH']}"
for test in [name for name in dir(package) if name.startswith("test_") and callable(getattr(package, name))]:
    print("-- spack", test)
    getattr(package, test)()

# --- EasyBuild ---------------------------------------------------------------------------------------------------------------

folder = f"{source}/packaging/easybuild"
for name in os.listdir(folder):
    constants = {"SOURCELOWER_TAR_XZ": "%(namelower)s-%(version)s.tar.xz", "SHLIB_EXT": "so"}
    file = dict(constants)
    exec(compile(open(f"{folder}/{name}").read(), name, "exec"), file)
    for key in ("easyblock", "name", "version", "homepage", "description", "toolchain", "sources", "moduleclass"):
        expect(file.get(key), f"{name} has no {key}")
    whole = "{name}-{version}-{toolchain[name]}-{toolchain[version]}.eb".format(**file)
    expect(whole == name, f"{name} should be called {whole}")
    expect(file["version"] == version, f"{name} is not of version {version}")
    family = re.search(r"CW_MPI=(\S+)", file["configopts"])[1]
    # Of another MPI there may be no build; the names differ in the MPI's name alone.
    if has_math:
        for path in file["sanity_check_paths"]["files"] + file["sanity_check_paths"]["dirs"]:
            expect(os.path.exists(f"{work}/prefix/" + path.replace(family, mpi)), f"{name}: an installation has no {path}")
    wrapper = subprocess.run(["which", f"mpicc.{family}"], stdout=subprocess.PIPE, text=True).stdout.strip()
    if not wrapper or not has_math:
        continue
    links = {"bin/mpicc": wrapper, "lib/libflexiblas.so": cache["CW_BLAS"], "include/flexiblas": cache["CW_CBLAS_INCLUDE"],
             "lib/libscalapack.so": cache["CW_SCALAPACK"].replace(mpi, family),
             "lib/libhdf5.so": cache["CW_HDF5"].replace(mpi, family)}
    for path, target in links.items():
        os.makedirs(os.path.dirname(f"{work}/eb/{path}"), exist_ok=True)
        os.symlink(target, f"{work}/eb/{path}")
    if not all(os.path.exists(f"{work}/eb/{path}") for path in links):
        continue
    environment = dict(os.environ, PATH=f"{work}/eb/bin:{os.environ['PATH']}",
                       **{f"EBROOT{part}": f"{work}/eb" for part in ("FLEXIBLAS", "SCALAPACK", "HDF5")})
    words = subprocess.run(["sh", "-c", f"printf '%s\\n' {file['configopts']}"], env=environment, stdout=subprocess.PIPE, text=True)
    arguments = ["-DCMAKE_INSTALL_PREFIX=" + f"{work}/installed", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR:PATH=lib"]
    planned = configure("easybuild", arguments + words.stdout.splitlines(), shlex.split(file["buildopts"]), environment)
    expect(f"libcwga-{family}.a" in planned, f"{name}: no libcwga")
sys.exit(failures > 0)
