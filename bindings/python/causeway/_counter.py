"""Shared counters, and loops whose iterations the processes share."""
import operator
from collections.abc import Iterator

import numpy as np

from ._buffers import rank_of
from ._library import MisuseError, check, ffi, lib
from ._region import Region
from ._team import world

_CELL = ffi.typeof("int64_t *")


class Counter:
    """A number that all processes can increment atomically. Collective over the team.

    Parameters
    ----------
    team : Team, optional
        The world by default.
    host : int, optional
        Rank of the member that has the number in its memory.
    """

    def __init__(self, team=None, host=0):
        team = team or world()
        host = rank_of(team, host, "host")
        region = Region(1 if team.rank == host else 0, np.int64, team)
        if team.rank == host:
            region.local[0] = 0
        team.barrier()
        self._refer(region, host, 0)

    def _refer(self, region, host, number):
        self._region = region
        self._pointer = region[host]._base + number
        self._process = region[host].process

    def next(self, n=1) -> int:
        """Adds n to the number, and returns the old one. Local."""
        before = ffi.new(_CELL)
        code = lib.cw_fetch_add_int64(self._pointer, n, self._process, before)
        if code:
            check(code)
        return before[0]

    @property
    def value(self) -> int:
        """The number at present. Local."""
        return self.next(0)

    def reset(self, value=0) -> None:
        """Sets the number. Collective over the team; all members pass the same value."""
        self._region.team.barrier()
        before = ffi.new(_CELL)
        if self._region.team.rank == 0:
            check(lib.cw_swap_int64(self._pointer, value, self._process, before))
        self._region.team.barrier()

    def free(self) -> None:
        """Frees the counter. Collective over the team. A second call does nothing."""
        self._pointer = ffi.cast(_CELL, 0)
        self._region.free()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:  # after an exception other members may not be here
            self.free()


class _Loops:
    """Counters for the loops of a team. Each loop takes the next one, so that late processes never disturb a new loop."""
    NUMBER = 512
    STEP = 8  # counters lie in different cache lines

    def __init__(self, team):
        self.region = Region(self.NUMBER * self.STEP if team.rank == 0 else 0, np.int64, team)
        self.used = 0
        if team.rank == 0:
            self.region.local[:] = 0
        team.barrier()


def dynamic_range(n, chunk=1, team=None) -> Iterator[int]:
    """Hands out the numbers from 0 to n - 1 to the members of a team: each number to the member that asks first.

    `for i in cw.dynamic_range(n):` on all members. Collective over the team, but the members do not wait for each other:
    all make the same loops in the same order. (The first of every 512 loops of a team allocates counters.) A member may
    leave its loop before the end. At the end of its loop, other members may still be in theirs.

    Parameters
    ----------
    n : int
        The same on all members.
    chunk : int, optional
        Number of iterations that a member takes at once.
    team : Team, optional
        The world by default.

    Returns
    -------
    iterator of int
    """
    team = team or world()
    n, chunk = operator.index(n), operator.index(chunk)
    if chunk < 1:
        raise MisuseError(f"chunk is {chunk}; it must be at least 1")
    loops = team._counters
    if loops is None or loops.used == _Loops.NUMBER:
        loops = team._counters = _Loops(team)
    counter = Counter.__new__(Counter)
    counter._refer(loops.region, 0, loops.used * _Loops.STEP)
    loops.used += 1
    return _iterate(counter, n, chunk)


def _iterate(counter, n, chunk):
    take = counter.next
    begin = take(chunk)
    while begin < n:
        yield from range(begin, min(begin + chunk, n))
        begin = take(chunk)
