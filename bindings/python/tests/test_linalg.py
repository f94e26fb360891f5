"""Matrix products and linear algebra on distributed arrays, compared with numpy."""
import numpy as np
import pytest
from whole import DISTRIBUTIONS, distribute

import causeway as cw

TYPES = ["f4", "f8", "c8", "c16"]


def values(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(shape)
    return (x + 1j * generator.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def positive(n, dtype, seed=0):
    x = values((n, n), dtype, seed)
    return x @ x.conj().T + n * np.eye(n, dtype=dtype)


def close(result, expected):
    if isinstance(result, cw.Array):
        result = result.to_numpy()
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    assert np.shape(result) == np.shape(expected)
    tolerance = 2e-3 if np.asarray(expected).dtype.char in "fF" else 1e-9
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("first", DISTRIBUTIONS)
@pytest.mark.parametrize("second", DISTRIBUTIONS)
def test_products_of_every_distribution(first, second):
    x, y = values((5, 7), float, 1), values((7, 4), float, 2)
    close(distribute(x, first) @ distribute(y, second), x @ y)


@pytest.mark.parametrize("dtype", TYPES)
def test_products(dtype):
    x, y, v, w = values((6, 5), dtype, 1), values((5, 7), dtype, 2), values((5,), dtype, 3), values((6,), dtype, 4)
    a, b, p, q = (distribute(its) for its in (x, y, v, w))
    close(a @ b, x @ y)
    close(a @ p, x @ v)
    close(q @ a, w @ x)
    close(p @ p, v @ v)
    close(np.vdot(p, p), np.vdot(v, v))
    close(np.vdot(a, distribute(x, cw.tiled(2))), np.vdot(x, x))
    close(a.T @ a, x.T @ x)
    close(a.T.conj() @ a, x.T.conj() @ x)
    close(b.T @ a.T, y.T @ x.T)
    close(a.T @ q, x.T @ w)
    close(a @ y, x @ y)
    close(x @ b, x @ y)
    close(a.dot(p), x.dot(v))
    close(np.dot(a, b), np.dot(x, y))
    out = cw.empty((6, 7), dtype)
    assert np.matmul(a, b, out=out) is out
    close(out, x @ y)


def test_products_of_two_types():
    x, y = values((4, 5), "f4", 1), values((5, 4), "c16", 2)
    close(distribute(x) @ distribute(y), x @ y)
    close(distribute(x).T @ distribute(y).T, x.T @ y.T)


def test_products_without_elements():
    close(cw.zeros((3, 0)) @ cw.zeros((0, 4)), np.zeros((3, 4)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("distribution", [cw.blocks(), cw.block_cyclic(2)])
def test_solvers(dtype, distribution):
    n = 7
    x, s, y, v = values((n, n), dtype, 1), positive(n, dtype, 2), values((n, 3), dtype, 3), values((n,), dtype, 4)
    a, p, b, c = (distribute(its, distribution) for its in (x, s, y, v))
    close(cw.linalg.solve(a, b), np.linalg.solve(x, y))
    close(np.linalg.solve(a, c), np.linalg.solve(x, v))
    close(cw.linalg.solve(p, b, assume_a="pos"), np.linalg.solve(s, y))
    close(cw.linalg.solve(a, y), np.linalg.solve(x, y))
    close(cw.linalg.inv(a), np.linalg.inv(x))
    close(cw.linalg.cholesky(p), np.linalg.cholesky(s))
    close(cw.linalg.det(a), np.linalg.det(x))
    close(cw.linalg.slogdet(a)[1], np.linalg.slogdet(x)[1])
    close(cw.linalg.solve_triangular(p, b, lower=True), np.linalg.solve(np.tril(s), y))
    close(cw.linalg.solve_triangular(p, b), np.linalg.solve(np.triu(s), y))
    close(a, x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5)])
def test_factors(dtype, shape):
    x = values(shape, dtype, 1)
    a = distribute(x)
    q, r = cw.linalg.qr(a)
    k = min(shape)
    close(q @ r, x)
    close(q.T.conj() @ q, np.eye(k, dtype=dtype))
    close(np.abs(cw.linalg.qr(a, "r")), np.abs(np.linalg.qr(x, "r")))
    u, s, vh = cw.linalg.svd(a)
    close(s, np.linalg.svd(x, compute_uv=False))
    close(np.multiply(u, s) @ vh, x)
    close(cw.linalg.svdvals(a), s)
    if shape[0] == shape[1]:
        close(np.linalg.svd(a)[1], s)


@pytest.mark.parametrize("dtype", TYPES)
def test_eigenvalues(dtype):
    x, s = positive(6, dtype, 1), positive(6, dtype, 2)
    a = distribute(x)
    w, v = cw.linalg.eigh(a)
    close(w, np.linalg.eigvalsh(x))
    close(a @ v, v.to_numpy() * w)
    close(np.linalg.eigvalsh(a), w)
    w, v = cw.linalg.eigh(a, distribute(s))
    close(x @ v.to_numpy(), s @ v.to_numpy() * w)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(7, 4), (4, 7)])
