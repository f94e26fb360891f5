"""Hartree-Fock on s functions: processes take rows of integrals as they become free; the matrices are distributed."""
import itertools
import math
import sys

import numpy as np

import causeway as cw

EXPONENTS = np.array([2.227660584, 0.405771156, 0.109817511])  # STO-3G of an s function with zeta = 1
COEFFICIENTS = np.array([0.154328967, 0.535328142, 0.444634542])
ZETA = {1: 1.24, 2: 2.0925}
erf = np.vectorize(math.erf, otypes=[float])


def boys(t):
    """Returns the integral of exp(-t s^2) over s from 0 to 1."""
    t = np.maximum(t, 1e-12)
    return 0.5 * np.sqrt(np.pi / t) * erf(np.sqrt(t))


class Pairs:
    """The products of all pairs of functions: each is a sum of nine Gaussians, with a weight, exponent and centre."""

    def __init__(self, charges, places):
        exponents = EXPONENTS * np.array([ZETA[z] for z in charges])[:, None] ** 2
        weights = COEFFICIENTS * (2 * exponents / np.pi) ** 0.75
        n = len(charges)
        a, b = exponents[:, None, :, None], exponents[None, :, None, :]
        x, y = (np.asarray(places, float).reshape(shape) for shape in ((n, 1, 1, 1), (1, n, 1, 1)))
        shape = (n, n, 9)
        self.n, self.p = n, (a + b + 0 * x + 0 * y).reshape(shape)
        self.mu = (a * b / (a + b) + 0 * x + 0 * y).reshape(shape)
        self.square = ((x - y) ** 2 + 0 * a + 0 * b).reshape(shape)
        self.centre = ((a * x + b * y) / (a + b)).reshape(shape)
        self.weight = (weights[:, None, :, None] * weights[None, :, None, :]).reshape(shape) * np.exp(
            -self.mu * self.square)

    def overlap(self):
        """Returns the matrix of overlaps."""
        return (self.weight * (np.pi / self.p) ** 1.5).sum(2)

    def one_electron(self, charges, places):
        """Returns the matrix of kinetic energy and attraction by the nuclei."""
        kinetic = self.mu * (3 - 2 * self.mu * self.square) * (np.pi / self.p) ** 1.5
        attraction = sum(-2 * np.pi * z / self.p * boys(self.p * (self.centre - r) ** 2) for z, r in zip(charges, places))
        return (self.weight * (kinetic + attraction)).sum(2)

    def repulsion(self, i, j):
        """Returns the integrals (ij|kl) for all k and l."""
        p, q = self.p[i, j][:, None, None, None], self.p[None]
        t = p * q / (p + q) * (self.centre[i, j][:, None, None, None] - self.centre[None]) ** 2
        terms = 2 * np.pi ** 2.5 / (p * q * np.sqrt(p + q)) * boys(t)
        return np.einsum("m,mkln,kln->kl", self.weight[i, j], terms, self.weight)


def energy(charges, places, electrons):
    """Returns the energy of a molecule with its atoms on a line. Collective."""
    pairs, n = Pairs(charges, places), len(charges)
    integrals = cw.empty((n, n, n, n), distribution=cw.blocks((1, n, n, n)))
    for row in cw.dynamic_range(n * n):  # each process takes the next row when it is free
        i, j = divmod(row, n)
        integrals[i, j] = pairs.repulsion(i, j)  # a one-sided put, to the process that has row i
    integrals.sync()
    core, overlap = pairs.one_electron(charges, places), cw.from_numpy(pairs.overlap(), distribution=cw.blocks((1, n)))
    fock = cw.from_numpy(core, distribution=cw.blocks((1, n)))
    rows = fock.local_index[0]  # this process computes these rows; there may be none
    mine, last = integrals[rows], np.inf
    for _ in range(100):
        orbitals = cw.linalg.eigh(fock, overlap)[1][:, :electrons // 2]  # a get: only the occupied ones
        density = 2 * orbitals @ orbitals.T
        coulomb, exchange = np.einsum("ijkl,kl->ij", mine, density), np.einsum("ikjl,kl->ij", mine, density)
        fock_rows = core[rows] + coulomb - exchange / 2
        fock[rows] = fock_rows  # before the next eigh: collective calls see what all have put
        now = cw.world().allreduce(0.5 * (density[rows] * (core[rows] + fock_rows)).sum())
        if abs(now - last) < 1e-10:
            break
        last = now
    return now + sum(a * b / abs(x - y) for (a, x), (b, y) in itertools.combinations(zip(charges, places), 2))


def draw(distances, curve, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.figure(figsize=(5, 3), layout="constrained")
    pyplot.plot(distances, curve, "o-", markersize=3)
    pyplot.xlabel("distance of neighbours (bohr)")
    pyplot.ylabel("energy per atom (hartree)")
    pyplot.savefig(file)


if __name__ == "__main__":
    helium_hydride = energy([2, 1], [0, 1.4632], 2)
    distances = np.linspace(1, 4, 13)
    curve = [energy([1] * 6, d * np.arange(6), 6) / 6 for d in distances]
    if cw.process() == 0:
        print(f"HeH+: {helium_hydride:.6f} hartree; best distance in a chain of 6 H: {distances[np.argmin(curve)]} bohr")
        if len(sys.argv) > 1:
            draw(distances, curve, sys.argv[1])
    assert abs(helium_hydride + 2.860662) < 1e-5  # Szabo and Ostlund: Modern Quantum Chemistry, section 3.5.3
