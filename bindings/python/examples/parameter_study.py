"""A parameter study with tasks: the Lyapunov exponent of the logistic map x -> r x (1 - x) for many r."""
import sys

import numpy as np

import causeway as cw

PARAMETERS = np.linspace(2.8, 4.0, 961)
MOST_STEPS = 20000


@cw.task
def exponents(r):
    """Returns the exponents for some values of r. A task: any process may run it.

    Positive exponents are chaos. Tasks take different times: steps end early if all sums have settled.
    """
    x = np.full(r.shape, 0.3)
    for _ in range(500):
        x = r * x * (1 - x)
    total, settled, step = np.zeros(r.shape), False, 0
    while step < MOST_STEPS and not settled:
        before = total / max(step, 1)
        for _ in range(1000):
            x = r * x * (1 - x)
            total += np.log(np.maximum(np.abs(r * (1 - 2 * x)), 1e-12))
        step += 1000
        settled = np.abs(total / step - before).max() < 1e-6
    return total / step


def study(parameters, size):
    """Returns the exponents for all parameters on process 0, None on the others. Collective."""
    futures = []
    with cw.TaskPool() as pool:
        if cw.process() == 0:
            futures = [pool.submit(exponents, parameters[at:at + size]) for at in range(0, len(parameters), size)]
        pool.run()  # all processes take part until no task is left
        if cw.process() == 0:
            print(f"{len(futures)} tasks, of which other processes ran "
                  f"{sum(future.process() != 0 for future in futures)}", file=sys.stderr)
            return np.concatenate([future.result() for future in futures])


def draw(parameters, values, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.figure(figsize=(6, 3), layout="constrained")
    pyplot.axhline(0, color="grey", linewidth=0.5)
    pyplot.plot(parameters, np.maximum(values, -2), linewidth=0.8)
    pyplot.xlabel("r")
    pyplot.ylabel("Lyapunov exponent")
    pyplot.savefig(file)


if __name__ == "__main__":
    found = study(PARAMETERS, 16)
    if found is not None:
        chaos = (found > 0.01).mean()
        print(f"exponent for r = 4: {found[-1]:.3f}; chaos for {chaos:.0%} of the parameters")
        assert abs(found[-1] - np.log(2)) < 5e-3  # known exactly
        assert (found[PARAMETERS < 3.5] < 0.01).all() and 0.3 < chaos < 0.45
        if len(sys.argv) > 1:
            draw(PARAMETERS, found, sys.argv[1])
