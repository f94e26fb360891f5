"""Distributions: which process has which elements of an array, and how they lie in its memory."""
import itertools
import operator
from dataclasses import dataclass, fields

import numpy as np

from ._library import MisuseError, check, ffi, lib

_NAMES = {lib.CW_BLOCKS: "blocks", lib.CW_CYCLIC: "block_cyclic", lib.CW_TILED: "tiled",
          lib.CW_ROUND_ROBIN: "round_robin"}


def _frozen(value):
    """Returns a number as it is, and a sequence as a tuple, which can be a field of an immutable object."""
    if value is None or hasattr(value, "__index__"):
        return value if value is None else operator.index(value)
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"a distribution is made of integers, not {value!r}")
    return tuple(_frozen(item) for item in value)


@dataclass(frozen=True, repr=False)
class Distribution:
    """A distribution of an array. `blocks`, `block_cyclic`, `tiled` and `round_robin` make one.

    A field that is None has the library's default. A single number stands for all dimensions.
    """

    layout: int
    block: int | tuple | None = None
    grid: tuple | None = None
    boundaries: tuple | None = None
    ghosts: int | tuple | None = None
    alignment: int | tuple | None = None
    ranks: tuple | None = None
    members: int = 0
    column_major: bool = False

    def __repr__(self):
        given = [(field.name, getattr(self, field.name)) for field in fields(self)[1:]
                 if getattr(self, field.name) != field.default]
        return f"{_NAMES[self.layout]}({', '.join(f'{name}={value!r}' for name, value in given)})"

    def _of_dimensions(self, name, dimensions):
        """Returns a field as a tuple with an entry for each dimension, or None."""
        value = getattr(self, name)
        if value is None:
            return None
        if isinstance(value, int):
            return (value,) * dimensions
        if len(value) != dimensions:
            raise MisuseError(f"{name} is {value}; it needs one entry for each of {dimensions} dimensions")
        return value

    def _store(self, options, dimensions):
        """Stores the distribution in a cw_array_options. Returns an object that must live until the array exists."""
        its, kept = options.distribution, []

        def array(kind, values):
            if values is None:
                return ffi.NULL
            kept.append(ffi.new(f"{kind}[]", values))
            return kept[-1]

        its.layout = self.layout
        its.column_major = self.column_major
        its.grid = array("int", self._of_dimensions("grid", dimensions))
        its.block = array("int64_t", self._of_dimensions("block", dimensions))
        its.ghosts = array("int64_t", self._of_dimensions("ghosts", dimensions))
        its.alignment = array("int", self._of_dimensions("alignment", dimensions))
        boundaries = self._of_dimensions("boundaries", dimensions)
        if boundaries is not None:
            its.boundaries = array("int64_t", [start for starts in boundaries for start in starts])
            its.blocks = array("int", [len(starts) for starts in boundaries])
        its.ranks = array("int", self.ranks)
        its.members = len(self.ranks) if self.ranks is not None else self.members
        return kept


def blocks(block=None, *, grid=None, boundaries=None, ghosts=None, ranks=None, members=0,
           column_major=False) -> Distribution:
    """Returns a distribution with one block for each process of a grid. Local.

    Parameters
    ----------
    block : int or tuple of int, optional
        Least number of elements of a block along each dimension. The extent of a dimension keeps the dimension whole.
    grid : tuple of int, optional
        Number of processes along each dimension. The library chooses it by default.
    boundaries : sequence of sequences of int, optional
        Instead of `block` and `grid`: for each dimension, the first index of each block. Equal ones make empty blocks.
    ghosts : int or tuple of int, optional
        Number of ghost cells on both sides of each block, along each dimension.
    ranks : sequence of int, optional
        Ranks in the team of the processes that have elements. All by default.
    members : int, optional
        Instead of `ranks`: only the first `members` ranks have elements.
    column_major : bool, optional
        Whether ranks fill the first dimension of the grid first, rather than the last one.
    """
    return Distribution(lib.CW_BLOCKS, _frozen(block), _frozen(grid), _frozen(boundaries), _frozen(ghosts), None,
                        _frozen(ranks), operator.index(members), bool(column_major))


def block_cyclic(block=1, *, grid=None, alignment=None, ranks=None, members=0, column_major=False) -> Distribution:
    """Returns a distribution with equal blocks, assigned cyclically along each dimension of a grid. Local.

    The elements of a process form one dense matrix, as in ScaLAPACK.

    Parameters
    ----------
    block : int or tuple of int
        Number of elements of a block along each dimension. The last block may be shorter.
    grid : tuple of int, optional
        Number of processes along each dimension. The library chooses it by default.
    alignment : int or tuple of int, optional
        Coordinate in the grid of the process that has the first block, along each dimension. 0 by default.
    ranks, members, column_major
        As for `blocks`.
    """
    return Distribution(lib.CW_CYCLIC, _frozen(block), _frozen(grid), None, None, _frozen(alignment), _frozen(ranks),
                        operator.index(members), bool(column_major))


def tiled(block=None, *, grid=None, boundaries=None, alignment=None, ranks=None, members=0,
          column_major=False) -> Distribution:
    """Returns a distribution with the owners of `block_cyclic`, in which each block is contiguous in memory. Local.

    Parameters
    ----------
    block : int or tuple of int, optional
        Number of elements of a block along each dimension. The last block may be shorter.
    boundaries : sequence of sequences of int, optional
        Instead of `block`: for each dimension, the first index of each block.
    grid, alignment, ranks, members, column_major
        As for `block_cyclic`.
    """
    return Distribution(lib.CW_TILED, _frozen(block), _frozen(grid), _frozen(boundaries), None, _frozen(alignment),
                        _frozen(ranks), operator.index(members), bool(column_major))


