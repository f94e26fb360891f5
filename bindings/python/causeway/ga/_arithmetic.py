"""Operations on whole arrays and on patches. All are collective over the group of their arrays."""
import numpy as np

from .._library import MisuseError, check, ffi, lib
from ._handles import Operand, patch, scalar, to_array


def fill(g_a: int, value: object, lo: object = None, hi: object = None) -> None:
    """Sets all elements of a patch to a value. Collective over the array's group."""
    array = to_array(g_a)
    first, last, _ = patch(array, lo, hi)
    check(lib.cw_array_fill(array._handle, first, last, scalar(array, value)))


def zero(g_a: int, lo: object = None, hi: object = None) -> None:
    """Sets all elements of a patch to 0. Collective over the array's group."""
    fill(g_a, None, lo, hi)


def randomize(g_a: int, val: object = None, seed: int | None = None) -> None:
    """Sets all elements to random numbers from 0 to val (by default 1). Collective over the array's group.

    The same seed gives the same numbers, whatever the number of processes. By default process 0 draws one.
    """
    array = to_array(g_a)
    drawn = np.array([np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]])
    check(lib.cw_broadcast(array.team._handle, 0, ffi.from_buffer(drawn), drawn.nbytes))
    check(lib.cw_array_randomize(array._handle, ffi.NULL, ffi.NULL, scalar(array, val), int(drawn[0])))


def _apply(g_a: int, function: int, value: object, lo: object, hi: object) -> None:
    array = to_array(g_a)
    first, last, _ = patch(array, lo, hi)
    check(lib.cw_array_apply(array._handle, first, last, function, scalar(array, value)))


def scale(g_a: int, value: object, lo: object = None, hi: object = None) -> None:
    """Multiplies all elements of a patch by a value. Collective over the array's group."""
    _apply(g_a, lib.CW_SCALE, value, lo, hi)


def add_constant(g_a: int, alpha: object, lo: object = None, hi: object = None) -> None:
    """Adds alpha to all elements of a patch. Collective over the array's group."""
    _apply(g_a, lib.CW_ADD_CONSTANT, alpha, lo, hi)


def abs_value(g_a: int, lo: object = None, hi: object = None) -> None:
    """Replaces all elements of a patch by their absolute values. Collective over the array's group."""
    _apply(g_a, lib.CW_ABSOLUTE, None, lo, hi)


def recip(g_a: int, lo: object = None, hi: object = None) -> None:
    """Replaces all elements x of a patch by 1 / x. Collective over the array's group."""
    _apply(g_a, lib.CW_RECIPROCAL, None, lo, hi)


def copy(g_a: int, g_b: int, alo: object = None, ahi: object = None, blo: object = None, bhi: object = None,
         trans: bool = False) -> None:
    """Copies a patch of g_a, transposed if trans, to a patch of g_b. Collective over the arrays' group."""
    a, b = Operand(g_a, alo, ahi, trans), Operand(g_b, blo, bhi)
    check(lib.cw_array_copy(a.pointer, b.pointer))


def transpose(g_a: int, g_b: int) -> None:
    """Sets g_b to the transpose of g_a. Collective over the arrays' group."""
    copy(g_a, g_b, trans=True)


def _combine(function: int, a: Operand, b: Operand, c: Operand, alpha: object = None, beta: object = None) -> None:
    check(lib.cw_array_combine(function, scalar(a.array, alpha), a.pointer, scalar(b.array, beta), b.pointer, c.pointer))


def add(g_a: int, g_b: int, g_c: int, alpha: object = None, beta: object = None, alo: object = None,
        ahi: object = None, blo: object = None, bhi: object = None, clo: object = None, chi: object = None) -> None:
    """Sets a patch of g_c to alpha * g_a + beta * g_b. Collective over the arrays' group."""
    _combine(lib.CW_ELEMENT_SUM, Operand(g_a, alo, ahi), Operand(g_b, blo, bhi), Operand(g_c, clo, chi), alpha, beta)


def elem_multiply(g_a: int, g_b: int, g_c: int, alo: object = None, ahi: object = None, blo: object = None,
                  bhi: object = None, clo: object = None, chi: object = None) -> None:
    """Sets a patch of g_c to g_a * g_b, element by element. Collective over the arrays' group."""
    _combine(lib.CW_ELEMENT_PRODUCT, Operand(g_a, alo, ahi), Operand(g_b, blo, bhi), Operand(g_c, clo, chi))


def elem_divide(g_a: int, g_b: int, g_c: int, alo: object = None, ahi: object = None, blo: object = None,
                bhi: object = None, clo: object = None, chi: object = None) -> None:
    """Sets a patch of g_c to g_a / g_b, element by element. Collective over the arrays' group."""
    _combine(lib.CW_ELEMENT_QUOTIENT, Operand(g_a, alo, ahi), Operand(g_b, blo, bhi), Operand(g_c, clo, chi))


