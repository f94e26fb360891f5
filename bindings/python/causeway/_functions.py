"""What numpy's functions do with distributed arrays."""
from __future__ import annotations

import numpy as np

from . import _array as arrays
from . import _elementwise, _reductions

ADVICE = "use a.local, this process's part, or a.to_numpy(), which gathers all elements"

_IMPLEMENTED = {}


def call(function, arguments, options):
    """Returns what one of numpy's functions returns for distributed arrays.

    Raises
    ------
    TypeError
        There is no distributed form of the function, or of one of its arguments.
    """
    its = _IMPLEMENTED.get(function)
    name = f"{function.__module__}.{function.__name__}"
    if its is None:
        raise TypeError(f"{name} is not available for distributed arrays: {ADVICE}")
    return its(*arguments, **options)


def matmul(a, b, out=None, **options):
    """Returns np.matmul(a, b)."""
    if options:
        raise TypeError(f"np.matmul: {', '.join(options)} is not available for distributed arrays")
    from .linalg import matmul as product
    return product(a, b, out)


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, **options):
    """Returns ufunc.reduce(array)."""
    if out is not None or options:
        raise TypeError(f"np.{ufunc.__name__}.reduce: {', '.join(options) or 'out'} is not available for distributed "
                        f"arrays")
    if ufunc not in _REDUCED:
        raise TypeError(f"np.{ufunc.__name__}.reduce is not available for distributed arrays: {ADVICE}")
    return _reductions.reduce_ufunc(ufunc, array, axis, dtype, keepdims)


_REDUCED = (np.add, np.multiply, np.minimum, np.maximum, np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or,
            np.bitwise_xor, np.fmin, np.fmax)


class _Elementwise:
    """Applies a function of numpy that is no ufunc, but computes element by element."""

    nout = 1

    def __init__(self, function, name=None):
        self._function = function
        self.__name__ = name or function.__name__

    def __call__(self, *inputs, out=(None,), casting="same_kind", **options):
        result = np.asarray(self._function(*inputs, **options))
        if out[0] is None:
            return result
        np.copyto(out[0], result, casting=casting)
        return out[0]


def _elementwise_function(function):
    its = _Elementwise(function)

    def implementation(*inputs, out=None, **options):
        return _elementwise.apply(its, inputs, (out,), **options)

    _IMPLEMENTED[function] = implementation


for _function in (np.clip, np.real, np.imag, np.angle, np.round, np.around, np.nan_to_num, np.isclose, np.sinc, np.i0,
                  np.fix, np.isposinf, np.isneginf, np.iscomplex, np.isreal):
    _elementwise_function(_function)


def _method(function, name, *parameters):
    """Lets a function of numpy call a method of the array. Parameters are those of the function after the array."""

    def implementation(a, *arguments, **options):
        options.update(zip(parameters, arguments))
        unknown = [its for its in options if its not in _KNOWN_PARAMETERS[name] and options[its] is not np._NoValue]
        if options.pop("out", None) is not None or unknown and unknown != ["out"]:
            raise TypeError(f"np.{function.__name__}: {', '.join(unknown)} is not available for distributed arrays")
        return getattr(a, name)(**{key: value for key, value in options.items()
                                   if key in _KNOWN_PARAMETERS[name] and value is not np._NoValue})

    _IMPLEMENTED[function] = implementation


_KNOWN_PARAMETERS = {
    **dict.fromkeys(("sum", "prod", "mean"), ("axis", "dtype", "keepdims")),
    **dict.fromkeys(("min", "max", "any", "all", "argmin", "argmax"), ("axis", "keepdims")),
    **dict.fromkeys(("var", "std"), ("axis", "dtype", "ddof", "keepdims")),
    "trace": (), "diagonal": (), "copy": (), "cumsum": ("axis", "dtype")}

for _function, _name in ((np.sum, "sum"), (np.prod, "prod"), (np.mean, "mean")):
    _method(_function, _name, "axis", "dtype", "out", "keepdims")
