"""Element types of the library, and transfers between numpy arrays of any layout and memory of other processes."""
import math
import operator

import numpy as np

from ._library import MisuseError, check, ffi, lib

# Types of accumulates and reductions.
TYPES = {np.dtype(name): number for name, number in (
    ("i4", lib.CW_INT), ("i8", lib.CW_LONG), ("f4", lib.CW_FLOAT), ("f8", lib.CW_DOUBLE),
    ("c8", lib.CW_FLOAT_COMPLEX), ("c16", lib.CW_DOUBLE_COMPLEX))}

# Types of atomic updates.
ATOMIC_TYPES = TYPES | {np.dtype(name): number for name, number in (
    ("i1", lib.CW_INT8), ("u1", lib.CW_UINT8), ("i2", lib.CW_INT16), ("u2", lib.CW_UINT16),
    ("u4", lib.CW_UINT32), ("u8", lib.CW_UINT64))}

# Types whose single elements go through a C variable, and its pointer type.
CELLS = {np.dtype(name): ffi.typeof(f"{c} *") for name, c in (
    ("i1", "int8_t"), ("u1", "uint8_t"), ("i2", "int16_t"), ("u2", "uint16_t"), ("i4", "int32_t"), ("u4", "uint32_t"),
    ("i8", "int64_t"), ("u8", "uint64_t"), ("f4", "float"), ("f8", "double"))}

REDUCTIONS = {
    "sum": lib.CW_SUM, "product": lib.CW_PRODUCT, "minimum": lib.CW_MINIMUM, "maximum": lib.CW_MAXIMUM,
    "absolute_minimum": lib.CW_ABSOLUTE_MINIMUM, "absolute_maximum": lib.CW_ABSOLUTE_MAXIMUM,
    "logical_and": lib.CW_LOGICAL_AND, "logical_or": lib.CW_LOGICAL_OR,
    "bitwise_and": lib.CW_BIT_AND, "bitwise_or": lib.CW_BIT_OR, "bitwise_xor": lib.CW_BIT_XOR}

ATOMIC_OPERATIONS = {name: number for name, number in REDUCTIONS.items() if not name.startswith("absolute")} | {
    "logical_xor": lib.CW_LOGICAL_XOR, "replace": lib.CW_REPLACE, "no_op": lib.CW_NO_OP}


def named(table, name, what):
    """Returns the entry of a table, or raises an error that lists the names."""
    try:
        return table[name]
    except (KeyError, TypeError):
        raise MisuseError(f"{what} is {name!r}; it can be one of {', '.join(table)}") from None


def typed(table, dtype, what):
    """Returns the library's type for a dtype, or raises TypeError."""
    number = table.get(dtype)
    if number is None:
        raise TypeError(f"{what} of dtype {dtype}; it can be one of {', '.join(str(its) for its in table)}")
    return number


def plain(x, what="the array"):
    """Returns a value as a numpy array whose elements are bytes without references to Python objects."""
    x = np.asarray(x)
    if x.dtype.hasobject:
        raise TypeError(f"{what} has the dtype {x.dtype}; Python objects cannot be transferred as raw bytes")
    return x


def address_of(x):
    """Returns the address of the first element of a numpy array as an int."""
    return x.__array_interface__["data"][0]


def bytes_of(x):
    """Returns a pointer to the bytes of a contiguous numpy array, of any dtype."""
    return ffi.from_buffer(x.reshape(-1).view("u1")) if x.size and x.itemsize else ffi.NULL


def integer(key):
    """Returns an index as an int, or None if it is not a single integer."""
    if isinstance(key, (bool, np.bool_)):
        return None
    try:
        return operator.index(key)
    except TypeError:
        return None


def rank_of(team, rank, what="rank"):
    """Returns a rank of a team as an int; raises IndexError if there is none."""
    try:
        its = operator.index(rank)
    except TypeError:
        raise TypeError(f"{what} is {rank!r}; it must be an integer") from None
    if not 0 <= its < team.size:
        raise IndexError(f"{what} {its} is out of range; the team has ranks 0 to {team.size - 1}")
    return its


def levels_of(shape, itemsize, local, remote):
    """Describes a transfer between two layouts of one shape, in bytes.

    Returns the bytes of the contiguous run, and the lists of counts and of both strides, lowest first.
    """
    axes = sorted((axis for axis, count in enumerate(shape) if count != 1),
                  key=lambda axis: (abs(remote[axis]), abs(local[axis]), -axis))
    run, counts, local_strides, remote_strides = itemsize, [], [], []
    for axis in axes:
        count, mine, its = shape[axis], local[axis], remote[axis]
        if not counts and mine == run and its == run:
            run *= count
        elif counts and mine == local_strides[-1] * counts[-1] and its == remote_strides[-1] * counts[-1]:
            counts[-1] *= count
        else:
            counts.append(count)
            local_strides.append(mine)
            remote_strides.append(its)
    return run, counts, local_strides, remote_strides


