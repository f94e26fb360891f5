"""A pool of tasks of which process 1 dies. Needs CW_FAILURES=survive and tests/failures/run.sh; usage: survive.py WHEN.

WHEN is task (process 1 dies in a task), exchange (when it has run tasks, whose results are lost) or deliver (when it has sent them).
"""
import os
import signal
import sys
import time

import numpy as np

import causeway as cw

WHEN = sys.argv[1]


def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)


@cw.task
def square(x):
    time.sleep(0.002)  # so that all processes run some
    if cw.process() == 1 and WHEN == "task":
        die()
    return x * x


pool = cw.TaskPool(survive=True)
if cw.process() == 1 and WHEN != "task":
    setattr(pool._work, WHEN, die)
items = [np.full(300, n) for n in range(60)]  # too long for the bodies of tasks
wanted = [n * n for n in range(60)]
for root in (0, None, 0):
    results = pool.map(square, items, chunk=1, root=root)
    assert results is None if root == 0 != cw.process() else [its[0] for its in results] == wanted
left = pool.left
assert list(left) == [process for process in range(cw.processes()) if process != 1]
pool.free()
assert left.allreduce(1) == left.size
print(f"process {cw.process()} ends\n", end="", flush=True)
cw.failure_end()
