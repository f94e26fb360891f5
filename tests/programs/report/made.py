# Generates profiles: job(processes, nodes).
import random


def row_of_pair(origin, target, amount):
    return {"origin": origin, "target": target, "operations": amount, "bytes": 8 * amount, "seconds": 1e-6 * amount}


def histogram(chance, places):
    return [chance.randrange(100) for _ in range(places)]


# The heat map of an array: in two dimensions, in one, or with Fortran's order of indices.
def chart(chance, number, processes):
    extents = [[number + 1, 20], [3, 40, 7, 33], [1000]][number % 3]
    drawn = [[0, 1], [1, 3], [0]][number % 3]
    widths, blocks = [], []
    for dimension in drawn:
        width, most = 1, 16 if len(drawn) == 2 else 64
        while (extents[dimension] - 1) // width >= most:
            width *= 2
        widths.append(width)
        blocks.append(sorted({extents[dimension] * block // 3 for block in range(3)}))
    cells = [[row, column, chance.randrange(1, 100), 10**chance.randrange(1, 9), 0, process]
             for row in range(-(-extents[drawn[0]] // widths[0]))
             for column in range(-(-extents[drawn[1]] // widths[1]) if len(drawn) == 2 else 1)
             for process in [chance.randrange(processes)] if chance.random() < 0.5 or row + column == 0]
    return {"of": "bytes" if number == 5 else "elements", "fortran": number in (3, 4),
            "extents": extents, "drawn": drawn, "widths": widths, "blocks": blocks, "cells": cells}


# Number of processes that the report shows one by one. For more it has the minimum, the mean and the maximum.
def courses(chance, of, number):
    def course():
        return [chance.randrange(2**30) for _ in range(50)]
    if number <= 64:
        return [{"of": of, "number": each, "step": 0.2, "most": course()} for each in range(number)]
    least, mean, most = (list(each) for each in zip(*(sorted(each) for each in zip(course(), course(), course()))))
    return [{"of": "nodes" if of == "node" else "processes", "members": number, "step": 0.2, "least": least, "mean": mean,
             "most": most}]


def job(processes, nodes):
    chance = random.Random(processes)
    classes = ["put", "get", "lock", "fence", "patch", "barrier", "linear algebra", "finalize", "task"]
    pairs = [row_of_pair(origin, target, chance.randint(1, 10 ** chance.randint(1, 7)))
             for origin in range(processes) for target in sorted({origin, (origin + 1) % processes, 0})]
    names = {"put": "ARMCI_PutS", "barrier": "GA_Sync", "lock": "GA_Lock", "create/free": "GA_Destroy", "task": ""}
    times = {"calls": 100, "bytes": 10, "longest": 0.25}
    return {
        "causeway_profile": 1, "causeway": "0.2.0", "program": "made-up", "date": "2026-11-27T12:00:00Z",
        "processes": processes, "nodes": nodes, "missing_processes": 0, "incomplete": False, "static": False,
        "wall": 10.0, "time": 10.0 * processes, "inside": 6.0 * processes, "waiting": 2.0 * processes,
        "bytes": sum(pair["bytes"] for pair in pairs),
        "classes": [dict(times, **{"class": name, "inner_calls": 3, "seconds": 0.5 + number,
                                   "clocked": histogram(chance, 20)}) for number, name in enumerate(classes)],
        "operations": [{"operation": what, "route": route, "count": 1000, "bytes": 54321, "sizes": histogram(chance, 12)}
                       for what in ("put", "get") for route in ("own", "peer", "rma", "server")],
        "per_process": [{"process": process, "node": process * nodes // processes, "threads": 1, "operations": 17,
                         "bytes": chance.randrange(10**9), "wall": 10.0, "time": 10.0,
                         "seconds": {name: chance.random() for name in classes},
                         "usage": {"user": 5.5, "system": 0.5, "faults": 1000 + process, "disk_faults": 3, "sleeps": 44,
                                   "preemptions": 7, "waited": 0.75, "most_memory": 2**30 + process}} for process in range(processes)],
        "per_node": [{"node": node, "memory": 2**20 * node + 5, "server": {
            "messages": 1000 + node, "bytes": 2**20, "requests": 5000, "forwards": 17, "most_waiting": 4, "stalls": node,
            "sleeps": 99, "asleep": 2.5, "processor": 0.75, "busy": 0.5, "longest": 0.0625}} for node in range(nodes)],
        "pairs": pairs,
        "objects": [{"object": f"array 'T{number}', CW_DOUBLE, {number + 1} x 20", "operations": 5 + number,
                     "bytes": 10**number, "seconds": 0.125, "memory": 80 * number,
                     **({"hottest": f"block {number}", "chart": chart(chance, number, processes)} if number > 0 else {})}
                    for number in range(8)],
        "elements": [{"object": "array 'T1', CW_LONG, 9", "element": f"element [{number}]", "process": 0,
                      "updates": 1000 - number, "over": number} for number in range(4)], "other_elements": 17,
        "call_sites": [dict(times, **{"call": names.get(name, f"cw_{number}"), "class": name, "function": f"do_{name}", "file": "../src/program.c",
                                      "line": 10 + number, "module": "/home/somebody/program", "offset": 4096,
                                      "seconds": 0.5 + number, "clocked": []}) for number, name in enumerate(classes)],
        "waits": [{"process": chance.randrange(processes), "class": ("barrier", "lock", "create/free")[number % 3],
                   "call": names[("barrier", "lock", "create/free")[number % 3]],
                   "began": 9.5 * chance.random(), "seconds": 0.5 - number / 200, "under_way": number == 3,
                   "whom": f"process {number} of 64", "phase": "step/fock" if number % 2 else "", "function": "do_barrier",
                   "file": "../src/program.c", "line": 100 + number, "module": "/home/somebody/program", "offset": 4096}
                  for number in range(64)],
        "memory_over_time": courses(chance, "process", processes) + courses(chance, "node", nodes),
        "advice": []}
