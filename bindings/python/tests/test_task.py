"""Pools of tasks: calls, futures, exceptions, nested submission, large arguments and results."""
import gc
import threading
import time
import warnings

import numpy as np
import pytest

import causeway as cw
from causeway._library import check, ffi, lib

ME, ALL = cw.process(), cw.processes()


@cw.task
def double(x, *, plus=0):
    return 2 * x + plus


@cw.task
def negative_root(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x ** 0.5


class Awkward(Exception):
    """An exception that cannot be made from its arguments again."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


@cw.task
def awkward():
    raise Awkward(1, 2)


@cw.task
def count_nodes(depth, numbers):
    """A node of a tree of tasks."""
    if depth > 0:
        for _ in range(2):
            cw.current_pool().submit(count_nodes, depth - 1, numbers)
    return numbers


def total(value):
    """Returns the sum of a number over the processes."""
    values = np.array([value], np.int64)
    check(lib.cw_allreduce(cw.world()._handle, lib.CW_INT64, lib.CW_SUM, 1, ffi.from_buffer(values)))
    return values[0]


@pytest.fixture
def pool():
    with cw.TaskPool() as its:
        yield its


def test_results_go_to_the_process_that_submits(pool):
    futures = [pool.submit(double, 1000 * ME + i, plus=1) for i in range(100)]
    assert not futures[0].done()
    with pytest.raises(cw.MisuseError, match="has not run"):
        futures[0].result()
    pool.run()
    assert [future.result() for future in futures] == [2 * (1000 * ME + i) + 1 for i in range(100)]
    assert all(0 <= future.process() < ALL for future in futures)
    assert total(pool.counts()["executed"]) == 100 * ALL


def test_phases_follow_each_other(pool):
    for phase in range(5):
        future = pool.submit(double, phase)
        pool.run()
        assert future.result() == 2 * phase


@pytest.mark.parametrize("size", [0, 10, 100, 1000, 100_000, 1_000_000])
def test_arrays_of_any_size(pool, size):
    arrays = [np.arange(size, dtype=float) + ME + i for i in range(3)]
    futures = [pool.submit(double, array) for array in arrays]
    for array in arrays:
        array += 1000  # the task has a copy
    pool.run()
    for i, future in enumerate(futures):
        result = future.result()
        np.testing.assert_array_equal(result, 2 * (np.arange(size, dtype=float) + ME + i))
        result += 1  # it can be written


def test_many_arrays_in_one_call(pool):
    values = {"a": np.ones(5000), "b": [np.arange(3000, dtype="i2"), b"x" * 5000], "c": np.ones((50, 60)).T}
    future = pool.submit(dict, values)
    pool.run()
    result = future.result()
    np.testing.assert_array_equal(result["b"][0], values["b"][0])
    np.testing.assert_array_equal(result["c"], values["c"])
    assert result["b"][1] == values["b"][1]


def test_more_large_tasks_than_a_chunk_has_space_for(pool):
    futures = [pool.submit(double, np.full(20_000, i)) for i in range(40)]
    pool.run()
    for i, future in enumerate(futures):
        np.testing.assert_array_equal(future.result(), np.full(20_000, 2 * i))


def test_memory_of_large_tasks_is_freed(pool):
    for _ in range(10):
        futures = [pool.submit(double, np.ones(200_000)) for _ in range(3)]
        pool.run()
        assert all(future.result()[0] == 2 for future in futures)
    # Each result and each argument has a chunk of memory, and those of the last phase are freed in the next one.
    assert len(pool._work.store._chunks) <= 3 + 3 * ALL
    assert not pool._work.futures


def test_exceptions_reach_the_caller_with_their_traceback(pool):
    good, bad = pool.submit(negative_root, 4), pool.submit(negative_root, -1 - ME)
    pool.run()
    assert good.result() == 2
    assert good.exception() is None
    with pytest.raises(ValueError, match=f"{-1 - ME} is negative") as caught:
        bad.result()
    assert "in negative_root" in str(caught.value.__cause__)
    assert isinstance(bad.exception(), ValueError)


def test_exceptions_that_cannot_be_sent(pool):
    future = pool.submit(awkward)
    pool.run()
    with pytest.raises(cw.TaskError, match="Awkward: 1 and 2"):
        future.result()


def test_results_that_cannot_be_sent(pool):
    future = pool.submit(cw.task(lambda: lambda: 0, name="returns a function"))
    pool.run()
    assert "local object" in str(future.exception())  # pickle's words, which differ between versions of Python


def test_calls_that_cannot_be_sent(pool):
    with pytest.raises(TypeError, match="cannot be sent"):
        pool.submit(lambda: 0)
    with pytest.raises(TypeError, match="cannot be sent"):
        pool.submit(double, lambda: 0)
    with pytest.raises(TypeError, match="a task is a function, not a int"):
        pool.submit(3)
    pool.run()


def test_unread_exception_is_reported(pool):
    pool.submit(negative_root, -7)
    with pytest.warns(RuntimeWarning, match="negative_root.*never read: ValueError: -7 is negative"):
        pool.run()
        gc.collect()
    future = pool.submit(negative_root, -8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool.run()
        with pytest.raises(ValueError):
            future.result()
        del future
        gc.collect()


def test_tasks_submit_tasks(pool):
    depth = 7
    if ME == ALL - 1:
        pool.submit(count_nodes, depth, np.ones(10))
    pool.run()
    assert total(pool.counts()["executed"]) == 2 ** (depth + 1) - 1
    assert cw.current_pool() is None


def test_queue_that_is_full():
    with cw.TaskPool(slots=2, inbox=2, body=200) as pool:
        futures = [pool.submit(double, i) for i in range(300)]
        futures += [pool.at((ME + 1) % ALL).submit(double, i) for i in range(300)]
        pool.run()
        assert [future.result() for future in futures] == [2 * i for i in range(300)] * 2


def test_placement():
    with cw.TaskPool(steal="nothing") as pool:
        futures = [pool.at(process).submit(double, process) for process in range(ALL)]
        pool.run()
        assert [future.process() for future in futures] == list(range(ALL))
        with pytest.raises(IndexError):
            pool.at(ALL).submit(double, 1)


def test_affinity_orders_tasks():
    with cw.TaskPool(steal="nothing") as pool:
        ran = []
        note = cw.task(lambda x: ran.append(x), name="note")
        for affinity in (1, 3, 2):
            pool.at(affinity=affinity).submit(note, affinity)
        pool.run()
        assert ran == [3, 2, 1]


@pytest.mark.parametrize("chunk", [None, 1, 7, 10_000])
def test_map(pool, chunk):
    results = pool.map(double, range(50), chunk=chunk)
    assert results == ([2 * i for i in range(50)] if ME == 0 else None)
    results = pool.map(double, range(ME), chunk=chunk, root=None)
    assert results == [2 * i for i in range(ME)]
    results = pool.starmap(divmod, [(i, 3) for i in range(20)], chunk=chunk, root=ALL - 1)
    assert results == ([divmod(i, 3) for i in range(20)] if ME == ALL - 1 else None)
    assert pool.map(double, [], chunk=chunk) == ([] if ME == 0 else None)


def test_map_raises_on_the_root(pool):
    if ME == 0:
        with pytest.raises(ValueError, match="-3 is negative"):
            pool.map(negative_root, [1, 4, -3, 9, -5], chunk=1)
    else:
        assert pool.map(negative_root) is None


def test_misuse(pool):
    with pytest.raises(cw.MisuseError, match="body is 10; it can be"):
        cw.TaskPool(body=10)
    with pytest.raises(cw.MisuseError, match="steal is 'all'"):
        cw.TaskPool(steal="all")
    with pytest.raises(cw.MisuseError, match="chunk is 0"):
        pool.map(double, [1], chunk=0)
    with pytest.raises(IndexError):
        pool.map(double, [1], root=ALL)
    with pytest.raises(cw.MisuseError):
        pool.wanted()
    with pytest.raises(cw.MisuseError, match="which .*double has"):
        cw.task(negative_root, name=f"{__name__}.double")
    with pytest.raises(TypeError):
        cw.task(3)
    other = cw.TaskPool()
    other.free()
    with pytest.raises(cw.MisuseError, match="has been freed"):
        other.run()
    with pytest.raises(cw.MisuseError, match="has been freed"):
        other.submit(double, 1)


def test_phase_within_its_own_task(pool):
    run = cw.task(lambda: cw.current_pool().run(), name="run")
    future = pool.submit(run)
    pool.run()
    with pytest.raises(cw.MisuseError, match="runs the tasks of this pool already"):
        future.result()


def test_future_cannot_be_sent(pool):
    first = pool.submit(double, 1)
    with pytest.raises(TypeError, match="a Future cannot be sent"):
        pool.submit(double, first)
    pool.run()
    assert first.result() == 2


def test_wanted_within_a_task(pool):
    ask = cw.task(lambda: cw.current_pool().wanted(), name="wanted")
    future = pool.submit(ask)
    pool.run()
    assert future.result() in (True, False)


def test_threads_run_tasks():
    with cw.TaskPool(threads=3) as pool:
        arrived = []

        @cw.task
        def meet():
            """Returns when two tasks of this process run at the same time."""
            arrived.append(threading.get_ident())
            until = time.monotonic() + 30
            while len(set(arrived)) < 2 and time.monotonic() < until:
                pool.wanted()
                time.sleep(0.001)

        futures = [pool.submit(meet) for _ in range(2)] if ALL == 1 else []
        futures += [pool.submit(double, np.arange(2000)) for _ in range(20)]
        pool.run()
        assert [future.exception() for future in futures] == [None] * len(futures)
        assert ALL > 1 or len(set(arrived)) == 2


def test_pools_are_freed_together():
    gc.collect()
    cw.collect()
    pool = cw.TaskPool()
    pool.submit(double, np.ones(10_000))
    pool.run()
    del pool
    gc.collect()
    assert cw.collect() == 1
