"""Objects that several processes own together, such as arrays, and when they are freed.

Freeing such an object is collective, but Python destroys objects on each process at its own time. So an object that is no
longer used is only noted. The members of a team free it together at the next collective call that makes an object on the
team, or in collect(), once all of them have noted it. free() and the end of a with block free an object at once.
"""
import numpy as np

from ._library import CausewayError, MisuseError, check, ffi, lib


class Entry:
    """An object's place in the list of its team. release() frees the library's object. Collective over the team."""
    __slots__ = ("release", "unused")

    def __init__(self, release):
        self.release = release
        self.unused = False


class Use:
    """Held by an object, and by the numpy views of its memory. When the last of them is gone, the object is unused."""
    __slots__ = ("entry",)

    def __init__(self, entry):
        self.entry = entry

    def __del__(self):
        self.entry.unused = True


class _Memory:
    """Memory of an object for numpy, which keeps this as the base of its arrays."""
    __slots__ = ("__array_interface__", "use")

    def __init__(self, address, size, use):
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (size,), "data": (address, False)}
        self.use = use


def memory_view(address, shape, dtype, strides, use):
    """Returns a numpy array at an address, without a copy.

    Parameters
    ----------
    address : cdata pointer
    shape, strides : tuple of int
        The strides are bytes, from 0.
    dtype : numpy.dtype
    use : Use
        Of the object that has the memory: it is not freed as unused while the array exists. free() frees it nevertheless.
    """
    size = sum((n - 1) * step for n, step in zip(shape, strides)) + dtype.itemsize
    memory = _Memory(int(ffi.cast("uintptr_t", address)), size, use)
    return np.ndarray(shape, dtype, np.asarray(memory), 0, strides)


class Shared:
    """Base of objects that a team owns together. A subclass calls _own when the library's object exists."""

    _entry = None

    def _own(self, team, release):
        """Notes that release() frees the library's object. It must not refer to self, which would then never be unused."""
        self._owner = team
        self._entry = Entry(release)
        self._use = Use(self._entry)
        team._shared.append(self._entry)

    def _check_alive(self):
        if self._entry is None:
            raise MisuseError(f"this {type(self).__name__} has been freed")

    def free(self) -> None:
        """Frees the object. Collective over its team. A second call does nothing."""
        entry, self._entry = self._entry, None
        if entry is not None and entry in self._owner._shared:
            self._owner._shared.remove(entry)
            entry.release()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:  # after an exception other members may not be here
            self.free()


def collect(team=None) -> int:
    """Frees the objects of a team that no member uses any more. Collective over the team.

    Parameters
    ----------
    team : Team, optional
        The world by default.

    Returns
    -------
    int
        Number of objects that were freed.
    """
    from ._team import world
    shared = (team or world())._shared
    if not shared:
        return 0
    unused = np.array([entry.unused for entry in shared], np.intc)
    check(lib.cw_allreduce((team or world())._handle, lib.CW_INT, lib.CW_MINIMUM, len(unused),
                           ffi.from_buffer(unused)))
    freed = [entry for entry, its in zip(shared, unused) if its]
    shared[:len(unused)] = [entry for entry, its in zip(shared, unused) if not its]
    problems = []
    for entry in freed:  # all of them, also after an error of one, which may have happened on this member only
        try:
            entry.release()
        except CausewayError as problem:
            problems.append(problem)
    if problems:
        raise problems[0]
    return len(freed)
