"""python -m causeway."""
import platform
import runpy
import sys

import numpy as np
import pytest

import causeway as cw


def run(monkeypatch, capfd, *arguments):
    """Runs the command and returns its output."""
    monkeypatch.setattr(sys, "argv", ["causeway", *arguments])
    runpy.run_module("causeway", run_name="__main__")
    return capfd.readouterr().out


def test_info(monkeypatch, capfd):
    output = run(monkeypatch, capfd, "info")
    if cw.process() != 0:
        assert output == ""
        return
    assert f"numpy       {np.__version__}" in output
    assert f"Python      {platform.python_version()}" in output
    assert f"MPI         {cw.mpi}: " in output
    assert f"processes: {cw.processes()} on " in output
    assert "CW_ROUTE" not in output


def test_settings(monkeypatch, capfd):
    output = run(monkeypatch, capfd, "info", "--settings")
    assert ("CW_ROUTE" in output) == (cw.process() == 0)


def test_usage(monkeypatch, capfd):
    output = run(monkeypatch, capfd)
    assert output.startswith("usage: python -m causeway") == (cw.process() == 0)
    with pytest.raises(SystemExit):
        run(monkeypatch, capfd, "unknown")
