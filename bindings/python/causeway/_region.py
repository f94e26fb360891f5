"""Regions: memory that a team allocates together and that every process may reach."""
import math
import operator

import numpy as np

from ._buffers import (ATOMIC_OPERATIONS, ATOMIC_TYPES, CELLS, Place, accumulate_kind, bytes_of, move, named, operand_for,
                       plain, rank_of, result_for, typed)
from ._handle import Handle
from ._lifetime import Shared, check_assigned, collect, memory_view
from ._library import MisuseError, check, ffi, lib
from ._patch import NO_PATCHES, VALUES, patch_get, patch_put, patch_select, patches_of
from ._team import world


class Slice:
    """The slice of a region on one member: `region[rank]`. Indexing with integers and slices gets and puts elements.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    process : int
        The process that has the slice.
    """
    __slots__ = ("place", "_use", "_base", "_length", "_cell", "_scalar", "_patches")

    def __init__(self, place, use):
        self.place = place
        self._use = use  # keeps the region from being freed as unused
        self._cell = CELLS.get(place.dtype) if len(place.shape) == 1 else None
        self._scalar = place.dtype.type
        self._length = place.shape[0] if self._cell else 0
        self._base = ffi.cast(self._cell, place.address) if self._cell else None
        self._patches = patches_of(place.shape, place.dtype, base=place.address, process=place.process)

    shape = property(lambda self: self.place.shape)
    dtype = property(lambda self: self.place.dtype)
    process = property(lambda self: self.place.process)

    def __repr__(self):
        return f"<causeway.Slice shape={self.shape} dtype={self.dtype} of process {self.process}>"

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a slice without dimensions")
        return self.shape[0]

    def __iter__(self):
        raise TypeError("a slice of a region cannot be iterated over, because each step would be a transfer: "
                        "use region[rank][...] to get its elements as a numpy array")

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a slice of a region is not converted to a numpy array without being asked: "
                        "region[rank][...] gets its elements")

    def _end(self):
        self.place = Place(self.process, 0, self.dtype, (0,) * len(self.shape))
        self._length, self._use, self._patches = -1, None, NO_PATCHES

    def _check_alive(self):
        if self._length < 0:
            raise MisuseError("this slice's region has been freed")

    def __getitem__(self, key):
        """Gets elements: a numpy array, or a number if all indices are integers. Local: complete on return."""
        its = patch_select(self._patches, key, self._scalar)
        if type(its) is tuple:
            x = np.empty(its, self.place.dtype)
            check(patch_get(self._patches, key, x))
            return x
        if its is not None:
            return its
        self._check_alive()
        place = self.place.at(key if isinstance(key, tuple) else (key,))
        x = np.empty(place.shape, place.dtype)
        move(lib.CW_GET, x, place)
        return x if x.ndim or _has_ellipsis(key) else x[()]

    def __setitem__(self, key, value):
        """Puts elements, as numpy assigns them. Local: the value may be changed on return."""
        code = patch_put(self._patches, key, value) if type(value) in VALUES else -1
        if code >= 0:
            check(code)
            return
        self._check_alive()
        place = self.place.at(key if isinstance(key, tuple) else (key,))
        move(lib.CW_PUT, source_for(value, place), place)


def _has_ellipsis(key):
    return any(its is Ellipsis for its in (key if isinstance(key, tuple) else (key,)))


def source_for(value, place):
    """Returns a value as an array of the shape and dtype of a place; numpy's rules of assignment convert it."""
    value = operand_for(value, place.dtype)
    if value.shape == place.shape:
        return value
    try:
        return np.broadcast_to(value, place.shape)
    except ValueError:
        raise MisuseError(f"a value of shape {value.shape} cannot be broadcast to the shape {place.shape}") from None


