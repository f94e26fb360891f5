"""Teams: ordered sets of processes."""
import operator
import sys
from typing import Any

from ._collective import Collectives
from ._failure import Failures
from ._lifetime import collect
from ._library import MisuseError, check, ffi, lib

# Teams that no Python object refers to any more. The creation of the next team frees them, because a destructor may run
# within any other call.
_unused = []


def _free_unused():
    while _unused:
        check(lib.cw_team_free(ffi.new("cw_team *", _unused.pop())))


class Team(Collectives, Failures):
    """An ordered set of processes. `cw.world()` is the team of all; `cw.team` and `split` make others.

    A team is a sequence of the numbers of its processes: `len(team)`, `process in team`, `for process in team`, and
    `team[rank]`. As a context manager it frees itself at the end of the block. A team that is no longer used is freed
    later, but objects of it that have not been freed before stay until the end of the job.

    Attributes
    ----------
    rank : int
        Of this process in the team.
    size : int
        Number of members.
    """

    def __init__(self, handle, parent):
        self._handle = handle
        self._shared = []
        self._parent = parent
        self._counters = None
        self.rank = lib.cw_team_rank(handle)
        self.size = lib.cw_team_size(handle)

    def __repr__(self):
        return f"<causeway.Team rank={self.rank} size={self.size}{'' if self._handle else ' (freed)'}>"

    # --- Members ---

    def process(self, rank) -> int:
        """Returns the number of the process that has a rank. Local. Raises IndexError if there is no such rank."""
        its = lib.cw_team_process(self._handle, rank)
        if its < 0:
            raise IndexError(f"rank {rank} is out of range; the team has ranks 0 to {self.size - 1}")
        return its

    def translate(self, ranks, to=None) -> list:
        """Returns the ranks in another team of some members of this one, with None for processes outside it. Local.

        Parameters
        ----------
        ranks : sequence of int
            In this team.
        to : Team, optional
            The world by default: ranks in it are the numbers of processes.
        """
        ranks = list(ranks)
        for rank in ranks:
            self.process(rank)
        found = ffi.new("int[]", len(ranks))
        check(lib.cw_team_translate(self._handle, len(ranks), ranks, (to or _world)._handle, found))
        return [rank if rank >= 0 else None for rank in found]

    def __len__(self):
        return self.size

    def __iter__(self):
        return (lib.cw_team_process(self._handle, rank) for rank in range(self.size))

    def __getitem__(self, rank):
        return self.process(rank + self.size if rank < 0 else rank)

    def __contains__(self, process):
        return process in list(self)

    def __bool__(self):
        return True

    # --- Other teams ---

    def split(self, color, key=0) -> "Team | None":
        """Makes a team of the members that pass the same colour. Collective over the team.

        Parameters
        ----------
        color : int or None
            The colour, from 0. None makes no team.
        key : int, optional
            Ranks are ordered by key, then by the rank in this team.

        Returns
        -------
        Team or None
        """
        made = ffi.new("cw_team *")
        _free_unused()
        check(lib.cw_team_split(self._handle, lib.causeway_python_undefined() if color is None else color, key, made))
        return Team(made[0], self) if made[0] else None

    def split_node(self) -> "Team":
        """Makes a team of the members on the node of this process. Collective over the team."""
        return self._make(lib.cw_team_split_node)

    def dup(self) -> "Team":
        """Makes a second team of the same processes, with its own communication. Collective over the team."""
        return self._make(lib.cw_team_dup)

    def _make(self, call):
        made = ffi.new("cw_team *")
        _free_unused()
        check(call(self._handle, made))
        return Team(made[0], self)

    # --- Lifetime ---

    def free(self) -> None:
        """Frees the team, and those of its objects that no member uses any more. Collective over the team.

        A second call does nothing. Objects of the team that are in use stay usable.
        """
        if self is _world:
            raise MisuseError("the world cannot be freed")
        if self._handle:
            self._counters = None
            collect(self)
            handle, self._handle = self._handle, ffi.NULL
            check(lib.cw_team_free(ffi.new("cw_team *", handle)))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:  # after an exception other members may not be here
            self.free()

    def __del__(self):
        if self._parent is not None and self._handle:
            _unused.append(self._handle)

    # --- Use with MPI ---

    @property
    def comm(self) -> Any:
        """The communicator of the team for mpi4py, as an mpi4py.MPI.Intracomm. It is valid until the team is freed.

        Raises MisuseError if mpi4py.MPI was not imported before causeway.
        """
        MPI = sys.modules.get("mpi4py.MPI")
        if MPI is None:
            raise MisuseError("team.comm is a communicator of mpi4py: import mpi4py.MPI before causeway")
        comm = MPI.Intracomm()
        size = lib.causeway_python_team_comm(self._handle, ffi.NULL)
        if size != MPI._sizeof(MPI.Comm):
            raise MisuseError("mpi4py uses another MPI than causeway")
        lib.causeway_python_team_comm(self._handle, ffi.cast("void *", MPI._addressof(comm)))
        return comm


_world = Team(lib.cw_team_world(), None)


def world() -> Team:
    """Returns the team of all processes. Local."""
    return _world


def team(ranks, parent=None, tag=0) -> Team | None:
    """Makes a team of some members of another one. Collective over the members of the new team.

    Parameters
    ----------
    ranks : sequence of int
        Ranks in the parent, none twice. Rank i of the new team is ranks[i].
    parent : Team, optional
        The world by default.
    tag : int, optional
        Distinguishes teams that several threads make at once on one parent.

    Returns
    -------
    Team or None
        None on processes that are not members. They need not call.
    """
    parent = parent or _world
    ranks = [operator.index(rank) for rank in ranks]
    for rank in ranks:
        parent.process(rank)
    made = ffi.new("cw_team *")
    _free_unused()
    check(lib.cw_team_create(parent._handle, len(ranks), ranks, tag, made))
    return Team(made[0], parent) if made[0] else None
