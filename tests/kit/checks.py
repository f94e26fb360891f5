# Checks of tests in Python: each failure prints a line, and `failed()` is the exit status.
failures = 0
PATIENCE = 300  # seconds: nothing is ended before five minutes are over


def fail(text):
    global failures
    failures += 1
    print("FAILED: " + text)


def same(what, got, want):
    if got != want:
        fail(f"{what}: {got!r}, not {want!r}")


def failed():
    return int(failures > 0)
