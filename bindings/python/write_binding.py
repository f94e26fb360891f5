#!/usr/bin/env python3
"""Writes the C source of the extension module that binds the library for one MPI.

usage: write_binding.py MODULE INCLUDE OUTPUT [COMPILER]

MODULE is the full name of the extension module (causeway._mpich), INCLUDE the folder with causeway.h, OUTPUT the file
to write. The declarations are read from the public headers, so that a new call of the C library can be called from
Python without a change here. The generated module is compiled once for all versions of Python from 3.11 (the stable ABI).
"""
import pathlib
import re
import subprocess
import sys

import cffi

HERE = pathlib.Path(__file__).resolve().parent

# Calls that name MPI's types, which differ between MPIs; binding.h has others in their place.
OMITTED = re.compile(r"\b(MPI_\w+|cw_built_for\w*)\b")

# The oldest Python whose stable ABI has what patch.h uses.
STABLE_ABI = "#define Py_LIMITED_API 0x030b0000\n"


def declarations(include, compiler="cc"):
    """Returns the declarations of causeway.h, without those of other headers."""
    header = pathlib.Path(include) / "causeway.h"
    command = [compiler, "-E", "-x", "c", "-I", str(HERE / "mpi_stub"), "-I", str(include),
               "-D__attribute__(x)=", "-D__extension__=", str(header)]
    lines = []
    ours = False
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = pathlib.Path(marker[1]) == header or pathlib.Path(marker[1]).parent == header.parent / "causeway"
        elif ours:
            lines.append(line)
    return statements("\n".join(lines))


def statements(text):
    """Returns the statements at the outer level that name no type of MPI."""
    kept, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            statement = text[begin:at + 1].strip()
            if not OMITTED.search(statement):
                kept.append(statement)
            begin = at + 1
    return "\n".join(kept)


def builder(module, include, compiler="cc"):
    """Returns the FFI object that describes the extension module."""
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler))
    ffi.cdef((HERE / "binding.cdef").read_text())
    ffi.set_source(module, (HERE / "binding.h").read_text())
    return ffi


def write(module, include, output, compiler="cc"):
    """Writes the C source of the extension module."""
    builder(module, include, compiler).emit_c_code(output)
    path = pathlib.Path(output)
    path.write_text(STABLE_ABI + path.read_text())


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    write(*sys.argv[1:])
