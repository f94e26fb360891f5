"""Turns of the sides of a comparison in a job: on one process, or on all."""
import time

import numpy as np

import causeway as cw


def alone(function):
    """Returns the time of a call on process 0 in seconds. Process 1 sleeps meanwhile."""
    flag = cw.zeros((2,), np.int64)
    seconds = 0.0
    if cw.process() == 0:
        begin = time.perf_counter()
        function()
        seconds = time.perf_counter() - begin
        flag[1] = 1
    else:
        while not flag.local[0]:
            time.sleep(0.002)
    flag.free()
    return seconds


def together(function):
    """Returns the time of a collective call in seconds."""
    cw.barrier()
    begin = time.perf_counter()
    function()
    cw.barrier()
    return time.perf_counter() - begin
