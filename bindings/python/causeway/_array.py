"""Distributed arrays: creation, properties, local elements, copies."""
import operator
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._buffers import TYPES, rank_of
from ._distribution import Distribution, Layout, blocks
from ._elementwise import Operators
from ._indexing import Indexing
from ._lifetime import Shared, check_assigned, collect, memory_view
from ._library import MisuseError, check, error, ffi, lib
from ._parts import compare
from ._patch import NO_PATCHES, patches_of
from ._team import Team, world


def type_of(dtype):
    """Returns the library's type of elements of a dtype. Those that have no arithmetic are bytes to it."""
    return TYPES.get(dtype, lib.CW_OPAQUE)


class Array(Indexing, Operators, Shared):
    """A distributed array of a team.

    `empty`, `zeros`, `full`, `from_function` and `from_numpy` make one. Indexing with numpy's syntax gets and puts
    elements of any process; it is local. `local` is this process's part. `sync` separates what one process writes from
    what another one reads.

    Parameters
    ----------
    handle : cdata cw_array
        Owned by the object.
    shape : tuple of int
    dtype : numpy.dtype
    team : Team
    distribution : Distribution
    name : str
    device : object with a handle, or None
        The device of this process that has its part.
    """

    def __init__(self, handle, shape, dtype, team, distribution, name, device=None):
        self._handle = handle
        self._shape = shape
        self._dtype = dtype
        self._type = type_of(dtype)
        self._team = team
        self._distribution = distribution
        self._name = name
        self._device = device
        self._size = int(np.prod(shape, dtype=object)) if shape else 1
        self._layout_cache = self._local_cache = None
        self._patches = patches_of(shape, dtype, array=handle)
        self._own(team, lambda: check(lib.cw_array_destroy(ffi.new("cw_array *", handle))))

    # --- Properties ---

    @property
    def shape(self) -> tuple:
        """The extents."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions, 0 to 8."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._size

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self._dtype

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._size * self._dtype.itemsize

    @property
    def team(self) -> Team:
        """The processes that have the array."""
        return self._team

    @property
    def name(self) -> str:
        """The name in messages, files and profiles."""
        return self._name

    @property
    def distribution(self) -> Distribution:
        """The distribution that the array was made with. Arrays without elements or dimensions have `blocks()`."""
        return self._distribution

    @property
    def device(self) -> Any:
        """The device of this process that has its part, or None."""
        return self._device

    @property
    def ghosts(self) -> tuple:
        """Number of ghost cells on both sides of each block, along each dimension."""
        return self._layout.ghosts

    def __repr__(self):
        state = "" if self._handle else " (freed)"
        return (f"<causeway.Array {self._name!r} shape={self._shape} dtype={self._dtype} "
                f"{self._distribution!r} on {self._team._text()}{state}>")

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of an array without dimensions")
        return self._shape[0]

    def __iter__(self):
        raise TypeError("a distributed array cannot be iterated over, because each step would be a transfer: "
                        "use a.local for this process's elements, or a[...] to get elements as a numpy array")

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a distributed array is not converted to a numpy array without being asked: "
                        "a[...] gets elements (local), a.to_numpy() gathers all of them (collective), "
                        "a.local is this process's part; a.copy_to(b) copies to another distributed array (collective)")

    def _number_of(self, kind):
        if self._size != 1:
            raise TypeError(f"only arrays of one element can be converted to {kind.__name__}; this one has {self._size}")
        return kind(self[(0,) * self.ndim])

    def __float__(self):
        return self._number_of(float)

    def __int__(self):
        return self._number_of(int)

    def __complex__(self):
        return self._number_of(complex)

    def __reduce_ex__(self, protocol):
        raise TypeError("a distributed array cannot be pickled or copied by the copy module: "
                        "a.copy() makes another array, cw.save writes a file, a[...] gets the elements")

    # --- Lifetime and synchronisation ---

    def free(self) -> None:
        """Frees the array. Collective over the team. A second call does nothing.

        numpy views of the local elements must not be used afterwards. An array that is only forgotten lives as long
        as they do.
        """
        super().free()
        self._local_cache = None
        self._handle = ffi.NULL
        self._patches = NO_PATCHES

    def _check(self, code):
        """Raises the exception for an error code of a call with this array."""
        if code:
            problem = error(code)
            self._check_alive()
            raise problem

    def sync(self) -> None:
        """Completes the transfers of all members, which then wait for each other. Collective over the team."""
        self._check(lib.cw_array_sync(self._handle))

    def fence(self) -> None:
        """Waits until all of this process's puts and accumulates are visible at the owners. Local."""
        self._check(lib.cw_array_fence(self._handle))

    # --- Places of elements ---

    @property
    def _layout(self):
        if self._layout_cache is None:
            self._check_alive()
            self._layout_cache = Layout(self._handle, self._shape)
        return self._layout_cache

    def owner(self, index) -> int:
        """Returns the rank in the team of the process that has an element. Local.

        Parameters
        ----------
        index : int or tuple of int
            Negative numbers count from the end.
        """
        rank = ffi.new("int *")
        self._check(lib.cw_array_locate(self._handle, self._element(index), rank))
        return rank[0]

    def part(self, rank) -> tuple:
        """Returns the index of the elements of a member, as `local_index` does for this process. Local.

        Parameters
        ----------
        rank : int
            In the team of the array.
        """
        return self._layout.part(rank_of(self._team, rank))

    @property
    def local_index(self) -> tuple:
        """The index of the elements of `local`: if x is a numpy array of the same shape, x[a.local_index] has them.

        It consists of slices if the distribution is `blocks`, of index arrays as `numpy.ix_` makes them if it is
        `block_cyclic`, of flat index arrays if it is `tiled` or `round_robin`, and of one bool if the array has no
        dimensions.
        """
        return self._layout.part(self._team.rank)

    # --- Local elements ---

    @property
    def local(self) -> np.ndarray:
        """The elements of this process, as a numpy array without a copy.

        They have the dimensions of the array if the distribution is `blocks` or `block_cyclic`. If it is `tiled` or
        `round_robin`, they have one: the blocks follow each other. An array without dimensions has one element, on
        its owner, in one dimension. Assign elements with `a.local[...] = x`. Other processes see stores after `sync`.
        """
        if self._local_cache is None:
            self._check_alive()
            self._local_cache = self._make_local()
        return self._local_cache

    @local.setter
    def local(self, value):
        check_assigned("local", self.local, value)

    def _make_local(self):
        if self._size == 0:
            return np.empty(self._layout.local_shape(self._team.rank), self._dtype)
        view = ffi.new("cw_array_view *")
        check(lib.cw_array_access_local(self._handle, self._team.rank, view))
        check(lib.cw_array_release(self._handle, view))
        dimensions = 1 if self._layout.flat else max(1, self.ndim)
        if view.address == ffi.NULL:
            return np.empty(self._layout.local_shape(self._team.rank), self._dtype)
        return self._view(view, dimensions)

    def _view(self, view, dimensions):
        """Returns the numpy array for a cw_array_view."""
        return memory_view(view.address, tuple(view.extents)[:dimensions], self._dtype,
                           tuple(view.strides)[:dimensions], self._use)

    def _block_view(self, number, ghosts):
        view = ffi.new("cw_array_view *")
        check(lib.cw_array_access_block(self._handle, number, ghosts, view))
        check(lib.cw_array_release(self._handle, view))
        return self._view(view, self.ndim)

    def blocks(self) -> Iterator[tuple[tuple[slice, ...], np.ndarray]]:
        """Iterates over the blocks of this process that have elements. Local.

        Yields
        ------
        index : tuple of slice
            The indices of the block in the array.
        block : numpy.ndarray
            Its elements, without a copy. The dimensions are those of the array.
        """
        self._check_alive()
        for number in self._layout.numbers(self._team.rank) if self._size > 0 else ():
            its = self._layout.block(number)[0]
            if all(its):
                index = tuple(slice(indices.start, indices.stop) for indices in its[:self.ndim])
                yield index, self._block_view(number, False)

    @property
    def local_ghosts(self) -> np.ndarray:
        """The block of this process with the ghost cells around it, as a numpy array without a copy.

        The distribution is `blocks`. `update_ghosts` fills the ghost cells.
        """
        if self._layout.kind != lib.CW_BLOCKS:
            raise MisuseError("only arrays with the distribution blocks have ghost cells")
        if 0 in self.local.shape:
            return self.local
        return self._block_view(self._layout.numbers(self._team.rank)[0], True)

    @local_ghosts.setter
    def local_ghosts(self, value):
        check_assigned("local_ghosts", self.local_ghosts, value)

    def update_ghosts(self, corners=True) -> None:
        """Fills the ghost cells of all members with their owners' elements, periodically. Collective over the team.

        Parameters
        ----------
        corners : bool, optional
            Whether also to fill the cells that lie outside the block in several dimensions.
        """
        self._check(lib.cw_array_update_ghosts(self._handle, corners))

    # --- Contents ---

    def fill(self, value) -> None:
        """Sets all elements to a value, which numpy's rules of assignment convert. Collective over the team."""
        if self._type == lib.CW_OPAQUE:  # elements may have padding, in which the members would differ
            compare(self._team, "fill", value)
            self.sync()
            self._store(self.local_index, value)
            self.sync()
        else:
            element = np.empty(1, self._dtype)
            element[0] = value
            self._check(lib.cw_array_fill(self._handle, ffi.NULL, ffi.NULL, ffi.from_buffer(element)))

    def _store(self, index, values):
        """Stores the elements of this process. `index` is local_index. If parts lie on devices, it puts them. Local."""
        if self._layout.on_devices:
            self.put(index, values)
        else:
            self.local[...] = values

    def copy_to(self, other) -> None:
        """Copies all elements to another array, of any distribution. Collective over the team.

        Parameters
        ----------
        other : Array
            Of the same shape and dtype.
        """
        if not isinstance(other, Array):
            raise TypeError(f"copy_to needs a distributed array, not {type(other).__name__}; a[...] gets a numpy array")
        if other.dtype != self._dtype:
            raise TypeError(f"copy_to cannot convert {self._dtype} to {other.dtype}: use astype")
        if other.shape != self._shape:
            raise MisuseError(f"copy_to needs an array of shape {self._shape}, not {other.shape}")
        operands = ffi.new("cw_operand[2]")
        operands[0].array, operands[1].array = self._handle, other._handle
        self._check_alive()
        other._check(lib.cw_array_copy(operands, operands + 1))

    def copy(self, name=None) -> "Array":
        """Returns a copy, with the same distribution. Collective over the team."""
        its = empty_like(self, name=name)
        self.copy_to(its)
        return its

    def astype(self, dtype, casting="unsafe") -> "Array":
        """Returns a copy with another type of elements. Collective over the team.

        Parameters
        ----------
        dtype : dtype_like
        casting : str, optional
            As for numpy.ndarray.astype.
        """
        dtype = np.dtype(dtype)
        if not np.can_cast(self._dtype, dtype, casting):
            raise TypeError(f"cannot cast from {self._dtype} to {dtype} according to the rule {casting!r}")
        its = empty_like(self, dtype)
        self.sync()
        mine = self.get(self.local_index) if self._layout.on_devices else self.local
        its._store(its.local_index, mine.astype(dtype, casting=casting))
        its.sync()
        return its

    def to_numpy(self, root=None) -> np.ndarray | None:
        """Gathers all elements. Collective over the team.

        Parameters
        ----------
        root : int, optional
            Rank of the only member that gets them. All members by default.

        Returns
        -------
        numpy.ndarray or None
            None on members other than the root.
        """
        root = self._team._begin("to_numpy", lambda: (f"root {root}", None if root is None else rank_of(self._team, root, "root")))
        self.sync()
        its = self[...] if root is None or root == self._team.rank else None
        self.sync()
        return its