def round_robin(block=1, *, ranks=None, members=0) -> Distribution:
    """Returns a distribution with equal blocks, of which rank b modulo the size of the team has block b. Local.

    Blocks are numbered row by row, and each is contiguous in memory.

    Parameters
    ----------
    block : int or tuple of int
        Number of elements of a block along each dimension. The last block may be shorter.
    ranks, members
        As for `blocks`.
    """
    return Distribution(lib.CW_ROUND_ROBIN, _frozen(block), ranks=_frozen(ranks), members=operator.index(members))


class Layout:
    """The blocks of an array and their owners, as the library has them.

    An array without elements, or without dimensions, is stored as one with extents of 1 in their place: the library has
    no extents of 0. `shape` is the array's own.
    """

    def __init__(self, handle, shape):
        about = ffi.new("cw_array_description *")
        check(lib.cw_array_describe(handle, about))
        self._handle = handle
        self._dimensions = range(about.dimensions)
        self._shape = shape
        self._size = lib.cw_team_size(about.team)
        self.kind = about.layout
        self.on_devices = about.on_devices
        self.flat = about.layout in (lib.CW_TILED, lib.CW_ROUND_ROBIN)
        self.ghosts = tuple(about.ghosts)[:len(shape)]
        self.total = about.total_blocks
        self._blocks = tuple(about.blocks)[:about.dimensions]
        self._grid = tuple(about.grid)[:about.dimensions]
        # Number of the second block of each dimension in the row-major order of all blocks.
        self._steps = [int(np.prod(self._blocks[d + 1:], dtype=np.int64)) for d in self._dimensions]

    def block(self, number):
        """Returns the ranges of the indices of a block, one for each dimension, and the rank that has it."""
        lo, hi, rank = ffi.new("int64_t[8]"), ffi.new("int64_t[8]"), ffi.new("int *")
        check(lib.cw_array_block(self._handle, number, lo, hi, rank))
        return tuple(range(lo[d], hi[d] + 1) for d in self._dimensions), rank[0]

    def _coordinates(self, rank):
        its = ffi.new("int[8]")
        check(lib.cw_array_coordinates(self._handle, rank, its))
        return [its[d] for d in self._dimensions]

    def along(self, rank):
        """Returns the numbers of a rank's blocks along each dimension of a grid, as ranges.

        A rank outside the grid has none along the first dimension, and all along the others.
        """
        place = self._coordinates(rank)
        if place[0] < 0:
            return [range(0), *map(range, self._blocks[1:])]
        ranges = []
        for d in self._dimensions:
            first = [block for block in range(min(self._grid[d], self._blocks[d]))
                     if self._coordinates(self.block(block * self._steps[d])[1])[d] == place[d]]
            ranges.append(range(first[0], self._blocks[d], self._grid[d]) if first else range(0))
        return ranges

    def numbers(self, rank):
        """Returns the numbers of the blocks of a rank, ascending."""
        if self.kind != lib.CW_ROUND_ROBIN:
            return [sum(block * step for block, step in zip(blocks, self._steps))
                    for blocks in itertools.product(*self.along(rank))]
        # The owners repeat, so that two blocks give all others.
        its = (number for number in range(self.total) if self.block(number)[1] == rank)
        first = next(its, self.total)
        return range(first, self.total, next(its, self.total) - first or 1)

    def part(self, rank):
        """Returns the index of a rank's elements, as Array.part does."""
        if not self._shape:
            return (any(all(block) for block in map(self._lengths, self.numbers(rank))),)
        if self.kind == lib.CW_BLOCKS:
            lo, hi = ffi.new("int64_t[8]"), ffi.new("int64_t[8]")
            check(lib.cw_array_part(self._handle, rank, lo, hi))
            if hi[0] < lo[0]:  # no element: numpy's empty blocks keep the indices along the other dimensions
                return tuple(self._between(d, blocks) for d, blocks in enumerate(self.along(rank)))
            return tuple(slice(min(lo[d], extent), min(hi[d] + 1, extent)) for d, extent in enumerate(self._shape))
        if self.flat:
            return self._flat_part(rank)
        return np.ix_(*(self._indices(d, blocks) for d, blocks in enumerate(self.along(rank))))

    def _between(self, d, blocks):
        """Returns the indices of consecutive blocks along a dimension as a slice."""
        ranges = [self.block(block * self._steps[d])[0][d] for block in blocks] or [range(0)]
        extent = self._shape[d]
        return slice(min(ranges[0].start, extent), min(ranges[-1].stop, extent))

    def local_shape(self, rank):
        """Returns the shape of the elements of a rank that has none."""
        if not self._shape or self.flat:
            return (0,)
        part = self.part(rank)
        if self.kind == lib.CW_BLOCKS:
            return tuple(its.stop - its.start for its in part)
        return np.broadcast_shapes(*(its.shape for its in part))

    def _lengths(self, number):
        return [len(its) for its in self.block(number)[0]]

    def _indices(self, d, blocks):
        """Returns the indices of several blocks along a dimension."""
        parts = [np.array(self.block(block * self._steps[d])[0][d], np.int64) for block in blocks]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def _flat_part(self, rank):
        """Returns the index of the elements of a rank whose blocks follow each other in memory."""
        blocks = [np.meshgrid(*self.block(number)[0], indexing="ij") for number in self.numbers(rank)]
        return tuple(np.concatenate([block[d].ravel() for block in blocks]) if blocks else np.empty(0, np.int64)
                     for d in self._dimensions)
