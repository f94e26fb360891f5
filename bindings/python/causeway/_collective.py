"""Operations that all members of a team do together: the methods of Team for Python objects and for numpy arrays."""
import functools
import pickle
import struct
from itertools import accumulate
from typing import Any

import numpy as np

from ._buffers import REDUCTIONS, TYPES, bytes_of, named, plain, rank_of, result_for, typed
from ._handle import Handle
from ._library import MisuseError, check, ffi, lib
from ._parts import agree_alike

_LENGTH = struct.Struct("q")
_SHORT = 256  # bytes: if no pickle of a call is longer, they travel with their lengths, padded to the longest one


def _attempt(prepare, *arguments):
    """Returns what a function returns, and its exception, or None.

    A member that cannot take part in a collective call reports that to the others, so that the call ends on all of them.
    """
    try:
        return prepare(*arguments), None
    except Exception as error:
        return ("", ()), error


def _dumps(value):
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def _head(data, longest):
    """Returns the length of a pickle, followed by the pickle if all are short."""
    return _LENGTH.pack(len(data)) + (data.ljust(longest) if longest <= _SHORT else b"")


def _lengths(heads, count):
    """Returns the lengths of pickles from the heads of `count` members, if they are here."""
    size = len(heads) // count or 1
    return [_LENGTH.unpack_from(heads, at)[0] for at in range(0, len(heads), size)]


def _load_short(heads, count):
    """Returns objects from the heads of short pickles."""
    size = len(heads) // count
    return [pickle.loads(heads[at:at + size]) for at in range(_LENGTH.size, len(heads), size)]


def _load_long(data, lengths):
    """Returns objects from pickles that follow each other."""
    data, ends = memoryview(data), accumulate(lengths)
    return [pickle.loads(data[end - length:end]) for end, length in zip(ends, lengths)]


@functools.lru_cache(maxsize=256)
def _name(dtype):
    return str(dtype)


def _about(x, shape=None):
    """Returns a text with the dtype and the shape of an array."""
    return f"dtype {_name(x.dtype)}, shape {x.shape if shape is None else shape}"


def _row_major(x):
    """Returns an array in row-major order, after a text about it."""
    x = plain(x)
    x = np.ascontiguousarray(x).reshape(x.shape)
    return _about(x), x


def _writable(x):
    """Returns a numpy array that can be written to, or a copy of it, as an array in row-major order."""
    result_for(x, getattr(x, "shape", None), getattr(x, "dtype", None))
    return np.ascontiguousarray(plain(x))


def _reducible(value, op, out=None):
    """Returns a copy of a value in row-major order, its type and operation, and the dtype of the result, after a text."""
    x = np.asarray(value)
    if x.dtype.hasobject:
        raise TypeError(f"reduction of an object of type {type(value).__name__}; only numbers are reduced: allgather collects "
                        "objects")
    result = x.dtype
    text = f"{op!r}, {_about(x)}"
    if x.dtype == bool:  # the library has no type for it
        result = np.dtype(np.int64 if op in ("sum", "product") else bool)
        x = x.astype(np.int64 if op in ("sum", "product") else np.int32)
    number, reduction = typed(TYPES, x.dtype, "reduction of elements"), named(REDUCTIONS, op, "op")
    if out is not None:
        result_for(out, x.shape, result)
    return text, (np.array(x, order="C"), number, reduction, result)


def _reduced(x, dtype, out=None):
    """Returns the result of a reduction: an array, or a number if the value was one."""
    x = x.astype(dtype, copy=False)
    if out is None:
        return x if x.ndim else x[()]
    out[...] = x
    return out


