"""Distributed arrays, one-sided transfers and tasks for Python, on any MPI.

    import numpy as np, causeway as cw
    a = cw.zeros((4096, 4096))               # collective: all processes make the array together
    a[10:20, ::2] = np.ones((10, 2048))      # put: any process, any part
    x = a[100, :]                            # get: a numpy array

The import starts MPI, unless mpi4py has, and Causeway. The end of the process stops them.
"""
from ._library import (BugError, CausewayError, FailedError, MisuseError, OutsideError, mpi)
from ._lifetime import collect
from ._runtime import abort, barrier, fence, node, nodes, phase, process, processes, progress, setting, version
from ._team import Team, team, world
from ._failure import Protection, commit, failure_end, failure_handler, protect, survives
from ._handle import Handle, wait_all, wait_any
from ._region import Region, Slice
from ._counter import Counter, dynamic_range
from ._sync import Lock, Locks, Notifications
from ._view import MemoryHandle, MemoryName, View
from ._device import Device, DeviceInfo, devices, open_device
from ._task import Future, RemoteTraceback, TaskError, TaskPool, current_pool, task
from ._distribution import Distribution, block_cyclic, blocks, round_robin, tiled
from ._array import (Array, arange, empty, empty_like, from_function, from_numpy, full, full_like, ones, ones_like, zeros,
                     zeros_like)
from ._arithmetic import pack, unpack
from ._file import load, save
from . import linalg, random
from .linalg import matmul, vdot

__version__ = version()
__all__ = [
    "Array", "BugError", "CausewayError", "Counter", "Device", "DeviceInfo", "Distribution", "FailedError",
    "Future", "Handle", "Lock", "Locks", "MemoryHandle", "MemoryName", "MisuseError", "Notifications",
    "OutsideError", "Protection", "Region", "RemoteTraceback", "Slice", "TaskError", "TaskPool", "Team",
    "View", "abort", "arange", "barrier", "block_cyclic", "blocks", "collect", "commit", "current_pool",
    "devices", "dynamic_range", "empty", "empty_like", "failure_end", "failure_handler", "fence",
    "from_function", "from_numpy", "full", "full_like", "linalg", "load", "matmul", "mpi", "node", "nodes",
    "ones", "ones_like", "open_device", "pack", "phase", "process", "processes", "progress", "protect",
    "random", "round_robin", "save", "setting", "survives", "task", "team", "tiled", "unpack", "vdot", "version",
    "wait_all", "wait_any", "world", "zeros", "zeros_like"]


def __dir__():
    return [*__all__, "__version__"]


def load_ipython_extension(shell) -> None:
    """Called by `%load_ext causeway`: makes the cell magic %%causeway known to IPython."""
    from . import _notebook
    _notebook.load(shell)
