"""Chooses the MPI, loads the binding for it, and starts Causeway. The end of the process stops it."""
import atexit
import faulthandler
import importlib.util
import os
import pathlib
import signal
import sys
import threading

_MPIS = ("mpich", "openmpi")
# Beginnings of the names of the environment variables by which launchers tell processes of the job.
LAUNCHER_VARIABLES = ("PMI_", "PMIX_", "OMPI_", "PRTE_", "ORTE_", "HYDI_", "HYDRA_", "MPI_LOCAL")


def _installed():
    """Returns the MPIs for which this package has a binding."""
    here = pathlib.Path(__file__).parent
    return [mpi for mpi in _MPIS if list(here.glob(f"_{mpi}.*"))]


def mpi_of_mpi4py():
    """Returns the MPI that the installed mpi4py is linked to, without an import of it; None if it is not known."""
    found = importlib.util.find_spec("mpi4py")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        for module in pathlib.Path(folder).glob("MPI.*.so"):
            text = module.read_bytes()
            if b"libmpich.so" in text or b"libmpi.so.12\0" in text:
                return "mpich"
            if b"libmpi.so.40\0" in text:
                return "openmpi"
    return None


def launcher():
    """Returns the MPI whose launcher has started this process, or None."""
    if "OMPI_COMM_WORLD_SIZE" in os.environ or "PMIX_RANK" in os.environ:
        return "openmpi"
    if "PMI_SIZE" in os.environ or "PMI_RANK" in os.environ:
        return "mpich"
    return None


def _leave_parents_job():
    """In a process that multiprocessing has started, forgets the launcher: the process is a job of its own, with one process."""
    if any(word.startswith("from multiprocessing.") for word in sys.orig_argv):  # its command for Python, python3 -c ...
        for name in list(os.environ):
            if name.startswith(LAUNCHER_VARIABLES):
                del os.environ[name]


def _choose():
    """Returns the MPI to load, and the reason."""
    wanted = os.environ.get("CAUSEWAY_MPI")
    if wanted:
        if wanted not in _MPIS:
            raise ImportError(f"CAUSEWAY_MPI is {wanted!r}; it can be one of {', '.join(_MPIS)}")
        return wanted, "CAUSEWAY_MPI names it"
    other = sys.modules.get("mpi4py.MPI")
    if other is not None:
        return ("openmpi" if "Open MPI" in other.Get_library_version() else "mpich"), "mpi4py uses it"
    started_by = launcher()
    if started_by:
        return started_by, "its launcher has started this process"
    installed = _installed()
    other = mpi_of_mpi4py() if len(installed) > 1 else None
    if other in installed:
        return other, "the installed mpi4py uses it"
    return (installed[0] if installed else "mpich"), "it is the first that is installed"


def _check_mpi4py(mpi, reason):
    """Raises ImportError if mpi4py uses another MPI."""
    other = mpi_of_mpi4py()
    if other not in (None, mpi):
        raise ImportError(f"causeway uses {mpi} ({reason}), but mpi4py uses {other}; one process cannot use both: start the "
                          f"program with mpiexec.{other}, or use an mpi4py for {mpi}")


class _Guard:
    """Rejects the import of an mpi4py for another MPI after that of causeway. An entry of sys.meta_path."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "mpi4py.MPI":
            _check_mpi4py(mpi, mpi_reason)


def _load():
    """Loads the binding for the chosen MPI."""
    mpi, reason = _choose()
    if mpi not in _installed():
        raise ImportError(f"causeway has no binding for {mpi} ({reason}); installed: {', '.join(_installed()) or 'none'}")
    if "mpi4py.MPI" in sys.modules:
        _check_mpi4py(mpi, reason)
    sys.meta_path.insert(0, _Guard)
    return mpi, reason, importlib.import_module(f"causeway._{mpi}")


_leave_parents_job()
mpi, mpi_reason, _binding = _load()
lib, ffi = _binding.lib, _binding.ffi


class CausewayError(Exception):
    """Base of the errors that Causeway reports. The text is the library's message."""


class MisuseError(CausewayError, ValueError):
    """The caller passed something that is always wrong; nothing was changed."""


class OutsideError(CausewayError, RuntimeError):
    """MPI, the allocation of memory or the operating system failed."""


class BugError(CausewayError, RuntimeError):
    """An error in Causeway: please report it."""


class FailedError(CausewayError, RuntimeError):
    """A process that the call needs has failed."""


def error(code):
    """Returns the exception for an error code, with the message of this thread's last failed call."""
    kinds = {lib.CW_MISUSE: MisuseError, lib.CW_OUTSIDE: OutsideError, lib.CW_BUG: BugError,
             lib.CW_FAILED: FailedError}
    return kinds.get(code, BugError)(ffi.string(lib.cw_error_message()).decode(errors="replace"))


def check(code):
    """Raises the exception for an error code other than CW_OK (0)."""
    if code:
        raise error(code)


_show = sys.excepthook
_show_in_thread = threading.excepthook


def _start():
    """Starts Causeway on mpi4py's world if mpi4py is imported, else on that of MPI, which it starts if necessary."""
    started = ffi.new("bool *")
    comm = ffi.NULL
    other = sys.modules.get("mpi4py.MPI")
    if other is not None:
        comm = ffi.cast("void *", other._addressof(other.COMM_WORLD))
    if lib.causeway_python_start(comm, started):
        raise ImportError(ffi.string(lib.cw_error_message()).decode(errors="replace"))
    # If mpi4py has started MPI, it stops MPI before the process calls exit, where causeway would stop otherwise.
    atexit.register(_complete if started[0] else _stop)
    os.register_at_fork(after_in_child=_leave)
    if lib.cw_processes() > 1:
        sys.excepthook = _end_job
        threading.excepthook = _end_job_of_thread
        # A process that waits in the library would not see KeyboardInterrupt, and launchers leave the first SIGINT to the
        # processes. So it ends the process, which prints the line where it is, and the launcher ends the others.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler and \
                threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            stack = os.memfd_create("causeway-stack")
            lib.causeway_python_end_by_interrupt(stack, os.path.dirname(__file__).encode())
            faulthandler.register(signal.SIGINT, file=stack, all_threads=False, chain=True)


def _complete():
    """Completes the transfers of this process at its end, while the objects that they use exist."""
    if lib.cw_initialized():
        check(lib.cw_wait_all())


def _stop():
    """Stops Causeway at the end of the process. Collective over the world."""
    check(lib.cw_finalize())


class _NoLibrary:
    """Stands for the library in a process that fork has made."""

    def __init__(self, process):
        self._process = process

    @staticmethod
    def cw_initialized():
        return False

    def __getattr__(self, name):
        raise MisuseError(f"this process was forked from process {self._process}, and is no process of the job: it cannot use "
                          "causeway")


def _leave():
    """Called in a process that fork has made: it is no process of the job, and must not disturb it."""
    atexit.unregister(_complete)
    atexit.unregister(_stop)
    sys.excepthook, threading.excepthook = _show, _show_in_thread
    lib.causeway_python_forget()
    library, nothing = lib, _NoLibrary(lib.cw_process())
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "causeway" and getattr(module, "lib", None) is library:
            module.lib = nothing


def _end_job(kind, value, trace):
    """Shows an uncaught exception and ends the job: the other processes would wait for this one."""
    _show(kind, value, trace)
    _abort(kind)


def _end_job_of_thread(args):
    _show_in_thread(args)
    if args.exc_type is not SystemExit:
        _abort(args.exc_type)


def _abort(kind):
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    lib.causeway_python_abort(f"ended by an uncaught {kind.__name__}".encode(), 1)


_start()
