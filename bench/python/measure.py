"""Measures the sides of a comparison in turns, and prints tables."""
import statistics
import time

ROUNDS = 9


def per_call(function, seconds=0.004):
    """Returns a function that returns the time of one call of `function`, in microseconds: the mean of a turn of calls."""
    function()
    begin = time.perf_counter()
    function()
    calls = max(1, int(seconds / max(time.perf_counter() - begin, 1e-7)))

    def turn():
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        return (time.perf_counter() - begin) / calls * 1e6
    return turn


def medians(*sides, rounds=ROUNDS):
    """Returns the medians of the sides, functions that measure one turn and return its time.

    The sides take turns. Every other round has them in reverse order, because what a side leaves in the cache slows or speeds
    up the next one.
    """
    times = [[] for _ in sides]
    for number in range(rounds):
        for side, its in list(zip(sides, times))[::-1 if number % 2 else 1]:
            its.append(side())
    return [statistics.median(its) for its in times]


def number(value):
    """Returns the text of a time."""
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(head, rows):
    """Prints a table in Markdown. The first column is text."""
    print("| " + " | ".join(head) + " |")
    print("|---|" + "--:|" * (len(head) - 1))
    for first, *others in rows:
        print("| " + " | ".join([str(first), *(its if isinstance(its, str) else number(its) for its in others)]) + " |")
    print(flush=True)
