"""Cases that several test files run through: types of elements, distributions, numpy arrays with known values."""
import numpy as np

import causeway as cw

ARITHMETIC = [np.dtype(name) for name in ("i4", "i8", "f4", "f8", "c8", "c16")]
OTHER = [np.dtype(name) for name in ("?", "i1", "u1", "i2", "u2", "u4", "u8", "f2", "g", "G", ">f8", ">i4", "S5", "U3",
                                     "M8[s]", "m8[ns]", "V7")] + [np.dtype([("a", "i2"), ("b", "f8", (2,)), ("c", "S3")])]
DTYPES = ARITHMETIC + OTHER


def values(dtype, shape, first=1):
    """Returns an array with different values, as far as the type has them."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape))
    x = np.empty(shape, dtype)
    numbers = np.arange(first, first + size).reshape(shape)
    if dtype.fields is not None:
        for name in dtype.names:
            x[name] = values(dtype[name].base, x[name].shape, first)
    elif dtype.kind == "V":
        x = np.frombuffer(np.arange(first, first + x.nbytes, dtype="u1").tobytes(), dtype).reshape(shape).copy()
    elif dtype.kind in "SU":
        x[...] = numbers.astype(dtype.kind + "20")
    elif dtype.kind == "b":
        x[...] = numbers % 3 == 0
    elif dtype.kind == "c":
        x[...] = numbers - 2j * numbers
    else:
        x[...] = (numbers % 113).astype(dtype)
    return x


def distributions(shape):
    """Returns distributions of all layouts that are valid for a shape on any number of processes."""
    ndim, size = len(shape), cw.processes()
    ranks = range(size - 1, -1, -1)
    return [None, cw.blocks(), cw.blocks(2), cw.blocks(grid=(1,) * (ndim - 1) + (size,)), cw.blocks(ghosts=1),
            cw.blocks(ranks=ranks, column_major=True), cw.blocks(members=1),
            cw.blocks(boundaries=[[0] for _ in shape]), cw.block_cyclic(1), cw.block_cyclic(2, ranks=ranks),
            cw.block_cyclic(3, grid=(size,) + (1,) * (ndim - 1), alignment=(size - 1,) + (0,) * (ndim - 1)),
            cw.tiled(2), cw.tiled(3, column_major=True), cw.tiled(boundaries=[sorted({0, n // 2}) for n in shape]),
            cw.round_robin(2), cw.round_robin(3, ranks=ranks)]


def same(a, b):
    """Returns whether two numpy arrays, or scalars, have the same type, shape and elements."""
    return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and bool(np.all(a == b))
