#!/usr/bin/env python3
"""Prints, for CMake, the folder of Python's C headers, the folder for packages below a prefix, which is relative to it, and
whether Python searches that folder by itself: TRUE or FALSE.

usage: folders.py PREFIX

A folder that Python searches by itself is preferred: below /usr and /usr/local, Debian has such folders. Of several, the one
for all versions of Python 3 is preferred. Below other prefixes PYTHONPATH has to name the folder.
"""
import os
import site
import sys
import sysconfig


def packages(prefix):
    """Returns the folder for packages that Python searches, relative to the prefix, or None."""
    prefix = os.path.join(os.path.normpath(prefix), "")
    # /usr/local is below /usr, and has the folders of its own installations.
    found = [folder[len(prefix):] for folder in site.getsitepackages() if folder.startswith(prefix)]
    found = [folder for folder in found if not folder.startswith("local" + os.sep)]
    return min(found, key=len, default=None)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    searched = packages(sys.argv[1])
    print(sysconfig.get_path("include"), searched or "lib/python3/site-packages", str(searched is not None).upper(), sep=";")
