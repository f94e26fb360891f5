"""What tests of operations on whole arrays share: distributions, dtypes, and arrays with known elements."""
import numpy as np

import causeway as cw

DISTRIBUTIONS = [cw.blocks(), cw.blocks(ghosts=1), cw.block_cyclic(2), cw.block_cyclic(1), cw.tiled(2), cw.round_robin(3)]
NUMBERS = ["i4", "i8", "f4", "f8", "c8", "c16"]
DTYPES = [*NUMBERS, "?", "i1", "u2", "u8", "f2"]


def numbers(shape, dtype, seed=0):
    """Returns a numpy array of small numbers, the same on all processes."""
    generator = np.random.default_rng(seed)
    x = generator.integers(-5, 6, shape)
    if np.dtype(dtype).kind == "u":
        x = np.abs(x)
    return (x + 1j * generator.integers(-5, 6, shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def distribute(x, distribution=None):
    """Returns a distributed array with the elements of a numpy array."""
    return cw.from_numpy(x, distribution=distribution)


def same(its, x, rtol=0.0):
    """Asserts that a distributed array has the dtype, the shape and the elements of a numpy array."""
    x = np.asarray(x)
    assert isinstance(its, cw.Array)
    assert its.dtype == x.dtype
    assert its.shape == x.shape
    np.testing.assert_allclose(its.to_numpy(), x, rtol=rtol, atol=rtol)
