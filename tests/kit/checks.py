# What is checked in tests in Python: each failure has a line, and `failed()` is the exit status.
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED: " + text)


def same(what, got, want):
    if got != want:
        fail(f"{what}: {got!r}, not {want!r}")


def failed():
    return int(failures > 0)