class Region(Shared):
    """Memory of a team: a slice on each member, which every process may reach. Collective over the team.

    Parameters
    ----------
    shape : int or tuple of int
        Of the slice of this process; it may differ between members, and may be empty.
    dtype : dtype_like, optional
        The same on all members; bytes by default.
    team : Team, optional
        The world by default.
    device : Device, optional
        Device of this process on which its slice lies. Then `local` does not exist.

    Notes
    -----
    The contents are undefined at first. Transfers name a member by its rank in the team. Their `offset` is either an
    integer, which counts elements of the slice in row-major order, or an index as in `region[rank][index]`. A put or
    accumulate is visible to others after `cw.fence` or `barrier`. Without a free(), the members free the region
    together when none of them has a reference to it, or to a numpy array of its memory, any more: see `collect`.

    Attributes
    ----------
    team : Team
    dtype : numpy.dtype
    shapes : list of tuple of int
        Of the slices, by rank.
    """

    def __init__(self, shape, dtype=np.uint8, team=None, device=None):
        self.team = team or world()
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject:
            raise TypeError(f"a region of dtype {self.dtype} would have Python objects as elements")
        if self.dtype.itemsize == 0:
            raise TypeError(f"a region of dtype {self.dtype} would have elements without bytes")
        shape = _shape(shape)
        collect(self.team)
        handle, addresses = self._create(shape, device)
        self._handle = handle[0]
        self._device = device
        self._own(self.team, lambda team=self.team._handle: check(lib.cw_region_free(team, handle)))
        self._slices = [Slice(Place(self.team.process(rank), int(ffi.cast("uintptr_t", address)), self.dtype, its), self._use)
                        for rank, (address, its) in enumerate(zip(addresses, self.shapes))]

    def _create(self, shape, device):
        described = self.team.allgather((shape, self.dtype))
        self.shapes = [its[0] for its in described]
        for rank, (_, its) in enumerate(described):
            if its != described[0][1]:
                raise MisuseError(f"dtype is {described[0][1]} on rank 0 and {its} on rank {rank}; it must be the same")
        handle, addresses = ffi.new("cw_region *"), ffi.new("void *[]", self.team.size)
        check(lib.cw_region_create_on(self.team._handle, ffi.NULL if device is None else device._handle,
                                      math.prod(shape) * self.dtype.itemsize, handle, addresses))
        return handle, addresses

    def free(self) -> None:
        """Frees the region. Collective over the team. A second call does nothing.

        numpy arrays of its memory must not be used afterwards.
        """
        if self._entry is not None:
            for its in self._slices:
                its._end()
        super().free()

    def __getitem__(self, rank) -> Slice:
        """Returns the slice of a member, for gets and puts by indexing. Local."""
        if type(rank) is not int or not 0 <= rank < len(self._slices):
            rank = rank_of(self.team, rank)
        return self._slices[rank]

    def __len__(self):
        return len(self._slices)

    def __iter__(self):
        return iter(self._slices)

    def __repr__(self):
        return f"<causeway.Region dtype={self.dtype} on {self.team._text()}{'' if self._entry else ' (freed)'}>"

    # --- Memory ---

    @property
    def local(self) -> np.ndarray:
        """The slice of this process, as a numpy array without a copy. Other processes see stores after a barrier."""
        self._check_alive()
        if self._device is not None:
            raise MisuseError("the slice of this process lies on a device; use region[rank][...] to get its elements")
        its = self.shared(self.team.rank)
        assert its is not None  # this process can load its own memory
        return its

    @local.setter
    def local(self, value):
        check_assigned("local", self.local, value)

    def shared(self, rank) -> np.ndarray | None:
        """Returns the slice of a member as a numpy array without a copy, or None if this process cannot load it. Local.

        Parameters
        ----------
        rank : int
            In the team. Members of the node of this process share their memory.
        """
        self._check_alive()
        place = self[rank].place
        size = math.prod(place.shape) * self.dtype.itemsize
        if size == 0:
            return np.empty(place.shape, self.dtype)
        mine = ffi.new("void **")
        check(lib.cw_address_shared(place.process, place.pointer, size, mine))
        if mine[0] == ffi.NULL:
            return None
        return memory_view(mine[0], place.shape, self.dtype, place.strides, self._use)

    # --- Transfers ---

    def _place(self, rank, offset, shape):
        self._check_alive()
        return self[rank].place.at(offset, shape)

    def put(self, rank, value, offset=0) -> None:
        """Copies elements to the slice of a member. Local: the value may be changed on return.

        Parameters
        ----------
        rank : int
            In the team.
        value : array_like
            Of any layout. Its dtype is converted as numpy assigns, which takes a copy if it differs.
        offset : int or index, optional
            Of the first element; the others follow it. Or an index such as np.s_[2:4, :], to whose shape the value
            is broadcast.
        """
        cell = self._contiguous(rank, value, offset)
        if cell is not None:
            check(lib.cw_put(ffi.from_buffer(value), cell, value.nbytes, self._slices[rank].place.process))
            return
        x, place = self._source(rank, value, offset)
        move(lib.CW_PUT, x, place)

    def start_put(self, rank, value, offset=0, handle=None) -> Handle:
        """Starts a `put`. The value must not be changed before the handle is complete. Local.

        Parameters
        ----------
        rank, value, offset
            As for `put`.
        handle : Handle, optional
            Receives the operation in addition to those that it has.
        """
        x, place = self._source(rank, value, offset)
        return self._start(lib.CW_PUT, x, place, handle)

    def get(self, rank, shape=(), offset=0, out=None) -> np.ndarray:
        """Returns elements of the slice of a member. Local: complete on return.

        Parameters
        ----------
        rank : int
            In the team.
        shape : int or tuple of int, optional
            Of the elements, if offset is an integer.
        offset : int or index, optional
            Of the first element; the others follow it. Or an index such as np.s_[2:4, :], which gives the shape.
        out : numpy.ndarray, optional
            Of any layout; receives the elements and is returned. Its shape replaces `shape`.
        """
        cell = self._contiguous(rank, out, offset)
        if cell is not None and out.flags.writeable:
            check(lib.cw_get(ffi.from_buffer(out), cell, out.nbytes, self._slices[rank].place.process))
            return out
        x, place = self._target(rank, shape, offset, out)
        move(lib.CW_GET, x, place)
        return x

    def start_get(self, rank, shape=(), offset=0, out=None, handle=None) -> Handle:
        """Starts a `get`; `wait` of the handle returns the elements. Local. Parameters as for `get` and `start_put`."""
        x, place = self._target(rank, shape, offset, out)
        return self._start(lib.CW_GET, x, place, handle, x)

    def accumulate(self, rank, value, offset=0, scale=None, op="sum") -> None:
        """Updates elements of the slice of a member: element = element + scale * value. Local.

        The update is atomic for each element against other accumulates. The value may be changed on return.

        Parameters
        ----------
        rank, value, offset
            As for `put`. The dtype of the region is int32, int64, float32, float64, complex64 or complex128.
        scale : number, optional
            Only for a sum; 1 by default.
        op : str, optional
            "sum", "product", "minimum", "maximum", "bitwise_and" ...: operation in place of the sum.
        """
        x, place = self._source(rank, value, offset)
        kind, factor = accumulate_kind(self.dtype, op, scale)
        move(lib.CW_ACCUMULATE, x, place, kind=kind)
        del factor

    def start_accumulate(self, rank, value, offset=0, scale=None, op="sum", handle=None) -> Handle:
        """Starts an `accumulate`. Local. Parameters as for `accumulate` and `start_put`."""
        x, place = self._source(rank, value, offset)
        kind, factor = accumulate_kind(self.dtype, op, scale)
        return self._start(lib.CW_ACCUMULATE, x, place, handle, keep=factor, kind=kind)

    def _contiguous(self, rank, x, offset):
        """Returns the pointer to the first element of the frequent case, which needs no layout; None in all others."""
        if type(x) is not np.ndarray or type(offset) is not int or type(rank) is not int or x.dtype != self.dtype \
                or not x.flags.c_contiguous or not 0 <= rank < len(self._slices):
            return None
        its = self._slices[rank]
        return its._base + offset if its._cell is not None and 0 <= offset <= its._length - x.size else None

    def _source(self, rank, value, offset):
        value = plain(value, "the value")
        place = self._place(rank, offset, value.shape)
        return source_for(value, place), place

    def _target(self, rank, shape, offset, out):
        place = self._place(rank, offset, _shape(shape) if out is None else getattr(out, "shape", ()))
        return result_for(out, place.shape, place.dtype), place

    def _start(self, operation, x, place, handle, result=None, keep=None, **options):
        handle = Handle() if handle is None else handle
        handle._add(x, keep, self._use, result=result)
        move(operation, x, place, handle=handle._handle, wait=False, **options)
        return handle

    def put_notify(self, rank, value, notifications, number=0, offset=0) -> None:
        """Puts contiguous elements, and adds 1 to a counter of the member when the data is visible there. Local.

        Parameters
        ----------
        rank, value, offset
            As for `put`. The place at the member must be contiguous.
        notifications : Notifications
        number : int, optional
            Of the counter.
        """
        x, place = self._source(rank, value, offset)
        if not place.contiguous:
            raise MisuseError("put_notify needs contiguous elements at the member")
        x = np.ascontiguousarray(x)
        check(lib.cw_put_notify(bytes_of(x), place.pointer, x.nbytes, place.process, notifications._handle,
                                operator.index(number)))

    # --- Atomic updates ---

    def fetch_add(self, rank, index, value=1) -> np.generic:
        """Adds a value to an element atomically, and returns the old element. Local: complete on return.

        Parameters
        ----------
        rank : int
            In the team.
        index : int or tuple of int
            An integer counts elements of the slice in row-major order.
        value : number, optional
        """
        return self._fetch(rank, index, lib.CW_SUM, value)

    def fetch_op(self, rank, index, value, op="sum") -> np.generic:
        """Updates an element atomically to element op value, and returns the old element. Local: complete on return.

        Parameters
        ----------
        rank, index, value
            As for `fetch_add`.
        op : str, optional
            "sum", "product", "minimum", "maximum", "logical_and", "logical_or", "logical_xor", "bitwise_and",
            "bitwise_or", "bitwise_xor", "replace" or "no_op". Real numbers have no logical and bitwise operations,
            complex ones only sum, product, replace and no_op.
        """
        return self._fetch(rank, index, named(ATOMIC_OPERATIONS, op, "op"), value)

    def swap(self, rank, index, value) -> np.generic:
        """Stores a value in an element atomically, and returns the old element. Local: complete on return."""
        return self._fetch(rank, index, lib.CW_REPLACE, value)

    def read(self, rank, index) -> np.generic:
        """Returns an element, read atomically. Local: complete on return."""
        return self._fetch(rank, index, lib.CW_NO_OP, 0)

    def compare_swap(self, rank, index, expected, value) -> np.generic:
        """Stores a value in an element atomically if it has the bits of `expected`. Returns the old element. Local."""
        place, type_ = self._element(rank, index)
        before = np.empty(1, self.dtype)
        operands = [operand_for(its, self.dtype).reshape(1) for its in (expected, value)]
        check(lib.cw_compare_swap(type_, *map(bytes_of, operands), place.pointer, place.process, bytes_of(before)))
        return before[0]

    def _fetch(self, rank, index, reduction, value):
        if type(index) is int and type(value) is int and type(rank) is int and 0 <= rank < len(self._slices):
            its = self._slices[rank]
            if 0 <= index < its._length and its._cell is not None:  # the frequent case, without numpy
                before = ffi.new(its._cell)
                code = lib.cw_fetch_op(ATOMIC_TYPES[self.dtype], reduction, ffi.new(its._cell, value), its._base + index,
                                       its.place.process, before)
                if code:
                    check(code)
                return its._scalar(before[0])
        place, type_ = self._element(rank, index)
        before = np.empty(1, self.dtype)
        operand = operand_for(value, self.dtype).reshape(1)
        check(lib.cw_fetch_op(type_, reduction, bytes_of(operand), place.pointer, place.process, bytes_of(before)))
        return before[0]

    def _element(self, rank, index):
        place = self._place(rank, index, ())
        if place.shape:
            raise TypeError(f"an element is named by integers, not {index!r}")
        return place, typed(ATOMIC_TYPES, self.dtype, "atomic update of elements")

    def get_accumulate(self, rank, value, offset=0, op="sum") -> np.ndarray:
        """Updates contiguous elements atomically, each by itself, and returns the old ones. Local: complete on return.

        Parameters
        ----------
        rank, value, offset
            As for `put`. The place at the member must be contiguous.
        op : str, optional
            As for `fetch_op`.
        """
        x, place = self._source(rank, value, offset)
        type_ = typed(ATOMIC_TYPES, self.dtype, "atomic update of elements")
        if not place.contiguous:
            raise MisuseError("get_accumulate needs contiguous elements at the member")
        x = np.ascontiguousarray(x)
        before = np.empty(place.shape, self.dtype)
        check(lib.cw_get_accumulate(type_, named(ATOMIC_OPERATIONS, op, "op"), bytes_of(x), bytes_of(before), place.pointer,
                                    x.size, place.process))
        return before


def _shape(shape):
    """Returns a shape as a tuple, checked."""
    try:
        shape = tuple(operator.index(its) for its in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        raise TypeError(f"a shape consists of integers, not {shape!r}") from None
    if min(shape, default=0) < 0:
        raise MisuseError(f"the shape {shape} has a negative extent")
    return shape
