"""Handles of arrays and groups, GA's numbers of element types, and patches as the library expects them."""
import math

import numpy as np

from .._array import Array
from .._library import MisuseError, ffi
from .._team import Team, world

C_CHAR, C_INT, C_LONG, C_FLOAT, C_DBL = 1000, 1001, 1002, 1003, 1004
C_SCPL, C_DCPL, C_LONGLONG = 1006, 1007, 1016
C_FLT, F_INT, F_REAL, F_DBL, F_SCPL, F_DCPL = C_FLOAT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL
WORLD = -1
_FIRST_REGISTERED = 1017

_dtypes = {C_CHAR: np.dtype("i1"), C_INT: np.dtype("i4"), C_LONG: np.dtype("i8"), C_FLOAT: np.dtype("f4"),
           C_DBL: np.dtype("f8"), C_SCPL: np.dtype("c8"), C_DCPL: np.dtype("c16"), C_LONGLONG: np.dtype("i8")}
_arrays: dict[int, Array] = {}
_groups: dict[int, Team | None] = {WORLD: world()}
_default_group = WORLD


def dtype(gtype: int | np.dtype) -> np.dtype:
    """Returns the dtype of a number of a type, such as ga.C_DBL. It also takes what numpy.dtype takes. Local."""
    if isinstance(gtype, (int, np.integer)):
        if int(gtype) not in _dtypes:
            raise TypeError(f"{gtype} is not a type of GA; the types are ga.C_INT, ga.C_DBL and others")
        return _dtypes[int(gtype)]
    return np.dtype(gtype)


def gtype_of(array: Array) -> int:
    """Returns GA's number of the type of an array."""
    return next(number for number, its in _dtypes.items() if its == array.dtype)


def register_dtype(new: np.dtype) -> int:
    """Returns a number for a dtype, which create then takes. Local; every process registers the same types in the same order."""
    new = np.dtype(new)
    for number, its in _dtypes.items():
        if its == new:
            return number
    number = max(max(_dtypes) + 1, _FIRST_REGISTERED)
    _dtypes[number] = new
    return number


def deregister_type(gtype: int) -> None:
    """Forgets a number that register_dtype returned. Local."""
    if gtype < _FIRST_REGISTERED or gtype not in _dtypes:
        raise MisuseError(f"{gtype} is not a number that register_dtype returned")
    del _dtypes[gtype]


def _first_free(table: dict[int, object]) -> int:
    return next(number for number in range(1, len(table) + 2) if number not in table)


def add_array(array: Array) -> int:
    """Returns a handle for an array. Handles are positive, so that `if not g_a` works as in C."""
    handle = _first_free(_arrays)
    _arrays[handle] = array
    return handle


def to_array(g_a: int) -> Array:
    """Returns the Array of a handle, for the calls of causeway itself. Local."""
    try:
        return _arrays[g_a]
    except (KeyError, TypeError):
        if isinstance(g_a, (int, np.integer)):
            raise MisuseError(f"{g_a} is not the handle of an array") from None
        raise TypeError(f"the handle of an array is an int, not {type(g_a).__name__}") from None


def remove_array(g_a: int) -> Array:
    """Takes a handle out of the table and returns its array."""
    array = to_array(g_a)
    del _arrays[g_a]
    return array


def array_handles() -> list[int]:
    """Returns the handles of all arrays, in the order of their creation if none was destroyed."""
    return list(_arrays)


def add_group(team: Team | None) -> int:
    """Returns a handle for a team; None is a group of other processes."""
    handle = _first_free(_groups)
    _groups[handle] = team
    return handle


def remove_group(pgroup: int) -> Team | None:
    """Takes a handle out of the table and returns its team."""
    global _default_group
    to_team(pgroup)
    if pgroup == WORLD:
        raise MisuseError("the group of all processes cannot be destroyed")
    if pgroup == _default_group:
        _default_group = WORLD
    return _groups.pop(pgroup)


def to_team(pgroup: int | None) -> Team | None:
    """Returns the team of a group; None stands for the default group. It is None if this process is not a member."""
    if pgroup is None:
        pgroup = _default_group
    if pgroup not in _groups:
        raise MisuseError(f"{pgroup} is not the handle of a group")
    return _groups[pgroup]


def member_team(pgroup: int | None) -> Team:
    """Returns the team of a group of which this process is a member."""
    team = to_team(pgroup)
    if team is None:
        raise MisuseError(f"this process is not a member of group {pgroup}")
    return team


def group_of(team: Team) -> int:
    """Returns the handle of a team."""
    return next(handle for handle, its in _groups.items() if its is team)


def default_group(pgroup: int | None = None) -> int:
    """Returns the default group, after it was set to pgroup unless that is None."""
    global _default_group
    if pgroup is not None:
        member_team(pgroup)
        _default_group = pgroup
    return _default_group


def scalar(array: Array, value: object) -> object:
    """Returns a pointer to one element of an array's type; NULL if value is None."""
    return ffi.NULL if value is None else ffi.from_buffer(np.array(value, array.dtype))


def _indices(array: Array, name: str, given: object, default: tuple[int, ...]) -> list[int]:
    if given is None:
        return list(default)
    given = np.atleast_1d(np.asarray(given))
    if given.dtype.kind not in "iu":
        raise TypeError(f"{name} has elements of type {given.dtype}; they must be integers")
    if given.shape != (array.ndim,):
        raise MisuseError(f"{name} has {given.size} elements; the array has {array.ndim} dimensions")
    return given.tolist()


def patch(array: Array, lo: object = None, hi: object = None,
          inside: bool = True) -> tuple[list[int], list[int], tuple[int, ...]]:
    """Returns the first and last indices of a patch, and its shape. hi is exclusive, the last indices are inclusive."""
    lo = _indices(array, "lo", lo, (0,) * array.ndim)
    hi = _indices(array, "hi", hi, array.shape)
    for axis, (begin, end, extent) in enumerate(zip(lo, hi, array.shape)):
        if begin > end:
            raise MisuseError(f"lo is {begin} and hi is {end} in axis {axis}; lo must not be greater")
        if inside and (begin < 0 or end > extent):
            raise IndexError(f"the range {begin}:{end} is out of range for axis {axis}, which has {extent} elements")
    return lo, [end - 1 for end in hi], tuple(end - begin for begin, end in zip(lo, hi))


class Operand:
    """A patch as an operand of collective calls. pointer is valid while the object lives."""

    def __init__(self, g_a: int, lo: object = None, hi: object = None, transposed: bool = False):
        self.array = to_array(g_a)
        first, last, self.shape = patch(self.array, lo, hi)
        self._lo, self._hi = ffi.new("int64_t[]", first), ffi.new("int64_t[]", last)
        self.pointer = ffi.new("cw_operand *", (self.array._handle, self._lo, self._hi, bool(transposed)))


def filled(array: Array, buffer: object, shape: tuple[int, ...]) -> np.ndarray:
    """Returns a buffer with values for a patch as an array of the patch's shape and the array's dtype."""
    values = np.asarray(buffer)
    if values.dtype != array.dtype:
        if not np.can_cast(values.dtype, array.dtype, "same_kind"):
            raise TypeError(f"the buffer has dtype {values.dtype}, which numpy does not cast to {array.dtype}")
        values = values.astype(array.dtype)
    if values.size != math.prod(shape):
        raise MisuseError(f"the buffer has {values.size} elements; the patch has shape {shape}")
    return values.reshape(shape)