class Place:
    """Elements in memory of a process: an address and a layout.

    Attributes
    ----------
    process : int
        In the world.
    address : int
        As transfers name it. It may not exist in this process.
    dtype : numpy.dtype
    shape, strides : tuple of int
        The strides are bytes.
    """
    __slots__ = ("process", "address", "dtype", "shape", "strides", "_layout")

    def __init__(self, process, address, dtype, shape, strides=None):
        self.process = process
        self.address = address
        self.dtype = dtype
        self.shape = shape
        self.strides = strides if strides is not None else row_major(shape, dtype.itemsize)
        self._layout = None

    def at(self, offset, shape=()):
        """Returns the place of elements of this one.

        Parameters
        ----------
        offset : int, slice, ellipsis or tuple of these
            An integer counts elements in row-major order; the elements of `shape` follow each other from there. Other
            indices select elements as in numpy.
        shape : tuple of int
            Only for an integer.
        """
        if type(offset) is int or isinstance(offset, np.integer):
            return self._run(int(offset), shape)
        return self._select(offset)

    def _run(self, offset, shape):
        count, size = math.prod(shape), math.prod(self.shape)
        if not 0 <= offset <= size - count:
            if offset < 0 or count == 1:
                raise IndexError(f"offset {offset} is out of range; there are {size} elements")
            raise IndexError(f"{count} elements from offset {offset} are out of range; there are {size} elements")
        if len(self.shape) > 1 and not self.contiguous:
            raise MisuseError("an integer offset needs contiguous elements; use an index such as np.s_[2, :]")
        step = self.strides[-1] if len(self.shape) == 1 else self.dtype.itemsize
        strides = tuple(its // self.dtype.itemsize * step for its in row_major(shape, self.dtype.itemsize))
        return Place(self.process, self.address + offset * step, self.dtype, shape, strides)

    def _select(self, index):
        entries = index if isinstance(index, tuple) else (index,)
        for its in entries:
            if not (its is None or its is Ellipsis or isinstance(its, slice)) and integer(its) is None:
                raise TypeError(f"an index of remote memory consists of integers, slices, ... and None, not {its!r}")
        if self._layout is None:  # numpy computes places on an array that is never read, and has one element of memory
            self._layout = np.lib.stride_tricks.as_strided(np.empty((), self.dtype), self.shape, self.strides)
        layout = self._layout
        selected = layout[entries if any(its is Ellipsis for its in entries) else (*entries, Ellipsis)]
        moved = address_of(selected) - address_of(layout) if selected.size else 0
        return Place(self.process, self.address + moved, self.dtype, selected.shape, selected.strides)

    @property
    def contiguous(self):
        """True if the elements follow each other in row-major order."""
        wanted = row_major(self.shape, self.dtype.itemsize)
        return all(count == 1 or its == want for count, its, want in zip(self.shape, self.strides, wanted))

    @property
    def pointer(self):
        """The address as a pointer."""
        return ffi.cast("void *", self.address)


def row_major(shape, itemsize):
    """Returns the strides of a contiguous array."""
    strides = [itemsize] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return tuple(strides)


def operand_for(value, dtype):
    """Returns a value as a numpy array of a dtype, which numpy's rules of assignment convert."""
    if isinstance(value, np.ndarray) and value.dtype == dtype:
        return value
    converted = np.empty(np.shape(value), dtype)
    converted[...] = value
    return converted


def result_for(out, shape, dtype):
    """Returns the array that receives elements: `out`, which is checked, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is of type {type(out).__name__}; it must be a numpy array")
    if out.dtype != dtype:
        raise TypeError(f"out has the dtype {out.dtype}; the elements have the dtype {dtype}")
    if out.shape != shape:
        raise MisuseError(f"out has the shape {out.shape}; the elements have the shape {shape}")
    if not out.flags.writeable:
        raise MisuseError("out is read-only")
    return out


def move(operation, x, place, *, kind=(0, 0, ffi.NULL), view=ffi.NULL, handle=None, wait=True):
    """Transfers elements between a numpy array and a place of the same shape and dtype.

    Parameters
    ----------
    operation : int
        lib.CW_PUT, lib.CW_GET or lib.CW_ACCUMULATE.
    x : numpy.ndarray
        Of any layout. It stays in use until the transfer is complete.
    place : Place
    kind : tuple
        Type, reduction and pointer to the scale of an accumulate.
    view : cdata cw_view, optional
    handle : cdata cw_handle *, optional
        If wait is False.
    wait : bool, optional
        If False, the transfer is only started.
    """
    if x.size == 0 or x.itemsize == 0:
        return
    run, counts, mine, its = levels_of(x.shape, x.itemsize, x.strides, place.strides)
    low = lib.CW_MAX_LEVELS
    for first, target in _starts(address_of(x), place.address, counts[low:], mine[low:], its[low:]):
        shape = (first, target, run, min(len(counts), low), counts[:low], mine[:low], its[:low])
        check(lib.causeway_python_transfer(operation, place.process, [shape], *kind, view, wait, handle or ffi.NULL))


def _starts(local, remote, counts, local_strides, remote_strides):
    """Returns the pairs of addresses at which the transfers begin that a shape with too many levels needs."""
    if not counts:
        return ((local, remote),)
    return ((local + sum(map(operator.mul, step, local_strides)), remote + sum(map(operator.mul, step, remote_strides)))
            for step in np.ndindex(*counts))


def accumulate_kind(dtype, op, scale):
    """Returns the kind for move of an accumulate, and the array that holds the scale, to be kept until move returns."""
    number = typed(TYPES, dtype, "accumulate on elements")
    reduction = named(ATOMIC_OPERATIONS if op == "replace" else REDUCTIONS, op, "op")
    if scale is None:
        return (number, reduction, ffi.NULL), None
    if op != "sum":
        raise MisuseError(f"op is {op!r}; only 'sum' takes a scale")
    factor = operand_for(scale, dtype).reshape(1)
    return (number, reduction, bytes_of(factor)), factor
