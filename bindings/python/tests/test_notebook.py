"""The cell magic %%causeway, in IPython's shell. The jobs that it starts use the MPI of this test."""
import numpy as np
import pytest

import causeway as cw

pytestmark = pytest.mark.skipif(cw.processes() > 1, reason="a notebook is one process")


@pytest.fixture(scope="module")
def shell():
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    its = interactive.InteractiveShell.instance()
    its.run_line_magic("load_ext", "causeway")
    return its


def run(shell, options, cell):
    """Runs a cell and returns the exception that it has raised, or None."""
    return shell.run_cell(f"%%causeway {options}\n{cell}").error_in_exec


def test_variables_go_to_the_processes_and_back(shell, capfd):
    shell.user_ns["data"] = np.arange(10)
    assert run(shell, "-n 3 -i data -o total -o who", """
import causeway as cw
total, who = int(data.sum()) * cw.processes(), cw.process()
print("from one of", cw.processes())""") is None
    assert (shell.user_ns["total"], shell.user_ns["who"]) == (135, 0)
    assert capfd.readouterr().out.count("from one of") == 3


def test_exceptions_are_shown(shell, capfd):
    error = run(shell, "-n 2", "import causeway as cw\nif cw.process() == 1:\n    raise OSError('only here')\ncw.barrier()")
    assert type(error) is cw.CausewayError
    shown = capfd.readouterr().out
    assert "runpy" not in shown
    assert "OSError: only here" in shown
    assert "raise OSError('only here')" in shown  # the line of the cell


def test_time_limit_ends_the_job(shell):
    error = run(shell, "-n 2 -t 1.5", "import threading\nthreading.Event().wait()")
    assert "has not ended within 1.5 seconds" in str(error)


def test_misuse(shell):
    assert "-n is 0" in str(run(shell, "-n 0", "1"))
    assert "no variable nothing" in str(run(shell, "-i nothing", "1"))
    assert "unrecognized arguments" in str(run(shell, "--what", "1"))
    shell.user_ns["numpy"] = np
    assert "-i numpy: its value cannot be sent" in str(run(shell, "-i numpy", "1"))
    shell.run_cell("def function(): pass")
    assert "-i function: the processes do not have the functions" in str(run(shell, "-i function", "1"))


def test_missing_output(shell, capfd):
    assert type(run(shell, "-n 1 -o nothing", "1")) is cw.CausewayError
    assert "the cell has no variable nothing (-o)" in capfd.readouterr().out
