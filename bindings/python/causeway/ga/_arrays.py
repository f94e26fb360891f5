"""Creation of arrays, and what is known about them."""
import math
import sys
from typing import TextIO

import numpy as np

from .. import _distribution
from .._array import Array, empty
from .._library import MisuseError, check, ffi, lib
from ._handles import (add_array, array_handles, dtype, group_of, gtype_of, member_team, patch, remove_array, to_array)
from ._transfers import get

_pending: dict[int, dict] = {}


def _make(gtype: int, dims: object, name: str, pgroup: int | None, distribution: object) -> int:
    shape = tuple(int(n) for n in np.atleast_1d(dims))
    return add_array(empty(shape, dtype(gtype), distribution=distribution, team=member_team(pgroup), name=name or None))


def _chunks(chunk: object) -> tuple[int, ...] | None:
    """Returns the least lengths of blocks; GA allows numbers below 1 for "any"."""
    return None if chunk is None else tuple(max(int(n), 0) for n in np.atleast_1d(chunk))


def _boundaries(block: object, map: object) -> list[list[int]]:
    """Splits GA's list of the first indices of blocks by dimensions."""
    block, map = [int(n) for n in np.atleast_1d(block)], [int(n) for n in np.ravel(map)]
    if len(map) != sum(block):
        raise MisuseError(f"map has {len(map)} entries; block adds up to {sum(block)}")
    return [map[sum(block[:axis]):sum(block[:axis + 1])] for axis in range(len(block))]


def create(gtype: int, dims: object, name: str = "", chunk: object = None, pgroup: int | None = None) -> int:
    """Makes an array with undefined contents and returns its handle. Collective over the group.

    chunk has the least number of elements of a block along each dimension; -1, 0 and 1 set none.
    """
    return _make(gtype, dims, name, pgroup, _distribution.blocks(_chunks(chunk)))


def create_ghosts(gtype: int, dims: object, width: object, name: str = "", chunk: object = None,
                  pgroup: int | None = None) -> int:
    """Makes an array whose blocks have ghost cells of the given widths. Collective over the group."""
    return _make(gtype, dims, name, pgroup, _distribution.blocks(_chunks(chunk), ghosts=_chunks(width)))


def create_irreg(gtype: int, dims: object, block: object, map: object, name: str = "",
                 pgroup: int | None = None) -> int:
    """Makes an array with given blocks. Collective over the group.

    block has the number of blocks along each dimension, map the first indices of those of dimension 0, then of 1, ...
    """
    return _make(gtype, dims, name, pgroup, _distribution.blocks(boundaries=_boundaries(block, map)))


def create_ghosts_irreg(gtype: int, dims: object, width: object, block: object, map: object, name: str = "",
                        pgroup: int | None = None) -> int:
    """Makes an array with given blocks and ghost cells. Collective over the group."""
    return _make(gtype, dims, name, pgroup,
                 _distribution.blocks(boundaries=_boundaries(block, map), ghosts=_chunks(width)))


def create_handle() -> int:
    """Returns a handle for an array that set_data and others describe and allocate makes. Local, in the same order everywhere."""
    handle = -1 - next(number for number in range(len(_pending) + 1) if -1 - number not in _pending)
    _pending[handle] = {}
    return handle


def _note(g_a: int, **values: object) -> None:
    if g_a not in _pending:
        raise MisuseError(f"{g_a} is not a handle that create_handle returned, or the array exists already")
    _pending[g_a].update(values)


def set_data(g_a: int, dims: object, gtype: int) -> None:
    """Sets extents and type of an array before allocate. Local."""
    _note(g_a, dims=dims, gtype=gtype)


def set_array_name(g_a: int, name: str) -> None:
    """Sets the name of an array before allocate. Local."""
    _note(g_a, name=name)


def set_chunk(g_a: int, chunk: object) -> None:
    """Sets the least lengths of blocks before allocate. Local."""
    _note(g_a, chunk=chunk)


def set_ghosts(g_a: int, width: object) -> None:
    """Sets the widths of ghost cells before allocate. Local."""
    _note(g_a, ghosts=_chunks(width))


def set_irreg_distr(g_a: int, mapc: object, nblock: object) -> None:
    """Sets the first indices of blocks before allocate. Local."""
    _note(g_a, boundaries=_boundaries(nblock, mapc))


def set_pgroup(g_a: int, pgroup: int) -> None:
    """Sets the group of an array before allocate. Local."""
    _note(g_a, pgroup=pgroup)


def set_restricted(g_a: int, list: object) -> None:
    """Sets the ranks in the group that have elements, before allocate. Local."""
    _note(g_a, ranks=[int(rank) for rank in list])


