"""Random numbers: they depend on the seed and the index only."""
import numpy as np
import pytest
from whole import DISTRIBUTIONS

import causeway as cw


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("make", [
    lambda **options: cw.random.random(**options), lambda **options: cw.random.uniform(-2, 3, **options),
    lambda **options: cw.random.normal(1, 2, **options), lambda **options: cw.random.integers(-9, 9, **options),
    lambda **options: cw.random.normal(dtype="f4", **options), lambda **options: cw.random.normal(dtype="c16", **options)])
def test_the_distribution_does_not_matter(distribution, make):
    alone = cw.world().split(cw.process())
    one = make(size=(13, 7), seed=5, team=alone)
    np.testing.assert_array_equal(make(size=(13, 7), seed=5, distribution=distribution).to_numpy(), one.to_numpy())
    one.free()


def test_known_numbers():
    """Programs that are run again with another version get the same numbers."""
    np.testing.assert_allclose(cw.random.random(3, seed=1).to_numpy(), [0.02718731628409632, 0.1781365591778047, 0.020033529590270827],
                               rtol=1e-15)
    np.testing.assert_allclose(cw.random.normal(size=3, seed=1).to_numpy(),
                               [-0.012839060038318256, -0.3979292548955838, 0.03250663137093912], rtol=1e-12)
    np.testing.assert_array_equal(cw.random.integers(1000, size=3, seed=1).to_numpy(), [27, 178, 20])


def test_moments():
    x = cw.random.normal(3, 2, size=40000, seed=1)
    assert abs(x.mean() - 3) < 0.05 and abs(x.std() - 2) < 0.05
    assert abs(((x - 3) ** 3).mean()) < 0.5
    u = cw.random.uniform(-1, 1, size=40000, seed=2)
    assert abs(u.mean()) < 0.02 and abs(u.var() - 1 / 3) < 0.01 and u.min() >= -1 and u.max() < 1
    n = cw.random.integers(0, 6, size=40000, seed=3)
    counts = [(n == k).sum() for k in range(6)]
    assert sum(counts) == 40000 and all(abs(count - 40000 / 6) < 500 for count in counts)
    z = cw.random.normal(size=40000, seed=4, dtype=complex)
    assert abs(z.mean()) < 0.05 and abs((z.real * z.imag).mean()) < 0.05


def test_generators():
    first, second = cw.random.default_rng(1), cw.random.default_rng(1)
    a, b = first.random(9), first.random(9)
    assert not np.array_equal(a, b)
    assert np.array_equal(second.random(9), a) and np.array_equal(second.random(9), b)
    assert np.array_equal(cw.random.random(9, seed=1), a)
    c = cw.random.random(9)  # seeds differ, but members agree
    assert not np.array_equal(c, cw.random.random(9))


def test_randomize():
    a, b = cw.empty((4, 5)), cw.empty((4, 5), distribution=cw.tiled(2))
    a.randomize(7)
    b.randomize(7)
    assert np.array_equal(a, b) and a.min() >= 0 and a.max() < 1
    a.randomize(7, limit=3)
    assert np.allclose(a, 3 * b)


def test_integers():
    assert cw.random.integers(5, size=100, seed=1, endpoint=True).max() == 5
    a = cw.random.integers(250, 256, size=100, seed=1, dtype=np.uint8)
    assert a.dtype == np.uint8 and a.min() >= 250
    assert cw.random.integers(2 ** 62, 2 ** 62 + 5, size=9, seed=1).min() >= 2 ** 62
    assert cw.random.random(seed=1).shape == ()


@pytest.mark.parametrize("call, error", [
    (lambda: cw.random.random(3, seed=-1), cw.MisuseError), (lambda: cw.random.random(3, seed=1.5), TypeError),
    (lambda: cw.random.random(3, seed=1, dtype=int), TypeError), (lambda: cw.random.integers(3, 3, size=2), cw.MisuseError),
    (lambda: cw.random.integers(300, size=2, dtype=np.uint8), cw.MisuseError),
    (lambda: cw.random.integers(3, size=2, dtype=float), TypeError)])
def test_wrong_arguments(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("shuffle", [np.random.shuffle, np.random.default_rng(1).shuffle])
def test_shuffle_of_numpy_warns(shuffle):
    """numpy calls nothing of the array by which it could raise an error: it swaps elements of whatever has a length."""
    a = cw.from_numpy(np.arange(20))
    if cw.process() == 0:
        with pytest.warns(UserWarning, match="'Array' object which is not a subclass of 'Sequence'"):
            shuffle(a)
        assert sorted(a[...]) == list(range(20))
        a[...] = a[np.random.permutation(len(a))]
    a.sync()
    assert sorted(a[...]) == list(range(20))
