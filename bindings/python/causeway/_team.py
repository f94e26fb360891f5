"""Teams: ordered sets of processes."""
import numpy as np

from ._lifetime import Shared, collect
from ._library import check, ffi, lib


class Team(Shared):
    """An ordered set of processes. `cw.world()` is the team of all; `split` and `create` make others.

    A team that Causeway has made from another one is freed like an array: see the guide, "Lifetime".
    """

    def __init__(self, handle, parent):
        self._handle = handle
        self._shared = []
        self.rank = lib.cw_team_rank(handle)
        self.size = lib.cw_team_size(handle)
        if parent is not None:
            self._own(parent, lambda: check(lib.cw_team_free(ffi.new("cw_team *", handle))))


_world = Team(lib.cw_team_world(), None)


def world():
    """Returns the team of all processes. Local."""
    return _world