def set_block_cyclic(g_a: int, dims: object) -> None:
    """Sets blocks of this shape, of which process b modulo the number of processes has block b, before allocate. Local."""
    _note(g_a, cyclic=_chunks(dims))


def set_block_cyclic_proc_grid(g_a: int, block: object, proc_grid: object) -> None:
    """Sets blocks that are assigned cyclically along each dimension of a grid, before allocate. Local."""
    _note(g_a, cyclic=_chunks(block), grid=_chunks(proc_grid))


def allocate(g_a: int) -> int:
    """Makes the array that a handle of create_handle describes, and returns its handle from now on. Collective over the group."""
    if "dims" not in _pending.get(g_a, {}):
        raise MisuseError(f"{g_a} is not a handle that create_handle returned, or set_data was not called for it")
    its = _pending.pop(g_a)
    if "grid" in its:
        distribution = _distribution.block_cyclic(its["cyclic"], grid=its["grid"], ranks=its.get("ranks"))
    elif "cyclic" in its:
        distribution = _distribution.round_robin(its["cyclic"], ranks=its.get("ranks"))
    else:
        distribution = _distribution.blocks(_chunks(its.get("chunk")), boundaries=its.get("boundaries"),
                                            ghosts=its.get("ghosts"), ranks=its.get("ranks"))
    return _make(its["gtype"], its["dims"], its.get("name", ""), its.get("pgroup"), distribution)


def duplicate(g_a: int, name: str = "") -> int:
    """Makes an array of the same type, extents, distribution and group, with undefined contents. Collective over the group."""
    array = to_array(g_a)
    return add_array(empty(array.shape, array.dtype, distribution=array.distribution, team=array.team, name=name or None))


def destroy(g_a: int) -> None:
    """Frees an array. Collective over its group."""
    remove_array(g_a).free()


def destroy_all() -> None:
    """Frees all arrays. Collective over their groups."""
    for handle in array_handles():
        destroy(handle)


def valid_handle(g_a: int) -> bool:
    """Returns true if this is the handle of an array. Local."""
    return g_a in array_handles()


def _description(array: Array) -> object:
    description = ffi.new("cw_array_description *")
    check(lib.cw_array_describe(array._handle, description))
    return description


def inquire(g_a: int) -> tuple[int, np.ndarray]:
    """Returns the number of the type and the extents of an array. Local."""
    return inquire_type(g_a), inquire_dims(g_a)


def inquire_type(g_a: int) -> int:
    """Returns the number of the type of an array. Local."""
    return gtype_of(to_array(g_a))


def inquire_dims(g_a: int) -> np.ndarray:
    """Returns the extents of an array. Local."""
    return np.array(to_array(g_a).shape, np.int64)


def inquire_name(g_a: int) -> str:
    """Returns the name of an array. Local."""
    return to_array(g_a).name


def ndim(g_a: int) -> int:
    """Returns the number of dimensions of an array. Local."""
    return to_array(g_a).ndim


def nblock(g_a: int) -> np.ndarray:
    """Returns the number of blocks along each dimension. Local."""
    array = to_array(g_a)
    return np.array(list(_description(array).blocks[0:array.ndim]), np.int64)


def total_blocks(g_a: int) -> int:
    """Returns the number of blocks of a block-cyclic array; -1 if each process has one block. Local."""
    description = _description(to_array(g_a))
    return -1 if description.layout == lib.CW_BLOCKS else description.total_blocks


def has_ghosts(g_a: int) -> bool:
    """Returns true if an array has ghost cells. Local."""
    return any(to_array(g_a).ghosts)


def get_pgroup(g_a: int) -> int:
    """Returns the group of an array. Local."""
    return group_of(to_array(g_a).team)


def compare_distr(g_a: int, g_b: int) -> bool:
    """Returns true if two arrays have the same extents and distribution. Local."""
    same = ffi.new("bool *")
    check(lib.cw_array_same_distribution(to_array(g_a)._handle, to_array(g_b)._handle, same))
    return bool(same[0])


