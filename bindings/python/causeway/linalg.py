"""Linear algebra on distributed arrays, with the arguments of numpy.linalg.

Matrices are arrays of two dimensions and any distribution. Numbers are float32, float64, complex64 or complex128;
integers are converted to float64, except that `matmul` rejects two matrices of integers. A numpy array that is the same
on all processes can take the place of one operand of several. Every function is collective over the team of its arrays,
and returns distributed arrays, except for singular values and eigenvalues, which are numpy arrays on all members. The
work is done by BLAS, LAPACK and ScaLAPACK.
"""
from __future__ import annotations

import numpy as np

from . import _array as arrays
from ._elementwise import Operators, Transposed, is_distributed
from ._library import CausewayError, MisuseError, check, ffi, lib
from ._parts import compare, copy_all
from ._reductions import vector_product

__all__ = ["LinAlgError", "cholesky", "det", "eigh", "eigvalsh", "inv", "lstsq", "matmul", "norm", "qr", "slogdet", "solve",
           "solve_triangular", "svd", "svdvals", "vdot"]


def __dir__():
    return __all__


_OPERATIONS = {(False, False): lib.CW_NOT_TRANSPOSED, (True, False): lib.CW_TRANSPOSED,
               (True, True): lib.CW_CONJUGATE_TRANSPOSED}


class LinAlgError(CausewayError, np.linalg.LinAlgError):
    """A matrix is singular, not positive definite, or not square."""


class _Temporaries:
    """Arrays that a function makes for its own use. The end of the with block frees them, unless it has failed."""

    def __init__(self):
        self._arrays = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            for its in self._arrays:
                its.free()

    def keep(self, array):
        """Returns an array that is to be freed."""
        self._arrays.append(array)
        return array

    def operand(self, x, dtype, team):
        """Returns x as an Array of a dtype, which the function only reads."""
        if isinstance(x, Operators) and x.dtype == dtype:
            return x
        if isinstance(x, Transposed):
            x = self.keep(x.copy())
            return x if x.dtype == dtype else self.keep(x.astype(dtype))
        return self.keep(x.astype(dtype) if isinstance(x, Operators) else
                         arrays.from_numpy(np.asarray(x).astype(dtype), team=team))

    def matrix(self, array, axis):
        """Returns a vector as a matrix whose extent along an axis is 1, and a matrix as it is."""
        if array.ndim == 2:
            return array
        its = self.keep(arrays.empty((1, array.size) if axis == 0 else (array.size, 1), array.dtype, team=array.team))
        copy_all(array, its)
        return its


def _dtype(x):
    return x.dtype if is_distributed(x) else np.asarray(x).dtype


def _prepare(call, *operands):
    """Returns the team of the operands, and the type in which the library computes.

    Raises an error if they are of several teams, none is distributed, or a type has no linear algebra.
    """
    distributed = [its for its in operands if is_distributed(its)]
    if not distributed:
        raise TypeError(f"{call}: no operand is a distributed array: use numpy's function")
    if any(its.team is not distributed[0].team for its in distributed):
        raise MisuseError(f"{call}: the operands are arrays of different teams")
    dtype = np.result_type(*map(_dtype, operands))
    if dtype.kind in "biu":
        dtype = np.dtype(float)
    if dtype.char not in "fdFD":
        raise TypeError(f"{call}: there is no linear algebra for elements of type {dtype}")
    compare(distributed[0].team, call, operands)
    return distributed[0].team, dtype


def _matrix(call, a, square=False):
    """Raises LinAlgError if `a` is not a matrix, or not a square one."""
    shape = np.shape(a)
    if len(shape) != 2:
        raise LinAlgError(f"{call}: an array with {len(shape)} dimensions; a matrix has 2")
    if square and shape[0] != shape[1]:
        raise LinAlgError(f"{call}: the matrix has the shape {shape}; it must be square")
    if 0 in shape:
        raise LinAlgError(f"{call}: the matrix has the shape {shape}; it must have elements")
    return shape


