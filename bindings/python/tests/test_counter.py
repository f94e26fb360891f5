"""Shared counters, and loops over them."""
import threading

import pytest

import causeway as cw

WORLD = cw.world()


def everything(mine):
    return sorted(sum(WORLD.allgather(list(mine)), []))


def test_counter():
    with cw.Counter(host=WORLD.size - 1) as counter:
        assert everything(counter.next() for _ in range(50)) == list(range(50 * WORLD.size))
        WORLD.barrier()
        assert counter.value == 50 * WORLD.size
        counter.reset(7)
        assert everything([counter.next(3)]) == [7 + 3 * rank for rank in range(WORLD.size)]
    with pytest.raises(cw.MisuseError):
        counter.next()
    with pytest.raises(IndexError, match="host"):
        cw.Counter(host=WORLD.size)


@pytest.mark.parametrize("n, chunk", [(0, 1), (1, 1), (100, 1), (100, 7), (5, 1000)])
def test_loops(n, chunk):
    loops = [list(cw.dynamic_range(n, chunk=chunk)) for _ in range(5)]
    assert all(everything(its) == list(range(n)) for its in loops)
    assert everything(list(cw.dynamic_range(2, n, chunk=chunk))) == list(range(2, n))
    assert everything(list(cw.dynamic_range(9, 2, -3, chunk=chunk))) == [3, 6, 9]


def test_many_loops_without_waiting():
    """More loops than counters of one allocation; some are left early, and one stays open meanwhile."""
    old = cw.dynamic_range(10)
    next(old, None)
    taken = []
    for loop in range(1200):
        for i in cw.dynamic_range(3):
            taken.append((loop, i))
            if loop % 10 == 0:
                break
    taken = everything(taken)
    assert len(set(taken)) == len(taken)
    assert all((loop, i) in set(taken) for loop in range(1, 1200, 119) for i in range(3) if loop % 10)
    assert all(i < 10 for i in old)


def test_threads():
    counter, taken = cw.Counter(), []

    def take():
        for _ in range(100):
            taken.append(counter.next())
    threads = [threading.Thread(target=take) for _ in range(3)]
    [its.start() for its in threads]
    [its.join() for its in threads]
    assert everything(taken) == list(range(300 * WORLD.size))


def test_team_and_misuse():
    with WORLD.split(WORLD.rank % 2) as team:
        assert sorted(sum(team.allgather(list(cw.dynamic_range(9, team=team))), [])) == list(range(9))
    with pytest.raises(cw.MisuseError, match="chunk"):
        cw.dynamic_range(3, chunk=0)
    with pytest.raises(TypeError):
        cw.dynamic_range(1.5)
