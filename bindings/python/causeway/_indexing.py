"""Indexing of arrays with numpy's syntax: gets, puts and accumulates of elements of any process."""

import numpy as np

from ._buffers import address_of, integer
from ._handle import Handle
from ._library import MisuseError, ffi, lib
from ._patch import VALUES, patch_get, patch_put, patch_select

# Elements of a row from which a transfer for each row takes less time than one that lists all elements.
_SHORTEST_ROW = 16

_BASIC = (slice, type(Ellipsis), type(None))


def pointer_to(x):
    """Returns a pointer to the first element of a numpy array, which may have any strides and type."""
    if x.flags.c_contiguous and x.dtype.kind not in "mM":
        return ffi.from_buffer(x)
    return ffi.cast("void *", address_of(x))


def _out_of_range(index, axis, extent):
    return IndexError(f"index {index} is out of range for axis {axis}, which has {extent} elements")


def _position(index, axis, extent):
    """Returns an index, which may be negative, as a number from 0. Checks it."""
    its = index + extent if index < 0 else index
    if not 0 <= its < extent:
        raise _out_of_range(index, axis, extent)
    return its


def _entries(key, ndim):
    """Returns the entries of a key as a list of int, slice, None and index arrays: slices replace an ellipsis.

    An ellipsis without dimensions stays, because it separates index arrays.
    """
    entries = []
    for its in key if isinstance(key, tuple) else (key,):
        if not isinstance(its, _BASIC):
            number = integer(its)
            its = number if number is not None else _index_array(its)
        entries.append(its)
    used = sum(_dimensions(its) for its in entries)
    if used > ndim:
        raise IndexError(f"too many indices: the array has {ndim} dimensions, but {used} were indexed")
    ellipses = [at for at, its in enumerate(entries) if its is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have one ellipsis ('...')")
    at = ellipses[0] if ellipses else len(entries)
    rest = [slice(None)] * (ndim - used)
    return entries[:at] + (rest if rest or not ellipses else [Ellipsis]) + entries[at + 1:]


def _is_scalar(key):
    """Returns whether a key consists of integers: numpy then returns a scalar, but an array if it has an ellipsis too."""
    return all(integer(its) is not None for its in (key if isinstance(key, tuple) else (key,)))


def _dimensions(entry):
    """Returns the number of dimensions that an entry of a key indexes."""
    if isinstance(entry, np.ndarray):
        return entry.ndim if entry.dtype == bool else 1
    return 0 if entry is None or entry is Ellipsis else 1


def _index_array(key):
    """Returns an entry of a key that is neither an integer nor basic as an array of integers or bools."""
    its = np.asarray(key)
    if its.size == 0 and not isinstance(key, np.ndarray):
        its = its.astype(np.int64)
    if its.dtype.kind not in "iub":
        raise IndexError("only integers, slices, ellipsis, numpy.newaxis, and arrays of integers or bools are indices, "
                         f"not {key!r}")
    return its


class Patch:
    """Elements selected by integers and slices: a patch of the array, with steps.

    Attributes
    ----------
    shape : tuple of int
        Of the elements as a numpy array.
    lo, hi, skip : tuple of int
        As the library has them; skip is None if all are 1. Slices with negative steps are reversed.
    axes : list of int or None
        For each dimension of the array, the axis of `shape`.
    flips : tuple of slice or None
        Index that reverses the axes with negative steps.
    """
    __slots__ = ("shape", "lo", "hi", "skip", "axes", "flips")

    def __init__(self, entries, extents):
        shape, lo, hi, skip, axes, flips = [], [], [], [], [], []
        axis = 0
        for entry in entries:
            if entry is Ellipsis:
                continue
            if entry is None:
                flips.append(slice(None))
                shape.append(1)
                continue
            extent = extents[axis]
            if isinstance(entry, slice):
                start, stop, step = entry.indices(extent)
                count = len(range(start, stop, step))
                last = start + (count - 1) * step
                lo.append(min(start, last))
                hi.append(max(start, last))
                skip.append(abs(step))
                flips.append(slice(None, None, -1 if step < 0 else 1))
                axes.append(len(shape))
                shape.append(count)
            else:
                lo.append(_position(entry, axis, extent))
                hi.append(lo[-1])
                skip.append(1)
                axes.append(None)
            axis += 1
        if not extents:  # the library's array has one element in one dimension
            lo, hi, skip, axes = [0], [0], [1], [None]
        self.shape, self.lo, self.hi, self.axes = tuple(shape), tuple(lo), tuple(hi), axes
        self.skip = tuple(skip) if any(its != 1 for its in skip) else None
        self.flips = tuple(flips) if any(its.step == -1 for its in flips) else None

    def strides(self, x):
        """Returns the strides for the library, in elements, of a numpy array of this shape; None if they do not fit."""
        size = x.itemsize
        strides = []
        for axis in self.axes:
            stride = size if axis is None or x.shape[axis] <= 1 else x.strides[axis]
            if (stride < size or stride % size) and x.size > 0:
                return None
            strides.append(stride // size)
        return strides


class Points:
    """Elements selected by index arrays too, as a list of single elements.

    Attributes
    ----------
    shape : tuple of int
        Of the elements as a numpy array.
    indices : numpy.ndarray
        Shape `shape` + (dimensions of the array,).
    """
    __slots__ = ("shape", "indices")

    def __init__(self, entries, extents):
        arrays, ranges, before = _advanced(entries, extents)
        try:
            broadcast = np.broadcast_shapes(*(its.shape for _, its in arrays))
        except ValueError:
            shapes = " ".join(str(its.shape) for _, its in arrays)
            raise IndexError(f"index arrays of shapes {shapes} cannot be broadcast together") from None
        shape = [len(its) for _, its in ranges]
        shape[before:before] = broadcast
        self.shape = tuple(shape)
        self.indices = np.zeros(self.shape + (max(1, len(extents)),), np.int64)
        after = len(ranges) - before
        for d, its in arrays:
            if d is not None:
                self.indices[..., d] = its.reshape(its.shape + (1,) * after)
        for at, (d, its) in enumerate(ranges):
            if d is not None:
                axis = at if at < before else at + len(broadcast)
                self.indices[..., d] = np.reshape(its, (-1,) + (1,) * (len(shape) - 1 - axis))


def _advanced(entries, extents):
    """Divides a key with index arrays into its arrays and its slices.

    Returns
    -------
    arrays : list of (int or None, numpy.ndarray)
        For each dimension that integers, index arrays or masks index: its number, and its indices from 0. The number is
        None for a single bool, which indexes no dimension.
    ranges : list of (int or None, range)
        For each dimension that slices index, in order. The number is None for numpy.newaxis.
    before : int
        Number of ranges that come before the dimensions of the arrays in the shape of the elements: if something is
        between index arrays, numpy puts their dimensions first.
    """
    arrays, ranges = [], []
    before = next_place = None
    apart = False
    axis = 0
    for at, entry in enumerate(entries):
        if entry is Ellipsis:
            pass
        elif entry is None:
            ranges.append((None, range(1)))
        elif isinstance(entry, slice):
            ranges.append((axis, range(*entry.indices(extents[axis]))))
            axis += 1
        else:
            if before is None:
                next_place, before = at, len(ranges)
            apart = apart or at != next_place
            next_place += 1
            new = _arrays(entry, axis, extents)
            arrays += new
            axis += sum(d is not None for d, _ in new)
    return arrays, ranges, 0 if apart else before


def _arrays(entry, axis, extents):
    """Returns the dimensions that an integer, index array or mask indexes, and their indices from 0."""
    if isinstance(entry, np.ndarray) and entry.dtype == bool:
        if entry.ndim == 0:
            return [(None, np.zeros(int(entry), np.int64))]
        for d, extent in enumerate(entry.shape):
            if extent != extents[axis + d]:
                raise IndexError(f"the mask has {extent} elements along its axis {d}, but axis {axis + d} of the array "
                                 f"has {extents[axis + d]}")
        return [(axis + d, its) for d, its in enumerate(np.nonzero(entry))]
    its = np.asarray(entry, np.int64)
    extent = extents[axis]
    outside = (its < -extent) | (its >= extent)
    if outside.any():
        raise _out_of_range(its[outside].flat[0], axis, extent)
    return [(axis, np.where(its < 0, its + extent, its))]


class Rows:
    """Elements selected by one index array and slices with positive steps: a patch for each index of the array.

    Attributes
    ----------
    shape : tuple of int
        Of the elements as a numpy array, which has to be contiguous.
    axis : int
        The dimension that the index array indexes.
    indices : numpy.ndarray
        The indices from 0, in one dimension.
    lo, hi, skip : list of int
        Of the patches. Those of the dimension `axis` are replaced.
    strides : list of int
        Of a patch, in elements.
    step : int
        Number of elements from one patch to the next one.
    """
    __slots__ = ("shape", "axis", "indices", "lo", "hi", "skip", "strides", "step")

    def __init__(self, axis, indices, entries, extents):
        ranges = [range(*its.indices(extent)) if isinstance(its, slice) else indices.shape
                  for its, extent in zip(entries, extents)]
        counts = [len(its) for its in ranges]
        self.axis, self.indices = axis, np.ascontiguousarray(indices.reshape(-1))
        counts[axis] = self.indices.size
        self.lo = [0 if d == axis else its[0] for d, its in enumerate(ranges)]
        self.hi = [0 if d == axis else its[-1] for d, its in enumerate(ranges)]
        self.skip = [1 if d == axis else its.step for d, its in enumerate(ranges)]
        strides = [1] * len(counts)
        for d in range(len(counts) - 1, 0, -1):
            strides[d - 1] = strides[d] * counts[d]
        self.step, strides[axis] = strides[axis], 1
        self.strides = strides
        self.shape = (*counts[:axis], *indices.shape, *counts[axis + 1:])

    @staticmethod
    def select(entries, extents):
        """Returns the Rows of a key, or None if the key is of another kind or its rows are short."""
        arrays = [d for d, its in enumerate(entries) if isinstance(its, np.ndarray)]
        if len(arrays) != 1 or len(entries) != len(extents):
            return None
        axis = arrays[0]
        row = 1
        for its, extent in zip(entries[:axis] + entries[axis + 1:], extents[:axis] + extents[axis + 1:]):
            if not isinstance(its, slice) or its.step is not None and its.step <= 0:
                return None
            row *= len(range(*its.indices(extent)))
        new = _arrays(entries[axis], axis, extents) if row >= _SHORTEST_ROW else ()
        return Rows(axis, new[0][1], entries, extents) if len(new) == 1 and new[0][0] is not None else None


class Indexing:
    """The transfers of Array."""

    # --- Keys ---

    def _element(self, index):
        """Returns the index of one element with numbers from 0."""
        entries = index if isinstance(index, tuple) else (index,)
        numbers = [integer(its) for its in entries]
        if None in numbers:
            raise TypeError(f"an element is named by integers, not {index!r}")
        if len(numbers) != len(self._shape):
            raise IndexError(f"index {index!r} has {len(numbers)} of the {len(self._shape)} numbers that name an element")
        return [_position(its, axis, extent) for axis, (its, extent) in enumerate(zip(numbers, self._shape))] or [0]

    def _select(self, key):
        """Returns the elements that a key selects."""
        self._check_alive()
        entries = _entries(key, len(self._shape))
        if not any(isinstance(its, np.ndarray) for its in entries):
            return Patch(entries, self._shape)
        return Rows.select(entries, self._shape) or Points(entries, self._shape)

    # --- Transfers ---

    def _transfer(self, operation, selection, x, scale=ffi.NULL, handle=ffi.NULL):
        """Transfers elements, of which there are some, to or from a numpy array whose strides fit."""
        buffer = pointer_to(x)
        if isinstance(selection, Patch):
            strides = ffi.NULL if x.flags.c_contiguous else selection.strides(x)
            code = lib.causeway_python_move(self._handle, operation, selection.lo, selection.hi,
                                            selection.skip or ffi.NULL, buffer, strides, scale, handle)
        elif isinstance(selection, Rows):
            code = lib.causeway_python_move_rows(
                self._handle, operation, selection.axis, len(selection.indices),
                ffi.from_buffer("int64_t[]", selection.indices), selection.lo, selection.hi, selection.skip, buffer,
                selection.strides, selection.step * x.itemsize, scale)
        else:
            indices = ffi.from_buffer("int64_t[]", selection.indices)
            if operation == lib.CW_ACCUMULATE:
                code = lib.cw_array_scatter_accumulate(self._handle, x.size, indices, buffer, scale)
            else:
                call = lib.cw_array_gather if operation == lib.CW_GET else lib.cw_array_scatter
                code = call(self._handle, x.size, indices, buffer)
        self._check(code)

    def _receive(self, selection, x, handle=ffi.NULL):
        """Gets elements to a numpy array of their shape and dtype. Returns it with the axes reversed as in the key."""
        flips = getattr(selection, "flips", None)
        if x.size > 0:
            self._transfer(lib.CW_GET, selection, x, handle=handle)
        return x if flips is None else x[flips]

    def get(self, key=..., out=None) -> np.ndarray | np.generic:
        """Gets elements of any process. Local: complete on return.

        Parameters
        ----------
        key : int, slice, ellipsis, None, array_like of int or bool, or tuple of these
            As for numpy's indexing. Everything by default.
        out : numpy.ndarray, optional
            Receives the elements; of their shape and the dtype of the array, with any strides.

        Returns
        -------
        numpy.ndarray or scalar
            `out` if it is given.
        """
        if out is None:
            return self[key]
        code = patch_get(self._patches, key, out) if type(out) is np.ndarray else -1
        if code >= 0:
            self._check(code)
            return out
        selection = self._select(key)
        self._check_out(selection, out)
        if isinstance(selection, Patch) and selection.flips is None and selection.strides(out) is not None:
            return self._receive(selection, out)
        out[...] = self._receive(selection, np.empty(selection.shape, self._dtype))
        return out

    def _get_any(self, key):
        """Gets elements that any key selects, or reports what is wrong with it."""
        selection = self._select(key)
        x = self._receive(selection, np.empty(selection.shape, self._dtype))
        return x[()] if selection.shape == () and _is_scalar(key) else x

    def _check_out(self, selection, out):
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a numpy array, not {type(out).__name__}")
        if out.dtype != self._dtype:
            raise TypeError(f"out is of type {out.dtype}; the array is of type {self._dtype}")
        if out.shape != selection.shape:
            raise MisuseError(f"out has the shape {out.shape}; the elements have {selection.shape}")
        if not out.flags.writeable:
            raise MisuseError("out cannot be written to")

    def _value(self, selection, value):
        """Returns a value as a numpy array that the library can read: broadcast, cast and copied only if necessary."""
        if type(value) is np.ndarray and value.dtype == self._dtype and value.shape == selection.shape:
            x = value
        else:
            x = np.empty(selection.shape, self._dtype)
            x[...] = value
        flips = getattr(selection, "flips", None)
        if flips is not None:
            x = x[flips]
        if isinstance(selection, Patch) and selection.strides(x) is not None:
            return x
        return np.ascontiguousarray(x).reshape(x.shape)

    def put(self, key, value) -> None:
        """Puts elements of any process: what a[key] = value does. Local: the value may be changed on return.

        Other processes see the elements after `sync`, or after `fence` of this process and a message from it.

        Parameters
        ----------
        key
            As for `get`. If index arrays name an element twice, one of the values is stored.
        value : array_like
            Broadcast and converted by numpy's rules for assignments.
        """
        self[key] = value

    def _put_any(self, key, value):
        """Puts elements that any key selects, or reports what is wrong with the key or the value."""
        selection = self._select(key)
        x = self._value(selection, value)
        if x.size > 0:
            self._transfer(lib.CW_PUT, selection, x)

    def accumulate(self, key, value, scale=None) -> None:
        """Adds scale * value to elements of any process, atomically for each real element. Local, as `put`.

        Parameters
        ----------
        key
            As for `get`. If index arrays name an element several times, all of its values are added.
        value : array_like
            Broadcast; converted if numpy's rule "same_kind" allows it.
        scale : scalar, optional
            1 by default.
        """
        selection = self._select(key)
        x = self._value(selection, self._addend("value", value))
        factor = ffi.NULL if scale is None else ffi.from_buffer(
            np.array([self._addend("scale", scale)], self._dtype))
        if x.size > 0:
            self._transfer(lib.CW_ACCUMULATE, selection, x, factor)

    def _addend(self, name, value):
        """Returns an argument of accumulate as a numpy array that may be converted to the dtype."""
        if self._type == lib.CW_OPAQUE:
            raise TypeError(f"elements of type {self._dtype} cannot be added to")
        value = np.asarray(value)
        if not np.can_cast(value.dtype, self._dtype, "same_kind"):
            raise TypeError(f"{name} of type {value.dtype} cannot be added to elements of type {self._dtype}")
        return value

    def get_start(self, key=..., out=None) -> Handle:
        """Starts a get. Local. `wait` of the result returns the elements.

        Parameters
        ----------
        key : int, slice, ellipsis, None, or tuple of these
        out : numpy.ndarray, optional
            As for `get`. The strides must be positive.
        """
        patch = self._select_patch("get_start", key)
        x = np.empty(patch.shape, self._dtype) if out is None else out
        self._check_out(patch, x)
        if patch.strides(x) is None or (patch.flips is not None and out is not None):
            raise MisuseError("the library cannot transfer to out, because the key has negative steps or out has strides "
                              "below its elements: use get")
        handle = Handle()
        result = self._receive(patch, x, handle._handle)
        handle._add(x, self._use, result=result)
        return handle

    def put_start(self, key, value) -> Handle:
        """Starts a put. Local. The value must not be changed before `wait` of the result.

        Parameters
        ----------
        key : int, slice, ellipsis, None, or tuple of these
        value : array_like
        """
        patch = self._select_patch("put_start", key)
        handle = Handle()
        x = self._value(patch, value)
        if x.size > 0:
            self._transfer(lib.CW_PUT, patch, x, handle=handle._handle)
        handle._add(x, self._use)
        return handle

    def _select_patch(self, call, key):
        selection = self._select(key)
        if not isinstance(selection, Patch):
            raise MisuseError(f"{call} takes integers and slices, not index arrays")
        return selection

    def read_increment(self, index, n=1) -> int:
        """Adds n to an element atomically, and returns its value before. Local.

        Parameters
        ----------
        index : int or tuple of int
        n : int, optional
            The elements are int32 or int64.
        """
        before = ffi.new("int64_t *")
        if self._dtype not in (np.dtype("i4"), np.dtype("i8")):
            raise TypeError(f"read_increment needs elements of type int32 or int64, not {self._dtype}")
        self._check_alive()
        self._check(lib.cw_array_read_increment(self._handle, self._element(index), n, before))
        return before[0]

    # --- Python's syntax ---

    def __getitem__(self, key):
        its = patch_select(self._patches, key, self._dtype.type)
        if type(its) is tuple:
            x = np.empty(its, self._dtype)
            self._check(patch_get(self._patches, key, x))
            return x
        return self._get_any(key) if its is None else its

    def __setitem__(self, key, value):
        code = patch_put(self._patches, key, value) if type(value) in VALUES else -1
        if code >= 0:
            return self._check(code)
        self._put_any(key, value)
