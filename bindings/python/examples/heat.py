"""The heat equation on a torus: each process has a block of the grid with ghost cells around it."""
import sys

import numpy as np

import causeway as cw

SIDE, STEPS, RATE = 96, 400, 0.2


def hot_spot(y, x):
    """The temperature at the beginning: a hot square and a cold one."""
    return 1.0 * ((abs(y - 30) < 12) & (abs(x - 30) < 12)) - 1.0 * ((abs(y - 64) < 8) & (abs(x - 70) < 16))


def change(u):
    """Returns the change in one step of the inner cells of a block."""
    return RATE * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])


def cool(u, steps):
    """Makes steps. Collective."""
    with_ghosts = u.local_ghosts  # numpy arrays without a copy: this process's block with ghost cells, and without
    for _ in range(steps):
        u.update_ghosts(corners=False)  # waits for all, before and after it
        u.local[...] += change(with_ghosts)


def check(last):
    """Compares with the same computation by numpy alone."""
    u = np.fromfunction(hot_spot, last.shape)
    for _ in range(STEPS):
        u += change(np.pad(u, 1, "wrap"))
    return np.abs(u - last).max()


def draw(pictures, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(pictures), figsize=(7, 2.6), layout="constrained")
    for axis, (step, u) in zip(axes, pictures.items()):
        axis.set_title(f"step {step}")
        image = axis.imshow(u, cmap="coolwarm", vmin=-1, vmax=1)
    figure.colorbar(image, ax=axes)
    figure.savefig(file)


if __name__ == "__main__":
    u = cw.from_function(hot_spot, (SIDE, SIDE), distribution=cw.blocks(ghosts=1))
    heat = u.sum()
    pictures = {0: u.to_numpy(root=0)}
    for step in (STEPS // 8, STEPS):
        cool(u, step - max(pictures))
        pictures[step] = u.to_numpy(root=0)
    lost = abs(u.sum() - heat)
    assert lost < 1e-9
    if cw.process() == 0:
        error = check(pictures[STEPS])
        print(f"{STEPS} steps on {cw.processes()} processes, difference from numpy {error:.1e}, heat lost {lost:.1e}")
        assert error < 1e-12
        if len(sys.argv) > 1:
            draw(pictures, sys.argv[1])
