"""Operators and universal functions of distributed arrays, compared with numpy."""
import operator

import numpy as np
import pytest
from conftest import combinations
from whole import DISTRIBUTIONS, DTYPES, distribute, numbers, same

import causeway as cw

SHAPES = [(1,), (13,), (5, 7), (4, 3, 5), (0, 3), ()]


@pytest.mark.parametrize("distribution, shape", combinations(DISTRIBUTIONS, SHAPES))
def test_every_distribution_and_shape(distribution, shape):
    x, y = numbers(shape, float, 1), numbers(shape, float, 2)
    a, b = distribute(x, distribution), distribute(y, distribution)
    for function in (operator.add, operator.sub, operator.mul, operator.lt, operator.eq):
        same(function(a, b), function(x, y))
        same(function(a, 3), function(x, 3))
        same(function(2.5, a), function(2.5, x))
    same(-a, -x)
    same(np.hypot(a, b), np.hypot(x, y))


@pytest.mark.parametrize("dtype, other", combinations(DTYPES, ["i4", "f4", "c16", "?"]))
def test_types_of_results(dtype, other):
    x, y = numbers((6, 5), dtype, 1), numbers((6, 5), other, 2)
    a, b = distribute(x), distribute(y)
    same(a * b, x * y)
    same(a + b, x + y)
    same(a != b, x != y)
    same(a + 1, x + 1)
    same(1.5 * a, 1.5 * x)
    same(a + np.float32(2), x + np.float32(2))


@pytest.mark.parametrize("first, second", combinations(DISTRIBUTIONS, DISTRIBUTIONS))
def test_different_distributions(first, second):
    x, y = numbers((6, 7), float, 1), numbers((6, 7), float, 2)
    a, b = distribute(x, first), distribute(y, second)
    same(a + b, x + y)
    assert (a + b).distribution == first
    np.subtract(b, a, out=a)
    same(a, y - x)
    same(b, y)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_numpy_operands_are_broadcast(distribution):
    x = numbers((6, 7), float, 1)
    a = distribute(x, distribution)
    for shape in ((6, 7), (7,), (6, 1), (1, 1), ()):
        y = numbers(shape, float, 2)
        same(a + y, x + y)
        same(y - a, y - x)
    same(a * [1, 2, 3, 4, 5, 6, 7], x * np.arange(1, 8))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_in_place(distribution):
    x, y = numbers((5, 6), float, 1), numbers((5, 6), float, 2)
    a, b = distribute(x, distribution), distribute(y)
    its = a
    a += b
    a *= 2
    a -= np.arange(6)
    assert a is its
    same(a, (x + y) * 2 - np.arange(6))
    np.add(a, b, out=b)
    same(b, (x + y) * 2 - np.arange(6) + y)


def test_in_place_casts_as_numpy_does():
    a = cw.ones(5, np.int32)
    with pytest.raises(TypeError):
        a += 0.5
    a += np.int64(2)
    same(a, np.full(5, 3, np.int32))


