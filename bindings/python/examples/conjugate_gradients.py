"""Conjugate gradients on a sparse matrix: each process has some rows, and gets the elements of vectors that they need."""
import sys

import numpy as np

import causeway as cw

SIDE = 60  # points of a square grid along each side; the matrix has SIDE * SIDE rows


def rows_of_laplacian(rows):
    """Returns rows of the matrix as CSR: the first entry of each row, and the columns and values of the entries."""
    y, x = np.divmod(rows, SIDE)
    inside = np.stack([y > 0, x > 0, np.full(len(rows), True), x < SIDE - 1, y < SIDE - 1], axis=1)
    columns = (rows[:, None] + [-SIDE, -1, 0, 1, SIDE])[inside]
    values = np.broadcast_to([-1.0, -1.0, 4.0, -1.0, -1.0], inside.shape)[inside]
    return np.concatenate([[0], inside.sum(axis=1).cumsum()]), columns, values


class SparseRows:
    """The rows of this process. Their columns are renumbered: first the elements of its own, then those of others."""

    def __init__(self, vector):
        own = vector.local_index[0]
        self.first, columns, self.values = rows_of_laplacian(np.arange(own.start, own.stop))
        foreign = (columns < own.start) | (columns >= own.stop)
        self.halo = np.unique(columns[foreign])
        self.columns = np.where(foreign, len(vector.local) + np.searchsorted(self.halo, columns), columns - own.start)

    def times(self, vector):
        """Returns this process's part of the product with a distributed vector."""
        x = np.concatenate([vector.local, vector[self.halo]])  # the second part is a one-sided get
        return np.add.reduceat(self.values * x[self.columns], self.first[:-1])


def solve(b):
    """Returns x with A x = b, and the norm of the residual after each iteration."""
    x, p = cw.zeros_like(b), b.copy()
    matrix, r = SparseRows(p), b.local.copy()
    total = cw.world().allreduce
    square = total(r @ r)
    norms = [square ** 0.5]
    while norms[-1] > 1e-10 * norms[0]:
        q = matrix.times(p)
        step = square / total(p.local @ q)  # no process changes p before all have got what they need of it
        x.local[:] += step * p.local
        r -= step * q
        before, square = square, total(r @ r)
        p.local[:] = r + square / before * p.local
        p.sync()  # now others may get the new elements
        norms.append(square ** 0.5)
    return x, norms


def draw(norms, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.figure(figsize=(5, 3), layout="constrained")
    pyplot.semilogy(norms)
    pyplot.xlabel("iteration")
    pyplot.ylabel("norm of the residual")
    pyplot.savefig(file)


if __name__ == "__main__":
    solution = cw.random.default_rng(1).uniform(-1, 1, SIDE * SIDE)
    b = cw.zeros_like(solution)
    b.local[:] = SparseRows(solution).times(solution)
    b.sync()
    x, norms = solve(b)
    error = np.abs(x - solution).max()
    if cw.process() == 0:
        print(f"{len(norms) - 1} iterations on {cw.processes()} processes, greatest error {error:.1e}")
        if len(sys.argv) > 1:
            draw(norms, sys.argv[1])
    assert error < 1e-8
