"""Reductions.

Each process reduces its own elements with numpy, and the results of the processes are merged in a fixed order.
"""
from __future__ import annotations

import functools

import numpy as np

from . import _array as arrays
from ._distribution import blocks
from ._library import MisuseError, check, ffi, lib
from ._parts import agree, begin, check_host, copy_all, first_place, raise_together, same_distribution

_EMPTY, _VALID, _FAILED = 0, 1, 2
_ALIGNMENT = 16  # bytes; for elements of any type


class Reductions:
    """The reductions of Array.

    All of them are collective over the team. Without an axis, they return a numpy scalar, of the same bits on all
    members. With an axis or a tuple of axes, they return a new distributed array without these dimensions, or with
    extents of 1 in their place if `keepdims` is true. The result is the same in every run with the same number of
    processes.
    """

    __slots__ = ()

    def sum(self, axis: int | tuple | None = None, dtype=None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the sum, as numpy.sum does. Collective over the team."""
        return reduce_ufunc(np.add, self, axis, dtype, keepdims)

    def prod(self, axis: int | tuple | None = None, dtype=None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the product, as numpy.prod does. Collective over the team."""
        return reduce_ufunc(np.multiply, self, axis, dtype, keepdims)

    def min(self, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the least element, or NaN if there is a NaN, as numpy.min does. Collective over the team."""
        return reduce_ufunc(np.minimum, self, axis, None, keepdims)

    def max(self, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the greatest element, or NaN if there is a NaN, as numpy.max does. Collective over the team."""
        return reduce_ufunc(np.maximum, self, axis, None, keepdims)

    def any(self, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns whether an element is true, as numpy.any does. Collective over the team."""
        return reduce_ufunc(np.logical_or, self, axis, None, keepdims)

    def all(self, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns whether all elements are true, as numpy.all does. Collective over the team."""
        return reduce_ufunc(np.logical_and, self, axis, None, keepdims)

    def argmin(self, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the index of the first least element, as numpy.argmin does. Collective over the team.

        Parameters
        ----------
        axis : int, optional
            Without one, the index is that of the array in one dimension.
        keepdims : bool, optional
        """
        return _arg(np.argmin, self, axis, keepdims)

    def argmax(self, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the index of the first greatest element, as `argmin` does. Collective over the team."""
        return _arg(np.argmax, self, axis, keepdims)

    def mean(self, axis: int | tuple | None = None, dtype=None, keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the arithmetic mean, as numpy.mean does. Collective over the team."""
        result = np.mean(_sample(self), dtype=dtype).dtype
        working = np.result_type(result, np.float32) if result == np.float16 else result
        axes = _axes(self, axis)
        count = _count(self, axes)

        def merge(rows):
            return np.true_divide(np.add.reduce(rows, axis=0), count).astype(result)

        return _reduce("mean", self, lambda x, its: np.add.reduce(x, axis=its, dtype=working), merge, axes, keepdims,
                       working, told=(result,))

    def var(self, axis: int | tuple | None = None, dtype=None, ddof: int = 0,
            keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the variance, as numpy.var does. Collective over the team."""
        return self._variance("var", axis, dtype, ddof, keepdims, lambda variance: variance)

    def std(self, axis: int | tuple | None = None, dtype=None, ddof: int = 0,
            keepdims: bool = False) -> arrays.Array | np.generic:
        """Returns the standard deviation, as numpy.std does. Collective over the team."""
        return self._variance("std", axis, dtype, ddof, keepdims, np.sqrt)

    def _variance(self, call, axis, dtype, ddof, keepdims, function):
        sample = _sample(self)
        result = np.var(sample, dtype=dtype).dtype
        record = np.dtype([("count", float), ("mean", np.mean(sample, dtype=dtype).dtype), ("squares", result)])

        def partial(x, axes):
            mean = np.mean(x, axis=axes, dtype=dtype, keepdims=True)
            its = np.empty(np.squeeze(mean, axes).shape, record)
            its["count"] = np.prod([x.shape[k] for k in axes], dtype=float)
            its["mean"] = np.squeeze(mean, axes)
            its["squares"] = np.add.reduce(np.square(np.abs(x - mean)), axis=axes, dtype=result)
            return its

        def merge(rows):
            count, means = rows["count"], rows["mean"]
            total = count.sum(axis=0)
            mean = (count * means).sum(axis=0) / total
            squares = rows["squares"].sum(axis=0) + (count * np.abs(means - mean) ** 2).sum(axis=0)
            return function(squares / np.maximum(total - ddof, 0)).astype(result)

        return _reduce(call, self, partial, merge, _axes(self, axis), keepdims, record, told=(dtype, ddof))

    def dot(self, other) -> arrays.Array | np.generic:
        """Returns the product of vectors or matrices, as numpy.dot does. Collective over the team."""
        return self @ other

    def trace(self) -> np.generic:
        """Returns the sum of the diagonal of a matrix. Collective over the team."""
        return self.diagonal().sum()

    def norm(self, ord=None, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic | np.ndarray:
        """Returns a norm, as `cw.linalg.norm` does. Collective over the team."""
        from .linalg import norm
        return norm(self, ord, axis, keepdims)


def _sample(array):
    """Returns a numpy array of one element of the same type."""
    return np.ones(1, array.dtype)


@functools.lru_cache(maxsize=1000)
def _reduced_dtype(ufunc, of, dtype):
    """Returns the type of ufunc.reduce for elements of type `of`."""
    return ufunc.reduce(np.ones(1, of), dtype=dtype).dtype


@functools.lru_cache(maxsize=1000)
def _product_dtype(function, a, b):
    """Returns the type of numpy.dot or numpy.vdot for elements of these types."""
    return function(np.ones(1, a), np.ones(1, b)).dtype


def _axes(array, axis):
    """Returns the numbers of the dimensions that an axis, or a tuple of them, names; all for None."""
    if axis is None:
        return tuple(range(array.ndim))
    np.empty((1,) * array.ndim).sum(axis=axis)  # raises numpy's errors
    return tuple(sorted(k % array.ndim for k in (axis if isinstance(axis, tuple) else (axis,))))


def _count(array, axes):
    return int(np.prod([array.shape[k] for k in axes], dtype=np.int64))


def reduce_ufunc(ufunc, array, axis: int | tuple | None = None, dtype=None,
                 keepdims: bool = False) -> arrays.Array | np.generic:
    """Returns what ufunc.reduce returns for an array. Collective over the team."""
    dtype = None if dtype is None else np.dtype(dtype)
    return _reduce(f"np.{ufunc.__name__}.reduce", array,
                   lambda x, axes: ufunc.reduce(x, axis=axes, dtype=dtype),
                   lambda rows: ufunc.reduce(rows, axis=0, dtype=rows.dtype), _axes(array, axis), keepdims,
                   _reduced_dtype(ufunc, array.dtype, dtype), told=(dtype,))


def _reduce(call, array, partial, merge, axes, keepdims, record, locate=None, told=()):
    """Reduces an array. Collective over the team.

    Parameters
    ----------
    call : str
        For messages.
    partial : callable
        partial(x, axes) reduces a numpy array along a tuple of axes, to records of any type.
    merge : callable
        merge(rows) reduces the records of several processes, in the order of their elements, along axis 0.
    axes : tuple of int
    keepdims : bool
    record : numpy.dtype
        Of a record.
    locate : callable, optional
        locate(records, array) is called with the records of this process, to convert places.
    told : tuple
        Further arguments that must be the same on all members.
    """
    begin(array.team, call, None, array, axes, keepdims, *told)
    check_host(call, array)
    if len(axes) < array.ndim:
        return _along(call, array, partial, merge, axes, keepdims, locate, record)

    def compute():
        mine = np.asarray(partial(array.local, tuple(range(array.local.ndim))))
        return mine if locate is None else locate(mine, array)

    result = merge(gather(array.team, call, record, array.local.size, compute))
    return np.reshape(result, (1,) * array.ndim) if keepdims else result[()]


def gather(team, call, dtype, size, compute):
    """Returns the records that the members with elements compute, by rank. Collective over the team.

    Parameters
    ----------
    dtype : numpy.dtype
        Of a record.
    size : int
        Number of elements of this process. If it is 0, the process computes nothing.
    compute : callable
        Returns the record of this process. If it raises an error on one member, all members get one.
    """
    state = dtype.itemsize  # place of a message's last byte that is used, behind the record
    mine = bytearray(-(-(state + 1) // _ALIGNMENT) * _ALIGNMENT)
    failure = None
    if size > 0:
        try:
            mine[:state] = np.asarray(compute(), dtype).tobytes()
            mine[state] = _VALID
        except Exception as error:
            failure, mine[state] = error, _FAILED
    every = bytearray(team.size * len(mine))
    check(lib.cw_allgather(team._handle, ffi.from_buffer(mine), len(mine), ffi.from_buffer(every)))
    states = every[state::len(mine)]
    if _FAILED in states:
        raise_together(team, call, failure, states.index(_FAILED))
    rows = np.ndarray(team.size, dtype, every, 0, len(mine))
    return rows[np.frombuffer(states, np.uint8) == _VALID] if _EMPTY in states else rows


def _along(call, array, partial, merge, axes, keepdims, locate, dtype):
    """Reduces along axes: each process stores its records in a temporary array, from which the owners merge."""
    source = array
    if array.size and array._layout.kind != lib.CW_BLOCKS:
        source = arrays.empty(array.shape, array.dtype, team=array.team)
        copy_all(array, source)
    kept = [k for k in range(array.ndim) if k not in axes]
    mine = failure = None
    try:
        if source.local.size:
            mine = partial(source.local, axes)
            mine = mine if locate is None else locate(mine, source)
    except Exception as error:
        failure = error
    agree(array.team, call, failure)
    count, row = _row(source, axes)
    shape = tuple(array.shape[k] for k in kept)
    records = arrays.empty((count, *shape), dtype, team=array.team, distribution=blocks((count,) + (0,) * len(kept)))
    if mine is not None:
        index = source.local_index
        records[(row, *(index[k] for k in kept))] = mine
    records.sync()
    result = _merge_rows(array, records, merge, axes, keepdims)
    records.free()
    if source is not array:
        source.free()
    return result


def _row(array, axes):
    """Returns how many blocks with elements the array has along axes, and the number of this process's block."""
    if array.size == 0:
        return 0, 0
    layout = array._layout
    counts, places = [], []
    for k in axes:
        ranges = [layout.block(number * layout._steps[k])[0][k] for number in range(layout._blocks[k])]
        starts = [its.start for its in ranges if len(its)]
        counts.append(len(starts))
        if array.local.size:
            places.append(starts.index(array.local_index[k].start))
    return int(np.prod(counts)), int(np.ravel_multi_index(places, counts)) if places else 0


def _merge_rows(array, records, merge, axes, keepdims):
    """Returns the array of the merged records."""
    kept = [k for k in range(array.ndim) if k not in axes]
    shape = tuple(1 if k in axes else n for k, n in enumerate(array.shape) if keepdims or k in kept)
    with np.errstate(all="ignore"):
        dtype = merge(np.ones((1, 1), records.dtype)).dtype
    result = arrays.empty(shape, dtype, team=array.team)
    local = result.local
    if local.size:
        index = result.local_index
        mine = tuple(index[k] for k in kept) if keepdims else index
        local[...] = merge(records[(slice(None), *mine)]).reshape(local.shape)
    result.sync()
    return result


def _arg(function, array, axis, keepdims):
    """Returns what numpy.argmin or argmax, which is `function`, returns for an array."""
    if axis is not None and isinstance(axis, tuple):
        raise TypeError(f"{function.__name__}: axis is {axis}; it must be one number")
    if array.size == 0 and (axis is None or array.shape[axis] == 0):
        raise MisuseError(f"{function.__name__}: the array has no elements")
    record = np.dtype([("value", array.dtype), ("place", np.int64)])

    def partial(x, axes):
        places = function(x, axis=None if len(axes) == x.ndim else axes[0])
        its = np.empty(np.shape(places), record)
        its["place"] = places
        its["value"] = x.flat[places] if its.ndim == 0 else np.take_along_axis(
            x, np.expand_dims(places, axes[0]), axes[0]).squeeze(axes[0])
        return its

    def locate(records, its):
        if records.ndim == 0:
            records["place"] = first_place(its, int(records["place"]))
        else:
            records["place"] += its.local_index[axis].start
        return records

    def merge(rows):
        order = np.argsort(rows["place"], axis=0, kind="stable")
        rows = np.take_along_axis(rows, order, axis=0)
        best = np.expand_dims(function(rows["value"], axis=0), 0)
        return np.take_along_axis(rows["place"], best, axis=0)[0]

    return _reduce(function.__name__, array, partial, merge, _axes(array, axis), keepdims, record, locate)


def vector_product(call, function, a, b) -> np.generic:
    """Returns numpy.dot or numpy.vdot of all elements of two arrays of the same shape. Collective over the team."""
    dtype = _product_dtype(function, a.dtype, b.dtype)
    begin(a.team, call, None, a, b)
    if a._layout.on_devices or b._layout.on_devices:
        return _library_product(call, function, a, b)
    other = b
    if not same_distribution(a, b):
        other = arrays.empty_like(a, b.dtype)
        copy_all(b, other)
    rows = gather(a.team, call, dtype, a.local.size, lambda: function(a.local.ravel(), other.local.ravel()))
    if other is not b:
        other.free()
    return np.add.reduce(rows, dtype=dtype)


def _library_product(call, function, a, b):
    """Returns the product of arrays with parts on devices, by the library's kernels."""
    if a.dtype != b.dtype or function is np.vdot and a.dtype.kind == "c":
        check_host(call, a, b)
    operands = ffi.new("cw_operand[2]")
    operands[0].array, operands[1].array = a._handle, b._handle
    result = np.empty(1, a.dtype)
    check(lib.cw_array_dot(operands, operands + 1, ffi.from_buffer(result)))
    return result[0]
