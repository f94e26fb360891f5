"""Views and memory handles."""
import gc
import pickle

import numpy as np
import pytest

import causeway as cw

WORLD = cw.world()
NEXT = (WORLD.rank + 1) % WORLD.size


def make(dtype="f8", shape=(4, 5)):
    region = cw.Region(shape, dtype)
    region.local[...] = WORLD.rank * 100 + np.arange(np.prod(shape)).reshape(shape)
    WORLD.barrier()
    return region


@pytest.mark.parametrize("scope", ["process", "thread"])
@pytest.mark.parametrize("ordered", [False, True])
def test_transfers(scope, ordered):
    region = make()
    with cw.View(region, scope=scope, ordered=ordered) as view:
        x = view.get(NEXT, offset=np.s_[::-2, 1:3])
        y = view.get(NEXT, (2, 2), 3)
        view.flush(local=True)
        model = NEXT * 100 + np.arange(20).reshape(4, 5)
        assert (x == model[::-2, 1:3]).all() and (y == model.flat[3:7].reshape(2, 2)).all()
        WORLD.barrier()
        view.put(NEXT, np.arange(8.)[::2], 0)
        view.flush(NEXT)
        view.accumulate(NEXT, np.ones((4, 2)), np.s_[:, ::4], scale=2)
        view.flush()
        assert (view.rget(NEXT, 5).wait() == [2, 2, 4, 6, NEXT * 100 + 6]).all()
        WORLD.barrier()
        view.rput(NEXT, [1, 2], 10, remote=True).wait()
        WORLD.barrier()
        assert list(region.local[2, :2]) == [1, 2]
    with pytest.raises(cw.MisuseError, match="freed"):
        view.put(NEXT, 1)
    view.free()


def test_atomic_updates():
    region = make("i8", 4)
    shares = all(cw.node(rank) == cw.node(0) for rank in range(WORLD.size))  # else the assertion cannot be granted
    if not shares:
        with pytest.raises(cw.OutsideError, match="intrinsic"):
            cw.View(region, intrinsic="sum,cas", checked=True)
    with cw.View(region, **({"intrinsic": "sum,cas", "checked": True} if shares else {})) as view:
        old = view.fetch_op(NEXT, 1, 5)
        view.flush()
        assert old == [NEXT * 100 + 1]
        old = view.compare_swap(NEXT, 1, NEXT * 100 + 6, -1)
        view.flush()
        assert old == [NEXT * 100 + 6]
        if shares:
            with pytest.raises(cw.MisuseError):
                view.fetch_op(NEXT, 1, 5, "maximum")
    with cw.View(region) as view:
        old = view.get_accumulate(NEXT, [1, 2], 2)
        view.flush()
        assert (old == [NEXT * 100 + 2, NEXT * 100 + 3]).all()
    WORLD.barrier()
    assert list(region.local - WORLD.rank * 100) == [0, -1 - WORLD.rank * 100, 3, 5]


def test_notifications():
    region, told = make(), cw.Notifications(2)
    with cw.View(region) as view:
        view.put_notify(NEXT, [1, 2, 3], told, 0, 4)
        told.wait()
        assert list(region.local.flat[4:7]) == [1, 2, 3]
        x = view.get_notify(NEXT, told, 1, 2)
        view.flush()
        assert (x == [NEXT * 100, NEXT * 100 + 1]).all()
        told.wait(1)
        WORLD.barrier()
        view.accumulate_notify(NEXT, [10, 10], told, 0, 4)
        told.wait(0, 2)
        assert list(region.local.flat[4:7]) == [11, 12, 3]


@pytest.mark.parametrize("remote", [False, True])
def test_requests_of_updates(remote):
    region = make("i8")
    with cw.View(region) as view:
        view.raccumulate(NEXT, [1, 2, 3], 2, remote=remote).wait()
        view.raccumulate(NEXT, [5, 500], np.s_[1, :2], "maximum", remote).wait()
        view.flush()
        old = view.rget_accumulate(NEXT, [7, 7], 3, "replace", remote).wait()
        assert list(old) == [NEXT * 100 + 5, NEXT * 100 + 7]
        WORLD.barrier()
        assert list(region.local.flat[2:7]) == [WORLD.rank * 100 + 3, 7, 7, WORLD.rank * 100 + 5, 500]
        assert view.is_intrinsic("sum,cas") == (cw.node(0) == cw.node(WORLD.size - 1))
        assert not view.is_intrinsic("sum", "c16")
        with pytest.raises(cw.MisuseError, match="twist"):
            view.is_intrinsic("twist")
        with pytest.raises(cw.MisuseError, match="contiguous"):
            view.raccumulate(NEXT, [1, 2], np.s_[:2, 0])
        with pytest.raises(TypeError):
            view.is_intrinsic("sum", "S3")


def test_memory_handles():
    mine = (WORLD.rank * 100 + np.arange(30)).reshape(5, 6)[::-1, ::2]
    with cw.MemoryHandle(mine) as handle:
        name = WORLD.alltoall([handle.name] * WORLD.size)[NEXT]
        assert pickle.loads(pickle.dumps(name)) == name
        with cw.View(name) as view:
            x = view.get(0, offset=...)
            view.flush()
            assert (x == (NEXT * 100 + np.arange(30)).reshape(5, 6)[::-1, ::2]).all()
            WORLD.barrier()
            view.put(0, [[-1, -2]], np.s_[1:2, ::2])
            with pytest.raises(IndexError):
                view.put(1, 1)
        WORLD.barrier()
        assert list(mine[1]) == [-1, WORLD.rank * 100 + 20, -2]
    handle.release()
    for bad in (np.empty(0), np.array([None]), 5):
        with pytest.raises((TypeError, ValueError)):
            cw.MemoryHandle(bad)


def test_forgotten_views():
    region = make()
    view = cw.View(region)
    view.put(NEXT, np.full((4, 5), 7.0))
    del view
    gc.collect()
    cw.View(region).free()  # completes what the other one has started
    WORLD.barrier()
    assert (region.local == 7).all()


def test_misuse():
    region = make()
    for call, error in ((lambda: cw.View(5), TypeError), (lambda: cw.View(region, scope="node"), cw.MisuseError),
                        (lambda: cw.View(region, intrinsic="twist"), cw.MisuseError),
                        (lambda: cw.View(region).put(WORLD.size, 1), IndexError),
                        (lambda: cw.View(region).rput(0, [1, 2], np.s_[:2, 0]), cw.MisuseError),
                        (lambda: cw.View(region).get(0, 21), IndexError)):
        with pytest.raises(error):
            call()
    region.free()
    with pytest.raises(cw.MisuseError, match="freed"):
        cw.View(region)
