"""An array in an HDF5 file, written and read by two processes, beside h5py on one.

usage: files.py FOLDER
"""
import pathlib
import sys

import h5py
import numpy as np
from turns import alone, together
from measure import medians, table

import causeway as cw

SHAPE = (2048, 2048)


def main(folder):
    path = pathlib.Path(folder) / "causeway-bench.h5"
    peer = pathlib.Path(folder) / "h5py-bench.h5"
    array = cw.random.random(SHAPE, seed=1)
    x = np.random.default_rng(1).random(SHAPE)

    def write():
        with h5py.File(peer, "w") as file:
            file["array"] = x

    def read():
        with h5py.File(peer, "r") as file:
            file["array"][...]
    rows = []
    for name, ours, h5pys in (("write", lambda: cw.save(path, array), write), ("read", lambda: cw.load(path).free(), read)):
        times = medians(lambda: together(ours), lambda: alone(h5pys), rounds=5)
        rows.append([f"{name} {array.nbytes >> 20} MiB", *(1000 * its for its in times), f"{times[1] / times[0]:.2f}"])
    if cw.process() == 0:
        table(["file", "Causeway, 2 processes, ms", "h5py, 1 process, ms", "h5py / Causeway"], rows)
        path.unlink()
        peer.unlink()


if __name__ == "__main__":
    main(sys.argv[1])
