"""Locks, notifications, phases."""
import threading
import time

import numpy as np
import pytest

import causeway as cw

WORLD = cw.world()
NEXT = (WORLD.rank + 1) % WORLD.size


def test_lock_excludes_processes_and_threads():
    region, lock = cw.Region(1, "i8"), cw.Lock()
    region.local[0] = 0
    WORLD.barrier()

    def work():
        for _ in range(30):
            with lock:
                region[0][0] = int(region[0][0]) + 1
    threads = [threading.Thread(target=work) for _ in range(2)]
    [its.start() for its in threads]
    [its.join() for its in threads]
    WORLD.barrier()
    assert region[0][0] == 60 * WORLD.size
    WORLD.barrier()
    lock.free()


def test_sets_of_locks():
    with cw.Locks(WORLD.rank + 1) as locks:
        mine = locks[WORLD.rank, WORLD.rank]
        assert mine is locks[WORLD.rank, WORLD.rank]
        assert mine.acquire(blocking=False) and not mine.acquire(blocking=False)
        WORLD.barrier()
        if WORLD.size > 1:
            assert not locks[NEXT, NEXT].acquire(blocking=False)
        WORLD.barrier()
        mine.release()
        with pytest.raises(cw.MisuseError):
            mine.release()
        with pytest.raises(IndexError):
            locks[0, 1]
        with pytest.raises(IndexError):
            locks[WORLD.size]
        with pytest.raises(ZeroDivisionError), mine:
            1 / 0
        with mine:
            pass
        WORLD.barrier()


def test_notifications():
    region = cw.Region((4, 3), "f8")
    with cw.Notifications(3) as told:
        region.put_notify(NEXT, np.arange(24.).reshape(4, 6)[:, ::2], told, 1)
        assert told.wait(1) == 1
        assert (region.local == np.arange(0, 24, 2).reshape(4, 3)).all()
        WORLD.barrier()
        told.notify(NEXT, 1)
        assert told.wait(1, 1, "not_equal") == 2 and told.test(1, 2, "equal") and not told.test(0)
        assert told.reset(1) == 2 and told.read(1) == 0
        handle = told.request(2)
        assert not handle.test()
        WORLD.barrier()
        told.notify(NEXT, 2)
        handle.wait()
        assert told.read(2) == 1
        for call, error in ((lambda: told.wait(3), IndexError), (lambda: told.notify(WORLD.size), IndexError),
                            (lambda: told.wait(0, 1, "bigger"), cw.MisuseError), (lambda: told.read("a"), TypeError),
                            (lambda: region.put_notify(NEXT, 1, told, offset=np.s_[:, 1]), cw.MisuseError)):
            with pytest.raises(error):
                call()
        WORLD.barrier()
    with pytest.raises(cw.MisuseError, match="freed"):
        told.read()


def test_wait_lets_other_threads_run():
    told, seen = cw.Notifications(), []
    thread = threading.Thread(target=lambda: seen.append(told.wait()))
    thread.start()
    time.sleep(0.01)
    assert seen == []  # this thread runs while the other one waits
    WORLD.barrier()
    told.notify(NEXT)
    thread.join()
    assert seen == [1]


def test_phases():
    with cw.phase("step"), cw.phase("step/inner"):
        pass
    with pytest.raises(ZeroDivisionError), cw.phase("step"):
        1 / 0


def test_failure_calls_without_failures():
    assert not cw.survives()
    assert WORLD.failed() == [] and WORLD.agree_failed() == []
    with pytest.raises(cw.MisuseError):
        cw.failure_handler(print)


def test_protected_array():
    array = cw.from_numpy(np.arange(10.0))
    protection = cw.protect(array)
    protection.commit()
    array.fill(0)
    array.sync()
    assert (protection.recover(WORLD)[...] == np.arange(10)).all()
    cw.commit(protection)
    assert (protection.recover(WORLD)[...] == 0).all()
    protection.free()
    with pytest.raises(cw.MisuseError):
        protection.commit()