def _check_pivot(call, pivot, message):
    if pivot[0]:
        raise LinAlgError(f"{call}: {message} (step {pivot[0]})")


def _result(a, dtype, **options):
    """Returns a new array that is a copy of `a`, which the library then overwrites."""
    its = arrays.empty(a.shape, dtype, team=a.team, name=a.name, **options)
    copy_all(a, its)
    return its


# --- Products ---

def matmul(a, b, out=None) -> arrays.Array | np.generic:
    """Returns the matrix product of arrays of 1 or 2 dimensions, as numpy.matmul does; `a @ b` calls it.

    `a.T @ b` and `a.T.conj() @ b` read `a` where it is. Integers are converted if the other operand has none; matrices of
    integers have no product. Collective over the team.

    Parameters
    ----------
    a, b : Array, transposed Array or numpy.ndarray
        At least one is distributed.
    out : Array, optional
        Receives the product; another array than a and b.

    Returns
    -------
    Array or numpy scalar
        A scalar if both have one dimension.
    """
    team, dtype = _prepare("matmul", a, b)
    shapes = [np.shape(its) for its in (a, b)]
    if any(len(shape) not in (1, 2) for shape in shapes):
        raise MisuseError(f"matmul: the operands have shapes {shapes[0]} and {shapes[1]}; they must have 1 or 2 "
                          f"dimensions")
    if shapes[0][-1] != shapes[1][0]:
        raise MisuseError(f"matmul: shapes {shapes[0]} and {shapes[1]} do not fit: {shapes[0][-1]} is not "
                          f"{shapes[1][0]}")
    if len(shapes[0]) == len(shapes[1]) == 1:
        if out is not None:
            raise MisuseError("matmul: the product of two vectors is a scalar; out must be None")
        return _vectors(np.dot, a, b, team)
    _check_out(out, shapes[0][:-1] + shapes[1][1:], dtype, (a, b))
    if all(_dtype(its).kind in "biu" for its in (a, b)):
        raise TypeError("matmul: there is no product of matrices of integers: use a.astype(float)")
    return _multiply(a, b, shapes[0][:-1] + shapes[1][1:], dtype, team, out)


def _check_out(out, shape, dtype, operands):
    if out is None:
        return
    if not isinstance(out, Operators):
        raise TypeError(f"matmul: out is of type {type(out).__name__}; a distributed result needs a distributed array")
    if out.shape != shape or out.dtype != dtype:
        raise MisuseError(f"matmul: out has shape {out.shape} and type {out.dtype}; the product has {shape} and "
                          f"{dtype}")
    if any(out is its or isinstance(its, Transposed) and out is its._array for its in operands):
        raise MisuseError("matmul: out must be another array than the operands")


def _multiply(a, b, shape, dtype, team, out):
    with _Temporaries() as temporaries:
        operands = ffi.new("cw_operand[3]")
        how = []
        for k, x in enumerate((a, b)):
            direct = isinstance(x, Transposed) and x.dtype == dtype and x.ndim == 2
            its = x._array if direct else temporaries.operand(x, dtype, team)
            operands[k].array = temporaries.matrix(its, k)._handle
            how.append(_OPERATIONS[direct, direct and x._conjugated])
        result = arrays.empty(shape, dtype, team=team) if out is None else out
        if 0 in (*a.shape, *b.shape):
            result.fill(0)
            return result
        product = temporaries.matrix(result, 0 if a.ndim == 1 else 1)
        operands[2].array = product._handle
        check(lib.cw_array_multiply(*how, ffi.NULL, operands, operands + 1, ffi.NULL, operands + 2))
        if product is not result:
            copy_all(product, result)
    return result


def _vectors(function, a, b, team):
    """Returns a product of all elements of two operands of the same shape."""
    with _Temporaries() as temporaries:
        a, b = (temporaries.operand(its, _dtype(its), team) for its in (a, b))
        return vector_product(function.__name__, function, a, b)


