"""A matrix product and reductions on two cores: Causeway on two processes, dask.array with two threads, numpy with one."""
import dask
import dask.array
import numpy as np
from measure import medians, table
from turns import alone, together

import causeway as cw

ROUNDS = 5


def sides(n):
    """Yields for each operation its name, and the calls of Causeway, of dask and of numpy."""
    a = cw.random.random((n, n), seed=1)
    x = np.random.default_rng(1).random((n, n))
    d = dask.array.from_array(x, chunks=(n // 2, n // 2))
    yield "a @ a", (lambda: a @ a), (lambda: (d @ d).compute()), (lambda: x @ x)
    yield "(a * a).sum()", (lambda: (a * a).sum()), (lambda: (d * d).sum().compute()), (lambda: (x * x).sum())
    yield "a.max()", a.max, (lambda: d.max().compute()), x.max


def main():
    rows = []
    with dask.config.set(scheduler="threads", num_workers=2):
        for n in (512, 2048):
            for name, ours, dasks, numpys in sides(n):
                times = medians(lambda: together(ours), lambda: alone(dasks), lambda: alone(numpys), rounds=ROUNDS)
                rows.append([f"{name}, {n} x {n}", *(1000 * its for its in times), f"{times[1] / times[0]:.2f}"])
    if cw.process() == 0:
        table(["operation", "Causeway, 2 processes, ms", "dask.array, 2 threads, ms", "numpy, 1 thread, ms", "dask / Causeway"],
              rows)


if __name__ == "__main__":
    main()
