"""Views of memory with their own settings, and handles that name any memory of a process."""
import operator
import threading
from typing import NamedTuple

import numpy as np

from ._buffers import (ATOMIC_OPERATIONS, ATOMIC_TYPES, Place, accumulate_kind, bytes_of, move, named, operand_for, plain,
                       result_for, typed)
from ._handle import Handle
from ._library import MisuseError, check, ffi, lib
from ._region import Region, _shape, source_for

_SCOPES = {"process": lib.CW_SCOPE_PROCESS, "thread": lib.CW_SCOPE_THREAD}

# Views that no Python object refers to any more, with the buffers of their operations. The next view frees them.
_unused = []


def _free_unused():
    while _unused:
        handle, buffers = _unused.pop()
        if any(buffers):
            check(lib.cw_fence_all())
        check(lib.cw_view_free(ffi.new("cw_view *", handle)))


class MemoryName(NamedTuple):
    """Names an array of a process. It can be pickled and sent to other processes of the job, by any means."""
    data: bytes
    process: int
    offset: int
    dtype: np.dtype
    shape: tuple
    strides: tuple


class MemoryHandle:
    """Lets other processes reach any numpy array of this process. As a context manager it is released at the end. Local.

    Parameters
    ----------
    array : numpy.ndarray
        Of any layout, with at least one element. The handle keeps it alive.

    Attributes
    ----------
    name : MemoryName
        Send it to other processes, for example with `team.broadcast`; `View(name)` reaches the array there.
    """

    def __init__(self, array):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"array is of type {type(array).__name__}; it must be a numpy array")
        plain(array)
        if array.nbytes == 0:
            raise MisuseError("array has no elements")
        first = array.__array_interface__["data"][0]
        spans = [(count - 1) * stride for count, stride in zip(array.shape, array.strides)]
        low = sum(its for its in spans if its < 0)
        high = sum(its for its in spans if its > 0) + array.itemsize
        data = ffi.new("char[]", lib.CW_MEMORY_HANDLE_BYTES)
        check(lib.cw_memory_handle_create(ffi.cast("void *", first + low), high - low, data))
        self._array = array
        self.name = MemoryName(ffi.buffer(data)[:], lib.cw_process(), -low, array.dtype, array.shape, array.strides)

    def release(self) -> None:
        """Ends the access of others; operations under way end before. Local. A second call does nothing."""
        if self._array is not None:
            check(lib.cw_memory_handle_release(self.name.data))
            self._array = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.release()

    def __del__(self):
        if getattr(self, "_array", None) is not None and lib.cw_initialized():
            lib.cw_memory_handle_release(self.name.data)


class _ByThread(threading.local):
    def __init__(self):
        self.list = []


class _OfAll:
    def __init__(self):
        self.list = []