def vdot(a, b) -> np.generic:
    """Returns the sum of conj(a) * b over all elements, as numpy.vdot does. Collective over the team.

    Parameters
    ----------
    a, b : Array
        Of the same shape; one may be a numpy array.
    """
    if np.shape(a) != np.shape(b):
        raise MisuseError(f"vdot: the operands have shapes {np.shape(a)} and {np.shape(b)}; they must be equal")
    team = next(its for its in (a, b) if is_distributed(its)).team
    return _vectors(np.vdot, a, b, team)


# --- Solvers ---

def solve(a, b, *, assume_a: str = "gen") -> arrays.Array:
    """Solves a @ x = b, as numpy.linalg.solve does. Collective over the team.

    Parameters
    ----------
    a : Array
        n x n.
    b : Array or numpy.ndarray
        n, or n x m.
    assume_a : {"gen", "pos"}, optional
        What the matrix is: "pos" is symmetric (Hermitian) and positive definite; only its lower triangle is read.

    Returns
    -------
    Array
        Of the shape of b.

    Raises
    ------
    LinAlgError
        The matrix is singular or not square, or (with "pos") not positive definite.
    """
    team, dtype = _prepare("solve", a, b)
    shape = _matrix("solve", a, True)
    others = np.shape(b)
    if len(others) not in (1, 2) or others[0] != shape[0]:
        raise MisuseError(f"solve: the matrix has the shape {shape}, and b {others}; b has {shape[0]} rows")
    if assume_a not in ("gen", "pos"):
        raise MisuseError(f"solve: assume_a is {assume_a!r}; it can be 'gen' or 'pos'")
    if 0 in others:
        return arrays.empty(others, dtype, team=team)
    pivot = ffi.new("int64_t *")
    with _Temporaries() as temporaries:
        matrix = temporaries.operand(a, dtype, team)
        x = _result(temporaries.operand(b, dtype, team), dtype)
        if assume_a == "pos":
            check(lib.cw_array_solve_positive(matrix._handle, x._handle, pivot))
        else:
            check(lib.cw_array_solve(lib.CW_NOT_TRANSPOSED, matrix._handle, x._handle, pivot))
    _check_pivot("solve", pivot, f"the matrix is {'singular' if assume_a == 'gen' else 'not positive definite'}")
    return x


def solve_triangular(a, b, *, lower: bool = False, unit_diagonal: bool = False) -> arrays.Array:
    """Solves a @ x = b with a triangle of a. Collective over the team.

    Parameters
    ----------
    a : Array
        n x n; nothing but the triangle is read.
    b : Array or numpy.ndarray
        n, or n x m.
    lower : bool, optional
        Which triangle.
    unit_diagonal : bool, optional
        Whether the diagonal is 1, whatever a has there.
    """
    team, dtype = _prepare("solve_triangular", a, b)
    _matrix("solve_triangular", a, True)
    triangle = {(True, False): lib.CW_LOWER_TRIANGLE, (False, False): lib.CW_UPPER_TRIANGLE,
                (True, True): lib.CW_UNIT_LOWER_TRIANGLE, (False, True): lib.CW_UNIT_UPPER_TRIANGLE}
    pivot = ffi.new("int64_t *")
    with _Temporaries() as temporaries:
        matrix = temporaries.operand(a, dtype, team)
        x = _result(temporaries.operand(b, dtype, team), dtype)
        check(lib.cw_array_solve_triangular(triangle[bool(lower), bool(unit_diagonal)], lib.CW_NOT_TRANSPOSED,
                                            matrix._handle, x._handle, pivot))
    _check_pivot("solve_triangular", pivot, "the triangle is singular")
    return x


