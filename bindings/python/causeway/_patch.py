"""Transfers of plain patches: the functions of patch.h.

patch_get(patches, key, out) and patch_put(patches, key, value) return a code of the library, or -1 if the key or the value is of
another kind. patch_select(patches, key, scalar) returns the shape of the elements, a tuple; or, for a single element, the element
as a number of the type `scalar`; or None if the key is of another kind.
"""
import numpy as np

from ._library import ffi, lib

_INTEGERS = frozenset((int, np.int64, np.int32))

# Types of values that patch_put may be given.
VALUES = frozenset((np.ndarray, int, float, np.int64, np.int32, np.float64, np.float32))

# For memory that has no plain patches, or has been freed.
NO_PATCHES = b""


def _functions(*names):
    known = {}
    if not lib.causeway_python_add_functions(ffi.cast("void *", id(known)), ffi.cast("void *", id(_INTEGERS))):
        raise MemoryError("no memory for the functions of causeway")
    return [known[name] for name in names]


patch_get, patch_put, patch_select = _functions("patch_get", "patch_put", "patch_select")


def patches_of(shape, dtype, **memory) -> bytes:
    """Returns what the functions need to know about an array, or a slice of a region.

    Parameters
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    **memory
        array: cdata cw_array; or base and process: int.
    """
    if not 0 < len(shape) <= lib.CW_MAX_DIMENSIONS or dtype.kind in "mM" or dtype.itemsize == 0:  # numpy does not lend the memory of times
        return NO_PATCHES
    its = ffi.new("causeway_python_array *",
                  {"dimensions": len(shape), "itemsize": dtype.itemsize, "extents": shape, **memory})
    text = np.empty(1, dtype).data.format.encode()
    if len(text) >= len(its.format):
        return NO_PATCHES
    its.format = text
    return bytes(ffi.buffer(its))