class View:
    """Memory with settings of its own: its calls start operations, and its flushes complete them. Local.

    Parameters
    ----------
    memory : Region or MemoryName
    scope : str, optional
        "process" or "thread": whose operations a flush completes.
    ordered : bool, optional
        Whether the operations of one origin to one target take place in the order in which they were started.
    intrinsic : str, optional
        Asserts that the program makes only these atomic updates through the view, "sum,cas".
    intrinsic_dtype : dtype_like, optional
        Of their elements; that of the memory by default.
    intrinsic_count : int, optional
        Upper bound on the number of elements of a call, or 0.
    checked : bool, optional
        Whether calls that break the assertion raise MisuseError. Otherwise they are undefined.

    Notes
    -----
    Values and results must not be touched before a flush. The view keeps them alive. Ranks are those of the region's
    team; the memory of a handle has the rank 0. Offsets are those of `Region`. OutsideError if a setting cannot be
    granted.
    """

    def __init__(self, memory, *, scope="process", ordered=False, intrinsic=None, intrinsic_dtype=None, intrinsic_count=0,
                 checked=False):
        _free_unused()
        base, made = ffi.new("cw_view *"), ffi.new("cw_view *")
        self._memory = memory
        self._handle = ffi.NULL
        self._kept = _ByThread() if scope == "thread" else _OfAll()
        settings, keep = self._settings(scope, ordered, intrinsic, intrinsic_dtype, intrinsic_count, checked)
        self._open(memory, base)
        try:
            check(lib.cw_view_dup(base[0], settings, made))
        finally:
            check(lib.cw_view_free(base))
        del keep
        self._handle = made[0]
        self._places = self._find()

    def _open(self, memory, base):
        if isinstance(memory, Region):
            memory._check_alive()
            self.dtype, self._use = memory.dtype, memory._use
            check(lib.cw_view_of(memory._handle, base))
        elif isinstance(memory, MemoryName):
            self.dtype, self._use = memory.dtype, None
            check(lib.cw_view_from_memory(memory.data, base))
        else:
            raise TypeError(f"memory is of type {type(memory).__name__}; it must be a Region or a MemoryName")

    @staticmethod
    def _settings(scope, ordered, intrinsic, dtype, count, checked):
        settings = ffi.new("cw_view_settings *")
        text = ffi.NULL if intrinsic is None else ffi.new("char[]", intrinsic.encode())
        settings.scope, settings.ordered, settings.checked = named(_SCOPES, scope, "scope"), ordered, checked
        settings.intrinsic, settings.intrinsic_count = text, operator.index(count)
        if intrinsic is not None:
            settings.intrinsic_type = typed(ATOMIC_TYPES, np.dtype(dtype or np.int64), "atomic update of elements")
        return settings, text

    def _find(self):
        """Returns the places of the members' memory."""
        memory = self._memory
        if isinstance(memory, Region):
            return [its.place for its in memory]
        base = ffi.new("void **")
        check(lib.cw_view_address(self._handle, memory.process, base, ffi.NULL))
        return [Place(memory.process, int(ffi.cast("uintptr_t", base[0])) + memory.offset, memory.dtype, memory.shape,
                      memory.strides)]

    def _place(self, rank, offset, shape):
        if self._handle == ffi.NULL:
            raise MisuseError("this view has been freed")
        if isinstance(self._memory, Region):
            self._memory._check_alive()
        rank = operator.index(rank)
        if not 0 <= rank < len(self._places):
            raise IndexError(f"rank {rank} is out of range; the memory has ranks 0 to {len(self._places) - 1}")
        return self._places[rank].at(offset, shape)

    def _keep(self, *buffers):
        self._kept.list.append(buffers)

    # --- Transfers ---

    def _source(self, rank, value, offset):
        value = plain(value, "the value")
        place = self._place(rank, offset, value.shape)
        return source_for(value, place), place

    def _start(self, operation, x, place, keep=None, **options):
        self._keep(x, keep)
        move(operation, x, place, view=self._handle, wait=False, **options)

    def put(self, rank, value, offset=0) -> None:
        """Starts a put of elements. Local. Parameters as for `Region.put`."""
        self._start(lib.CW_PUT, *self._source(rank, value, offset))

    def get(self, rank, shape=(), offset=0, out=None) -> np.ndarray:
        """Starts a get, and returns the array that has the elements after a flush. Local. Parameters as `Region.get`."""
        place = self._place(rank, offset, _shape(shape) if out is None else getattr(out, "shape", ()))
        x = result_for(out, place.shape, place.dtype)
        self._start(lib.CW_GET, x, place)
        return x

    def accumulate(self, rank, value, offset=0, scale=None, op="sum") -> None:
        """Starts an accumulate. Local. Parameters as for `Region.accumulate`."""
        x, place = self._source(rank, value, offset)
        kind, factor = accumulate_kind(self.dtype, op, scale)
        self._start(lib.CW_ACCUMULATE, x, place, keep=factor, kind=kind)

    def rput(self, rank, value, offset=0, remote=False) -> Handle:
        """Starts a put of contiguous elements; the handle completes it. Local.

        Parameters
        ----------
        rank, value, offset
            As for `Region.put`. The place must be contiguous.
        remote : bool, optional
            Whether the handle is complete only when the target's memory is updated.
        """
        x, place = self._run(*self._source(rank, value, offset))
        handle = Handle()
        check((lib.cw_view_rrput if remote else lib.cw_view_rput)(
            self._handle, bytes_of(x), place.pointer, x.nbytes, place.process, handle._handle))
        handle._add(x, self._use)
        return handle

    def rget(self, rank, shape=(), offset=0) -> Handle:
        """Starts a get of contiguous elements; `wait` of the handle returns them. Local. Parameters as `Region.get`."""
        place = self._place(rank, offset, _shape(shape))
        x, place = self._run(np.empty(place.shape, place.dtype), place)
        handle = Handle()
        check(lib.cw_view_rget(self._handle, bytes_of(x), place.pointer, x.nbytes, place.process, handle._handle))
        handle._add(x, self._use, result=x)
        return handle

    def raccumulate(self, rank, value, offset=0, op="sum", remote=False) -> Handle:
        """Starts an accumulate to contiguous elements; the handle completes it. Local. Parameters as `rput`, and `accumulate`."""
        x, place = self._run(*self._source(rank, value, offset))
        handle = Handle()
        check((lib.cw_view_rraccumulate if remote else lib.cw_view_raccumulate)(
            self._handle, *accumulate_kind(self.dtype, op, None)[0][:2], bytes_of(x), place.pointer, x.size, place.process,
            handle._handle))
        handle._add(x, self._use)
        return handle

    @staticmethod
    def _run(x, place):
        if not place.contiguous:
            raise MisuseError("this call needs contiguous elements at the member")
        return np.ascontiguousarray(x), place

    # --- Notifications ---

    def put_notify(self, rank, value, notifications, number=0, offset=0) -> None:
        """Starts a put of contiguous elements, which adds 1 to a counter of the member when they are visible. Local."""
        x, place = self._run(*self._source(rank, value, offset))
        self._keep(x)
        check(lib.cw_view_put_notify(self._handle, bytes_of(x), place.pointer, x.nbytes, place.process,
                                     notifications._handle, operator.index(number)))

    def get_notify(self, rank, notifications, number=0, shape=(), offset=0) -> np.ndarray:
        """Starts a get of contiguous elements, which adds 1 to a counter of the member when they have been read. Local."""
        place = self._place(rank, offset, _shape(shape))
        x, place = self._run(np.empty(place.shape, place.dtype), place)
        self._keep(x)
        check(lib.cw_view_get_notify(self._handle, bytes_of(x), place.pointer, x.nbytes, place.process,
                                     notifications._handle, operator.index(number)))
        return x

    def accumulate_notify(self, rank, value, notifications, number=0, offset=0, op="sum") -> None:
        """Starts an accumulate to contiguous elements, which adds 1 to a counter of the member as `put_notify` does. Local."""
        x, place = self._run(*self._source(rank, value, offset))
        self._keep(x)
        check(lib.cw_view_accumulate_notify(
            self._handle, *accumulate_kind(self.dtype, op, None)[0][:2], bytes_of(x), place.pointer, x.size, place.process,
            notifications._handle, operator.index(number)))

    # --- Atomic updates ---

    def is_intrinsic(self, operations, dtype=None, count=1) -> bool:
        """Returns whether the processor makes atomic updates by itself, without a lock and without help of the owner. Local.

        Parameters
        ----------
        operations : str
            Names separated by commas, "sum,cas".
        dtype : dtype_like, optional
            That of the memory by default.
        count : int, optional
            Number of elements of a call.
        """
        number = typed(ATOMIC_TYPES, np.dtype(self.dtype if dtype is None else dtype), "atomic update of elements")
        flag = ffi.new("bool *")
        self._place(0, ..., ())  # raises an error if the view has been freed
        check(lib.cw_view_op_intrinsic(self._handle, operations.encode(), operator.index(count), number, flag))
        return flag[0]

    def get_accumulate(self, rank, value, offset=0, op="sum") -> np.ndarray:
        """Starts atomic updates of contiguous elements, and returns the array of the old ones after a flush. Local."""
        x, place = self._run(*self._source(rank, value, offset))
        before = np.empty(place.shape, self.dtype)
        self._keep(x, before)
        check(lib.cw_view_get_accumulate(
            self._handle, typed(ATOMIC_TYPES, self.dtype, "atomic update of elements"),
            named(ATOMIC_OPERATIONS, op, "op"), bytes_of(x), bytes_of(before), place.pointer, x.size, place.process))
        return before

    def rget_accumulate(self, rank, value, offset=0, op="sum", remote=False) -> Handle:
        """Starts atomic updates of contiguous elements; `wait` of the handle returns the old ones. Local. `remote` as `rput`."""
        x, place = self._run(*self._source(rank, value, offset))
        before = np.empty(place.shape, self.dtype)
        handle = Handle()
        check((lib.cw_view_rrget_accumulate if remote else lib.cw_view_rget_accumulate)(
            self._handle, typed(ATOMIC_TYPES, self.dtype, "atomic update of elements"), named(ATOMIC_OPERATIONS, op, "op"),
            bytes_of(x), bytes_of(before), place.pointer, x.size, place.process, handle._handle))
        handle._add(x, before, self._use, result=before)
        return handle

    def fetch_op(self, rank, index, value, op="sum") -> np.ndarray:
        """Starts an atomic update of an element. The returned array of one element has the old one after a flush. Local."""
        place = self._place(rank, index, ())
        before, operand = np.empty(1, self.dtype), operand_for(value, self.dtype).reshape(1)
        self._keep(before)
        check(lib.cw_view_fetch_op(
            self._handle, typed(ATOMIC_TYPES, self.dtype, "atomic update of elements"),
            named(ATOMIC_OPERATIONS, op, "op"), bytes_of(operand), place.pointer, place.process, bytes_of(before)))
        return before

    def compare_swap(self, rank, index, expected, value) -> np.ndarray:
        """Starts to store a value if the element has the bits of `expected`. Returns as `fetch_op`. Local."""
        place = self._place(rank, index, ())
        before = np.empty(1, self.dtype)
        self._keep(before)
        operands = [operand_for(its, self.dtype).reshape(1) for its in (expected, value)]
        check(lib.cw_view_compare_swap(self._handle, typed(ATOMIC_TYPES, self.dtype, "atomic update of elements"),
                                       *map(bytes_of, operands), place.pointer, place.process, bytes_of(before)))
        return before

    # --- Completion ---

    def flush(self, rank=None, local=False) -> None:
        """Completes what was started to a member, or to all: the targets are updated. Local.

        Parameters
        ----------
        rank : int, optional
            All members by default.
        local : bool, optional
            If True, only values may be used again, and results have arrived.
        """
        if rank is not None:
            process = self._place(rank, ..., ()).process
            check((lib.cw_view_flush_local if local else lib.cw_view_flush)(self._handle, process))
            return
        kept, self._kept.list = self._kept.list, []
        check((lib.cw_view_flush_local_all if local else lib.cw_view_flush_all)(self._handle))
        kept.clear()

    def free(self) -> None:
        """Completes the operations of the view, and frees it. Local. A second call does nothing."""
        if self._handle != ffi.NULL:
            self.flush()
            check(lib.cw_view_free(ffi.new("cw_view *", self._handle)))
            self._handle = ffi.NULL

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.free()

    def __del__(self):
        if getattr(self, "_handle", ffi.NULL) != ffi.NULL:
            _unused.append((self._handle, self._kept.list))
