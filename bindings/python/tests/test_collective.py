"""Collective operations on numpy arrays, against numpy."""
import numpy as np
import pytest

import causeway as cw

WORLD = cw.world()
TYPES = ["i4", "i8", "f4", "f8", "c8", "c16"]
FUNCTIONS = {"sum": np.add, "product": np.multiply, "minimum": np.minimum, "maximum": np.maximum,
             "logical_and": np.logical_and, "logical_or": np.logical_or,
             "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


def values(dtype, shape=(3, 4)):
    """The values of all members: small integers, so that sums are exact."""
    return np.random.default_rng(1).integers(-3, 4, (WORLD.size, *shape)).astype(dtype)


def allowed(op, dtype):
    kind = np.dtype(dtype).kind
    return kind == "i" or op in ("sum", "product") or kind == "f" and op in ("minimum", "maximum")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", FUNCTIONS)
def test_reductions(dtype, op):
    every = values(dtype)
    mine = every[WORLD.rank]
    if not allowed(op, dtype):
        with pytest.raises(cw.MisuseError):
            WORLD.allreduce(mine, op)
        return
    wanted = every[0].astype(bool) if op.startswith("logical") else every[0]
    partial = [wanted]
    for other in every[1:]:
        partial.append(FUNCTIONS[op](partial[-1], other))
    for its in (mine, np.asfortranarray(mine), mine[::-1][::-1]):
        result = WORLD.allreduce(its, op)
        assert result.dtype == mine.dtype and (result == partial[-1]).all()
    result = WORLD.reduce(mine, op, WORLD.size - 1)
    assert result is None if WORLD.rank < WORLD.size - 1 else (result == partial[-1]).all()
    assert (WORLD.scan(mine, op) == partial[WORLD.rank]).all()
    result = WORLD.exclusive_scan(mine, op)
    assert result is None if WORLD.rank == 0 else (result == partial[WORLD.rank - 1]).all()
    assert (WORLD.iallreduce(mine, op).wait() == partial[-1]).all()


def test_numbers_and_bools():
    n = WORLD.size
    assert WORLD.allreduce(WORLD.rank) == n * (n - 1) // 2
    assert WORLD.allreduce(1.5) == 1.5 * n
    assert WORLD.allreduce(WORLD.rank == 0, "logical_or") is np.True_
    assert (WORLD.allreduce(np.array([True, WORLD.rank > 0])) == [n, n - 1]).all()
    x = np.ones((4, 4))[:, ::2]
    assert WORLD.allreduce(x, out=x) is x and (x == n).all()


@pytest.mark.parametrize("dtype", ["i1", "?", "f8", "c16", "S5", "M8[s]", [("a", "i4"), ("b", "f8")]])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3)])
def test_copies(dtype, shape):
    every = np.random.default_rng(2).integers(0, 2, (WORLD.size, *shape)).astype(dtype)
    mine = np.array(every[WORLD.rank], order="F")
    assert (WORLD.allgather_array(mine) == every).all()
    assert (WORLD.iallgather(mine).wait() == every).all()
    for root in range(WORLD.size):
        result = WORLD.gather_array(mine, root)
        assert result is None if root != WORLD.rank else (result == every).all()
        x = mine.copy()
        assert (WORLD.broadcast_array(x, root) == every[root]).all()
        assert (WORLD.scatter_array(every if root == WORLD.rank else None, root) == every[WORLD.rank]).all()
        x = mine.copy()
        x = np.array(mine, order="C")
        assert (WORLD.ibroadcast(x, root).wait() == every[root]).all()
    assert (WORLD.alltoall_array(every) == every[[WORLD.rank] * WORLD.size]).all()
    assert (WORLD.ialltoall(every).wait() == every[[WORLD.rank] * WORLD.size]).all()


def test_concatenate():
    parts = [np.arange(rank * 10, rank * 10 + 2 * rank).reshape(rank, 2) for rank in range(WORLD.size)]
    assert (WORLD.concatenate(parts[WORLD.rank]) == np.concatenate(parts)).all()


def test_strided_broadcast():
    x = np.zeros((4, 6))
    WORLD.broadcast_array(x[1::2, ::-2], 0) if WORLD.rank else WORLD.broadcast_array(np.arange(6.).reshape(2, 3), 0)
    assert WORLD.rank == 0 or (x[1::2, ::-2] == np.arange(6).reshape(2, 3)).all() and x.sum() == 15


def test_nonblocking():
    handles = [WORLD.ibarrier(), WORLD.iallreduce(np.ones(3))]
    while not all([its.test() for its in handles]):
        pass
    assert (handles[1].wait() == WORLD.size).all()
    for _ in range(3):
        WORLD.iallreduce(np.ones(1000))  # the handle is forgotten, and its buffer kept
    WORLD.barrier()


class Unsent:
    """An object that pickle cannot send."""

    def __reduce__(self):
        raise TypeError("not this")


ONES = np.ones((WORLD.size, 2))
ROOTED = [WORLD.broadcast, WORLD.gather, WORLD.scatter, WORLD.broadcast_array, WORLD.gather_array, WORLD.scatter_array, WORLD.reduce]
OBJECTS = np.array([None] * WORLD.size)