def elem_maximum(g_a: int, g_b: int, g_c: int, alo: object = None, ahi: object = None, blo: object = None,
                 bhi: object = None, clo: object = None, chi: object = None) -> None:
    """Sets a patch of g_c to the greater elements of g_a and g_b. Collective over the arrays' group."""
    _combine(lib.CW_ELEMENT_MAXIMUM, Operand(g_a, alo, ahi), Operand(g_b, blo, bhi), Operand(g_c, clo, chi))


def elem_minimum(g_a: int, g_b: int, g_c: int, alo: object = None, ahi: object = None, blo: object = None,
                 bhi: object = None, clo: object = None, chi: object = None) -> None:
    """Sets a patch of g_c to the smaller elements of g_a and g_b. Collective over the arrays' group."""
    _combine(lib.CW_ELEMENT_MINIMUM, Operand(g_a, alo, ahi), Operand(g_b, blo, bhi), Operand(g_c, clo, chi))


def median(g_a: int, g_b: int, g_c: int, g_m: int) -> None:
    """Sets g_m to the median of g_a, g_b and g_c, element by element. Collective over the arrays' group."""
    a, b, c, m = (Operand(handle) for handle in (g_a, g_b, g_c, g_m))
    check(lib.cw_array_median(a.pointer, b.pointer, c.pointer, m.pointer))


def dot(g_a: int, g_b: int, alo: object = None, ahi: object = None, blo: object = None, bhi: object = None,
        ta: bool = False, tb: bool = False) -> np.generic:
    """Returns the sum of the products of the elements of two patches, without conjugation. Collective over the arrays' group."""
    a, b = Operand(g_a, alo, ahi, ta), Operand(g_b, blo, bhi, tb)
    result = np.zeros(1, a.array.dtype)
    check(lib.cw_array_dot(a.pointer, b.pointer, ffi.from_buffer(result)))
    return result[0]


def _letter(trans: object) -> int:
    """Returns the library's transposition for True, False or one of GA's letters."""
    letters = {"n": lib.CW_NOT_TRANSPOSED, "t": lib.CW_TRANSPOSED, "c": lib.CW_CONJUGATE_TRANSPOSED}
    return letters[trans.lower()] if isinstance(trans, str) else letters["t" if trans else "n"]


def matmul_patch(transa: object, transb: object, alpha: object, beta: object, g_a: int, alo: object, ahi: object,
                 g_b: int, blo: object, bhi: object, g_c: int, clo: object, chi: object) -> None:
    """Computes g_c = alpha * op(g_a) * op(g_b) + beta * g_c on patches. Collective over the arrays' group.

    transa, transb: False or "n", True or "t", or "c" for the conjugate transpose.
    """
    a, b, c = Operand(g_a, alo, ahi), Operand(g_b, blo, bhi), Operand(g_c, clo, chi)
    check(lib.cw_array_multiply(_letter(transa), _letter(transb), scalar(c.array, alpha), a.pointer, b.pointer,
                                scalar(c.array, beta), c.pointer))


def gemm(ta: object, tb: object, m: int, n: int, k: int, alpha: object, g_a: int, g_b: int, beta: object,
         g_c: int) -> None:
    """Computes g_c[:m, :n] = alpha * op(g_a) * op(g_b) + beta * g_c[:m, :n]. Collective over the arrays' group.

    op(g_a) has m rows and k columns, op(g_b) k rows and n columns: the upper left parts of the arrays.
    """
    matmul_patch(ta, tb, alpha, beta, g_a, (0, 0), (k, m) if _letter(ta) else (m, k),
                 g_b, (0, 0), (n, k) if _letter(tb) else (k, n), g_c, (0, 0), (m, n))


sgemm = dgemm = cgemm = zgemm = gemm


def symmetrize(g_a: int) -> None:
    """Sets a square array to the mean of itself and its transpose. Collective over the array's group."""
    check(lib.cw_array_symmetrize(to_array(g_a)._handle))


def select_elem(g_a: int, op: str) -> tuple[np.generic, np.ndarray]:
    """Returns the least (op "min") or greatest ("max") element and its index. Collective over the array's group."""
    if op not in ("min", "max"):
        raise MisuseError(f"op is {op!r}; it must be 'min' or 'max'")
    array = to_array(g_a)
    value, index = np.zeros(1, array.dtype), ffi.new("int64_t[]", array.ndim)
    check(lib.cw_array_select(array._handle, ffi.NULL, ffi.NULL, op == "max", ffi.from_buffer(value), index))
    return value[0], np.array(list(index))


def select_elem_min(g_a: int) -> tuple[np.generic, np.ndarray]:
    """Returns the least element and its index. Collective over the array's group."""
    return select_elem(g_a, "min")


def select_elem_max(g_a: int) -> tuple[np.generic, np.ndarray]:
    """Returns the greatest element and its index. Collective over the array's group."""
    return select_elem(g_a, "max")


def _norm(g_a: int, kind: int) -> float:
    norm = ffi.new("double *")
    check(lib.cw_array_norm(to_array(g_a)._handle, ffi.NULL, ffi.NULL, kind, norm))
    return norm[0]


