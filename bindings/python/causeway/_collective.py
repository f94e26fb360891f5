"""Operations that all members of a team do together: the methods of Team for Python objects and for numpy arrays."""
import pickle
import struct
from typing import Any

import numpy as np

from ._buffers import REDUCTIONS, TYPES, bytes_of, named, plain, rank_of, result_for, typed
from ._handle import Handle
from ._library import MisuseError, check, ffi, lib

# A pickled object travels in a block of this size together with its length. Only longer ones need a second message.
_BLOCK = 256
_LENGTH = struct.Struct("q")


def _block(data):
    """Returns the first block of a pickled object as an array."""
    block = np.zeros(_BLOCK, np.uint8)
    head = _LENGTH.pack(len(data)) + data[:_BLOCK - _LENGTH.size]
    block[:len(head)] = np.frombuffer(head, np.uint8)
    return block


def _length(block):
    return _LENGTH.unpack_from(block)[0]


def _first(block):
    return block[_LENGTH.size:_LENGTH.size + _length(block)].tobytes()


def _rest(data):
    """Returns the part of a pickled object that does not fit into its block."""
    return np.frombuffer(data[_BLOCK - _LENGTH.size:], np.uint8)


def _rest_lengths(blocks):
    """Returns the lengths of the parts that do not fit into the blocks."""
    return [max(0, _length(block) - (_BLOCK - _LENGTH.size)) for block in blocks]


def _pieces(buffer, lengths):
    """Cuts a buffer into pieces of given lengths."""
    ends = np.cumsum(lengths)
    return [buffer[end - length:end].tobytes() for end, length in zip(ends, lengths)]


def _loads(blocks, rests):
    return [pickle.loads(_first(block) + rest) for block, rest in zip(blocks, rests)]


def _dumps(value):
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def _reducible(value, op):
    """Returns a copy of a value in row-major order, its type and operation, and the dtype of the result."""
    x = plain(value, "the value")
    result = x.dtype
    if x.dtype == bool:  # the library has no type for it
        result = np.dtype(np.int64 if op in ("sum", "product") else bool)
        x = x.astype(np.int64 if op in ("sum", "product") else np.int32)
    number, reduction = typed(TYPES, x.dtype, "reduction of elements"), named(REDUCTIONS, op, "op")
    return np.array(x, order="C"), number, reduction, result


def _reduced(x, dtype, out):
    """Returns the result of a reduction: an array, or a number if the value was one."""
    x = x.astype(dtype, copy=False)
    if out is None:
        return x if x.ndim else x[()]
    result_for(out, x.shape, dtype)[...] = x
    return out