class Collectives:
    """Collective operations of Team. All members make the same calls in the same order.

    If one member passes a bad argument, or arguments differ that must be the same, the call raises an error on all members.
    Only nonblocking calls raise it on that member alone.
    """

    def barrier(self) -> None:
        """Completes the transfers of all members, which then wait for each other. Collective over the team."""
        check(lib.cw_barrier(self._handle))

    def _begin(self, call, prepare, *arguments):
        """Begins a collective call: raises an error on all members if one has failed, or if their arguments differ.

        Parameters
        ----------
        call : str
        prepare : callable
            Checks the arguments, and returns a text with those that must be the same on all members, and the values to use.
        """
        (text, values), failure = _attempt(prepare, *arguments)
        agree_alike(self, call, text, failure)
        return values

    def _begin_pickles(self, call, prepare, *arguments):
        """Begins like `_begin`. The values are pickles; returns the length of the longest one of all members, too."""
        (text, pickles), failure = _attempt(prepare, *arguments)
        return pickles, agree_alike(self, call, text, failure, max(map(len, pickles), default=0))

    def _root_text(self, root):
        return f"root {rank_of(self, root, 'root')}"

    # --- Python objects, by pickle ---

    def broadcast(self, value=None, root=0) -> Any:
        """Returns the root's object on all members. Collective over the team.

        Parameters
        ----------
        value : object
            Anything that can be pickled. Only that of the root counts.
        root : int, optional
            Rank in the team.
        """
        data = self._broadcast("broadcast", root, _dumps, value)
        return value if self.rank == root else pickle.loads(data)

    def _broadcast(self, call, root, dumps, *arguments):
        """Returns on all members the bytes that a function returns on the root, or raises its error on all."""
        def prepare():
            return self._root_text(root), [dumps(*arguments)] if self.rank == root else []
        mine, length = self._begin_pickles(call, prepare)
        data = bytearray(mine[0] if mine else length)
        check(lib.cw_broadcast(self._handle, root, ffi.from_buffer(data), length))
        return data

    def allgather(self, value) -> list:
        """Returns the objects of all members, in the order of ranks. Collective over the team.

        Parameters
        ----------
        value : object
            Anything that can be pickled.
        """
        (data,), longest = self._begin_pickles("allgather", lambda: ("", [_dumps(value)]))
        head = _head(data, longest)
        heads = bytearray(self.size * len(head))
        check(lib.cw_allgather(self._handle, head, len(head), ffi.from_buffer(heads)))
        if longest <= _SHORT:
            return _load_short(heads, self.size)
        lengths = _lengths(heads, self.size)
        every = bytearray(sum(lengths))
        check(lib.cw_allgatherv(self._handle, data, len(data), ffi.from_buffer(every), lengths, ffi.NULL))
        return _load_long(every, lengths)

    def gather(self, value, root=0) -> list | None:
        """Returns the objects of all members, in the order of ranks, on the root, and None elsewhere.

        Collective over the team.

        Parameters
        ----------
        value : object
            Anything that can be pickled.
        root : int, optional
            Rank in the team.
        """
        (data,), longest = self._begin_pickles("gather", lambda: (self._root_text(root), [_dumps(value)]))
        head = _head(data, longest)
        heads = bytearray(self.size * len(head) if self.rank == root else 0)
        check(lib.cw_gather(self._handle, root, head, len(head), ffi.from_buffer(heads)))
        if longest <= _SHORT:
            return _load_short(heads, self.size) if heads else None
        lengths = _lengths(heads, self.size)
        every = bytearray(sum(lengths))
        check(lib.cw_gatherv(self._handle, root, data, len(data), ffi.from_buffer(every), lengths or ffi.NULL, ffi.NULL))
        return _load_long(every, lengths) if heads else None

    def scatter(self, values=None, root=0) -> Any:
        """Returns on each member its object of the root's list. Collective over the team.

        Parameters
        ----------
        values : sequence of object
            One for each member, in the order of ranks. Only those of the root count.
        root : int, optional
            Rank in the team.
        """
        def prepare():
            return self._root_text(root), self._dumps_each(values) if self.rank == root else []
        data, longest = self._begin_pickles("scatter", prepare)
        head = bytearray(len(_head(b"", longest)))
        check(lib.cw_scatter(self._handle, root, b"".join(_head(its, longest) for its in data), len(head),
                             ffi.from_buffer(head)))
        if longest <= _SHORT:
            return _load_short(head, 1)[0]
        mine = bytearray(_lengths(head, 1)[0])
        check(lib.cw_scatterv(self._handle, root, b"".join(data), [len(its) for its in data] or ffi.NULL, ffi.NULL,
                              ffi.from_buffer(mine), len(mine)))
        return pickle.loads(mine)

    def alltoall(self, values) -> list:
        """Sends object i to rank i, and returns the objects that come from all members. Collective over the team.

        Parameters
        ----------
        values : sequence of object
            One for each member, in the order of ranks. Anything that can be pickled.
        """
        data, longest = self._begin_pickles("alltoall", lambda: ("", self._dumps_each(values)))
        mine = b"".join(_head(its, longest) for its in data)
        heads = bytearray(len(mine))
        check(lib.cw_alltoall(self._handle, mine, len(mine) // self.size, ffi.from_buffer(heads)))
        if longest <= _SHORT:
            return _load_short(heads, self.size)
        lengths = _lengths(heads, self.size)
        every = bytearray(sum(lengths))
        check(lib.cw_alltoallv(self._handle, b"".join(data), [len(its) for its in data], ffi.NULL, ffi.from_buffer(every),
                               lengths, ffi.NULL))
        return _load_long(every, lengths)

    def _dumps_each(self, values):
        """Returns the pickles of objects for all members."""
        values = list(values) if values is not None else []
        if len(values) != self.size:
            raise MisuseError(f"values has {len(values)} objects; the team has {self.size} members")
        return [_dumps(value) for value in values]

    # --- numpy arrays ---

    def broadcast_array(self, x, root=0) -> np.ndarray:
        """Copies the elements of the root's array to the arrays of all members, and returns x. Collective over the team.

        Parameters
        ----------
        x : numpy.ndarray
            Of one shape and dtype on all members, and of any layout.
        root : int, optional
            Rank in the team.
        """
        def prepare():
            buffer = _writable(x)
            return f"{self._root_text(root)}, {_about(x)}", buffer
        buffer = self._begin("broadcast_array", prepare)
        check(lib.cw_broadcast(self._handle, root, bytes_of(buffer), buffer.nbytes))
        if buffer is not x:
            x[...] = buffer.reshape(x.shape)
        return x

    def allgather_array(self, x) -> np.ndarray:
        """Returns the arrays of all members. Collective over the team.

        Parameters
        ----------
        x : array_like
            Of one shape and dtype on all members.

        Returns
        -------
        numpy.ndarray
            Shape (team size,) + x.shape.
        """
        x = self._begin("allgather_array", _row_major, x)
        result = np.empty((self.size, *x.shape), x.dtype)
        check(lib.cw_allgather(self._handle, bytes_of(x), x.nbytes, bytes_of(result)))
        return result

    def gather_array(self, x, root=0) -> np.ndarray | None:
        """Returns the arrays of all members on the root, and None elsewhere. Collective over the team.

        Parameters
        ----------
        x : array_like
            Of one shape and dtype on all members.
        root : int, optional
            Rank in the team.

        Returns
        -------
        numpy.ndarray or None
            Shape (team size,) + x.shape.
        """
        def prepare():
            text, mine = _row_major(x)
            return f"{self._root_text(root)}, {text}", mine
        x = self._begin("gather_array", prepare)
        result = np.empty((self.size, *x.shape), x.dtype) if self.rank == root else None
        check(lib.cw_gather(self._handle, root, bytes_of(x), x.nbytes, ffi.NULL if result is None else bytes_of(result)))
        return result

    def concatenate(self, x) -> np.ndarray:
        """Joins the arrays of all members along the first axis, in the order of ranks. Collective over the team.

        Parameters
        ----------
        x : array_like
            Of one dtype on all members. The shapes may differ only along the first axis.
        """
        def prepare():
            mine = np.ascontiguousarray(plain(x))
            return _about(mine, ("any", *mine.shape[1:])), mine
        x = self._begin("concatenate", prepare)
        counts = self.allgather_array(np.int64(len(x)))
        result = np.empty((counts.sum(), *x.shape[1:]), x.dtype)
        row = x.itemsize * int(np.prod(x.shape[1:]))
        check(lib.cw_allgatherv(self._handle, bytes_of(x), x.nbytes, bytes_of(result), [int(n) * row for n in counts],
                                ffi.NULL))
        return result

    def scatter_array(self, x=None, root=0, out=None) -> np.ndarray:
        """Returns row i of the root's array on rank i. Collective over the team.

        Parameters
        ----------
        x : array_like
            The length of the first axis is the size of the team. Only that of the root counts.
        root : int, optional
            Rank in the team.
        out : numpy.ndarray, optional
            Receives the row, and is returned.
        """
        def layout():
            nonlocal x
            x = self._rows(x)
            return _dumps((x.shape[1:], x.dtype))
        shape, dtype = pickle.loads(self._broadcast("scatter_array", root, layout))
        result = self._begin("scatter_array", lambda: ("", result_for(out, shape, dtype)))
        buffer = np.ascontiguousarray(result)
        check(lib.cw_scatter(self._handle, root, bytes_of(x) if self.rank == root else ffi.NULL, buffer.nbytes,
                             bytes_of(buffer)))
        if buffer is not result:
            result[...] = buffer.reshape(result.shape)
        return result

    def alltoall_array(self, x) -> np.ndarray:
        """Sends row i of an array to rank i, and returns the rows that come from all members. Collective over the team.

        Parameters
        ----------
        x : array_like
            Of one shape and dtype on all members. The length of the first axis is the size of the team.

        Returns
        -------
        numpy.ndarray
            Of the shape of x. Row i comes from rank i.
        """
        def prepare():
            rows = self._rows(x)
            return _about(rows), rows
        x = self._begin("alltoall_array", prepare)
        result = np.empty_like(x)
        check(lib.cw_alltoall(self._handle, bytes_of(x), x.nbytes // self.size, bytes_of(result)))
        return result

    def _rows(self, x):
        x = np.ascontiguousarray(plain(x))
        if x.shape[0] != self.size:
            raise MisuseError(f"x has the shape {x.shape}; the length of the first axis must be {self.size}, "
                              "the size of the team")
        return x

    def allreduce(self, value, op="sum", out=None) -> np.ndarray | np.generic:
        """Reduces the values of all members, element by element. `allgather` collects objects. Collective over the team.

        Parameters
        ----------
        value : array_like
            Of one shape and dtype on all members: bool (which iallreduce does not have), int32, int64, float32, float64,
            complex64 or complex128.
        op : str, optional
            "sum", "product", "minimum", "maximum", "absolute_minimum", "absolute_maximum", "logical_and", "logical_or",
            "bitwise_and", "bitwise_or" or "bitwise_xor". Integers wrap.
        out : numpy.ndarray, optional
            Receives the result; it may be the value itself.

        Returns
        -------
        numpy.ndarray or number
            The same on all members.
        """
        x, number, reduction, dtype = self._begin("allreduce", _reducible, value, op, out)
        check(lib.cw_allreduce(self._handle, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype, out)

    def reduce(self, value, op="sum", root=0, out=None) -> np.ndarray | np.generic | None:
        """Reduces like `allreduce`, but returns the result only on the root, and None elsewhere. Collective over the team.

        Parameters
        ----------
        value, op, out
            As for `allreduce`. Only the root uses out.
        root : int, optional
            Rank in the team.
        """
        def prepare():
            rooted = self._root_text(root)
            text, values = _reducible(value, op, out if self.rank == root else None)
            return f"{rooted}, {text}", values
        x, number, reduction, dtype = self._begin("reduce", prepare)
        check(lib.cw_reduce(self._handle, root, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype, out) if self.rank == root else None

    def scan(self, value, op="sum") -> np.ndarray | np.generic:
        """Reduces the values of all ranks up to this one, with it. Collective over the team. Parameters as `allreduce`."""
        x, number, reduction, dtype = self._begin("scan", _reducible, value, op)
        check(lib.cw_scan(self._handle, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype)

    def exclusive_scan(self, value, op="sum") -> np.ndarray | np.generic | None:
        """Reduces the values of all ranks before this one. Collective over the team. Parameters as `allreduce`.

        Returns
        -------
        numpy.ndarray, number or None
            None on rank 0.
        """
        x, number, reduction, dtype = self._begin("exclusive_scan", _reducible, value, op)
        check(lib.cw_exclusive_scan(self._handle, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype) if self.rank > 0 else None

    # --- Nonblocking ---

    def ibarrier(self) -> Handle:
        """Starts a barrier. Collective over the team: `wait` of the handle completes it."""
        handle = Handle()
        check(lib.cw_ibarrier(self._handle, handle._handle))
        handle._add_collective(self)
        return handle

    def ibroadcast(self, x, root=0) -> Handle:
        """Starts a `broadcast_array` to a contiguous array. Collective over the team."""
        result_for(x, getattr(x, "shape", None), getattr(x, "dtype", None))
        if not plain(x).flags.c_contiguous:
            raise MisuseError("x is not contiguous in row-major order")
        handle = Handle()
        check(lib.cw_ibroadcast(self._handle, rank_of(self, root, "root"), bytes_of(x), x.nbytes, handle._handle))
        handle._add_collective(x, result=x)
        return handle

    def iallreduce(self, value, op="sum") -> Handle:
        """Starts an `allreduce`; `wait` of the handle returns an array with the result. Collective over the team."""
        x, number, reduction, dtype = _reducible(value, op)[1]
        if dtype == bool:
            raise TypeError(f"iallreduce of elements of dtype {dtype}; it can be one of {', '.join(map(str, TYPES))}")
        handle = Handle()
        check(lib.cw_iallreduce(self._handle, number, reduction, x.size, bytes_of(x), handle._handle))
        handle._add_collective(x, result=x)
        return handle

    def iallgather(self, x) -> Handle:
        """Starts an `allgather_array`; `wait` of the handle returns its result. Collective over the team."""
        x = plain(x)
        x = np.array(x, order="C")
        result = np.empty((self.size, *x.shape), x.dtype)
        handle = Handle()
        check(lib.cw_iallgather(self._handle, bytes_of(x), x.nbytes, bytes_of(result), handle._handle))
        handle._add_collective(x, result, result=result)
        return handle

    def ialltoall(self, x) -> Handle:
        """Starts an `alltoall_array`; `wait` of the handle returns its result. Collective over the team."""
        x = self._rows(np.array(x))
        result = np.empty_like(x)
        handle = Handle()
        check(lib.cw_ialltoall(self._handle, bytes_of(x), x.nbytes // self.size, bytes_of(result), handle._handle))
        handle._add_collective(x, result, result=result)
        return handle