def inv(a) -> arrays.Array:
    """Returns the inverse of a matrix, as numpy.linalg.inv does. Collective over the team.

    Raises
    ------
    LinAlgError
        The matrix is singular or not square.
    """
    team, dtype = _prepare("inv", a)
    n = _matrix("inv", a, True)[0]
    pivot = ffi.new("int64_t *")
    with _Temporaries() as temporaries:
        matrix = temporaries.operand(a, dtype, team)
        its = arrays.zeros((n, n), dtype, team=team)
        one = np.ones(1, dtype)
        check(lib.cw_array_diagonal(its._handle, lib.CW_DIAGONAL_SHIFT, ffi.NULL, ffi.from_buffer(one)))
        check(lib.cw_array_solve(lib.CW_NOT_TRANSPOSED, matrix._handle, its._handle, pivot))
    _check_pivot("inv", pivot, "the matrix is singular")
    return its


def slogdet(a) -> tuple[np.generic, np.generic]:
    """Returns the sign and the logarithm of the absolute value of the determinant, as numpy.linalg.slogdet does.

    Collective over the team.
    """
    team, dtype = _prepare("slogdet", a)
    n = _matrix("slogdet", a, True)[0]
    real = np.empty(0, dtype).real.dtype
    order, pivot = np.empty(n, np.int64), ffi.new("int64_t *")
    with _Temporaries() as temporaries:
        factors = temporaries.keep(_result(temporaries.operand(a, dtype, team), dtype))
        check(lib.cw_array_lu(factors._handle, ffi.from_buffer("int64_t[]", order), pivot))
        if pivot[0]:
            return dtype.type(0), real.type(-np.inf)
        diagonal = temporaries.keep(factors.diagonal()).to_numpy()
    sign = np.prod(diagonal / np.abs(diagonal)) * _parity(order)
    return dtype.type(sign), real.type(np.log(np.abs(diagonal)).sum())


def _parity(order):
    """Returns the sign of a permutation."""
    seen, sign = np.zeros(len(order), bool), 1
    for first in range(len(order)):
        at, length = first, 0
        while not seen[at]:
            seen[at] = True
            at, length = order[at], length + 1
        if length and length % 2 == 0:
            sign = -sign
    return sign


def det(a) -> np.generic:
    """Returns the determinant, as numpy.linalg.det does. Collective over the team."""
    sign, logarithm = slogdet(a)
    return sign * np.exp(logarithm)


def cholesky(a) -> arrays.Array:
    """Returns the lower Cholesky factor of a matrix, as numpy.linalg.cholesky does. Collective over the team.

    Parameters
    ----------
    a : Array
        n x n, symmetric (Hermitian) and positive definite. Only its lower triangle is read.

    Raises
    ------
    LinAlgError
        The matrix is not positive definite, or not square.
    """
    team, dtype = _prepare("cholesky", a)
    _matrix("cholesky", a, True)
    pivot = ffi.new("int64_t *")
    with _Temporaries() as temporaries:
        factor = _result(temporaries.operand(a, dtype, team), dtype)
        check(lib.cw_array_cholesky(factor._handle, pivot))
    _check_pivot("cholesky", pivot, "the matrix is not positive definite")
    return factor


def qr(a, mode: str = "reduced") -> arrays.Array | tuple[arrays.Array, arrays.Array]:
    """Returns q and r of a = q @ r, as numpy.linalg.qr does. Collective over the team.

    Parameters
    ----------
    a : Array
        m x n. Let k be the smaller of m and n.
    mode : {"reduced", "r"}, optional

    Returns
    -------
    q : Array
        m x k, with orthonormal columns. Only with "reduced".
    r : Array
        k x n, an upper triangle.
    """
    team, dtype = _prepare("qr", a)
    m, n = _matrix("qr", a)
    if mode not in ("reduced", "r"):
        raise MisuseError(f"qr: mode is {mode!r}; it can be 'reduced' or 'r'")
    k = min(m, n)
    with _Temporaries() as temporaries:
        matrix = temporaries.operand(a, dtype, team)
        q = arrays.empty((m, k), dtype, team=team) if mode == "reduced" else None
        r = arrays.empty((k, n), dtype, team=team)
        check(lib.cw_array_qr(matrix._handle, ffi.NULL if q is None else q._handle, r._handle))
    return r if q is None else (q, r)


