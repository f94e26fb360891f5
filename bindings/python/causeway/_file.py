"""Arrays in HDF5 files."""
from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from . import _array as arrays
from ._distribution import Distribution, blocks
from ._lifetime import collect
from ._library import MisuseError, check, ffi, lib
from ._team import world

_DTYPES = {number: np.dtype(name) for number, name in (
    (lib.CW_INT, "i4"), (lib.CW_LONG, "i8"), (lib.CW_LONG_LONG, "i8"), (lib.CW_FLOAT, "f4"), (lib.CW_DOUBLE, "f8"),
    (lib.CW_FLOAT_COMPLEX, "c8"), (lib.CW_DOUBLE_COMPLEX, "c16"))}


def save(path, array=None, **named) -> None:
    """Saves arrays to an HDF5 file, which h5py and other HDF5 tools can read. Collective over the team of the arrays.

    A file of this name is replaced when the new one is complete.

    Parameters
    ----------
    path : str or path
        The same on all members, in a folder that all of them see.
    array : Array or dict of str to Array, optional
        The dataset of a single array is named "array"; the keys of a dict are the names of datasets ("run/density" is
        in a group).
    **named : Array
        More datasets.

    Notes
    -----
    Numbers of the types int32, int64, float32, float64, complex64 and complex128 are numbers in the file; elements of
    other types are opaque bytes.

    Raises
    ------
    MisuseError
        On all members: arrays without elements or of several teams.
    OutsideError
        On all members: HDF5 or the file system failed. An older file is unchanged.
    """
    datasets = {**(array if isinstance(array, dict) else {} if array is None else {"array": array}), **named}
    if not datasets:
        raise MisuseError("save: there is no array")
    for name, its in datasets.items():
        if not isinstance(its, arrays.Array):
            raise TypeError(f"save: {name!r} is of type {type(its).__name__}; it must be a distributed array")
        if its.size == 0 or its.ndim == 0:
            raise MisuseError(f"save: {name!r} has the shape {its.shape}; a dataset needs dimensions and elements")
    texts = [ffi.new("char[]", name.encode()) for name in datasets]
    check(lib.cw_arrays_save(os.fsencode(path), len(datasets), [its._handle for its in datasets.values()], texts))


def load(path, name: str = "array", *, dtype=None, distribution=None, team=None) -> arrays.Array:
    """Makes an array of a dataset of an HDF5 file. Collective over the team.

    Parameters
    ----------
    path : str or path
        The same on all members.
    name : str, optional
        Of the dataset; `save` names that of a single array "array". Files of other programs will do, if the type is among those of `save`.
    dtype : dtype_like, optional
        Of elements that are opaque bytes in the file. They have a void type by default.
    distribution : Distribution, optional
        `cw.blocks()` by default, whatever the array had that was saved.
    team : Team, optional
        The world by default.

    Returns
    -------
    Array

    Raises
    ------
    OutsideError
        On all members: no such file, or one that is damaged; no such dataset: the message lists those of the file.
    """
    team = team or world()
    if distribution is not None and not isinstance(distribution, Distribution):
        raise TypeError(f"load: distribution is of type {type(distribution).__name__}; cw.blocks and others make one")
    collect(team)
    wanted = distribution or blocks()
    options = ffi.new("cw_array_options *")
    kept = _padded(wanted)._store(options, lib.CW_MAX_DIMENSIONS)
    handle = ffi.new("cw_array *")
    check(lib.cw_array_create_from_file(team._handle, os.fsencode(path), name.encode(),
                                        ffi.addressof(options.distribution), handle))
    del kept
    return _adopt(handle[0], team, wanted, dtype, name)


_PADDING = {"block": 1, "grid": 1, "boundaries": (0,), "ghosts": 0, "alignment": 0}


def _padded(distribution):
    """Returns a distribution with entries for as many dimensions as an array can have: the dataset's are not known."""
    fields = {name: getattr(distribution, name) for name in _PADDING}
    return replace(distribution, **{name: its + (_PADDING[name],) * (lib.CW_MAX_DIMENSIONS - len(its))
                                    for name, its in fields.items() if isinstance(its, tuple)})


def _adopt(handle, team, distribution, dtype, name):
    """Returns the Array of a loaded array, or frees it and raises an error if distribution or dtype does not fit."""
    about = ffi.new("cw_array_description *")
    check(lib.cw_array_describe(handle, about))
    shape = tuple(about.extents)[:about.dimensions]
    stored = _DTYPES.get(about.type, np.dtype((np.void, about.element_bytes)))
    wanted = stored if dtype is None else np.dtype(dtype)
    fits = wanted == stored or stored.kind == "V" and wanted.itemsize == stored.itemsize and not wanted.hasobject
    its = arrays.Array(handle, shape, wanted if fits else stored, team, distribution, name)
    lengths = [len(field) for field in (getattr(distribution, its) for its in _PADDING) if isinstance(field, tuple)]
    if fits and all(length == len(shape) for length in lengths):
        return its
    its.free()
    if fits:
        raise MisuseError(f"load: dataset {name!r} has {len(shape)} dimensions; the distribution is {distribution}")
    raise MisuseError(f"load: dataset {name!r} has elements of type {stored}, not {wanted}: use astype")
