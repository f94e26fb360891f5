"""Chooses the MPI, loads the binding for it, starts Causeway, and stops it at the end of the process."""
import atexit
import importlib
import os
import pathlib
import signal
import sys
import threading

_MPIS = ("mpich", "openmpi")


def _installed():
    """Returns the MPIs for which this package has a binding."""
    here = pathlib.Path(__file__).parent
    return [mpi for mpi in _MPIS if list(here.glob(f"_{mpi}.*"))]


def _family(description):
    """Returns the MPI that a description of an MPI library names."""
    return "openmpi" if "Open MPI" in description else "mpich"


def _choose():
    """Returns the MPI to load, and the reason."""
    wanted = os.environ.get("CW_PYTHON_MPI")
    if wanted:
        if wanted not in _MPIS:
            raise ImportError(f"CW_PYTHON_MPI is {wanted!r}; it can be one of {', '.join(_MPIS)}")
        return wanted, "CW_PYTHON_MPI names it"
    if "mpi4py.MPI" in sys.modules:
        return _family(sys.modules["mpi4py.MPI"].Get_library_version()), "mpi4py uses it"
    if "OMPI_COMM_WORLD_SIZE" in os.environ or "PMIX_RANK" in os.environ:
        return "openmpi", "its launcher has started this process"
    if "PMI_SIZE" in os.environ or "PMI_RANK" in os.environ:
        return "mpich", "its launcher has started this process"
    installed = _installed()
    return (installed[0] if installed else "mpich"), "it is the first that is installed"


def _load():
    """Loads the binding for the chosen MPI."""
    mpi, reason = _choose()
    if mpi not in _installed():
        raise ImportError(f"causeway has no binding for {mpi} ({reason}); installed: {', '.join(_installed()) or 'none'}")
    other = sys.modules.get("mpi4py.MPI")
    if other is not None and _family(other.Get_library_version()) != mpi:
        raise ImportError(f"causeway is to use {mpi} ({reason}), but mpi4py, which is imported, uses "
                          f"{_family(other.Get_library_version())}; one process cannot use both")
    return mpi, importlib.import_module(f"causeway._{mpi}")


mpi, _binding = _load()
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


_started_mpi = False
_process = 0


def _start():
    """Starts Causeway on mpi4py's world if mpi4py is imported, else on that of MPI, which it starts if necessary."""
    global _started_mpi, _process
    started = ffi.new("bool *")
    comm = ffi.NULL
    other = sys.modules.get("mpi4py.MPI")
    if other is not None:
        comm = ffi.cast("void *", other._addressof(other.COMM_WORLD))
    check(lib.causeway_python_start(comm, started))
    _started_mpi = bool(started[0])
    _process = os.getpid()
    atexit.register(_stop)
    os.register_at_fork(after_in_child=_forget)
    if lib.cw_processes() > 1:
        sys.excepthook = _end_job
        threading.excepthook = _end_job_of_thread
        # A process that waits in the library would not see KeyboardInterrupt. The signal ends it, and the launcher the others.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler and \
                threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _stop():
    """Stops Causeway at the end of the process. Collective over the world."""
    if lib.cw_initialized():
        check(lib.causeway_python_stop(_started_mpi))


def _forget():
    """Called in a process that fork has made: it is not a process of the job."""
    atexit.unregister(_stop)


def _end_job(kind, value, trace):
    """Prints an uncaught exception and ends the job: the other processes would wait for this one."""
    sys.__excepthook__(kind, value, trace)
    if os.getpid() != _process or not lib.cw_initialized():
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    lib.cw_abort(f"ended by an uncaught {kind.__name__}".encode(), 1)


def _end_job_of_thread(args):
    if args.exc_type is not SystemExit:
        _end_job(args.exc_type, args.exc_value, args.exc_traceback)


_start()