def svd(a, full_matrices: bool = False,
        compute_uv: bool = True) -> np.ndarray | tuple[arrays.Array, np.ndarray, arrays.Array]:
    """Returns u, s and vh of a = u @ diag(s) @ vh, as numpy.linalg.svd does. Collective over the team.

    Parameters
    ----------
    a : Array
        m x n. Let k be the smaller of m and n.
    full_matrices : bool, optional
        Only False: the library computes the first k singular vectors.
    compute_uv : bool, optional

    Returns
    -------
    u : Array
        m x k. Only if compute_uv.
    s : numpy.ndarray
        k singular values in descending order, on all members.
    vh : Array
        k x n. Only if compute_uv.
    """
    team, dtype = _prepare("svd", a)
    m, n = _matrix("svd", a)
    if full_matrices and compute_uv:
        raise MisuseError("svd: full_matrices is True; the library computes only as many singular vectors as values: pass "
                          "full_matrices=False")
    k = min(m, n)
    s = np.empty(k, np.empty(0, dtype).real.dtype)
    with _Temporaries() as temporaries:
        matrix = temporaries.operand(a, dtype, team)
        if not compute_uv:
            check(lib.cw_array_svd(matrix._handle, ffi.NULL, ffi.from_buffer(s), ffi.NULL))
            return s
        u, vh = arrays.empty((m, k), dtype, team=team), arrays.empty((k, n), dtype, team=team)
        check(lib.cw_array_svd(matrix._handle, u._handle, ffi.from_buffer(s), vh._handle))
    return u, s, vh


def svdvals(a) -> np.ndarray:
    """Returns the singular values in descending order, a numpy array on all members. Collective over the team."""
    return np.asarray(svd(a, compute_uv=False))


def _eigen(call, a, vectors, b=None):
    team, dtype = _prepare(call, a, *(() if b is None else (b,)))
    shape = _matrix(call, a, True)
    if b is not None and _matrix(call, b, True) != shape:
        raise MisuseError(f"{call}: the matrices have shapes {shape} and {b.shape}; they must be equal")
    w = np.empty(shape[0], np.empty(0, dtype).real.dtype)
    with _Temporaries() as temporaries:
        matrix = temporaries.operand(a, dtype, team)
        metric = ffi.NULL if b is None else temporaries.operand(b, dtype, team)._handle
        v = arrays.empty(shape, dtype, team=team) if vectors else None
        check(lib.cw_array_eigen(matrix._handle, metric, v._handle if vectors else ffi.NULL, ffi.from_buffer(w)))
    return w, v


def eigh(a, b=None) -> tuple[np.ndarray, arrays.Array]:
    """Returns the eigenvalues and eigenvectors of a symmetric (Hermitian) matrix, as numpy.linalg.eigh does.

    Collective over the team.

    Parameters
    ----------
    a : Array
        n x n. Only its lower triangle is read.
    b : Array, optional
        n x n, positive definite: solves the generalised problem a @ v = b @ v * w.

    Returns
    -------
    w : numpy.ndarray
        n eigenvalues in ascending order, on all members.
    v : Array
        n x n: column k is the eigenvector of w[k].
    """
    return _eigen("eigh", a, True, b)


def eigvalsh(a, b=None) -> np.ndarray:
    """Returns the eigenvalues of `eigh`, a numpy array on all members. Collective over the team."""
    return _eigen("eigvalsh", a, False, b)[0]


