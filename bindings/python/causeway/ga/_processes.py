"""Processes and nodes, groups of processes, global operations on buffers, synchronisation and mutexes."""
import time

import numpy as np

from .._array import type_of
from .._library import MisuseError, check, ffi, lib
from .._runtime import abort, fence as _fence, node, nodes, processes
from .._team import Team, team as make_team
from . import _arrays
from ._handles import WORLD, add_group, default_group, member_team, remove_group, to_team

_OPERATIONS = {"+": lib.CW_SUM, "*": lib.CW_PRODUCT, "min": lib.CW_MINIMUM, "max": lib.CW_MAXIMUM,
               "absmin": lib.CW_ABSOLUTE_MINIMUM, "absmax": lib.CW_ABSOLUTE_MAXIMUM, "&&": lib.CW_LOGICAL_AND,
               "land": lib.CW_LOGICAL_AND, "||": lib.CW_LOGICAL_OR, "lor": lib.CW_LOGICAL_OR, "&": lib.CW_BIT_AND,
               "band": lib.CW_BIT_AND, "|": lib.CW_BIT_OR, "bor": lib.CW_BIT_OR}


def initialize() -> None:
    """Does nothing: the import of causeway starts everything. For programs that call it. Local."""


def initialized() -> bool:
    """Returns true: the import of causeway starts everything. Local."""
    return True


def terminate() -> None:
    """Frees all arrays and mutexes. MPI stops at the end of the process. Collective over the world."""
    _arrays.destroy_all()
    destroy_mutexes()


def error(message: str, code: int = 1) -> None:
    """Prints a message and ends the job with a status. Local."""
    abort(message, code)


def wtime() -> float:
    """Returns the time in seconds since an arbitrary moment. Local."""
    return time.perf_counter()


# --- Processes, nodes and groups ---

def nodeid() -> int:
    """Returns the number of this process in the default group. Local."""
    return pgroup_nodeid(default_group())


def nnodes() -> int:
    """Returns the number of processes of the default group. Local."""
    return pgroup_nnodes(default_group())


def cluster_nnodes() -> int:
    """Returns the number of nodes. Local."""
    return nodes()


def cluster_nodeid(proc: int | None = None) -> int:
    """Returns the number of the node of a process, by default of this one. Local."""
    return node(lib.cw_process() if proc is None else proc)


def _of_node(inode: int) -> list[int]:
    if not 0 <= inode < nodes():
        raise IndexError(f"inode is {inode}; the job has nodes 0 to {nodes() - 1}")
    return [process for process in range(processes()) if node(process) == inode]


def cluster_nprocs(inode: int) -> int:
    """Returns the number of processes of a node. Local."""
    return len(_of_node(inode))


def cluster_procid(inode: int, iproc: int) -> int:
    """Returns the number in the world of process iproc of a node. Local."""
    return _of_node(inode)[iproc]


def pgroup_create(list: object) -> int:
    """Makes a group of processes of the default group and returns its handle. Collective over the default group."""
    parent = member_team(None)
    return add_group(make_team(sorted(int(rank) for rank in list), parent))


