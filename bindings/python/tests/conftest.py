"""What all test files share.

The processes of a job run the same tests in the same order. A test that fails on one process would leave the others
waiting, so its first failure ends the job, with the failure printed.
"""
import os
import sys
import traceback

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

import causeway as cw

# Each run draws the same examples, however fast it is.
settings.register_profile("job", derandomize=True, database=None, deadline=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("job")

# Part of the random cases and combinations that run, as for the programs in C (kit_rounds): CI asks for fewer.
TIMES = float(os.environ.get("CW_TEST_TIMES", 1))


def rounds(usual):
    """Returns the number of random cases for a usual one."""
    return max(1, int(usual * TIMES))


def combinations(first, second):
    """Returns pairs of the items of two lists: all of them, or fewer if TIMES is below 1, with each item at least once."""
    step = max(1, min(round(1 / TIMES), len(first), len(second)))
    return [(a, b) for i, a in enumerate(first) for j, b in enumerate(second) if (i + j) % step == 0]


_capture = None


def pytest_configure(config):
    global _capture
    _capture = config.pluginmanager.getplugin("capturemanager")


def _end_job(text):
    """Prints the text to where the output of the program goes, and ends the job."""
    if _capture is not None:
        _capture.suspend_global_capture()
    print(f"process {cw.process()} of {cw.processes()}: {text}", file=sys.stderr, flush=True)
    cw.abort("a test has failed", 1)


def pytest_runtest_logreport(report):
    if report.failed and cw.processes() > 1:
        _end_job(f"{report.nodeid}\n{report.longreprtext}")


def pytest_collectreport(report):
    if report.failed and cw.processes() > 1:
        _end_job(f"{report.nodeid}\n{report.longreprtext}")


def drawn_together(examples, *strategies):
    """Decorates a test with hypothesis: process 0 draws the arguments, which can be pickled, and sends them to all.

    What hypothesis draws from one seed depends on hashes and addresses too, which differ between processes. The first failure
    ends a job of several processes, because hypothesis would repeat the failing example, on this process only.
    """
    def decorate(test):
        def run_once(arguments):
            try:
                test(*arguments)
            except HypothesisException:
                raise
            except Exception:
                if cw.processes() == 1:
                    raise
                _end_job(f"{test.__name__}{arguments}\n{traceback.format_exc()}")

        @settings(max_examples=rounds(examples))
        @given(st.tuples(*strategies))
        def draw(arguments):
            cw.world().broadcast(arguments)
            run_once(arguments)

        def run():
            if cw.process() == 0:
                draw()
                cw.world().broadcast(None)
            else:
                while (arguments := cw.world().broadcast()) is not None:
                    run_once(arguments)
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run
    return decorate


@pytest.fixture(autouse=True)
def _together():
    """Begins each test on all processes, and ends it with nothing left."""
    cw.barrier()
    yield
    cw.barrier()
    cw.collect()