for _function, _name in ((np.min, "min"), (np.max, "max"), (np.amin, "min"), (np.amax, "max"), (np.any, "any"),
                         (np.all, "all"), (np.argmin, "argmin"), (np.argmax, "argmax")):
    _method(_function, _name, "axis", "out", "keepdims")
for _function, _name in ((np.var, "var"), (np.std, "std")):
    _method(_function, _name, "axis", "dtype", "out", "ddof", "keepdims")
_method(np.trace, "trace", "offset")
_method(np.diagonal, "diagonal", "offset")
_method(np.copy, "copy", "order")
_method(np.cumsum, "cumsum", "axis", "dtype", "out")


def implements(function):
    """Returns a decorator that makes a function the distributed form of one of numpy's."""

    def register(implementation):
        _IMPLEMENTED[function] = implementation
        return implementation

    return register


@implements(np.where)
def _where(condition, x, y):
    return _elementwise.apply(_Elementwise(np.where), (condition, x, y), (None,))


@implements(np.transpose)
def _transpose(a, axes=None):
    return a.transpose() if axes is None else a.transpose(axes)


@implements(np.shape)
def _shape(a):
    return a.shape


@implements(np.ndim)
def _ndim(a):
    return a.ndim


@implements(np.size)
def _size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


@implements(np.copyto)
def _copyto(dst, src, casting="same_kind", where=True):
    if not _elementwise.is_distributed(dst):
        raise TypeError(f"np.copyto: the target is no distributed array, but the source is: {ADVICE}")
    _elementwise.apply(_Elementwise(np.asarray, "copyto"), (src,), (dst,), where, casting=casting)


def _like(function):
    """Lets one of numpy's functions make an array like another one."""

    def make(prototype, *arguments, **options):
        for name, plain in (("order", "K"), ("subok", True)):
            if options.pop(name, plain) != plain:
                raise TypeError(f"np.{function.__name__}: {name} is not available for distributed arrays")
        return getattr(arrays, function.__name__)(prototype, *arguments, **options)

    _IMPLEMENTED[function] = make


for _function in (np.empty_like, np.zeros_like, np.ones_like, np.full_like):
    _like(_function)


@implements(np.dot)
def _dot(a, b, out=None):
    return matmul(a, b, out)


@implements(np.vdot)
def _vdot(a, b):
    from .linalg import vdot
    return vdot(a, b)


@implements(np.array_equal)
def _array_equal(a, b):
    return np.shape(a) == np.shape(b) and bool((a == b).all())


@implements(np.allclose)
def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan).all())


def _linear(name):
    """Lets a function of numpy.linalg call that of causeway.linalg."""

    def implementation(*arguments, **options):
        from . import linalg
        return getattr(linalg, name)(*arguments, **options)

    _IMPLEMENTED[getattr(np.linalg, name)] = implementation


for _name in ("solve", "inv", "det", "slogdet", "cholesky", "qr", "norm"):
    _linear(_name)


@implements(np.linalg.svd)
def _svd(a, full_matrices=True, compute_uv=True):
    from .linalg import svd
    return svd(a, full_matrices and a.shape[0] != a.shape[1], compute_uv)


@implements(np.linalg.lstsq)
def _lstsq(a, b, rcond=None):
    raise TypeError("np.linalg.lstsq returns rank and singular values, too, which the library does not compute: use "
                    "cw.linalg.lstsq(a, b)")


@implements(np.linalg.eigh)
def _eigh(a, UPLO="L"):
    from .linalg import eigh
    return eigh(_lower("eigh", a, UPLO))


@implements(np.linalg.eigvalsh)
def _eigvalsh(a, UPLO="L"):
    from .linalg import eigvalsh
    return eigvalsh(_lower("eigvalsh", a, UPLO))


def _lower(name, a, triangle):
    if triangle.upper() != "L":
        raise TypeError(f"np.linalg.{name}: UPLO is {triangle!r}; only the lower triangle of a distributed "
                        f"array is read")
    return a
