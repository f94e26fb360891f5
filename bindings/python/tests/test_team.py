"""Teams, and exchanges of Python objects."""
import gc

import pytest

import causeway as cw

WORLD = cw.world()


def test_members():
    assert list(WORLD) == list(range(cw.processes()))
    assert len(WORLD) == WORLD.size and WORLD[-1] == WORLD.size - 1
    assert WORLD.size not in WORLD and cw.process() in WORLD
    for rank in (WORLD.size, -1):
        with pytest.raises(IndexError, match="ranks 0 to"):
            WORLD.process(rank)


def test_team_of_members_only():
    ranks = list(range(WORLD.size - 1, -1, -2))
    with pytest.raises(IndexError):
        cw.team([WORLD.size])
    with pytest.raises(TypeError):
        cw.team([0.5])
    if cw.process() not in ranks:
        assert cw.team(ranks) is None
        return
    with cw.team(ranks) as team:
        assert list(team) == ranks
        assert team.translate(range(team.size)) == ranks
        assert WORLD.translate([WORLD.size - 1], team) == [0]
        assert WORLD.translate([0], team) == [ranks.index(0) if 0 in ranks else None]
        assert team.allgather(cw.process()) == ranks
    with pytest.raises(cw.MisuseError):
        team.barrier()


def test_split():
    team = WORLD.split(WORLD.rank % 2, -WORLD.rank)
    assert list(team) == list(range(WORLD.size))[WORLD.rank % 2::2][::-1]
    assert WORLD.split(None) is None
    with WORLD.dup() as copy, WORLD.split_node() as node:
        assert list(copy) == list(WORLD)
        assert cw.process() in node and all(cw.node(its) == cw.node(cw.process()) for its in node)
    team.free()
    team.free()
    with pytest.raises(cw.MisuseError, match="world"):
        WORLD.free()


def test_unused_teams_are_freed():
    for _ in range(1200):  # MPICH has communicators for about 1000 teams
        WORLD.dup()
    for _ in range(20):
        team = WORLD.dup()
        region = cw.Region(8, team=team)
        del team, region
    gc.collect()
    WORLD.barrier()


@pytest.mark.parametrize("length", [0, 5, 200, 5000])
def test_objects(length):
    def value(rank, other=0):
        return {"rank": rank, "text": "x" * (length * (rank + other)), "other": other}
    everyone = range(WORLD.size)
    assert WORLD.allgather(value(WORLD.rank)) == [value(rank) for rank in everyone]
    assert WORLD.alltoall([value(WORLD.rank, to) for to in everyone]) == [value(rank, WORLD.rank) for rank in everyone]
    for root in everyone:
        mine = WORLD.rank == root
        assert WORLD.broadcast(value(root, 1) if mine else None, root) == value(root, 1)
        assert WORLD.gather(value(WORLD.rank), root) == ([value(rank) for rank in everyone] if mine else None)
        assert WORLD.scatter([value(rank) for rank in everyone] if mine else None, root) == value(WORLD.rank)


def test_wrong_objects():
    with pytest.raises(IndexError):
        WORLD.broadcast(1, WORLD.size)
    with pytest.raises(cw.MisuseError, match="members"):
        WORLD.alltoall([1] * (WORLD.size + 1))


def test_comm_needs_mpi4py():
    with pytest.raises(cw.MisuseError, match="mpi4py"):
        WORLD.comm