# --- Creation ---

def _elements(shape, dtype):
    """Returns a shape and a dtype as numpy's functions understand them: tuple of int, and a type of fixed size."""
    try:
        shape = tuple(map(operator.index, shape if np.ndim(shape) else (shape,)))
    except TypeError:
        raise TypeError(f"a shape consists of integers, not {shape!r}") from None
    dtype = np.dtype(dtype)
    if dtype.subdtype is not None:
        shape, dtype = shape + dtype.shape, dtype.base
    if dtype.hasobject:
        raise TypeError(f"elements of type {dtype} refer to Python objects, which other processes cannot reach")
    if dtype.itemsize == 0 and dtype.kind in "SU":
        dtype = np.dtype(dtype.kind + "1")
    if dtype.itemsize == 0:
        raise TypeError(f"elements of type {dtype} have no bytes")
    if len(shape) > lib.CW_MAX_DIMENSIONS:
        raise MisuseError(f"shape is {shape}; an array has at most {lib.CW_MAX_DIMENSIONS} dimensions")
    if any(extent < 0 for extent in shape):
        raise MisuseError(f"shape is {shape}; extents are 0 or more")
    return shape, dtype


def empty(shape, dtype=float, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array with undefined contents. Collective over the team.

    Parameters
    ----------
    shape : int or tuple of int
        At most 8 extents. Extents of 0, and no extents, are legal.
    dtype : dtype_like, optional
        Any type of fixed size. Types other than int32, int64, float32, float64, complex64 and complex128 can be put,
        got and copied, but not accumulated to.
    distribution : Distribution, optional
        `cw.blocks()` by default.
    team : Team, optional
        The world by default.
    name : str, optional
        For messages, files and profiles.
    device : optional
        Device of this process that is to have its part. Members may differ.

    Raises
    ------
    TypeError
        For elements that refer to Python objects.
    MisuseError
        For extents below 0, or a distribution that does not fit the shape and the team.
    """
    shape, dtype = _elements(shape, dtype)
    team = team or world()
    stored = tuple(max(1, extent) for extent in shape) or (1,)
    if distribution is None or 0 in shape or not shape:
        distribution = blocks()
    if not isinstance(distribution, Distribution):
        raise TypeError(f"distribution is {distribution!r}; cw.blocks, cw.block_cyclic, cw.tiled and cw.round_robin "
                        "make one")
    collect(team)
    options = ffi.new("cw_array_options *")
    extents = ffi.new("int64_t[]", stored)
    name = name or "array"
    if not isinstance(name, str):
        raise TypeError(f"name is of type {type(name).__name__}; it must be a str")
    text = ffi.new("char[]", name.encode())
    options.name, options.type, options.element_bytes = text, type_of(dtype), dtype.itemsize
    options.dimensions, options.extents = len(stored), extents
    if device is not None:
        options.device = device._handle
    kept = distribution._store(options, len(stored))
    handle = ffi.new("cw_array *")
    check(lib.cw_array_create(team._handle, options, handle))
    del kept
    return Array(handle[0], shape, dtype, team, distribution, name, device)


def zeros(shape, dtype=float, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array of zeros. Collective over the team. Parameters and errors as for `empty`."""
    its = empty(shape, dtype, distribution=distribution, team=team, name=name, device=device)
    its._check(lib.cw_array_fill(its._handle, ffi.NULL, ffi.NULL, ffi.NULL))
    return its


def ones(shape, dtype=float, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array of ones. Collective over the team. Parameters and errors as for `empty`."""
    return full(shape, 1, dtype, distribution=distribution, team=team, name=name, device=device)


def full(shape, fill_value, dtype=None, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array whose elements all have one value. Collective over the team.

    Parameters
    ----------
    shape, distribution, team, name, device
        As for `empty`.
    fill_value : scalar or array_like
        An array is broadcast to the shape; it is the same on all members.
    dtype : dtype_like, optional
        That of the value by default.
    """
    if isinstance(fill_value, (list, tuple, np.ndarray)) and np.asarray(fill_value, dtype).ndim > 0:
        return from_numpy(np.broadcast_to(np.asarray(fill_value, dtype), shape), distribution=distribution, team=team,
                          name=name, device=device)
    dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    its = empty(shape, dtype, distribution=distribution, team=team, name=name, device=device)
    its.fill(fill_value)
    return its


def empty_like(prototype, dtype=None, *, shape=None, name=None) -> Array:
    """Makes an array like another one, with undefined contents. Collective over the team.

    Parameters
    ----------
    prototype : Array
        It gives the team, distribution and device, and whatever is not given here.
    dtype : dtype_like, optional
    shape : int or tuple of int, optional
    name : str, optional
    """
    if not isinstance(prototype, Array):
        raise TypeError(f"prototype is of type {type(prototype).__name__}; it must be a distributed array")
    return empty(prototype.shape if shape is None else shape, prototype.dtype if dtype is None else dtype,
                 distribution=prototype.distribution, team=prototype.team, name=name or prototype.name,
                 device=prototype.device)


def zeros_like(prototype, dtype=None, *, shape=None, name=None) -> Array:
    """Makes an array of zeros like another one. Collective over the team. Parameters as for `empty_like`."""
    its = empty_like(prototype, dtype, shape=shape, name=name)
    its._check(lib.cw_array_fill(its._handle, ffi.NULL, ffi.NULL, ffi.NULL))
    return its


def ones_like(prototype, dtype=None, *, shape=None, name=None) -> Array:
    """Makes an array of ones like another one. Collective over the team. Parameters as for `empty_like`."""
    return full_like(prototype, 1, dtype, shape=shape, name=name)


def full_like(prototype, fill_value, dtype=None, *, shape=None, name=None) -> Array:
    """Makes an array like another one, with one value. Collective over the team. Parameters as for `empty_like`."""
    its = empty_like(prototype, dtype, shape=shape, name=name)
    its.fill(fill_value)
    return its


def arange(start, stop=None, step=1, dtype=None, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array of evenly spaced numbers, as numpy.arange does. Collective over the team.

    Parameters
    ----------
    start, stop, step : int or float
        As for numpy.arange: arange(n) is arange(0, n).
    dtype : dtype_like, optional
        That of start, stop and step together by default.
    distribution, team, name, device
        As for `empty`.
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise MisuseError("step is 0")
    if dtype is None:
        dtype = np.result_type(np.asarray(start), np.asarray(stop), np.asarray(step))
    count = max(0, int(np.ceil((stop - start) / step)))
    compare(team or world(), "arange", start, stop, step, dtype)
    return from_function(lambda i: start + i * step, count, dtype, distribution=distribution, team=team, name=name, device=device)


def from_function(function, shape, dtype=float, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array whose element (i, j, ...) is function(i, j, ...). Collective over the team.

    Parameters
    ----------
    function : callable
        Called once on each process that has elements, with an index array for each dimension, all of one shape, as
        numpy.fromfunction does. They must not be written to. Its result is converted to the dtype.
    shape, dtype, distribution, team, name, device
        As for `empty`.
    """
    its = empty(shape, dtype, distribution=distribution, team=team, name=name, device=device)
    index = its.local_index
    arguments = np.broadcast_arrays(*_indices(index)) if its.shape else []
    if arguments[0].size > 0 if arguments else index[0]:
        its._store(index, function(*arguments))
    its.sync()
    return its


def _indices(index):
    """Returns the index arrays of an index that Array.part has returned."""
    if all(isinstance(its, slice) for its in index):
        return np.ogrid[index]
    return index


def from_numpy(x, root=None, *, distribution=None, team=None, name=None, device=None) -> Array:
    """Makes an array with the elements of a numpy array. Collective over the team.

    Parameters
    ----------
    x : array_like
        With a root, only its argument counts.
    root : int, optional
        Rank of the member that has the elements, and distributes them. By default, all members have the same x, and
        each takes its own elements from it.
    distribution, team, name, device
        As for `empty`.
    """
    options = dict(distribution=distribution, team=team, name=name, device=device)
    team = team or world()
    if root is None:
        x = np.asarray(x)
        its = empty(x.shape, x.dtype, **options)
        compare(team, "from_numpy", x)
        index = its.local_index
        its._store(index, x[index])
    else:
        def layout():
            nonlocal x
            x = np.asarray(x)
            return pickle.dumps((x.shape, x.dtype))
        shape, dtype = pickle.loads(team._broadcast("from_numpy", root, layout))
        its = empty(shape, dtype, **options)
        if team.rank == root:
            its.put(..., x)
    its.sync()
    return its