def norm1(g_a: int) -> float:
    """Returns the sum of the absolute values of all elements, as GA does. Collective over the array's group."""
    return _norm(g_a, lib.CW_NORM_SUM)


def norm_infinity(g_a: int) -> float:
    """Returns the greatest absolute value of an element, as GA does. Collective over the array's group."""
    return _norm(g_a, lib.CW_NORM_MAXIMUM)


def step_max(g_a: int, g_b: int) -> np.generic:
    """Returns how many times g_b may be added to g_a, which is not negative, before an element is. Collective."""
    a, b = Operand(g_a), Operand(g_b)
    least = np.zeros(1, a.array.dtype)
    check(lib.cw_array_step(a.pointer, b.pointer, ffi.NULL, ffi.NULL, ffi.from_buffer(least), ffi.NULL))
    return least[0]


def _diagonal(g_a: int, what: int, g_v: int | None = None, value: object = None) -> None:
    array = to_array(g_a)
    vector = ffi.NULL if g_v is None else to_array(g_v)._handle
    check(lib.cw_array_diagonal(array._handle, what, vector, scalar(array, value)))


def get_diag(g_a: int, g_v: int) -> None:
    """Sets a vector to the diagonal of a matrix. Collective over the arrays' group."""
    _diagonal(g_a, lib.CW_DIAGONAL_GET, g_v)


def set_diagonal(g_a: int, g_v: int) -> None:
    """Sets the diagonal of a matrix to a vector. Collective over the arrays' group."""
    _diagonal(g_a, lib.CW_DIAGONAL_SET, g_v)


def add_diagonal(g_a: int, g_v: int) -> None:
    """Adds a vector to the diagonal of a matrix. Collective over the arrays' group."""
    _diagonal(g_a, lib.CW_DIAGONAL_ADD, g_v)


def shift_diagonal(g_a: int, value: object = 1) -> None:
    """Adds a value to the elements of the diagonal. Collective over the array's group."""
    _diagonal(g_a, lib.CW_DIAGONAL_SHIFT, value=value)


def zero_diagonal(g_a: int) -> None:
    """Sets the elements of the diagonal to 0. Collective over the array's group."""
    _diagonal(g_a, lib.CW_DIAGONAL_ZERO)


def scale_rows(g_a: int, g_v: int) -> None:
    """Multiplies row i of a matrix by element i of a vector. Collective over the arrays' group."""
    check(lib.cw_array_scale_slices(to_array(g_a)._handle, 0, to_array(g_v)._handle))


def scale_cols(g_a: int, g_v: int) -> None:
    """Multiplies column j of a matrix by element j of a vector. Collective over the arrays' group."""
    check(lib.cw_array_scale_slices(to_array(g_a)._handle, 1, to_array(g_v)._handle))


def _line(g_a: int, lo: int | None, hi: int | None) -> tuple[int, int]:
    first, last, _ = patch(to_array(g_a), lo, hi)
    return first[0], last[0]


def scan_copy(g_src: int, g_dst: int, g_msk: int, lo: int | None = None, hi: int | None = None) -> None:
    """Copies elements whose mask is not 0, and repeats each until the next such element. Collective over the arrays' group."""
    check(lib.cw_array_scan_copy(*(to_array(handle)._handle for handle in (g_src, g_dst, g_msk)), *_line(g_src, lo, hi)))


def scan_add(g_src: int, g_dst: int, g_msk: int, lo: int | None = None, hi: int | None = None,
             excl: bool = False) -> None:
    """Computes running sums, which begin anew at each element whose mask is not 0. Collective over the arrays' group."""
    check(lib.cw_array_scan_add(*(to_array(handle)._handle for handle in (g_src, g_dst, g_msk)), *_line(g_src, lo, hi),
                                bool(excl)))


def pack(g_src: int, g_dst: int, g_msk: int, lo: int | None = None, hi: int | None = None) -> int:
    """Stores the elements whose mask is not 0 in g_dst[0], g_dst[1], ...; returns their number. Collective."""
    count = ffi.new("int64_t *")
    check(lib.cw_array_pack(*(to_array(handle)._handle for handle in (g_src, g_dst, g_msk)), *_line(g_src, lo, hi), count))
    return count[0]


def unpack(g_src: int, g_dst: int, g_msk: int, lo: int | None = None, hi: int | None = None) -> int:
    """Stores g_src[0], g_src[1], ... in the elements whose mask is not 0; returns their number. Collective."""
    count = ffi.new("int64_t *")
    check(lib.cw_array_unpack(*(to_array(handle)._handle for handle in (g_src, g_dst, g_msk)), *_line(g_dst, lo, hi),
                              count))
    return count[0]


def enum(g_a: int, lo: object = None, hi: object = None, start: object = 0, inc: object = 1) -> None:
    """Sets element k of a patch, in row-major order, to start + k * inc. Collective over the array's group."""
    array = to_array(g_a)
    first, last, _ = patch(array, lo, hi)
    check(lib.cw_array_enumerate(array._handle, first, last, scalar(array, start), scalar(array, inc)))
