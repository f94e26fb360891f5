"""Reductions of distributed arrays, compared with numpy."""
import warnings

import numpy as np
import pytest
from conftest import combinations
from whole import DISTRIBUTIONS, DTYPES, distribute, numbers

import causeway as cw

METHODS = ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax"]


def compare(result, expected):
    if isinstance(expected, np.ndarray) and expected.ndim > 0:
        result = result if isinstance(result, np.ndarray) else result.to_numpy()
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    assert np.shape(result) == np.shape(expected)
    tolerance = {"e": 1e-2, "f": 1e-5, "F": 1e-5}.get(np.asarray(expected).dtype.char, 1e-12)
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("distribution, method", combinations(DISTRIBUTIONS, METHODS))
def test_every_distribution_and_axis(distribution, method):
    for shape in ((11,), (5, 7), (3, 4, 5)):
        x = numbers(shape, float, len(shape))
        a = distribute(x, distribution)
        for axis in (None, *range(len(shape)), -1):
            compare(getattr(a, method)(axis=axis), getattr(x, method)(axis=axis))
            compare(getattr(a, method)(axis=axis, keepdims=True), getattr(x, method)(axis=axis, keepdims=True))
        if not method.startswith("arg"):
            axes = tuple(range(len(shape) - 1))
            compare(getattr(a, method)(axis=axes), getattr(x, method)(axis=axes))


@pytest.mark.parametrize("dtype, method", combinations(DTYPES, METHODS))
def test_every_dtype(dtype, method):
    x = numbers((6, 5), dtype, 1)
    a = distribute(x, cw.block_cyclic(2))
    compare(getattr(a, method)(), getattr(x, method)())
    compare(getattr(a, method)(axis=0), getattr(x, method)(axis=0))


def test_fewer_elements_than_processes():
    x = np.array([[3.0]])
    a = distribute(x)
    for method in METHODS:
        compare(getattr(a, method)(), getattr(x, method)())
        compare(getattr(a, method)(axis=0), getattr(x, method)(axis=0))
    zero = cw.from_numpy(np.float64(5))
    assert zero.sum() == 5 and zero.max() == 5 and zero.argmax() == 0


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_no_elements(shape):
    x = np.empty(shape)
    a = cw.empty(shape)
    for method in ("sum", "prod", "any", "all"):
        compare(getattr(a, method)(), getattr(x, method)())
        compare(getattr(a, method)(axis=0), getattr(x, method)(axis=0))
    for method in ("min", "max", "argmin"):
        with pytest.raises(ValueError):
            getattr(a, method)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(a.mean()) and np.isnan(a.var())


def test_nan_and_equal_elements():
    x = numbers((8, 9), float, 3)
    for values in (x, np.zeros((8, 9)), np.where(x > 3, np.nan, x)):
        for distribution in DISTRIBUTIONS:
            a = distribute(values, distribution)
            compare(a.argmin(), values.argmin())
            compare(a.argmax(axis=1), values.argmax(axis=1))
            compare(a.min(), values.min())
            compare(a.max(axis=0), values.max(axis=0))


def test_parameters():
    x = numbers((6, 7), "f4", 1)
    a = distribute(x)
    compare(a.sum(dtype=float), x.sum(dtype=float))
    compare(a.var(ddof=1), x.var(ddof=1))
    compare(a.std(axis=1, ddof=2), x.std(axis=1, ddof=2))
    compare(a.mean(axis=0, dtype=float), x.mean(axis=0, dtype=float))
    compare(np.sum(a), np.sum(x))
    compare(np.max(a, axis=1), np.max(x, axis=1))
    compare(np.add.reduce(a), np.add.reduce(x))
    compare(np.std(a, ddof=1), np.std(x, ddof=1))
    compare(np.argmax(a, 0), np.argmax(x, 0))
    compare(np.logical_or.reduce(a, axis=None), np.logical_or.reduce(x, axis=None))


def test_a_result_is_repeated():
    a = cw.random.normal(size=1001, seed=3)
    first = a.sum()
    assert all(a.sum() == first for _ in range(5))
    every = cw.from_numpy(np.array([first]), root=0)
    assert every[0] == first


def test_scans_and_packing():
    for dtype in ("i4", "f8", "?"):
        x = numbers((17,), dtype, 1)
        a = distribute(x, cw.block_cyclic(3))
        compare(a.cumsum(), x.cumsum())
        compare(np.cumsum(a), np.cumsum(x))
    x = numbers((17,), float, 1)
    a, mask = distribute(x), distribute(x > 0)
    packed = cw.pack(a, mask)
    compare(packed, x[x > 0])
    packed *= 10
    assert cw.unpack(packed, a, mask) == np.count_nonzero(x > 0)
    compare(a, np.where(x > 0, 10 * x, x))
    assert cw.pack(a, cw.zeros(17, bool)).size == 0
    with pytest.raises(cw.MisuseError):
        cw.pack(a, cw.ones(16, bool))


def test_diagonals():
    x = numbers((5, 5), float, 1)
    a = distribute(x, cw.block_cyclic(2))
    compare(a.diagonal(), x.diagonal())
    compare(a.trace(), x.trace())
    a.symmetrize()
    x = (x + x.T) / 2
    compare(a, x)
    a.set_diagonal(2)
    a.add_diagonal(distribute(np.arange(5.0)))
    np.fill_diagonal(x, 2 + np.arange(5.0))
    compare(a, x)
    a.scale_rows(distribute(np.arange(5.0)))
    a.scale_rows(distribute(np.arange(1, 6.0)), axis=-1)
    compare(a, x * np.arange(5.0)[:, None] * np.arange(1, 6.0))


@pytest.mark.parametrize("call, error", [
    (lambda a: a.sum(axis=2), ValueError), (lambda a: a.sum(axis=(0, 0)), ValueError), (lambda a: a.argmin(axis=(0, 1)), TypeError),
    (lambda a: a.cumsum(), cw.MisuseError), (lambda a: cw.ones(3).diagonal(), cw.MisuseError),
    (lambda a: np.sum(a, out=np.empty(())), TypeError), (lambda a: np.median(a), TypeError),
    (lambda a: a.scale_rows(cw.ones(4), axis=5), IndexError)])
def test_wrong_arguments(call, error):
    with pytest.raises(error):
        call(cw.ones((4, 5)))


def test_an_error_on_one_process_reaches_all():
    x = np.full(4 * cw.processes(), 1e-300)
    x[-4:] = 1e300
    with np.errstate(over="raise"):
        with pytest.raises((FloatingPointError, cw.CausewayError), match="overflow"):
            distribute(x).prod()
    assert cw.ones(5).sum() == 5
