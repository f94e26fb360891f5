"""What operations on whole arrays share: the elements of this process, and the agreement of the members on errors."""
from __future__ import annotations

import hashlib
import zlib

import numpy as np

from ._library import CausewayError, MisuseError, check, ffi, lib
from ._runtime import setting

_COMPARES = setting("CW_CHECK") == "1"  # members compare their calls
_DIGEST, _RECORD = 16, 256  # bytes
_PLAIN = (int, float, complex, str, bytes, type(None), type, np.dtype, slice, range)


def same_distribution(a, b) -> bool:
    """Returns whether equal indices of two arrays lie on the same processes, in the same order. Local."""
    return a is b or bool(lib.causeway_python_same_distribution(a._handle, b._handle))


def take(array, values: np.ndarray) -> np.ndarray:
    """Returns the elements of a numpy array that have the indices of `array.local`, in the same shape. Local.

    Parameters
    ----------
    array : Array
        Gives the shape and the distribution.
    values : numpy.ndarray
        Any shape that numpy broadcasts to the array's shape.
    """
    return np.broadcast_to(values, array.shape)[array.local_index]


def first_place(array, position: int) -> int:
    """Returns the least row-major index in the array of an element of this process that equals a given one. Local.

    Parameters
    ----------
    position : int
        In `array.local`, in row-major order; there is no equal element before.
    """
    index, local = array.local_index, array.local
    if not array.shape:
        return 0
    if local.ndim == array.ndim and (array.ndim > 1 or isinstance(index[0], slice)):
        place = np.unravel_index(position, local.shape)
        return int(np.ravel_multi_index([its.start + k if isinstance(its, slice) else its.flat[k]
                                         for its, k in zip(index, place)], array.shape))
    value = local[position]  # the order of blocks is not that of elements
    equal = np.flatnonzero(local == value if value == value else local != local)
    return int(np.ravel_multi_index([its[equal] for its in index], array.shape).min())


def copy_all(source, target, transposed: bool = False) -> None:
    """Copies all elements between arrays of one dtype, with the dimensions in reverse order if `transposed`.

    Collective over the team.
    """
    operands = ffi.new("cw_operand[2]")
    operands[0].array, operands[0].transposed, operands[1].array = source._handle, transposed, target._handle
    check(lib.cw_array_copy(operands, operands + 1))


def agree(team, call: str, failure: Exception | None = None, fence: bool = False) -> None:
    """Raises an error on all members if one of them has failed. Collective over the team; a barrier.

    The members that failed raise their own error. The others raise CausewayError, with the message of the first one.
    `fence` first completes the transfers of this process.
    """
    first = lib.causeway_python_least(team._handle, team.size if failure is None else team.rank, fence)
    if first != team.size:
        check(max(0, -first))
        raise_together(team, call, failure, first)


def raise_together(team, call: str, failure: Exception | None, first: int) -> None:
    """Raises the error of the member `first` on all members that have none of their own. Collective over the team."""
    text = b"" if failure is None else f"{type(failure).__name__}: {failure}".encode(errors="replace")[:500]
    message = ffi.new("char[512]", text)
    check(lib.cw_broadcast(team._handle, first, message, 512))
    if failure is not None:
        raise failure
    raise CausewayError(f"{call}: failed on rank {first} of the team: {ffi.string(message).decode(errors='replace')}")


def agree_alike(team, call: str, text: str, failure: Exception | None = None, length: int = 0) -> int:
    """Raises an error on all members if one has failed, or if their calls or texts differ. Collective over the team; a barrier.

    Returns the greatest length that a member passes.
    """
    digest = zlib.crc32(f"{call}({text}".encode())
    least = ffi.new("long[3]", (digest, -digest, -length) if failure is None else (team.rank - team.size, 0, 0))
    check(lib.cw_allreduce(team._handle, lib.CW_LONG, lib.CW_MINIMUM, 3, least))
    if least[0] < 0:
        raise_together(team, call, failure, least[0] + team.size)
    if least[0] != -least[1]:
        _raise_difference(team, digest.to_bytes(_DIGEST, "big"), f"{call}({text})")
    return -least[2]


def begin(team, call: str, failure: Exception | None, *arguments) -> None:
    """Begins an operation on whole arrays: completes the transfers of all members, and agrees on their errors.

    Collective over the team; a barrier. With CW_CHECK=1 it compares the call and its arguments.
    """
    agree(team, call, failure, True)
    compare(team, call, *arguments)


def compare(team, call: str, *arguments) -> None:
    """With CW_CHECK=1, raises MisuseError on all members if they make different calls, or pass different arguments.

    Collective over the team. The library compares the arguments of its own calls only, among which are no operators,
    reductions, and scalars of Python.
    """
    if not _COMPARES or team.size == 1:
        return
    _raise_difference(team, hashlib.blake2b(_content((call, arguments)), digest_size=_DIGEST).digest(),
                      f"{call}({', '.join(map(_shown, arguments))})")


def _raise_difference(team, digest: bytes, text: str) -> None:
    """Raises MisuseError on all members, with the texts of two of them, if the digests differ. Collective over the team."""
    mine = np.frombuffer((digest + text.encode(errors="replace"))[:_RECORD].ljust(_RECORD, b"\0"), np.uint8)
    every = np.empty((team.size, _RECORD), np.uint8)
    check(lib.cw_allgather(team._handle, ffi.from_buffer(mine), _RECORD, ffi.from_buffer(every)))
    other = np.flatnonzero((every[:, :_DIGEST] != every[0, :_DIGEST]).any(axis=1))
    if other.size:
        first, its = (every[rank, _DIGEST:].tobytes().rstrip(b"\0").decode(errors="replace") for rank in (0, other[0]))
        raise MisuseError(f"the members of the team make different calls, or pass different values: rank 0 calls {first}, "
                          f"rank {other[0]} calls {its}")


def _content(x) -> bytes:
    """Returns bytes that differ if two arguments do. Objects of unknown types count as equal."""
    if isinstance(x, (tuple, list)):
        return b"(" + b",".join(map(_content, x)) + b")"
    if isinstance(x, dict):
        return _content(sorted(x.items()))
    if isinstance(x, (np.ndarray, np.generic)):
        elements = repr(x.tolist()).encode() if x.dtype.char in "gGV" else x.tobytes()  # without bytes of padding
        return f"{x.dtype.str}{x.shape}".encode() + elements
    return repr(x).encode() if isinstance(x, _PLAIN) else _shown(x).encode()


def _shown(x) -> str:
    """Returns an argument as a short text, the same on all members."""
    if isinstance(x, (tuple, list)):
        return "(" + ", ".join(map(_shown, x)) + ")"
    if isinstance(x, dict):
        return _shown(list(x.items()))
    if isinstance(x, (np.ndarray, np.generic)):
        return " ".join(np.array2string(np.asarray(x), threshold=6, edgeitems=2).split())
    if hasattr(x, "_array"):
        return f"the transpose of {_shown(x._array)}"
    if hasattr(x, "_serial"):
        return f"array {x.name!r} (number {x._serial})"
    return repr(x) if isinstance(x, _PLAIN) else type(x).__name__


def check_host(call: str, *arrays) -> None:
    """Raises MisuseError if parts of one of the arrays lie on devices. Local."""
    for array in arrays:
        if array._layout.on_devices:
            raise MisuseError(f"{call}: array {array.name!r} has parts on devices, for which the library has no kernel "
                              f"of this operation: copy it to an array on the host with copy_to")
