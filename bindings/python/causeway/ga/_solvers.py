"""Linear equations and eigenvalues. As in GA, matrices are Fortran's: right-hand sides and eigenvectors are rows."""
import numpy as np

from .._array import Array, empty
from .._library import MisuseError, check, ffi, lib
from ._handles import to_array


def _copy_transposed(source: Array, target: Array) -> None:
    a, b = (ffi.new("cw_operand *", {"array": array._handle, "transposed": array is source}) for array in (source, target))
    check(lib.cw_array_copy(a, b))


def _turned(array: Array) -> Array:
    """Returns a new array with the transpose of a matrix."""
    columns = empty(array.shape[::-1], array.dtype, team=array.team)
    _copy_transposed(array, columns)
    return columns


def _solve(call: object, g_a: int, g_b: int) -> int:
    """Solves for the rows of g_b by call(a, b, pivot), which takes the right-hand sides as columns. Returns the pivot."""
    a, b, pivot = to_array(g_a), to_array(g_b), ffi.new("int64_t *")
    if b.shape[-1] != a.shape[0] or b.ndim > 2:
        raise MisuseError(f"g_b has shape {b.shape}; each of its rows must be a right-hand side of {a.shape[0]} elements")
    if b.ndim == 1:
        check(call(a._handle, b._handle, pivot))
        return pivot[0]
    with _turned(b) as columns:
        check(call(a._handle, columns._handle, pivot))
        if pivot[0] == 0:
            _copy_transposed(columns, b)
    return pivot[0]


def lu_solve(g_a: int, g_b: int, trans: bool = False) -> None:
    """Solves transpose(g_a) * x = b, or g_a * x = b if trans, for each row b of g_b. Collective over the arrays' group."""
    operation = lib.CW_NOT_TRANSPOSED if trans else lib.CW_TRANSPOSED
    pivot = _solve(lambda a, b, pivot: lib.cw_array_solve(operation, a, b, pivot), g_a, g_b)
    if pivot:
        raise MisuseError(f"the matrix is singular: pivot {pivot} is zero, or not finite")


def solve(g_a: int, g_b: int) -> int:
    """Solves like lu_solve, and returns 0. Collective over the arrays' group."""
    lu_solve(g_a, g_b)
    return 0


def llt_solve(g_a: int, g_b: int) -> int:
    """Solves g_a * x = b for each row b of g_b by Cholesky; g_a is symmetric and positive definite.

    Returns 0, or the step (from 1) at which g_a is not positive definite; g_b is then unchanged. Collective.
    """
    return _solve(lib.cw_array_solve_positive, g_a, g_b)


def spd_invert(g_a: int) -> int:
    """Replaces a symmetric, positive definite matrix by its inverse. Returns 0, or the step that failed. Collective."""
    pivot = ffi.new("int64_t *")
    check(lib.cw_array_invert_positive(to_array(g_a)._handle, pivot))
    return pivot[0]


def _eigen(g_a: int, g_s: int | None, g_v: int, evalues: np.ndarray | None) -> np.ndarray:
    a, v = to_array(g_a), to_array(g_v)
    values = np.zeros(a.shape[0], np.zeros(0, a.dtype).real.dtype)
    overlap = ffi.NULL if g_s is None else to_array(g_s)._handle
    with empty(v.shape, v.dtype, team=v.team) as columns:
        check(lib.cw_array_eigen(a._handle, overlap, columns._handle, ffi.from_buffer(values)))
        _copy_transposed(columns, v)
    if evalues is None:
        return values
    evalues[...] = values
    return evalues


def diag(g_a: int, g_s: int, g_v: int, evalues: np.ndarray | None = None) -> np.ndarray:
    """Solves g_a * x = e * g_s * x. Returns the eigenvalues e; row k of g_v receives eigenvector k. Collective."""
    return _eigen(g_a, g_s, g_v, evalues)


def diag_std(g_a: int, g_v: int, evalues: np.ndarray | None = None) -> np.ndarray:
    """Returns the eigenvalues of a symmetric matrix; row k of g_v receives eigenvector k. Collective over the arrays' group."""
    return _eigen(g_a, None, g_v, evalues)
