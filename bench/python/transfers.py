"""Transfers and atomic updates by process 0 of two, and operations on arrays, beside numpy and the windows of mpi4py.

usage: transfers.py [mpi4py]

mpi4py: its windows are measured, too; Causeway then runs on its MPI.
"""
import sys
import time

import numpy as np
from measure import medians, per_call, table

MPI = None
if "mpi4py" in sys.argv[1:]:
    from mpi4py import MPI
import causeway as cw  # noqa: E402, behind mpi4py, whose MPI it uses
from turns import alone  # noqa: E402

SIZES = [8, 1024, 16384, 262144, 1 << 20, 4 << 20]


class Window:
    """Memory of process 1 in a window of mpi4py."""

    def __init__(self, nbytes):
        self.window = MPI.Win.Allocate(nbytes, 1, MPI.INFO_NULL, MPI.COMM_WORLD)
        self.window.Lock_all()

    def put(self, x):
        self.window.Put(x, 1)
        self.window.Flush(1)

    def get(self, x):
        self.window.Get(x, 1)
        self.window.Flush(1)

    def add(self, one, before):
        self.window.Fetch_and_op(one, before, 1, 0, MPI.SUM)
        self.window.Flush(1)

    def free(self):
        self.window.Unlock_all()
        self.window.Free()


def transfers(array, window):
    """Measures puts and gets of the first elements of process 1, beside numpy's copies between the same memory of process 0 and
    its own part of the array, which has pages of the same size."""
    rows = []
    begin = array.size // 2
    for size in SIZES:
        x, out = np.ones(size // 8), np.empty(size // 8)
        key, part = slice(begin, begin + size // 8), array.local[:size // 8]
        sides = [copy(x, part), lambda: array.put(key, x), copy(part, out), lambda: array.get(key, out=out)]
        if MPI:
            sides += [lambda: window.put(x), lambda: window.get(out)]
        times = medians(*map(per_call, sides))
        rows.append([size, *times[:4], f"{times[0] / times[1]:.2f}", f"{times[2] / times[3]:.2f}", *(times[4:] or [None, None])])
    table(["bytes", "numpy's copy to its own part, us", "put to another process, us", "numpy's copy from its own part, us",
           "get from another process, us", "copy / put", "copy / get", "mpi4py Put + Flush, us", "mpi4py Get + Flush, us"], rows)


def copy(source, target):
    """Returns a function that copies with numpy."""
    def copy_it():
        target[...] = source
    return copy_it


def calls(array, counter, window):
    """Measures calls of one element."""
    from causeway._library import ffi, lib
    begin = array.size // 2
    cell = ffi.new("double *")
    place = ffi.from_buffer(array.local)
    before = ffi.new("int64_t *")
    one, old = np.ones(1, np.int64), np.zeros(1, np.int64)
    rows = []

    def row(name, ours, limit, peer):
        times = medians(*map(per_call, [ours, limit, *([peer] if MPI else [])]))
        rows.append([name, *times[:2], times[0] - times[1], *(times[2:] or [None])])
    row("get of an element", lambda: array[begin], lambda: lib.cw_get(cell, place, 8, 0), lambda: window.get(old))
    value = np.float64(1)
    row("put of an element", lambda: array.__setitem__(begin, value), lambda: lib.cw_put(cell, place, 8, 0),
        lambda: window.put(one))
    row("counter", counter.next, lambda: lib.cw_fetch_add_int64(counter._pointer, 1, counter._process, before),
        lambda: window.add(one, old))
    table(["call", "Causeway, us", "cffi's call of the C library, us", "difference, us", "mpi4py, us"], rows)


def elementwise():
    """Measures operations on the parts of both processes, beside numpy's on the same parts. Causeway's processes agree on errors
    before and after each operation, so numpy's are also measured between barriers."""
    rows = []
    for megabytes, calls_each in ((4, 20), (32, 5)):
        n = megabytes << 17
        a, b = cw.ones((2, n)), cw.ones((2, n))
        x, y = a.local, b.local
        names = {"a += b": (lambda: a.__iadd__(b), lambda: np.add(x, y, out=x)),
                 "a *= 1.0": (lambda: a.__imul__(1.0), lambda: np.multiply(x, 1.0, out=x)),
                 "a.sum()": (a.sum, x.sum)}
        for name, (ours, numpys) in names.items():
            cw.barrier()
            # The same number of calls on both processes, since the calls are collective.
            times = medians(*(lambda call=call: of_calls(call, calls_each) for call in (ours, between_barriers(numpys), numpys)))
            rows.append([f"{name}, {megabytes} MB on each process", *times, f"{times[1] / times[0]:.2f}",
                         f"{times[2] / times[0]:.2f}"])
    if cw.process() == 0:
        table(["operation", "Causeway, us", "numpy on a.local between barriers, us", "numpy on a.local, us",
               "between barriers / Causeway", "a.local / Causeway"], rows)


def between_barriers(call):
    """Returns a function that makes the call between two barriers."""
    def call_between():
        cw.barrier()
        call()
        cw.barrier()
    return call_between


def of_calls(call, count):
    """Returns the time of a call in microseconds, between barriers. A call before brings the arrays into the cache."""
    call()
    cw.barrier()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    cw.barrier()
    return (time.perf_counter() - begin) / count * 1e6


def main():
    array = cw.zeros((2 * SIZES[-1] // 8,))
    counter = cw.Counter(host=1)
    window = Window(SIZES[-1]) if MPI else None
    cw.barrier()
    if cw.process() == 0:
        print(f"{cw.mpi}, {'mpi4py ' + MPI.Get_library_version().split(',')[0] if MPI else 'without mpi4py'}, two processes")
        print()
    alone(lambda: transfers(array, window))
    alone(lambda: calls(array, counter, window))
    elementwise()
    if window:
        window.free()


if __name__ == "__main__":
    main()
