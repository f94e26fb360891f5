"""Operations on all elements of arrays: numpy's operators and universal functions.

Each process applies numpy's function to its own elements of arrays that have the same distribution. Operands with
another distribution are first copied to a temporary array, and each process takes its elements of operands that are
numpy arrays.
"""
from __future__ import annotations

import numbers

import numpy as np

from . import _array as arrays
from . import _device_operations, _functions
from ._arithmetic import Arithmetic
from ._library import MisuseError
from ._parts import agree, begin, copy_all, same_distribution, take
from ._reductions import Reductions


class Operators(Reductions, Arithmetic, np.lib.mixins.NDArrayOperatorsMixin):
    """The operators of Array, and what numpy's functions do with arrays.

    All of them are collective over the team. Operands are arrays of the same shape, with any distribution, and scalars
    and numpy arrays that are the same on all processes and that numpy broadcasts to the shape.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        if not all([isinstance(its, _KNOWN) for its in inputs]):
            unknown = [its for its in inputs if not isinstance(its, _KNOWN)]
            if any(hasattr(its, "__array_ufunc__") for its in unknown):
                return NotImplemented
            raise TypeError(f"np.{ufunc.__name__}: an operand is {unknown[0]!r}; it can be a distributed array, a numpy array "
                            "or a number")
        if ufunc is np.matmul and method == "__call__":
            return _functions.matmul(*inputs, out=out[0] if out else None, **options)
        if method == "reduce":
            return _functions.reduce(ufunc, *inputs, out=out[0] if out else None, **options)
        if method != "__call__" or ufunc.signature is not None:
            raise TypeError(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method} is not available for "
                            f"distributed arrays: {_functions.ADVICE}")
        return apply(ufunc, inputs, out or (None,) * ufunc.nout, **options)

    def __array_function__(self, function, types, arguments, options):
        return _functions.call(function, arguments, options)

    def __bool__(self):
        raise MisuseError("the truth value of a distributed array is ambiguous: use a.any() or a.all()")

    @property
    def T(self) -> Transposed | arrays.Array:
        """The array with its dimensions in reverse order, as an operand: see `Transposed`. Local."""
        return Transposed(self)

    @property
    def real(self) -> arrays.Array:
        """The real parts, as a new array. Collective over the team."""
        return np.real(self)

    @property
    def imag(self) -> arrays.Array:
        """The imaginary parts, as a new array. Collective over the team."""
        return np.imag(self)

    def conj(self) -> arrays.Array:
        """Returns the complex conjugate, as a new array. Collective over the team."""
        return np.conjugate(self)

    conjugate = conj

    def transpose(self, *axes) -> arrays.Array:
        """Returns a new array with the dimensions in reverse order. Collective over the team.

        `a.T` is the same as an operand, without a copy.

        Parameters
        ----------
        axes : int or tuple of int, optional
            If given, the numbers of all dimensions in reverse order: the library has no other transposition.
        """
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        if axes and tuple(axis % self.ndim for axis in axes) != tuple(reversed(range(self.ndim))):
            raise MisuseError(f"transpose: axes is {axes}; the library only reverses the order of dimensions")
        return self.T.copy()

    def round(self, decimals: int = 0) -> arrays.Array:
        """Returns the elements rounded to a number of decimals, as a new array. Collective over the team."""
        return np.round(self, decimals)

    def clip(self, min=None, max=None, out=None) -> arrays.Array:
        """Returns the elements limited to a range, as numpy.clip does. Collective over the team."""
        return np.clip(self, min, max, out=out)


class Transposed(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with its dimensions in reverse order, as an operand: `a.T`.

    `a.T @ b` reads `a` where it is. Elementwise operations first copy it to a temporary array. `copy` makes an array of
    it.
    """

    def __init__(self, array, conjugated: bool = False):
        self._array = array
        self._conjugated = conjugated
        self.shape = tuple(reversed(array.shape))
        self.ndim = array.ndim
        self.dtype = array.dtype
        self.team = array.team

    __array_ufunc__ = Operators.__array_ufunc__
    __array_function__ = Operators.__array_function__
    __bool__ = Operators.__bool__

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a transposed array is only an operand: a.T.copy() makes a distributed array of it")

    def __repr__(self):
        return f"<transpose of {self._array!r}>"

    @property
    def T(self) -> Transposed | arrays.Array:
        """The array itself, or its conjugate as a new array if this is a conjugate transpose."""
        return np.conjugate(self._array) if self._conjugated else self._array

    def conj(self) -> "Transposed":
        """The conjugate transpose, as an operand. Local."""
        return Transposed(self._array, not self._conjugated) if self.dtype.kind == "c" else self

    conjugate = conj

    def __getitem__(self, key):
        raise TypeError("a transposed array is only an operand: a.T.copy() makes a distributed array, which has elements")

    def copy(self) -> arrays.Array:
        """Returns a new array with these elements. Collective over the team."""
        its = arrays.empty(self.shape, self.dtype, team=self.team, name=self._array.name)
        self._copy_to(its)
        return its

    def _copy_to(self, target):
        copy_all(self._array, target, True)
        if self._conjugated:
            np.conjugate(target.local, out=target.local)
            target.sync()


_DISTRIBUTED = (Operators, Transposed)
_SCALARS = (int, float, complex, np.generic)
_KNOWN = (*_DISTRIBUTED, int, float, complex, np.ndarray, np.generic, list, tuple, numbers.Number)


def is_distributed(x) -> bool:
    """Returns whether x is a distributed array or its transpose."""
    return isinstance(x, _DISTRIBUTED)


