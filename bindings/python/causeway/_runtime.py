"""Process numbers, barriers and fences of the world, and phases of the profile."""
import contextlib
from collections.abc import Iterator

from ._library import check, ffi, lib


def process() -> int:
    """Returns the number of this process, from 0. Local."""
    return lib.cw_process()


def processes() -> int:
    """Returns the number of processes. Local."""
    return lib.cw_processes()


def node(process) -> int:
    """Returns the number of the node of a process. Local."""
    its = lib.cw_process_node(process)
    if its < 0:
        raise IndexError(f"process is {process}; the world has processes 0 to {processes() - 1}")
    return its


def nodes() -> int:
    """Returns the number of nodes. Local."""
    return lib.cw_nodes()


def barrier() -> None:
    """Completes the transfers of all processes, which then wait for each other. Collective over the world."""
    check(lib.cw_barrier(lib.cw_team_world()))


def fence(process=None) -> None:
    """Waits until this process's puts and accumulates are visible at a process, or at all. Local."""
    check(lib.cw_fence_all() if process is None else lib.cw_fence(process))


def progress() -> None:
    """Lets communication progress during a long computation. Local."""
    lib.cw_progress()


@contextlib.contextmanager
def phase(name) -> Iterator[None]:
    """Makes a block of the program a phase of its profile (CW_PROFILE) and timeline: `with cw.phase("step"):`. Local.

    Phases of one thread may lie in each other.

    Parameters
    ----------
    name : str
        Not empty, at most 255 bytes.
    """
    check(lib.cw_profile_begin(name.encode()))
    try:
        yield
    finally:
        check(lib.cw_profile_end())


def abort(message, status=1) -> None:
    """Prints a message and ends the whole job with a status. Local."""
    lib.causeway_python_abort(message.encode(), status)


def setting(name) -> str:
    """Returns the text of a setting's value that is in force: that of the environment, or the default. Local.

    Parameters
    ----------
    name : str
        Such as "CW_CHECK". MisuseError if there is no such setting.
    """
    text = ffi.new("char[512]")
    check(lib.cw_setting(name.encode(), text, len(text)))
    return ffi.string(text).decode(errors="replace")


def version() -> str:
    """Returns the version of the library. Local."""
    return ffi.string(lib.cw_version()).decode()
