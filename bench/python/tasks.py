"""Prints the time of a map over tasks, on two workers: TaskPool.map, or multiprocessing.Pool.map.

usage: tasks.py causeway|multiprocessing TASKS MICROSECONDS
"""
import multiprocessing
import statistics
import sys
import time


def work(microseconds):
    """Computes for a time."""
    end = time.perf_counter() + microseconds * 1e-6
    while time.perf_counter() < end:
        pass
    return microseconds


def timed(call, items):
    """Returns the median time of a call with the items in milliseconds."""
    call(work, items)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        call(work, items)
        times.append(time.perf_counter() - begin)
    return 1000 * statistics.median(times)


def main(side, tasks, microseconds):
    items = [int(microseconds)] * int(tasks)
    if side == "multiprocessing":
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            print(timed(pool.map, items))
        return
    import causeway as cw
    pool = cw.TaskPool()
    its = timed(pool.map, items)
    if cw.process() == 0:
        print(its)


if __name__ == "__main__":
    main(*sys.argv[1:])
