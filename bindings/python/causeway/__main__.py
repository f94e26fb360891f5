"""python -m causeway info: what the package runs on."""
import argparse
import importlib.metadata
import os
import platform
import sys
import tempfile

import numpy as np

import causeway
from causeway._library import check, ffi, lib, mpi_of_mpi4py, mpi_reason


def _report(settings):
    """Returns the report of cw-info."""
    with tempfile.TemporaryFile() as file:
        stream = lib.fdopen(os.dup(file.fileno()), b"w")
        if stream == ffi.NULL:
            raise OSError(ffi.errno, os.strerror(ffi.errno))
        try:
            check(lib.cw_report(stream, settings))
        finally:
            lib.fclose(stream)
        file.seek(0)
        return file.read().decode(errors="replace")


def _version_of_mpi4py():
    """Returns the version of mpi4py and the MPI that it uses, as text."""
    try:
        version = importlib.metadata.version("mpi4py")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
    return f"{version}, for {mpi_of_mpi4py() or 'an unknown MPI'}"


def _info(settings):
    """Prints the report, on process 0."""
    if causeway.process() != 0:
        return
    print(f"package     causeway {causeway.__version__}, {os.path.dirname(causeway.__file__)}")
    print(f"Python      {platform.python_version()}, {sys.executable}")
    print(f"numpy       {np.__version__}")
    print(f"mpi4py      {_version_of_mpi4py()}")
    print(f"MPI         {causeway.mpi}: {mpi_reason}")
    print()
    print(_report(settings), end="")


def main():
    """Runs a command of python -m causeway."""
    parser = argparse.ArgumentParser(prog="python -m causeway", description="Shows what the Python package causeway runs on.")
    commands = parser.add_subparsers(dest="command")
    info = commands.add_parser("info", help="print the versions, the MPI, the nodes and the routes")
    info.add_argument("--settings", action="store_true", help="also print every setting and its value")
    arguments = parser.parse_args()
    if arguments.command == "info":
        _info(arguments.settings)
    elif causeway.process() == 0:
        parser.print_help()


if __name__ == "__main__":
    main()
