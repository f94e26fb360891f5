"""Put, get and accumulate of patches and elements, counters, and access to local elements."""
import numpy as np

from .._array import Array
from .._library import MisuseError, check, ffi, lib
from ._handles import filled, patch, scalar, to_array


class NbHandle:
    """A transfer under way. nbwait waits for it. Until then it keeps the buffer alive."""

    def __init__(self, buffers: tuple[np.ndarray, ...]):
        self._handle = ffi.new("cw_handle *")
        self._buffers = buffers


def _strides(buffer: np.ndarray) -> list[int] | None:
    """Returns the strides of a buffer in elements, or None if the library cannot transfer it where it is."""
    size = buffer.itemsize
    if any(n > 1 and (step <= 0 or step % size) for n, step in zip(buffer.shape, buffer.strides)):
        return None
    return [step // size if n > 1 else 1 for n, step in zip(buffer.shape, buffer.strides)]


def _move(array: Array, operation: int, first: list[int], last: list[int], buffer: np.ndarray, *, scale: object = None,
          skip: list[int] | None = None, periodic: bool = False, handle: NbHandle | None = None) -> None:
    """Transfers a patch; with handle, only starts the transfer. The buffer has the shape of what is moved."""
    if buffer.size == 0:
        return
    strides = _strides(buffer)
    if strides is None:
        temporary = np.ascontiguousarray(buffer)
        _move(array, operation, first, last, temporary, scale=scale, skip=skip, periodic=periodic)
        if operation == lib.CW_GET:
            buffer[...] = temporary
        return
    request = ffi.new("cw_patch *")
    lists = [ffi.new("int64_t[]", numbers) for numbers in (first, last, strides, skip or [1] * array.ndim)]
    request.operation, request.periodic = operation, periodic
    request.lo, request.hi, request.strides = lists[:3]
    request.skip = lists[3] if skip else ffi.NULL
    request.buffer = ffi.cast("void *", buffer.__array_interface__["data"][0])
    factor = scalar(array, scale)
    request.scale = factor
    if handle is None:
        check(lib.cw_array_transfer(array._handle, request))
    else:
        check(lib.cw_array_start(array._handle, request, handle._handle))


def _writable(array: Array, buffer: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the buffer of a get, in the patch's shape, without a copy; a new array if buffer is None."""
    if buffer is None:
        return np.empty(shape, array.dtype)
    if not isinstance(buffer, np.ndarray) or buffer.dtype != array.dtype:
        raise TypeError(f"the buffer must be a numpy array of {array.dtype}")
    if not buffer.flags.writeable:
        raise MisuseError("the buffer is read-only")
    if buffer.shape == shape:
        return buffer
    view = buffer.view()
    try:
        view.shape = shape
    except (AttributeError, ValueError):
        raise MisuseError(f"the buffer has shape {buffer.shape}; the patch has shape {shape}") from None
    return view


def put(g_a: int, buffer: object, lo: object = None, hi: object = None) -> None:
    """Stores a buffer in the patch lo to hi (exclusive). Local; visible to all after sync."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    _move(array, lib.CW_PUT, first, last, filled(array, buffer, shape))


def get(g_a: int, lo: object = None, hi: object = None, buffer: np.ndarray | None = None) -> np.ndarray:
    """Returns the patch lo to hi (exclusive), in buffer if it is given. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    result = _writable(array, buffer, shape)
    _move(array, lib.CW_GET, first, last, result)
    return result if buffer is None else buffer


def acc(g_a: int, buffer: object, lo: object = None, hi: object = None, alpha: object = None) -> None:
    """Adds alpha times a buffer to the patch lo to hi (exclusive). Atomic for each element. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    _move(array, lib.CW_ACCUMULATE, first, last, filled(array, buffer, shape), scale=alpha)


def nbput(g_a: int, buffer: object, lo: object = None, hi: object = None) -> NbHandle:
    """Starts a put. The buffer may be changed after nbwait. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    handle = NbHandle((filled(array, buffer, shape),))
    _move(array, lib.CW_PUT, first, last, handle._buffers[0], handle=handle)
    return handle


def nbget(g_a: int, lo: object = None, hi: object = None,
          buffer: np.ndarray | None = None) -> tuple[np.ndarray, NbHandle]:
    """Starts a get and returns the buffer and the handle. The data has arrived after nbwait. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    result = _writable(array, buffer, shape)
    handle = NbHandle((result,))
    _move(array, lib.CW_GET, first, last, result, handle=handle)
    return (result if buffer is None else buffer), handle


def nbacc(g_a: int, buffer: object, lo: object = None, hi: object = None, alpha: object = None) -> NbHandle:
    """Starts an acc. The buffer may be changed after nbwait. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    handle = NbHandle((filled(array, buffer, shape),))
    _move(array, lib.CW_ACCUMULATE, first, last, handle._buffers[0], scale=alpha, handle=handle)
    return handle


def nbwait(nbhandle: NbHandle) -> None:
    """Waits until the buffer of a transfer may be used. Local."""
    check(lib.cw_wait(nbhandle._handle))
    nbhandle._buffers = ()


def nbtest(nbhandle: NbHandle) -> bool:
    """Returns true if the buffer of a transfer may be used. Local."""
    complete = ffi.new("bool *")
    check(lib.cw_test(nbhandle._handle, complete))
    return bool(complete[0])


def _skipped(array: Array, lo: object, hi: object,
             skip: object) -> tuple[list[int], list[int], tuple[int, ...], list[int]]:
    first, last, shape = patch(array, lo, hi)
    steps = [1] * array.ndim if skip is None else [int(step) for step in np.atleast_1d(skip)]
    if len(steps) != array.ndim or min(steps) < 1:
        raise MisuseError(f"skip is {steps}; it has a positive number for each of the {array.ndim} dimensions")
    return first, last, tuple(-(-n // step) for n, step in zip(shape, steps)), steps


def strided_put(g_a: int, buffer: object, lo: object = None, hi: object = None, skip: object = None) -> None:
    """Stores a dense buffer in the elements lo, lo + skip, ... of a patch. Local."""
    array = to_array(g_a)
    first, last, shape, steps = _skipped(array, lo, hi, skip)
    _move(array, lib.CW_PUT, first, last, filled(array, buffer, shape), skip=steps)


def strided_get(g_a: int, lo: object = None, hi: object = None, skip: object = None,
                buffer: np.ndarray | None = None) -> np.ndarray:
    """Returns the elements lo, lo + skip, ... of a patch. Local."""
    array = to_array(g_a)
    first, last, shape, steps = _skipped(array, lo, hi, skip)
    result = _writable(array, buffer, shape)
    _move(array, lib.CW_GET, first, last, result, skip=steps)
    return result if buffer is None else buffer


def strided_acc(g_a: int, buffer: object, lo: object = None, hi: object = None, skip: object = None,
                alpha: object = None) -> None:
    """Adds alpha times a dense buffer to the elements lo, lo + skip, ... of a patch. Local."""
    array = to_array(g_a)
    first, last, shape, steps = _skipped(array, lo, hi, skip)
    _move(array, lib.CW_ACCUMULATE, first, last, filled(array, buffer, shape), skip=steps, scale=alpha)


def periodic_put(g_a: int, buffer: object, lo: object = None, hi: object = None) -> None:
    """Stores a buffer in a patch whose indices wrap around the ends of the array. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi, inside=False)
    _move(array, lib.CW_PUT, first, last, filled(array, buffer, shape), periodic=True)


def periodic_get(g_a: int, lo: object = None, hi: object = None, buffer: np.ndarray | None = None) -> np.ndarray:
    """Returns a patch whose indices wrap around the ends of the array. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi, inside=False)
    result = _writable(array, buffer, shape)
    _move(array, lib.CW_GET, first, last, result, periodic=True)
    return result if buffer is None else buffer


def periodic_acc(g_a: int, buffer: object, lo: object = None, hi: object = None, alpha: object = None) -> None:
    """Adds alpha times a buffer to a patch whose indices wrap around the ends of the array. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi, inside=False)
    _move(array, lib.CW_ACCUMULATE, first, last, filled(array, buffer, shape), periodic=True, scale=alpha)


def _elements(array: Array, subsarray: object) -> np.ndarray:
    """Returns the indices of elements as an array of shape (count, dimensions)."""
    subscripts = np.asarray(subsarray)
    if subscripts.size and subscripts.dtype.kind not in "iu":
        raise TypeError(f"the subscripts have dtype {subscripts.dtype}; they must be integers")
    if subscripts.size % array.ndim:
        raise MisuseError(f"there are {subscripts.size} subscripts; the array has {array.ndim} dimensions")
    subscripts = np.ascontiguousarray(subscripts.reshape(-1, array.ndim), np.int64)
    outside = (subscripts < 0) | (subscripts >= np.array(array.shape))
    if outside.any():
        row, axis = np.argwhere(outside)[0]
        raise IndexError(f"index {subscripts[row, axis]} is out of range for axis {axis}, which has "
                         f"{array.shape[axis]} elements")
    return subscripts


def _pointer(values: np.ndarray, kind: str) -> object:
    return ffi.cast(kind, values.__array_interface__["data"][0])


def gather(g_a: int, subsarray: object, values: np.ndarray | None = None) -> np.ndarray:
    """Returns the elements of a list of subscripts, of shape (n, ndim) or flat. Local."""
    array = to_array(g_a)
    subscripts = _elements(array, subsarray)
    result = _writable(array, values, (len(subscripts),))
    dense = np.ascontiguousarray(result)
    check(lib.cw_array_gather(array._handle, len(subscripts), _pointer(subscripts, "int64_t *"), _pointer(dense, "void *")))
    if dense is not result:
        result[...] = dense
    return result if values is None else values


def scatter(g_a: int, values: object, subsarray: object) -> None:
    """Stores values in the elements of a list of subscripts. Local."""
    array = to_array(g_a)
    subscripts = _elements(array, subsarray)
    dense = np.ascontiguousarray(filled(array, values, (len(subscripts),)))
    check(lib.cw_array_scatter(array._handle, len(subscripts), _pointer(subscripts, "int64_t *"),
                               _pointer(dense, "void *")))


def scatter_acc(g_a: int, values: object, subsarray: object, alpha: object = None) -> None:
    """Adds alpha times values to the elements of a list of subscripts. An element may occur several times. Local."""
    array = to_array(g_a)
    subscripts = _elements(array, subsarray)
    dense = np.ascontiguousarray(filled(array, values, (len(subscripts),)))
    check(lib.cw_array_scatter_accumulate(array._handle, len(subscripts), _pointer(subscripts, "int64_t *"),
                                          _pointer(dense, "void *"), scalar(array, alpha)))


def read_inc(g_a: int, subscript: object, inc: int = 1) -> int:
    """Adds inc to an element and returns its old value. Atomic. Local."""
    array = to_array(g_a)
    before = ffi.new("int64_t *")
    index = _elements(array, subscript)
    if len(index) != 1:
        raise MisuseError(f"subscript names {len(index)} elements; it must name one")
    check(lib.cw_array_read_increment(array._handle, index[0].tolist(), inc, before))
    return before[0]


def _opened(array: Array, view: object, key: tuple) -> np.ndarray:
    """Returns the elements of a view of the library's as a numpy array, and notes the view for release."""
    shape = tuple(view.extents[0:array.ndim])
    strides = tuple(view.strides[0:array.ndim])
    span = sum((n - 1) * step for n, step in zip(shape, strides)) + array.dtype.itemsize
    _open.setdefault((array._handle, key), []).append(view)
    return np.ndarray(shape, array.dtype, ffi.buffer(view.address, span), 0, strides)


_open: dict[tuple, list] = {}


def _part(array: Array, rank: int) -> tuple[list[int], list[int]]:
    lo, hi = ffi.new("int64_t[]", array.ndim), ffi.new("int64_t[]", array.ndim)
    check(lib.cw_array_part(array._handle, rank, lo, hi))
    return list(lo), [last + 1 for last in hi]


def _range(array: Array, lo: object, hi: object, proc: int | None) -> tuple[list[int], list[int]]:
    rank = array.team.rank if proc is None else proc
    begin, end = _part(array, rank)
    return (begin if lo is None else lo), (end if hi is None else hi)


def access(g_a: int, lo: object = None, hi: object = None, proc: int | None = None) -> np.ndarray | None:
    """Returns the elements of this process, or its patch lo to hi (exclusive), as a numpy array without a copy.

    The result is None if there are no elements. proc names another process of this node, whose elements are returned.
    Call release or release_update, with the same lo and hi, when the array is no longer used. Local.
    """
    array = to_array(g_a)
    first, last, shape = patch(array, *_range(array, lo, hi, proc))
    if 0 in shape:
        return None
    view = ffi.new("cw_array_view *")
    check(lib.cw_array_access(array._handle, first, last, view))
    return _opened(array, view, (tuple(first), tuple(last)))


def _release(array: Array, key: tuple) -> None:
    views = _open.get((array._handle, key))
    if not views:
        raise MisuseError("release: this patch has no open access")
    check(lib.cw_array_release(array._handle, views.pop()))


def release(g_a: int, lo: object = None, hi: object = None, proc: int | None = None) -> None:
    """Ends an access that only read. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, *_range(array, lo, hi, proc))
    if 0 not in shape:
        _release(array, (tuple(first), tuple(last)))


release_update = release


def access_ghosts(g_a: int) -> np.ndarray | None:
    """Returns the elements of this process with the ghost cells around them, without a copy. Local."""
    array = to_array(g_a)
    first, last, shape = patch(array, *_part(array, array.team.rank))
    if 0 in shape:
        return None
    piece, count = ffi.new("cw_piece *"), ffi.new("size_t *")
    check(lib.cw_array_locate_patch(array._handle, first, first, 1, piece, count))
    view = ffi.new("cw_array_view *")
    check(lib.cw_array_access_block(array._handle, piece.block, True, view))
    return _opened(array, view, ("ghosts",))


def release_ghosts(g_a: int) -> None:
    """Ends an access with ghost cells. Local."""
    array = to_array(g_a)
    if 0 not in patch(array, *_part(array, array.team.rank))[2]:
        _release(array, ("ghosts",))


release_update_ghosts = release_ghosts
