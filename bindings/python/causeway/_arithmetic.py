"""Diagonals, scans, packing and random numbers: operations of the library that are no ufuncs."""
from __future__ import annotations

import numpy as np

from . import _array as arrays
from ._buffers import TYPES, typed
from ._library import MisuseError, check, ffi, lib


class Arithmetic:
    """Methods of Array for diagonals, scans and random numbers. All are collective over the team."""

    __slots__ = ()

    def diagonal(self) -> arrays.Array:
        """Returns the diagonal of a matrix, as a new array. Collective over the team."""
        _check_matrix("diagonal", self)
        its = arrays.empty(min(self.shape), self.dtype, team=self.team)
        if its.size:
            check(lib.cw_array_diagonal(self._handle, lib.CW_DIAGONAL_GET, its._handle, ffi.NULL))
        return its

    def set_diagonal(self, values) -> None:
        """Sets the diagonal of a matrix. Collective over the team.

        Parameters
        ----------
        values : Array or scalar
            Of the same dtype, and as long as the diagonal.
        """
        self._to_diagonal("set_diagonal", lib.CW_DIAGONAL_SET, values)

    def add_diagonal(self, values) -> None:
        """Adds to the diagonal of a matrix. Collective over the team. Parameters as for `set_diagonal`."""
        self._to_diagonal("add_diagonal", lib.CW_DIAGONAL_ADD, values)

    def _to_diagonal(self, call, what, values):
        _check_matrix(call, self)
        if isinstance(values, arrays.Array):
            check(lib.cw_array_diagonal(self._handle, what, values._handle, ffi.NULL))
            return
        if what == lib.CW_DIAGONAL_SET:
            check(lib.cw_array_diagonal(self._handle, lib.CW_DIAGONAL_ZERO, ffi.NULL, ffi.NULL))
        check(lib.cw_array_diagonal(self._handle, lib.CW_DIAGONAL_SHIFT, ffi.NULL, _element(self, values)))

    def scale_rows(self, factors, axis=0) -> None:
        """Multiplies the elements that have index i along an axis by factors[i]. Collective over the team.

        Parameters
        ----------
        factors : Array
            Of one dimension and the same dtype.
        axis : int, optional
            0 scales rows of a matrix, 1 columns.
        """
        if not -self.ndim <= axis < self.ndim:
            raise IndexError(f"axis {axis} is out of range for an array of {self.ndim} dimensions")
        check(lib.cw_array_scale_slices(self._handle, axis % self.ndim, factors._handle))

    def symmetrize(self) -> None:
        """Replaces a square matrix a by (a + a.T) / 2. Collective over the team."""
        _check_matrix("symmetrize", self)
        check(lib.cw_array_symmetrize(self._handle))

    def cumsum(self, axis: int | tuple | None = None, dtype=None) -> arrays.Array:
        """Returns the cumulative sums of an array of one dimension, as a new array. Collective over the team.

        Parameters
        ----------
        axis : int, optional
            0 or None.
        dtype : dtype_like, optional
            That of the sum by default.
        """
        if self.ndim != 1 or axis not in (None, 0, -1):
            raise MisuseError(f"cumsum: an array of {self.ndim} dimensions, axis {axis}; only arrays of one dimension "
                              f"have cumulative sums")
        its = self.astype(_summable(np.cumsum(np.empty(0, self.dtype), dtype=dtype).dtype))
        if its.size:
            with arrays.zeros(self.shape, np.int32, team=self.team) as first:
                if self.team.rank == 0:
                    first[0] = 1
                check(lib.cw_array_scan_add(its._handle, its._handle, first._handle, 0, self.size - 1, False))
        return its

    def randomize(self, seed, limit=None) -> None:
        """Sets all elements to random numbers: reals in [0, 1), integers in the range of C's int. Collective over the
        team.

        The numbers depend on the seed and the index only, not on the number of processes or the distribution.

        Parameters
        ----------
        seed : int
            0 to 2**64 - 1.
        limit : number, optional
            Reals are multiplied by it. Integers are replaced by their remainders modulo the limit.
        """
        value = ffi.NULL if limit is None else _element(self, limit)
        check(lib.cw_array_randomize(self._handle, ffi.NULL, ffi.NULL, value, seed))


def _summable(dtype):
    """Returns a dtype, or raises TypeError if the library does not add its elements."""
    typed(TYPES, dtype, "cumulative sums of elements")
    return dtype


def _element(array, value):
    return ffi.from_buffer(np.full(1, value, array.dtype).view("u1"))


def _check_matrix(call, array):
    if array.ndim != 2:
        raise MisuseError(f"{call}: the array has {array.ndim} dimensions; a matrix has 2")


def _check_mask(call, array, mask):
    if array.ndim != 1 or mask.shape != array.shape:
        raise MisuseError(f"{call}: the array has the shape {array.shape}, and the mask {mask.shape}; both need the "
                          f"same one dimension")


def _numbers(mask):
    """Returns a mask as an array of integers, which is to be freed."""
    return mask.astype(bool).astype(np.int32) if mask.dtype == bool else (mask != 0).astype(np.int32)


def pack(array, mask) -> arrays.Array:
    """Returns the elements of an array of one dimension whose mask is true, as a new array. Collective over the team.

    Parameters
    ----------
    array : Array
    mask : Array
        Of the same shape; bool, or numbers that are false if they are 0.
    """
    _check_mask("pack", array, mask)
    with _numbers(mask) as numbers:
        packed = arrays.empty(int(numbers.sum()), array.dtype, team=array.team)
        if packed.size:
            count = ffi.new("int64_t *")
            check(lib.cw_array_pack(array._handle, packed._handle, numbers._handle, 0, array.size - 1, count))
    return packed


def unpack(packed, array, mask) -> int:
    """Stores elements in those places of an array of one dimension whose mask is true. Collective over the team.

    Parameters
    ----------
    packed : Array
        At least as many elements as the mask has true ones.
    array : Array
        Changed. Of the same dtype.
    mask : Array
        Of the same shape as `array`.

    Returns
    -------
    int
        Number of elements that were stored.
    """
    _check_mask("unpack", array, mask)
    count = ffi.new("int64_t *")
    if array.size:
        with _numbers(mask) as numbers:
            check(lib.cw_array_unpack(packed._handle, array._handle, numbers._handle, 0, array.size - 1, count))
    return count[0]