def apply(ufunc, inputs, out, where=True, **options) -> arrays.Array | tuple:
    """Applies a universal function of numpy. Collective over the team of the arrays.

    Parameters
    ----------
    ufunc : numpy.ufunc
    inputs : sequence of Array, Transposed, numpy.ndarray or scalar
    out : sequence of Array or None
        A new array takes the place of None.
    where : bool, array_like or Array, optional
    **options
        dtype and casting of the ufunc.

    Returns
    -------
    Array or tuple of Array
    """
    if len(out) == 1 and where is True and not options and _are_alike(out[0], inputs):
        return _apply_in_place(ufunc, inputs, out[0])
    call = f"np.{ufunc.__name__}"
    inputs = [np.asarray(its) if isinstance(its, (list, tuple)) else its for its in inputs]
    operands = [*out, *inputs]
    if where is not True:
        operands.append(np.asarray(where) if isinstance(where, list) else where)
    team = next(its.team for its in operands if is_distributed(its))
    types, failure = (), None
    try:
        _check_operands(call, operands, out)
        types = _result_types(ufunc, inputs, out, options)
    except Exception as error:
        failure = error
    begin(team, call, failure, inputs, out, where, options)
    temporaries = []
    model = next((its for its in operands if isinstance(its, Operators)), None)
    if model is None:
        model = next(its for its in operands if isinstance(its, Transposed)).copy()
        temporaries.append(model)
    if any([its._layout.on_devices for its in operands if isinstance(its, Operators)]):
        return _device_operations.apply(ufunc, inputs, out, model, where is True and not options)
    operands = [_aligned(its, model, temporaries) for its in operands]
    results = [_array_for(its, dtype, model) for its, dtype in zip(operands, types)]
    _compute(ufunc, operands[ufunc.nout:], results, where, options, (team, call))
    for given, result in zip(out, results):
        if given is not None and given is not result:
            copy_all(result, given)
    for its in temporaries:
        its.free()
    returned = tuple(result if given is None else given for given, result in zip(out, results))
    return returned[0] if len(returned) == 1 else returned


def _are_alike(result, inputs):
    """Returns whether inputs are scalars, or arrays with the distribution of the result, all on the host."""
    if not isinstance(result, Operators) or result._layout.on_devices:
        return False
    for its in inputs:
        if isinstance(its, Operators):
            if its is not result and (its.team is not result.team or its.shape != result.shape or its._layout.on_devices
                                      or not same_distribution(its, result)):
                return False
        elif not isinstance(its, _SCALARS):
            return False
    return True


def _apply_in_place(ufunc, inputs, result):
    """Applies a function to operands that need no preparation. Like the long way, it begins and ends with an agreement."""
    call = f"np.{ufunc.__name__}"
    begin(result.team, call, None, inputs, (result,), True, {})
    failure = None
    try:
        ufunc(*[its.local if isinstance(its, Operators) else its for its in inputs], out=(result.local,))
    except Exception as error:
        failure = error
    agree(result.team, call, failure)
    return result


def _array_for(operand, dtype, model):
    return arrays.empty_like(model, dtype) if operand is None else operand


def _check_operands(call, operands, out):
    """Raises an error if operands do not fit together, or `out` has anything but arrays."""
    for its in out:
        if its is not None and not isinstance(its, Operators):
            raise TypeError(f"{call}: out is of type {type(its).__name__}; a distributed result needs a distributed "
                            f"array")
    distributed = [its for its in operands if is_distributed(its)]
    shape, team = distributed[0].shape, distributed[0].team
    for its in distributed:
        if its.shape != shape:
            raise MisuseError(f"{call}: distributed operands have shapes {shape} and {its.shape}; they must be equal, "
                              f"because only scalars and numpy arrays are broadcast")
        if its.team is not team:
            raise MisuseError(f"{call}: the operands are arrays of different teams")
    for its in operands:
        if isinstance(its, np.ndarray) and not _is_broadcast(its.shape, shape):
            raise MisuseError(f"{call}: a numpy array of shape {its.shape} cannot be broadcast to the shape {shape} of "
                              f"the distributed array")


def _is_broadcast(shape, target):
    """Returns whether numpy broadcasts a shape to another one."""
    return len(shape) <= len(target) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(target)))


def _result_types(ufunc, inputs, out, options):
    """Returns the types of the results by numpy's rules, which depend on which operands are arrays."""
    samples = [np.empty(0, its.dtype) if is_distributed(its) or isinstance(its, np.ndarray) and its.ndim else its
               for its in inputs]
    results = ufunc(*samples, out=tuple(None if its is None else np.empty(0, its.dtype) for its in out), **options)
    types = [its.dtype for its in (results if isinstance(results, tuple) else (results,))]
    if any(its.hasobject for its in types):
        raise TypeError(f"np.{ufunc.__name__}: the result would have Python objects as elements")
    return types


def _aligned(operand, model, temporaries):
    """Returns an operand with the distribution of `model`. Arrays that are made are added to `temporaries`."""
    transposed = isinstance(operand, Transposed)
    if not transposed and (not isinstance(operand, Operators) or same_distribution(operand, model)):
        return operand
    its = arrays.empty_like(model, operand.dtype)
    temporaries.append(its)
    if transposed:
        operand._copy_to(its)
    else:
        copy_all(operand, its)
    return its


def _compute(ufunc, operands, results, where, options, told):
    """Computes this process's elements, and agrees with the other members about errors."""
    failure = None
    try:
        # A numpy array without dimensions stays one: the rules of types before numpy 2 depend on it.
        mine = [its.local if isinstance(its, Operators) else
                take(results[0], its) if isinstance(its, np.ndarray) and its.ndim else its for its in operands]
        if where is not True:
            options = {**options, "where": mine.pop()}
        ufunc(*mine, out=tuple(its.local for its in results), **options)
    except Exception as error:
        failure = error
    agree(*told, failure)
