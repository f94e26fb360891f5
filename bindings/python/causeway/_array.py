"""Distributed arrays."""
import numpy as np

from ._elementwise import Operators
from ._lifetime import Shared, collect
from ._library import check, ffi, lib
from ._team import world

# The library's element types with arithmetic. Elements of all other types are bytes to it.
_TYPES = {np.dtype(name): number for name, number in (
    ("i4", lib.CW_INT32), ("i8", lib.CW_INT64), ("f4", lib.CW_FLOAT), ("f8", lib.CW_DOUBLE),
    ("c8", lib.CW_FLOAT_COMPLEX), ("c16", lib.CW_DOUBLE_COMPLEX))}


def type_of(dtype):
    """Returns the library's type of elements of a dtype."""
    return _TYPES.get(dtype, lib.CW_OPAQUE)


class Array(Operators, Shared):
    """A distributed array of a team."""

    def __init__(self, handle, shape, dtype, team):
        self._handle = handle
        self.shape = shape
        self.ndim = len(shape)
        self.dtype = dtype
        self.team = team
        self._own(team, lambda: check(lib.cw_array_destroy(ffi.new("cw_array *", handle))))

    def sync(self):
        """Completes the transfers of all members, which then wait for each other. Collective over the team."""
        check(lib.cw_array_sync(self._handle))

    @property
    def local(self):
        """The elements of this process, as a numpy array without a copy. Local."""
        view = ffi.new("cw_array_view *")
        check(lib.cw_array_access_local(self._handle, self.team.rank, view))
        shape = tuple(view.extents[k] for k in range(self.ndim))
        if view.address == ffi.NULL:
            return np.empty(shape, self.dtype)
        strides = tuple(view.strides[k] for k in range(self.ndim))
        span = sum((n - 1) * step for n, step in zip(shape, strides)) + self.dtype.itemsize
        return np.ndarray(shape, self.dtype, ffi.buffer(view.address, span), 0, strides)


def empty(shape, dtype=float, *, distribution=None, team=None, name=None):
    """Makes an array with undefined contents. Collective over the team."""
    team = team or world()
    collect(team)
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    dtype = np.dtype(dtype)
    options = ffi.new("cw_array_options *")
    extents = ffi.new("int64_t[]", shape)
    text = ffi.new("char[]", (name or "array").encode())
    options.name, options.type, options.element_bytes = text, type_of(dtype), dtype.itemsize
    options.dimensions, options.extents = len(shape), extents
    handle = ffi.new("cw_array *")
    check(lib.cw_array_create(team._handle, options, handle))
    return Array(handle[0], shape, dtype, team)
