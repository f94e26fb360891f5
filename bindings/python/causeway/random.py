"""Arrays of random numbers, with names and arguments after numpy.random.

The same seed gives the same numbers, whatever the number of processes and the distribution. Every function is
collective over the team.

    x = cw.random.normal(size=(1000, 1000), seed=7)
    generator = cw.random.default_rng(7)         # each call gives other numbers
    y = generator.uniform(-1, 1, size=1000)
"""
from __future__ import annotations

import os

import numpy as np

from . import _array as arrays
from ._library import MisuseError, check, ffi, lib
from ._parts import compare

__all__ = ["Generator", "default_rng", "integers", "normal", "random", "uniform"]
_REALS = "fdFD"


def __dir__():
    return __all__


class Generator:
    """A sequence of random arrays that a seed determines. All members of a team make the same calls.

    Parameters
    ----------
    seed : int, optional
        From 0. By default, the first call draws one for all members from the operating system.
    """

    def __init__(self, seed: int | None = None):
        if seed is not None and (not isinstance(seed, (int, np.integer)) or isinstance(seed, bool)):
            raise TypeError(f"seed is of type {type(seed).__name__}; it must be an integer or None")
        if seed is not None and seed < 0:
            raise MisuseError(f"seed is {seed}; it must be 0 or more")
        self._sequence = None if seed is None else np.random.SeedSequence(int(seed))

    def _next(self, team):
        """Returns the seed of the next array. Collective over the team if there is no seed yet."""
        if self._sequence is None:
            seed = ffi.new("unsigned char[16]", os.urandom(16))
            check(lib.cw_broadcast(team._handle, 0, seed, 16))
            self._sequence = np.random.SeedSequence(int.from_bytes(bytes(seed), "little"))
        return int(self._sequence.spawn(1)[0].generate_state(1, np.uint64)[0])

    def _uniform(self, size, dtype, options):
        """Returns a new array of numbers in [0, 1)."""
        its = arrays.empty(() if size is None else size, dtype, **options)
        if its.dtype.char not in _REALS:
            raise TypeError(f"dtype is {its.dtype}; random reals are float32, float64, complex64 or complex128")
        its.randomize(self._next(its.team))
        return its

    def random(self, size: int | tuple | None = None, dtype=float, **options) -> arrays.Array:
        """Returns an array of numbers in [0, 1); of complex numbers, both parts are. Collective over the team.

        Parameters
        ----------
        size : int or tuple of int
            The shape.
        dtype : dtype_like, optional
            float32, float64, complex64 or complex128.
        **options
            distribution, team and others as for `cw.empty`.
        """
        return self._uniform(size, dtype, options)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: int | tuple | None = None, dtype=float,
                **options) -> arrays.Array:
        """Returns an array of reals in [low, high). Collective over the team. Parameters as for `random`."""
        its = self._uniform(size, dtype, options)
        compare(its.team, "uniform", low, high)
        local = its.local
        local *= its.dtype.type(high - low)
        local += its.dtype.type(low)
        its.sync()
        return its

    def normal(self, loc: complex = 0.0, scale: float = 1.0, size: int | tuple | None = None, dtype=float,
               **options) -> arrays.Array:
        """Returns an array of normally distributed numbers. Collective over the team.

        Both parts of complex numbers have the standard deviation `scale`.

        Parameters
        ----------
        loc, scale : number
            Mean and standard deviation.
        size, dtype, **options
            As for `random`.
        """
        its = self._uniform(size, dtype, options)
        compare(its.team, "normal", loc, scale)
        with self._uniform(size, dtype, options) as other:
            if its.local.size:
                its.local[...] = _box_muller(its.local, other.local) * scale + loc
            its.sync()
        return its

    def standard_normal(self, size: int | tuple | None = None, dtype=float, **options) -> arrays.Array:
        """Returns an array of normally distributed numbers, with mean 0 and deviation 1. Parameters as for `random`."""
        return self.normal(size=size, dtype=dtype, **options)

    def integers(self, low: int, high: int | None = None, size: int | tuple | None = None, dtype=np.int64,
                 endpoint: bool = False, **options) -> arrays.Array:
        """Returns an array of integers in [low, high), or in [0, low) if high is None. Collective over the team.

        Parameters
        ----------
        low, high : int
            Not more than 2**53 numbers are between them.
        endpoint : bool, optional
            Whether high can occur.
        size, **options
            As for `random`.
        dtype : dtype_like, optional
            A type of integers that can represent low and high.
        """
        low, high = (0, low) if high is None else (low, high)
        count = int(high) - int(low) + bool(endpoint)
        dtype = np.dtype(dtype)
        if dtype.kind not in "iu":
            raise TypeError(f"dtype is {dtype}; it must be a type of integers")
        if not 0 < count <= 2 ** 53:
            raise MisuseError(f"low is {low} and high is {high}; there must be 1 to 2**53 integers between them")
        if low < np.iinfo(dtype).min or low + count - 1 > np.iinfo(dtype).max:
            raise MisuseError(f"low is {low} and high is {high}; {dtype} has {np.iinfo(dtype).min} to "
                              f"{np.iinfo(dtype).max}")
        with self._uniform(size, float, options) as uniform:
            its = arrays.empty_like(uniform, dtype)
            compare(its.team, "integers", int(low), count)
            offsets = np.floor(uniform.local * count).astype(np.int64)
            its.local[...] = offsets.astype(dtype) + dtype.type(low)
            its.sync()
        return its


def _box_muller(first, second):
    """Returns normally distributed numbers made of uniform ones. They are computed as doubles, in contiguous memory."""
    if first.dtype.kind == "c":
        return _box_muller(first.real, second.real) + 1j * _box_muller(first.imag, second.imag)
    radius = np.sqrt(-2 * np.log1p(-first.astype(float)))
    return radius * np.cos(2 * np.pi * second.astype(float))


def default_rng(seed=None) -> Generator:
    """Returns a generator of random arrays. Local."""
    return Generator(seed)


def random(size: int | tuple | None = None, *, seed: int | None = None, **options) -> arrays.Array:
    """Returns an array of numbers in [0, 1), as `Generator.random`. Collective over the team."""
    return Generator(seed).random(size, **options)


def uniform(low: float = 0.0, high: float = 1.0, size: int | tuple | None = None, *, seed: int | None = None,
            **options) -> arrays.Array:
    """Returns an array of reals in [low, high), as `Generator.uniform`. Collective over the team."""
    return Generator(seed).uniform(low, high, size, **options)


def normal(loc: complex = 0.0, scale: float = 1.0, size: int | tuple | None = None, *, seed: int | None = None,
           **options) -> arrays.Array:
    """Returns an array of normally distributed numbers, as `Generator.normal`. Collective over the team."""
    return Generator(seed).normal(loc, scale, size, **options)


def integers(low: int, high: int | None = None, size: int | tuple | None = None, *, seed: int | None = None,
             **options) -> arrays.Array:
    """Returns an array of integers in [low, high), as `Generator.integers`. Collective over the team."""
    return Generator(seed).integers(low, high, size, **options)