def lstsq(a, b) -> arrays.Array:
    """Returns the x with the least norm of a @ x - b, as the first result of numpy.linalg.lstsq. Collective over the
    team.

    Parameters
    ----------
    a : Array
        m x n, of full rank.
    b : Array or numpy.ndarray
        m, or m x c.

    Returns
    -------
    Array
        n, or n x c.

    Raises
    ------
    LinAlgError
        Columns (rows if there are fewer) depend on each other: use `svd`.
    """
    team, dtype = _prepare("lstsq", a, b)
    m, n = _matrix("lstsq", a)
    others = np.shape(b)
    if len(others) not in (1, 2) or others[0] != m or 0 in others:
        raise MisuseError(f"lstsq: the matrix has the shape {(m, n)}, and b {others}; b has {m} rows")
    pivot = ffi.new("int64_t *")
    with _Temporaries() as temporaries:
        matrix, right = temporaries.operand(a, dtype, team), temporaries.operand(b, dtype, team)
        x = arrays.empty((n, *others[1:]), dtype, team=team)
        check(lib.cw_array_least_squares(matrix._handle, right._handle, x._handle, pivot))
    _check_pivot("lstsq", pivot, "the matrix has not full rank")
    return x


# --- Norms ---

def norm(x, ord=None, axis: int | tuple | None = None, keepdims: bool = False) -> arrays.Array | np.generic | np.ndarray:
    """Returns a norm of a vector or matrix, as numpy.linalg.norm does. Collective over the team.

    Parameters
    ----------
    x : Array
    ord : number, "fro" or "nuc", optional
        None is the square root of the sum of squares, of any number of dimensions.
    axis : int, optional
        Norms of vectors along this axis, as an Array. Without it, the norm of the whole array, a numpy scalar.
    keepdims : bool, optional
    """
    if axis is not None and not isinstance(axis, int):
        raise TypeError(f"norm: axis is {axis}; it must be one number or None")
    if ord is None and axis is None or ord == "fro" and axis is None and x.ndim == 2:
        result = _euclidean(x)
    elif axis is not None or x.ndim == 1:
        result = _vector_norm(x, 2 if ord is None else ord, axis, keepdims)
    elif x.ndim == 2:
        result = _matrix_norm(x, ord)
    else:
        raise MisuseError(f"norm: ord is {ord!r}; arrays with {x.ndim} dimensions have only the norm None")
    return np.full((1,) * x.ndim, result) if keepdims and axis is None and np.ndim(result) == 0 else result


def _real_type(x):
    return np.linalg.norm(np.ones(1, x.dtype)).dtype


def _euclidean(x):
    if x.size == 0 or x.dtype.char not in "fdFD":
        return np.sqrt(np.square(x).sum(dtype=float)) if x.dtype.kind != "c" else _real_type(x).type(0)
    value = ffi.new("double *")
    check(lib.cw_array_norm(x._handle, ffi.NULL, ffi.NULL, lib.CW_NORM_EUCLIDEAN, value))
    return _real_type(x).type(value[0])


def _vector_norm(x, ord, axis, keepdims):
    if not isinstance(ord, (int, float)):
        raise MisuseError(f"norm: ord is {ord!r}; a vector norm has a number")
    with _Temporaries() as temporaries:
        absolute = temporaries.keep(np.abs(x if x.dtype.kind in "fc" else temporaries.keep(x.astype(float))))
        if abs(ord) == np.inf:
            return (absolute.max if ord > 0 else absolute.min)(axis, keepdims)
        if ord == 0:
            return temporaries.keep(absolute != 0).sum(axis, absolute.dtype, keepdims)
        if ord == 1:
            return absolute.sum(axis, None, keepdims)
        sums = np.power(absolute, ord, out=absolute).sum(axis, None, keepdims)
        if not isinstance(sums, Operators):
            return np.power(sums, 1 / ord)
        return np.power(sums, 1 / ord, out=sums)


def _matrix_norm(x, ord):
    if ord in (2, -2, "nuc"):
        s = svdvals(x)
        return s.sum() if ord == "nuc" else s.max() if ord == 2 else s.min()
    if ord not in (1, -1, np.inf, -np.inf):
        raise MisuseError(f"norm: ord is {ord!r}; a matrix norm is 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'")
    with _Temporaries() as temporaries:
        sums = temporaries.keep(temporaries.keep(np.abs(x)).sum(axis=0 if abs(ord) == 1 else 1))
        return sums.max() if ord > 0 else sums.min()
