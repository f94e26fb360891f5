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


class Shared:
    """Base of objects that a team owns together. A subclass calls _own when the library's object exists."""

    _entry = None

    def _own(self, team, release):
        """Notes that release() frees the library's object. It must not refer to self, which would then never be unused."""
        self._owner = team
        self._entry = Entry(release)
        team._shared.append(self._entry)

    def _check_alive(self):
        if self._entry is None:
            raise MisuseError(f"this {type(self).__name__} has been freed")

    def free(self):
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

    def __del__(self):
        if self._entry is not None:
            self._entry.unused = True


def collect(team=None):
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