def test_two_results_and_where():
    x = numbers((9,), float, 1)
    a = distribute(x, cw.block_cyclic(2))
    quotient, rest = np.divmod(a, 3)
    same(quotient, x // 3)
    same(rest, x % 3)
    fraction, whole = np.modf(a / 4)
    same(fraction, np.modf(x / 4)[0])
    same(whole, np.modf(x / 4)[1])
    out, expected = cw.zeros(9), np.zeros(9)
    for mask in (x > 0, distribute(x > 0), distribute(x > 0, cw.round_robin(2))):
        np.add(a, 1, out=out, where=mask)
        np.add(x, 1, out=expected, where=x > 0)
        same(out, expected)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_transposed_operands(dtype):
    x, y = numbers((4, 6), dtype, 1), numbers((6, 4), dtype, 2)
    a, b = distribute(x), distribute(y, cw.block_cyclic(2))
    same(a.T + b, x.T + y)
    same(b * a.T.conj(), y * x.T.conj())
    same(a.T - a.T, x.T - x.T)
    same(a.transpose(), x.T)
    same(a.T.conj().copy(), x.T.conj())
    same(a.conj(), x.conj())
    same(a.T.T, x)
    same(a.T.conj().T, x.conj())


def test_functions_that_are_no_ufuncs():
    x, y = numbers((5, 6), float, 1), numbers((5, 6), float, 2)
    a, b = distribute(x, cw.tiled(2)), distribute(y)
    same(np.clip(a, -1, 2), np.clip(x, -1, 2))
    same(a.clip(min=0), x.clip(min=0))
    same(np.where(a > 0, b, a), np.where(x > 0, y, x))
    same(np.where(a > b, 1.0, a), np.where(x > y, 1.0, x))
    same((a / 3).round(1), (x / 3).round(1))
    same(np.isclose(a, b), np.isclose(x, y))
    same(np.zeros_like(a), np.zeros_like(x))
    same(np.full_like(a, 7), np.full_like(x, 7))
    np.copyto(a, b)
    same(a, y)
    assert np.array_equal(a, b) and np.allclose(a, b)
    assert not np.array_equal(a, a + 1)
    z = numbers((5,), complex, 3)
    c = distribute(z)
    same(c.real, z.real)
    same(c.imag, z.imag)
    same(np.abs(c), np.abs(z))
    same(np.angle(c), np.angle(z))


def test_transfers_before_are_seen():
    a = cw.zeros(2 * cw.processes())
    right = (cw.process() + 1) % cw.processes()
    a[2 * right:2 * right + 2] = cw.process() + 1.0
    b = a + 0
    np.testing.assert_array_equal(b[2 * right:2 * right + 2], cw.process() + 1.0)


@pytest.mark.parametrize("call", [
    lambda a: a + cw.ones(7), lambda a: a + np.ones((3, 3)), lambda a: np.add(a, a, out=cw.ones((5, 2))),
    lambda a: bool(a), lambda a: a + cw.ones((1, 6)), lambda a: a.transpose((0, 1))])
def test_wrong_shapes(call):
    with pytest.raises(cw.MisuseError):
        call(cw.ones((5, 6)))


@pytest.mark.parametrize("call", [
    lambda a: a + "text", lambda a: np.add(a, a, out=np.empty((5, 6))), lambda a: np.linalg.eig(a), lambda a: np.sort(a),
    lambda a: np.add.outer(a, a), lambda a: np.add.accumulate(a), lambda a: a & 1, lambda a: np.asarray(a),
    lambda a: np.bitwise_and(a, a), lambda a: np.sum(a, where=False), lambda a: np.where(a)])
def test_what_is_not_available(call):
    with pytest.raises(TypeError):
        call(cw.ones((5, 6)))


def test_a_numpy_array_cannot_receive():
    x = np.ones((5, 6))
    with pytest.raises(TypeError, match="distributed"):
        x += cw.ones((5, 6))


def test_an_error_on_one_process_reaches_all():
    size = 3 * cw.processes()
    x = np.ones(size)
    x[-1] = 0
    a = distribute(x)
    with np.errstate(divide="raise"):
        with pytest.raises((FloatingPointError, cw.CausewayError), match="divide by zero"):
            1 / a
    same(a + 1, x + 1)
    wrong = np.ones(size if cw.process() != 0 else size + 1)
    with pytest.raises((cw.MisuseError, cw.CausewayError), match="broadcast"):
        a + wrong
    same(a + 1, x + 1)


def test_freed_arrays():
    a, b = cw.ones(5), cw.ones(5)
    b.free()
    with pytest.raises(cw.MisuseError):
        a + b


def test_teams():
    mine = cw.ones(3)
    team = cw.world().split(cw.process() % 2)
    a = cw.ones(4, team=team)
    a += 1
    assert a.sum() == 8.0
    if cw.processes() == 1:
        with pytest.raises(cw.MisuseError, match="teams"):
            cw.ones(3, team=team) + mine


def test_parts_on_devices():
    x, y = numbers((5, 6), float, 1), numbers((5, 6), float, 2)
    device = cw.open_device("host")
    with cw.empty((5, 6), device=device) as a, cw.empty((5, 6), device=device) as b:
        distribute(x).copy_to(a)
        distribute(y).copy_to(b)
        with a + b as c:
            same(c, x + y)
            c -= a
            c *= 4
            same(c, 4 * y)
            with -c / 2 as d:
                same(d, -2 * y)
            np.add(a, distribute(y), out=c)
            same(c, x + y)
        assert np.vdot(a, b) == np.vdot(x, y)
        same(a @ distribute(y).T, x @ y.T)
        mask = np.ones((5, 6), bool)
        for call in (lambda: a * b, lambda: a + 1, lambda: a + y, lambda: np.sqrt(a), lambda: a == b, lambda: a.sum(),
                     lambda: np.add(a, b, out=a, where=mask), lambda: a.max(axis=0), lambda: np.clip(a, 0, 1)):
            with pytest.raises(cw.MisuseError, match="copy_to"):
                call()
        same(a, x)
    del c, d
    cw.collect()
    device.close()
