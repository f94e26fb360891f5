"""Distributed arrays, one-sided transfers and tasks for Python, on any MPI.

    import numpy as np, causeway as cw
    a = cw.zeros((4096, 4096))               # collective: all processes make the array together
    a[10:20, ::2] = np.ones((10, 2048))      # put: any process, any part
    x = a[100, :]                            # get: a numpy array

The import starts MPI, unless mpi4py has, and Causeway. The end of the process stops them.
"""
from ._library import (BugError, CausewayError, FailedError, MisuseError, OutsideError, mpi)
from ._lifetime import collect
from ._runtime import abort, barrier, fence, node, nodes, process, processes, progress, version
from ._team import Team, world
from ._distribution import Distribution, block_cyclic, blocks, round_robin, tiled
from ._array import (Array, arange, empty, empty_like, from_function, from_numpy, full, full_like, ones, ones_like, zeros,
                     zeros_like)

__version__ = version()