def test_least_squares(dtype, shape):
    x, y = values(shape, dtype, 1), values((shape[0], 2), dtype, 2)
    close(cw.linalg.lstsq(distribute(x), distribute(y)), np.linalg.lstsq(x, y, rcond=None)[0])
    close(cw.linalg.lstsq(distribute(x), y[:, 0]), np.linalg.lstsq(x, y[:, 0], rcond=None)[0])


@pytest.mark.parametrize("dtype", ["i4", *TYPES])
def test_norms(dtype):
    x, v = values((5, 6), dtype, 1), values((9,), dtype, 2)
    x, v = (x * 10, v * 10) if dtype == "i4" else (x, v)
    a, p = distribute(x, cw.block_cyclic(2)), distribute(v)
    for order in (None, "fro", 1, -1, 2, -2, np.inf, -np.inf, "nuc"):
        result, expected = cw.linalg.norm(a, order), np.linalg.norm(x, order)
        np.testing.assert_allclose(result, expected, rtol=1e-4)
    for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
        np.testing.assert_allclose(cw.linalg.norm(p, order), np.linalg.norm(v, order), rtol=1e-4)
        np.testing.assert_allclose(cw.linalg.norm(a, order, axis=0).to_numpy(), np.linalg.norm(x, order, axis=0), rtol=1e-4)
    np.testing.assert_allclose(a.norm(), np.linalg.norm(x), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(p), np.linalg.norm(v), rtol=1e-5)


@pytest.mark.parametrize("call", [
    lambda: cw.linalg.solve(cw.zeros((3, 3)), cw.ones(3)), lambda: cw.linalg.inv(cw.zeros((3, 3))),
    lambda: cw.linalg.inv(cw.ones((3, 4))), lambda: cw.linalg.cholesky(cw.zeros((3, 3))), lambda: cw.linalg.det(cw.ones(3)),
    lambda: cw.linalg.lstsq(cw.ones((4, 2)), cw.ones(4)), lambda: cw.linalg.solve(cw.ones((2, 3)), cw.ones(2))])
def test_matrices_without_a_solution(call):
    with pytest.raises(np.linalg.LinAlgError):
        call()


def test_a_singular_matrix_has_the_determinant_zero():
    assert cw.linalg.det(cw.ones((3, 3))) == 0
    assert cw.linalg.slogdet(cw.zeros((3, 3))) == (0, -np.inf)


@pytest.mark.parametrize("call, error", [
    (lambda a: a @ cw.ones((4, 4)), cw.MisuseError), (lambda a: a @ 3, cw.MisuseError), (lambda a: a @ "x", TypeError),
    (lambda a: cw.ones((3, 3), int) @ cw.ones((3, 3), int), TypeError), (lambda a: np.matmul(a, a.T, out=a), cw.MisuseError),
    (lambda a: cw.linalg.svd(a, full_matrices=True), cw.MisuseError), (lambda a: cw.linalg.norm(a, 7), cw.MisuseError),
    (lambda a: cw.linalg.solve(cw.ones((4, 4)), cw.ones(3)), cw.MisuseError), (lambda a: cw.matmul(np.ones(3), np.ones(3)), TypeError)])
def test_wrong_arguments(call, error):
    with pytest.raises(error):
        call(cw.ones((4, 5)))