class Collectives:
    """Collective operations of Team. All members make the same calls in the same order."""

    def barrier(self) -> None:
        """Completes the transfers of all members, which then wait for each other. Collective over the team."""
        check(lib.cw_barrier(self._handle))

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
        root = rank_of(self, root, "root")
        data = _dumps(value) if self.rank == root else b""
        block = _block(data)
        check(lib.cw_broadcast(self._handle, root, bytes_of(block), _BLOCK))
        length = _rest_lengths([block])[0]
        rest = np.empty(length, np.uint8)
        if length:
            if self.rank == root:
                rest[...] = _rest(data)
            check(lib.cw_broadcast(self._handle, root, bytes_of(rest), length))
        return value if self.rank == root else _loads([block], [rest.tobytes()])[0]

    def allgather(self, value) -> list:
        """Returns the objects of all members, in the order of ranks. Collective over the team.

        Parameters
        ----------
        value : object
            Anything that can be pickled.
        """
        data = _dumps(value)
        blocks = self.allgather_array(_block(data))
        lengths = _rest_lengths(blocks)
        rests = np.empty(sum(lengths), np.uint8)
        if len(rests):
            rest = _rest(data)
            check(lib.cw_allgatherv(self._handle, bytes_of(rest), len(rest), bytes_of(rests), lengths, ffi.NULL))
        return _loads(blocks, _pieces(rests, lengths))

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
        data = _dumps(value)
        blocks = self.gather_array(_block(data), root)
        # All members take part in the second message if one object is long.
        if not self.allreduce(len(data) > _BLOCK - _LENGTH.size, "logical_or"):
            return _loads(blocks, [b""] * self.size) if blocks is not None else None
        rest = _rest(data)
        lengths = _rest_lengths(blocks) if blocks is not None else []
        rests = np.empty(sum(lengths), np.uint8)
        check(lib.cw_gatherv(self._handle, root, bytes_of(rest), len(rest), bytes_of(rests), lengths or ffi.NULL, ffi.NULL))
        return _loads(blocks, _pieces(rests, lengths)) if blocks is not None else None

    def scatter(self, values=None, root=0) -> Any:
        """Returns on each member its object of the root's list. Collective over the team.

        Parameters
        ----------
        values : sequence of object
            One for each member, in the order of ranks. Only those of the root count.
        root : int, optional
            Rank in the team.
        """
        data = []
        if self.rank == rank_of(self, root, "root"):
            values = list(values) if values is not None else []
            if len(values) != self.size:
                raise MisuseError(f"values has {len(values)} objects; the team has {self.size} members")
            data = [_dumps(value) for value in values]
        block = self.scatter_array(np.array([_block(its) for its in data]) if data else None, root,
                                   out=np.empty(_BLOCK, np.uint8))
        if not self.allreduce(_rest_lengths([block])[0] > 0, "logical_or"):
            return _loads([block], [b""])[0]
        rests = np.frombuffer(b"".join(_rest(its).tobytes() for its in data), np.uint8)
        lengths = [len(_rest(its)) for its in data]
        rest = np.empty(_rest_lengths([block])[0], np.uint8)
        check(lib.cw_scatterv(self._handle, root, bytes_of(rests), lengths or ffi.NULL, ffi.NULL, bytes_of(rest),
                              len(rest)))
        return _loads([block], [rest.tobytes()])[0]

    def alltoall(self, values) -> list:
        """Sends object i to rank i, and returns the objects that come from all members. Collective over the team.

        Parameters
        ----------
        values : sequence of object
            One for each member, in the order of ranks. Anything that can be pickled.
        """
        values = list(values)
        if len(values) != self.size:
            raise MisuseError(f"values has {len(values)} objects; the team has {self.size} members")
        data = [_dumps(value) for value in values]
        blocks = self.alltoall_array(np.array([_block(its) for its in data]))
        sent, lengths = [len(_rest(its)) for its in data], _rest_lengths(blocks)
        rests = np.empty(sum(lengths), np.uint8)
        if self.allreduce(sum(sent) > 0, "logical_or"):
            mine = np.frombuffer(b"".join(_rest(its).tobytes() for its in data), np.uint8)
            check(lib.cw_alltoallv(self._handle, bytes_of(mine), sent, ffi.NULL, bytes_of(rests), lengths, ffi.NULL))
        return _loads(blocks, _pieces(rests, lengths))

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
        result_for(x, getattr(x, "shape", None), getattr(x, "dtype", None))
        buffer = np.ascontiguousarray(plain(x))
        check(lib.cw_broadcast(self._handle, rank_of(self, root, "root"), bytes_of(buffer), buffer.nbytes))
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
        x = plain(x)
        x = np.ascontiguousarray(x).reshape(x.shape)
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
        x = plain(x)
        x = np.ascontiguousarray(x).reshape(x.shape)
        result = np.empty((self.size, *x.shape), x.dtype) if self.rank == rank_of(self, root, "root") else None
        check(lib.cw_gather(self._handle, root, bytes_of(x), x.nbytes, ffi.NULL if result is None else bytes_of(result)))
        return result

    def concatenate(self, x) -> np.ndarray:
        """Joins the arrays of all members along the first axis, in the order of ranks. Collective over the team.

        Parameters
        ----------
        x : array_like
            Of one dtype on all members. The shapes may differ only along the first axis.
        """
        x = np.ascontiguousarray(plain(x))
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
            Receives the row, and is returned. Pass it on all members or on none: without it, shape and dtype need
            another message.
        """
        mine = self.rank == rank_of(self, root, "root")
        if mine:
            x = self._rows(x)
        shape, dtype = (None, None) if out is not None else self.broadcast((x.shape[1:], x.dtype) if mine else None, root)
        result = np.empty(shape, dtype) if out is None else result_for(out, out.shape, out.dtype)
        buffer = np.ascontiguousarray(result)
        check(lib.cw_scatter(self._handle, root, bytes_of(x) if mine else ffi.NULL, buffer.nbytes, bytes_of(buffer)))
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
        x = self._rows(x)
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
        """Reduces the values of all members, element by element. Collective over the team.

        Parameters
        ----------
        value : array_like
            Of one shape and dtype on all members: bool, int32, int64, float32, float64, complex64 or complex128.
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
        x, number, reduction, dtype = _reducible(value, op)
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
        x, number, reduction, dtype = _reducible(value, op)
        root = rank_of(self, root, "root")
        check(lib.cw_reduce(self._handle, root, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype, out) if self.rank == root else None

    def scan(self, value, op="sum") -> np.ndarray | np.generic:
        """Reduces the values of all ranks up to this one, with it. Collective over the team. Parameters as `allreduce`."""
        x, number, reduction, dtype = _reducible(value, op)
        check(lib.cw_scan(self._handle, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype, None)

    def exclusive_scan(self, value, op="sum") -> np.ndarray | np.generic | None:
        """Reduces the values of all ranks before this one. Collective over the team. Parameters as `allreduce`.

        Returns
        -------
        numpy.ndarray, number or None
            None on rank 0.
        """
        x, number, reduction, dtype = _reducible(value, op)
        check(lib.cw_exclusive_scan(self._handle, number, reduction, x.size, bytes_of(x)))
        return _reduced(x, dtype, None) if self.rank > 0 else None

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
        x, number, reduction, dtype = _reducible(value, op)
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
