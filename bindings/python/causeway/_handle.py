"""Handles of operations that have been started."""
import ctypes
from typing import Any

from ._library import check, ffi, lib

# Operations whose handle was destroyed before they were complete: a handle, the buffers in use, and whether they outlive Python.
_abandoned = []


def _sweep():
    """Forgets abandoned operations that are complete."""
    complete = ffi.new("bool *")
    for entry in list(_abandoned):
        if lib.cw_test(entry[0], complete) or complete[0]:
            _abandoned.remove(entry)
            if entry[2]:
                ctypes.pythonapi.Py_DecRef(ctypes.py_object(entry[1]))


class Handle:
    """Operations that have been started. Several may be started on one handle.

    At the end of a `with` block they are complete. The handle keeps their buffers alive.

    Parameters
    ----------
    aggregate : bool, optional
        Whether to collect small operations and to send them together.
    """

    def __init__(self, aggregate=False):
        if _abandoned:
            _sweep()
        self._handle = ffi.new("cw_handle *")
        self._buffers = []
        self._result = None
        self._outlives = False
        if aggregate:
            check(lib.cw_handle_set_aggregate(self._handle, True))

    def _add(self, *buffers, result=None):
        self._buffers.extend(buffers)
        self._result = result

    def _add_collective(self, *buffers, result=None):
        """Adds the buffers of a collective operation, which may still be under way when Python ends, and has freed all objects."""
        self._add(*buffers, result=result)
        if not self._outlives:
            self._outlives = True
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._buffers))

    def _complete(self):
        self._buffers.clear()
        if self._outlives:
            self._outlives = False
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(self._buffers))

    def wait(self) -> Any:
        """Waits until the operations are complete and their buffers may be used again. Local.

        Returns
        -------
        object
            The result of the operation that was started last: the array of a get or of a collective operation, or None.
        """
        check(lib.cw_wait(self._handle))
        self._complete()
        return self._result

    def test(self) -> bool:
        """Returns whether the operations are complete. Local."""
        complete = ffi.new("bool *")
        check(lib.cw_test(self._handle, complete))
        if complete[0]:
            self._complete()
        return complete[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.wait()

    def __del__(self):
        if self._buffers:  # the library still uses them
            _abandoned.append((self._handle, self._buffers, self._outlives))


def wait_all(handles=None) -> None:
    """Waits for handles; by default for all operations that this process has started, but not for collective ones. Local.

    Parameters
    ----------
    handles : iterable of Handle, optional
    """
    if handles is None:
        check(lib.cw_wait_all())
    else:
        for handle in handles:
            handle.wait()


def wait_any(handles) -> int:
    """Waits until one of several handles is complete, and returns its position. Local.

    A handle that is already complete counts: remove it before the next call.

    Parameters
    ----------
    handles : sequence of Handle
    """
    copies = ffi.new("cw_handle[]", [its._handle[0] for its in handles])
    which = ffi.new("size_t *")
    check(lib.cw_handle_wait_any(copies, len(copies), which))
    handles[which[0]].wait()
    return which[0]