def distribution(g_a: int, iproc: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Returns lo and hi (exclusive) of the elements of a process of the array's group, by default of this one.

    For block-cyclic arrays iproc is the number of a block. Without elements, all entries of lo and hi are -1. Local.
    """
    array = to_array(g_a)
    lo, hi, rank = ffi.new("int64_t[]", array.ndim), ffi.new("int64_t[]", array.ndim), ffi.new("int *")
    if iproc is not None and _description(array).layout != lib.CW_BLOCKS:
        check(lib.cw_array_block(array._handle, iproc, lo, hi, rank))
    else:
        check(lib.cw_array_part(array._handle, array.team.rank if iproc is None or iproc == -1 else iproc, lo, hi))
    first, last = np.array(list(lo)), np.array(list(hi))
    if (last < first).any():
        return np.full(array.ndim, -1), np.full(array.ndim, -1)
    return first, last + 1


def locate(g_a: int, subscript: object) -> int:
    """Returns the owner of an element, as a rank in the array's group; -1 if the subscript is out of range. Local."""
    array = to_array(g_a)
    index = [int(n) for n in np.atleast_1d(subscript)]
    if len(index) != array.ndim:
        raise MisuseError(f"subscript has {len(index)} entries; the array has {array.ndim} dimensions")
    if any(not 0 <= n < extent for n, extent in zip(index, array.shape)):
        return -1
    rank = ffi.new("int *")
    check(lib.cw_array_locate(array._handle, index, rank))
    return rank[0]


def locate_region(g_a: int, lo: object = None, hi: object = None) -> tuple[np.ndarray, np.ndarray]:
    """Returns the pieces of a patch that different blocks have, and their owners. Local.

    Entry [k, 0] of the first array is lo of piece k, and [k, 1] is hi (exclusive); entry k of the second one is the
    owner's rank in the array's group.
    """
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    if math.prod(shape) == 0:
        return np.empty((0, 2, array.ndim), np.int64), np.empty(0, np.int64)
    count = ffi.new("size_t *")
    check(lib.cw_array_locate_patch(array._handle, first, last, 0, ffi.NULL, count))
    pieces = ffi.new("cw_piece[]", count[0])
    check(lib.cw_array_locate_patch(array._handle, first, last, len(pieces), pieces, count))
    region = np.array([[list(piece.lo[0:array.ndim]), list(piece.hi[0:array.ndim])] for piece in pieces], np.int64)
    region[:, 1] += 1
    return region, np.array([piece.rank for piece in pieces], np.int64)


def locate_nnodes(g_a: int, lo: object = None, hi: object = None) -> int:
    """Returns the number of pieces that locate_region returns. Local."""
    return len(locate_region(g_a, lo, hi)[1])


def proc_topology(g_a: int, proc: int) -> np.ndarray:
    """Returns the place of a process of the array's group in the grid of processes. Local."""
    array = to_array(g_a)
    coordinates = ffi.new("int[]", array.ndim)
    check(lib.cw_array_coordinates(array._handle, proc, coordinates))
    return np.array(list(coordinates))


def update_ghosts(g_a: int) -> None:
    """Fills all ghost cells, around the ends of the array too. Collective over the array's group."""
    check(lib.cw_array_update_ghosts(to_array(g_a)._handle, True))


def update_ghost_dir(g_a: int, dimension: int, dir: int, flag: bool = True) -> None:
    """Fills the ghost cells before (dir -1) or after (1) each block in a dimension. flag: corners too. Collective."""
    check(lib.cw_array_update_ghost_side(to_array(g_a)._handle, dimension, dir, bool(flag)))


def print_patch(g_a: int, lo: object = None, hi: object = None, file: TextIO | None = None) -> None:
    """Prints a patch on process 0 of the array's group, to sys.stdout by default. Collective over the group."""
    array = to_array(g_a)
    first, last, shape = patch(array, lo, hi)
    check(lib.cw_array_sync(array._handle))
    if array.team.rank == 0:
        rows = get(g_a, first, [n + 1 for n in last])
        place = ",".join(f"{begin}:{end + 1}" for begin, end in zip(first, last))
        text = np.array2string(rows, threshold=sys.maxsize)
        print(f"{inquire_name(g_a)}[{place}] of {array.dtype}\n{text}", file=file or sys.stdout, flush=True)
    check(lib.cw_array_sync(array._handle))


def print_stdout(g_a: int) -> None:
    """Prints an array on process 0 of its group. Collective over the group."""
    print_patch(g_a)


def print_file(g_a: int, file: TextIO) -> None:
    """Prints an array to a file, which only process 0 of its group uses. Collective over the group."""
    print_patch(g_a, file=file)


def print_distribution(g_a: int) -> None:
    """Prints which process has which elements, on process 0 of the array's group. Local."""
    array = to_array(g_a)
    if array.team.rank == 0:
        for rank in range(array.team.size):
            lo, hi = distribution(g_a, rank)
            print(f"{inquire_name(g_a)}: process {rank} has "
                  + (",".join(f"{begin}:{end}" for begin, end in zip(lo, hi)) if lo[0] >= 0 else "no elements"))