def pgroup_split(pgroup: int, num_group: int) -> int:
    """Splits a group into num_group groups of neighbours; returns the handle of the one with this process. Collective."""
    parent = member_team(pgroup)
    return add_group(parent.split(parent.rank * num_group // parent.size))


def pgroup_split_irreg(pgroup: int, color: int) -> int:
    """Splits a group by color; returns the handle of the one with this process. Collective over the group."""
    return add_group(member_team(pgroup).split(color))


def pgroup_destroy(pgroup: int) -> None:
    """Frees a group. Collective over the group; other processes may call, too."""
    team = remove_group(pgroup)
    if team is not None:
        team.free()


def pgroup_get_world() -> int:
    """Returns the handle of the group of all processes. Local."""
    return WORLD


def pgroup_get_default() -> int:
    """Returns the handle of the default group. Local."""
    return default_group()


def pgroup_set_default(pgroup: int) -> None:
    """Makes a group the default of nodeid, nnodes, sync, gop_add, create and others. Local, on all its members."""
    default_group(pgroup)


def pgroup_nodeid(pgroup: int | None = None) -> int:
    """Returns the number of this process in a group; -1 if it is not a member. Local."""
    team = to_team(pgroup)
    return -1 if team is None else team.rank


def pgroup_nnodes(pgroup: int | None = None) -> int:
    """Returns the number of processes of a group of which this process is a member. Local."""
    return member_team(pgroup).size


def pgroup_absolute_id(pgroup: int, pid: int) -> int:
    """Returns the number in the world of a process of a group. Local."""
    process = lib.cw_team_process(member_team(pgroup)._handle, pid)
    if process < 0:
        raise IndexError(f"pid is {pid}; the group has processes 0 to {pgroup_nnodes(pgroup) - 1}")
    return process


# --- Synchronisation ---

def pgroup_sync(pgroup: int | None = None) -> None:
    """Completes the transfers of all members of a group, which then wait for each other. Collective over the group."""
    check(lib.cw_barrier(member_team(pgroup)._handle))


def sync() -> None:
    """Completes the transfers of all processes, which then wait for each other. Collective over the default group."""
    pgroup_sync()


def mask_sync(first: bool, last: bool) -> None:
    """Has no effect: operations on whole arrays always synchronise. Local."""


def init_fence() -> None:
    """Has no effect: fence completes all transfers of this process. Local."""


def fence() -> None:
    """Waits until the puts and accumulates of this process are visible to all. Local."""
    _fence()


_mutexes = None
_mutex_count = 0


def create_mutexes(number: int) -> bool:
    """Makes mutexes 0 to number - 1; returns True. Only one set exists at a time. Collective over the world."""
    global _mutexes, _mutex_count
    if _mutexes is not None:
        raise MisuseError("mutexes exist already: call destroy_mutexes before")
    here = sum(_mutex_host(mutex, number)[0] == lib.cw_process() for mutex in range(number))
    handle = ffi.new("cw_mutexes *")
    check(lib.cw_mutexes_create(lib.cw_team_world(), here, handle))
    _mutexes, _mutex_count = handle, number
    return True


def destroy_mutexes() -> bool:
    """Frees the mutexes; returns False if there are none. Collective over the world."""
    global _mutexes, _mutex_count
    if _mutexes is None:
        return False
    check(lib.cw_mutexes_free(_mutexes))
    _mutexes, _mutex_count = None, 0
    return True


def _mutex_host(mutex: int, count: int) -> tuple[int, int]:
    """Returns the process that has a mutex, and the mutex's number there: each has a block of the same length."""
    each = -(-count // processes())
    return divmod(mutex, each)


def _check_mutex(mutex: int) -> tuple[int, int]:
    if not 0 <= mutex < _mutex_count:
        raise IndexError(f"mutex is {mutex}; there are {_mutex_count} mutexes")
    return _mutex_host(mutex, _mutex_count)


def lock(mutex: int) -> None:
    """Waits until this process holds a mutex. Local."""
    process, number = _check_mutex(mutex)
    check(lib.cw_mutex_lock(_mutexes[0], number, process))


def unlock(mutex: int) -> None:
    """Completes the transfers of this process and gives a mutex back. Local."""
    process, number = _check_mutex(mutex)
    check(lib.cw_mutex_unlock(_mutexes[0], number, process))


# --- Global operations on buffers ---

def _reduced(team: Team, X: object, op: str) -> object:
    """Reduces X in place if it is a contiguous array; returns the result."""
    if op not in _OPERATIONS:
        raise MisuseError(f"op is {op!r}; it must be one of {', '.join(_OPERATIONS)}")
    values = np.ascontiguousarray(X)
    if type_of(values.dtype) == lib.CW_OPAQUE:
        raise TypeError(f"global operations take int32, int64, float and complex numbers, not {values.dtype}")
    check(lib.cw_allreduce(team._handle, type_of(values.dtype), _OPERATIONS[op], values.size,
                           ffi.from_buffer(values) if values.size else ffi.NULL))
    if isinstance(X, np.ndarray):
        if values is not X:
            X[...] = values.reshape(X.shape)
        return X
    return values.reshape(np.shape(X))[()]


def pgroup_gop(pgroup: int, X: object, op: str) -> object:
    """Reduces numbers of all members of a group. An array is changed in place. Returns the result. Collective."""
    return _reduced(member_team(pgroup), X, op)


def gop(X: object, op: str) -> object:
    """Reduces numbers of all processes of the default group. Collective over it.

    X is a number, a sequence or an array, which is changed in place. op is one of "+", "*", "min", "max", "absmin",
    "absmax", and for integers "&&", "||", "&", "|". Returns the result.
    """
    return pgroup_gop(default_group(), X, op)


def gop_add(X: object) -> object:
    """Returns the sum over all processes of the default group; arrays are changed in place. Collective."""
    return gop(X, "+")


def gop_multiply(X: object) -> object:
    """Returns the product over all processes of the default group; arrays are changed in place. Collective."""
    return gop(X, "*")


def gop_max(X: object) -> object:
    """Returns the maximum over all processes of the default group; arrays are changed in place. Collective."""
    return gop(X, "max")


def gop_min(X: object) -> object:
    """Returns the minimum over all processes of the default group; arrays are changed in place. Collective."""
    return gop(X, "min")


def gop_absmax(X: object) -> object:
    """Returns the greatest absolute value over the default group; arrays are changed in place. Collective."""
    return gop(X, "absmax")


def gop_absmin(X: object) -> object:
    """Returns the least absolute value over the default group; arrays are changed in place. Collective."""
    return gop(X, "absmin")


def pgroup_gop_add(pgroup: int, X: object) -> object:
    """Returns the sum over a group; arrays are changed in place. Collective over the group."""
    return pgroup_gop(pgroup, X, "+")


def pgroup_gop_multiply(pgroup: int, X: object) -> object:
    """Returns the product over a group; arrays are changed in place. Collective over the group."""
    return pgroup_gop(pgroup, X, "*")


def pgroup_gop_max(pgroup: int, X: object) -> object:
    """Returns the maximum over a group; arrays are changed in place. Collective over the group."""
    return pgroup_gop(pgroup, X, "max")


def pgroup_gop_min(pgroup: int, X: object) -> object:
    """Returns the minimum over a group; arrays are changed in place. Collective over the group."""
    return pgroup_gop(pgroup, X, "min")


def pgroup_brdcst(pgroup: int, buffer: np.ndarray, root: int = 0) -> np.ndarray:
    """Copies an array of member root to all members of a group, in place. Returns it. Collective over the group."""
    if not isinstance(buffer, np.ndarray) or not buffer.flags.c_contiguous:
        raise TypeError("the buffer must be a contiguous numpy array")
    check(lib.cw_broadcast(member_team(pgroup)._handle, root, ffi.from_buffer(buffer) if buffer.size else ffi.NULL,
                           buffer.nbytes))
    return buffer


def brdcst(buffer: np.ndarray, root: int = 0) -> np.ndarray:
    """Copies an array of process root to all processes of the default group, in place. Returns it. Collective."""
    return pgroup_brdcst(default_group(), buffer, root)
