"""Jobs that continue when a process fails, and arrays whose contents survive that."""
import sys
from typing import Any

from ._library import check, ffi, lib

_handler = None


def survives() -> bool:
    """Returns whether this job continues when a process fails (CW_FAILURES=survive). Local."""
    return lib.cw_survives()


@ffi.def_extern()
def causeway_python_failure(process, context):
    if _handler is not None:
        _handler(process)


def failure_handler(function) -> None:
    """Sets a function that is called once for each failed process, with its number. Local.

    A thread calls it within a call that raises FailedError, or within `agree_failed` or `shrink`. It must not wait.
    MisuseError if the job does not survive failures.

    Parameters
    ----------
    function : callable or None
    """
    global _handler
    check(lib.cw_failure_handler(ffi.NULL if function is None else lib.causeway_python_failure, ffi.NULL))
    _handler = function


def failure_end(status=0) -> None:
    """Ends this process after a failure, without MPI_Finalize, which might wait for failed processes. Does not return.

    Local. Other processes must not need this one any more. Functions of `atexit` are not called.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    check(lib.cw_finalize())
    lib.cw_failure_end(status)


class Failures:
    """Failed members of a team: methods of Team."""

    def failed(self) -> list:
        """Returns the ranks of the members that this process knows to have failed. Local."""
        return self._list_failed(lib.cw_team_failed)

    def agree_failed(self) -> list:
        """Returns the ranks of failed members, the same on all surviving members. Collective over these."""
        return self._list_failed(lib.cw_team_agree_failed)

    def _list_failed(self, call):
        ranks, failed = ffi.new("int[]", self.size), ffi.new("size_t *")
        check(call(self._handle, self.size, ranks, failed))
        return list(ranks[0:failed[0]])

    def shrink(self) -> Any:
        """Makes a team of the surviving members, in the order of their ranks. Collective over these."""
        return self._make(lib.cw_team_shrink)


class Protection:
    """Copies of an array in the memory of other members. `protect` makes it."""

    def __init__(self, array):
        self.array = array

    def commit(self) -> None:
        """Commits the present contents: `recover` returns to them until the next commit. Collective over the array's team.

        No member may update the array meanwhile.
        """
        check(lib.cw_array_commit(self.array._handle))

    def recover(self, team) -> Any:
        """Makes an array with the contents of the last commit. Collective over the team.

        Parameters
        ----------
        team : Team
            Members of the array's team, such as its survivors from `shrink`.

        Returns
        -------
        Array
            Neither protected nor committed.
        """
        made = ffi.new("cw_array *")
        check(lib.cw_array_recover(self.array._handle, team._handle, made))
        its = self.array
        return type(its)(made[0], its.shape, its.dtype, team, its.distribution, its.name, its.device)

    def free(self) -> None:
        """Frees the copies. Collective over the array's team."""
        check(lib.cw_array_protect(self.array._handle, 0))


def protect(array, copies=1) -> Protection:
    """Makes memory for copies of an array in other members' memory. Collective over the array's team.

    The array is protected from the first `commit` on, and survives the failure of as many members.

    Parameters
    ----------
    array : Array
    copies : int, optional
        Number of other members that keep a copy of each part.
    """
    check(lib.cw_array_protect(array._handle, copies))
    return Protection(array)


def commit(*protections) -> None:
    """Commits several arrays of one team at once: all or none. Collective over the team.

    Parameters
    ----------
    *protections : Protection
    """
    arrays = [its.array._handle for its in protections]
    check(lib.cw_arrays_commit(len(arrays), arrays))