@pytest.mark.parametrize("call", [
    *(lambda bad, call=call: call(ONES.copy(), root=WORLD.size if bad else 0) for call in ROOTED),
    lambda bad: cw.from_numpy(ONES, root=-1 if bad else 0), lambda bad: cw.ones(3).to_numpy(WORLD.size if bad else 0),
    lambda bad: WORLD.gather(Unsent() if bad else 1), lambda bad: WORLD.allgather(Unsent() if bad else 1),
    lambda bad: WORLD.alltoall([Unsent() if bad else 1] * WORLD.size), lambda bad: WORLD.alltoall([1] * (WORLD.size + bad)),
    lambda bad: WORLD.broadcast_array([1] if bad else np.ones(1)),
    lambda bad: WORLD.gather_array(OBJECTS if bad else ONES), lambda bad: WORLD.allgather_array(OBJECTS if bad else ONES),
    lambda bad: WORLD.concatenate(OBJECTS if bad else ONES), lambda bad: WORLD.alltoall_array(OBJECTS if bad else ONES),
    lambda bad: WORLD.alltoall_array(np.ones(WORLD.size + bad)),
    lambda bad: WORLD.scatter_array(ONES, out=np.empty(2, "f4" if bad else "f8")),
    lambda bad: WORLD.allreduce(ONES, out=np.empty(1) if bad else None), lambda bad: WORLD.scan("a" if bad else 1),
    *(lambda bad, call=call: call("a" if bad else 1) for call in (WORLD.reduce, WORLD.allreduce)),
    *(lambda bad, call=call: call(1, "mean" if bad else "sum") for call in (WORLD.reduce, WORLD.allreduce, WORLD.exclusive_scan))])
@pytest.mark.parametrize("culprit", {0, WORLD.size - 1})
def test_error_of_one_member_reaches_all(call, culprit):
    mine = WORLD.rank == culprit
    kind = (TypeError, ValueError, IndexError) if mine else cw.CausewayError
    with pytest.raises(kind, match=None if mine else f"failed on rank {culprit} of the team: (Type|Value|Misuse|Index)Error: "):
        call(mine)
    assert WORLD.allgather(WORLD.rank) == list(range(WORLD.size))  # no member is left in the call


@pytest.mark.parametrize("call", [
    lambda bad: WORLD.broadcast(Unsent()), lambda bad: WORLD.scatter([1] * (WORLD.size + 1)),
    lambda bad: WORLD.scatter_array(ONES[1:] if bad else None), lambda bad: cw.from_numpy([[1], [1, 2]] if bad else None, root=0)])
def test_error_of_the_root_reaches_all(call):
    test_error_of_one_member_reaches_all(call, 0)


@pytest.mark.skipif(WORLD.size == 1, reason="nothing can differ")
@pytest.mark.parametrize("call", [
    lambda bad: WORLD.broadcast_array(np.zeros(2, np.int64 if bad else np.float64)),
    lambda bad: WORLD.gather_array(np.ones(2 + bad)), lambda bad: WORLD.allgather_array(np.ones(2, "f8" if bad else "f4")),
    lambda bad: WORLD.concatenate(np.ones((3, 4 + bad))), lambda bad: WORLD.alltoall_array(np.ones((WORLD.size, 1 + bad))),
    lambda bad: WORLD.allreduce(1 if bad else 1.0), lambda bad: WORLD.allreduce(1, "maximum" if bad else "sum"),
    lambda bad: WORLD.reduce(np.ones(3 - bad)), lambda bad: WORLD.reduce(1, root=int(bad)),
    lambda bad: WORLD.broadcast(1, root=int(bad)), lambda bad: WORLD.scan(1) if bad else WORLD.allgather(1)])
def test_arguments_that_differ(call):
    with pytest.raises(cw.MisuseError, match=f"rank 0 calls .*, rank {WORLD.size - 1} calls "):
        call(WORLD.rank == WORLD.size - 1)
    assert WORLD.allreduce(1) == WORLD.size


@pytest.mark.parametrize("length", [0, 200, 300, 100_000])
def test_objects_of_different_lengths(length):
    def its(rank):
        return "x" * (length * rank)
    every = [its(rank) for rank in range(WORLD.size)]
    assert WORLD.allgather(every[WORLD.rank]) == every
    for root in range(WORLD.size):
        assert WORLD.broadcast(every[WORLD.rank], root) == every[root]
        assert WORLD.gather(every[WORLD.rank], root) == (every if WORLD.rank == root else None)
        assert WORLD.scatter(every if WORLD.rank == root else None, root) == every[WORLD.rank]
    assert WORLD.alltoall([its(WORLD.rank + rank) for rank in range(WORLD.size)]) == [
        its(rank + WORLD.rank) for rank in range(WORLD.size)]


def test_misuse():
    with pytest.raises(TypeError):
        WORLD.allreduce(np.ones(3, "u1"))
    with pytest.raises(TypeError):
        WORLD.allgather_array(np.array([None]))
    with pytest.raises(cw.MisuseError, match="op is 'mean'"):
        WORLD.allreduce(1, "mean")
    with pytest.raises(IndexError, match="root"):
        WORLD.reduce(1, root=-1)
    with pytest.raises(cw.MisuseError, match="size of the team"):
        WORLD.alltoall_array(np.ones(WORLD.size + 1))
    with pytest.raises(TypeError):
        WORLD.broadcast_array([1, 2])
