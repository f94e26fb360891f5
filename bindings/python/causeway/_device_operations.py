"""Elementwise operations on arrays with parts on devices: those for which the library has kernels."""
from __future__ import annotations

import numpy as np

from . import _array as arrays
from ._library import check, ffi, lib
from ._parts import check_host

_SIGNS = {np.add: 1, np.subtract: -1}


def apply(ufunc, inputs, out, model, plain):
    """Applies a universal function to arrays of one dtype. Collective over the team.

    The library has kernels for a + b, a - b, a * number, a / number and -a; `plain` is false if there are other arguments.

    Raises
    ------
    MisuseError
        On all members, for all other operations.
    """
    numbers = [its for its in inputs if np.ndim(its) == 0 and not isinstance(its, arrays.Array)]
    operands = [its for its in inputs if isinstance(its, arrays.Array)]
    alike = plain and len(numbers) + len(operands) == len(inputs) and all(its.dtype == model.dtype for its in operands)
    result = out[0]
    if alike and ufunc in _SIGNS and len(operands) == 2:
        return _combine(operands, _SIGNS[ufunc], result)
    factor = _factor(ufunc, inputs, model.dtype) if alike and len(operands) == 1 else None
    if factor is None:
        check_host(f"np.{ufunc.__name__}", *operands, *(() if result is None else (result,)))
    return _scale(operands[0], factor, result)


def _factor(ufunc, inputs, dtype):
    """Returns the number by which a function multiplies, or None if it does something else."""
    if ufunc is np.negative:
        return -1
    if ufunc is np.multiply:
        return next(its for its in inputs if np.ndim(its) == 0 and not isinstance(its, arrays.Array))
    if ufunc is np.true_divide and isinstance(inputs[0], arrays.Array) and dtype.kind in "fc":
        return 1 / inputs[1]
    return None


def _combine(operands, sign, result):
    """Stores a + sign * b in the result, a new array if it is None."""
    result = arrays.empty_like(operands[0]) if result is None else result
    its = ffi.new("cw_operand[3]")
    for k, array in enumerate((*operands, result)):
        its[k].array = array._handle
    factor = np.full(1, sign, result.dtype)
    check(lib.cw_array_combine(lib.CW_ELEMENT_SUM, ffi.NULL, its, ffi.from_buffer(factor), its + 1, its + 2))
    return result


def _scale(array, factor, result):
    """Stores the array times a factor in the result, a new array if it is None."""
    result = arrays.empty_like(array) if result is None else result
    if result is not array:
        array.copy_to(result)
    value = np.full(1, factor, result.dtype)
    check(lib.cw_array_apply(result._handle, ffi.NULL, ffi.NULL, lib.CW_SCALE, ffi.from_buffer(value)))
    return result
