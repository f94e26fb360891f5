"""Distributions: their arguments, and which process has which elements."""
import dataclasses

import numpy as np
import pytest

import causeway as cw


def owners(a):
    """Returns the rank of the owner of each element."""
    return np.array([a.owner(index) for index in np.ndindex(a.shape)]).reshape(a.shape)


def test_blocks_by_boundaries_and_ranks():
    size = cw.processes()
    starts = [k * 2 for k in range(size)]
    a = cw.zeros((2 * size + 3, 4), distribution=cw.blocks(boundaries=[starts, [0]], ranks=range(size - 1, -1, -1)))
    rank = size - 1 - cw.process()
    stop = 2 * rank + 2 if rank < size - 1 else 2 * size + 3
    assert a.local_index == np.s_[2 * rank:stop, 0:4]
    assert (owners(a)[2 * rank:stop] == cw.process()).all()


def test_grids():
    size = cw.processes()
    a = cw.zeros((8, 8), distribution=cw.blocks(grid=(size, 1)))
    assert a.local.shape[1] == 8
    a = cw.zeros((8, 8), distribution=cw.blocks((1, 8)))
    assert a.local.shape[1] in (0, 8)


def test_cyclic_owners():
    size = cw.processes()
    a = cw.zeros((11, 3), distribution=cw.block_cyclic((2, 3), grid=(size, 1)))
    assert (owners(a) == (np.arange(11) // 2 % size)[:, None]).all()
    shifted = cw.zeros((11, 3), distribution=cw.tiled((2, 3), grid=(size, 1), alignment=(size - 1, 0)))
    assert (owners(shifted) == ((np.arange(11) // 2 + size - 1) % size)[:, None]).all()


def test_round_robin_owners():
    a = cw.zeros((4, 6), distribution=cw.round_robin((2, 2)))
    number = np.arange(4)[:, None] // 2 * 3 + np.arange(6) // 2
    assert (owners(a) == number % cw.processes()).all()
    a = cw.zeros((4, 6), distribution=cw.round_robin(2, members=1))
    assert (owners(a) == 0).all() and (a.local.size == 24) == (cw.process() == 0)


def test_distributions_are_values():
    its = cw.block_cyclic([2, np.int64(3)], grid=(1, 1))
    assert its == cw.block_cyclic((2, 3), grid=(1, 1)) and hash(its) == hash(cw.block_cyclic((2, 3), grid=(1, 1)))
    assert repr(its) == "block_cyclic(block=(2, 3), grid=(1, 1))" and its != cw.tiled((2, 3), grid=(1, 1))
    assert cw.zeros((4, 4), distribution=its).distribution is its
    with pytest.raises(dataclasses.FrozenInstanceError):
        its.block = 4


@pytest.mark.parametrize("make, words", [
    (lambda: cw.block_cyclic((2, 2, 2)), "block is .*2 dimensions"),
    (lambda: cw.blocks(grid=(cw.processes() + 1, 1)), "grid"),
    (lambda: cw.blocks(boundaries=[[0], [3]]), "begins at 0"),
    (lambda: cw.blocks(boundaries=[[0], [0]], grid=(1, 1)), "grid and boundaries"),
    (lambda: cw.blocks(ghosts=-1), "ghosts"),
    (lambda: cw.tiled(0), "block"),
    (lambda: cw.tiled(), "block"),
    (lambda: cw.round_robin(members=cw.processes() + 1), "members"),
    (lambda: cw.blocks(ranks=[cw.processes()]), "ranks"),
    (lambda: cw.block_cyclic(2, alignment=cw.processes()), "alignment")], ids=repr)
def test_distributions_that_do_not_fit(make, words):
    with pytest.raises(cw.MisuseError, match=words):
        cw.zeros((6, 6), distribution=make())


def test_wrong_types():
    for make in (lambda: cw.block_cyclic(2.5), lambda: cw.blocks("ab"), lambda: cw.round_robin(members="a")):
        with pytest.raises((TypeError, cw.MisuseError)):
            cw.zeros((6, 6), distribution=make())
