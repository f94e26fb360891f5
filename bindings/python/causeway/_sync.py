"""Locks, and notifications that data has arrived."""
import operator
import threading

from ._buffers import named, rank_of
from ._handle import Handle
from ._lifetime import Shared, collect
from ._library import FailedError, MisuseError, check, ffi, lib
from ._team import world

_COMPARISONS = {"at_least": lib.CW_AT_LEAST, "equal": lib.CW_EQUAL, "not_equal": lib.CW_NOT_EQUAL,
                "changed": lib.CW_CHANGED}

_HOLDS = {"at_least": operator.ge, "equal": operator.eq, "not_equal": operator.ne}


class Locks(Shared):
    """A set of locks: each member hosts some. Collective over the team.

    `locks[rank, number]` is a lock. It excludes the threads of all processes of the job, and it is not recursive.

    Parameters
    ----------
    count : int
        Number of locks that this member hosts; it may be 0.
    team : Team, optional
        The world by default.
    """

    def __init__(self, count, team=None):
        self.team = team or world()
        count = operator.index(count)
        if count < 0:
            raise MisuseError(f"count is {count}; it must be at least 0")
        collect(self.team)
        handle = ffi.new("cw_mutexes *")
        self._counts = self.team.allgather(count)
        check(lib.cw_mutexes_create(self.team._handle, count, handle))
        self._handle = handle
        self._locks = {}
        self._own(self.team, lambda: check(lib.cw_mutexes_free(handle)))

    def __getitem__(self, key) -> "SharedLock":
        rank, number = key if isinstance(key, tuple) else (key, 0)
        rank, number = rank_of(self.team, rank), operator.index(number)
        if not 0 <= number < self._counts[rank]:
            raise IndexError(f"lock {number} is out of range; rank {rank} hosts {self._counts[rank]} locks")
        # One object for each lock, because the library knows processes, and not threads, as holders.
        return self._locks.setdefault((rank, number), SharedLock(self._handle, number, self.team.process(rank), self._use))


class SharedLock:
    """A lock of a set. As a context manager it is held in the block. Local."""

    def __init__(self, handle, number, process, use):
        self._handle = handle
        self._number = number
        self._process = process
        self._use = use
        self._thread = threading.Lock()

    def acquire(self, blocking=True) -> bool:
        """Waits until the lock is free, and takes it.

        Parameters
        ----------
        blocking : bool, optional
            If False, only tries.

        Returns
        -------
        bool
            Whether this thread holds the lock now.

        Raises
        ------
        FailedError
            If the process that held the lock has failed. This thread then holds it, and what it guards may be half
            changed.
        """
        if not self._thread.acquire(blocking):
            return False
        acquired = False
        try:
            acquired = self._acquire(blocking)
        except FailedError:
            acquired = True
            raise
        finally:
            if not acquired:
                self._thread.release()
        return acquired

    def _acquire(self, blocking):
        if blocking:
            check(lib.cw_mutex_lock(self._handle[0], self._number, self._process))
            return True
        acquired = ffi.new("bool *")
        check(lib.cw_mutex_trylock(self._handle[0], self._number, self._process, acquired))
        return acquired[0]

    def release(self) -> None:
        """Completes this process's transfers at all targets, and frees the lock."""
        if not self._thread.locked():
            raise MisuseError("this process does not hold the lock")
        try:
            check(lib.cw_mutex_unlock(self._handle[0], self._number, self._process))
        finally:
            self._thread.release()

    def __enter__(self):
        try:
            self.acquire()
        except FailedError:
            self.release()
            raise
        return self

    def __exit__(self, kind, value, trace):
        self.release()


class Lock:
    """A lock of the threads of all processes. As a context manager it is held in the block. Collective over the team.

    It is not recursive.

    Parameters
    ----------
    team : Team, optional
        The world by default.
    host : int, optional
        Rank of the member that hosts the lock.
    """

    def __init__(self, team=None, host=0):
        team = team or world()
        host = rank_of(team, host, "host")
        self._locks = Locks(int(team.rank == host), team)
        lock = self._locks[host]
        self.acquire, self.release, self._enter, self._exit = lock.acquire, lock.release, lock.__enter__, lock.__exit__

    def __enter__(self):
        self._enter()
        return self

    def __exit__(self, kind, value, trace):
        self._exit(kind, value, trace)

    def free(self) -> None:
        """Frees the lock. Collective over the team."""
        self._locks.free()


class Notifications(Shared):
    """Counters of each member that others increment, and for which it waits. Collective over the team.

    Parameters
    ----------
    count : int, optional
        Number of counters of this member; it may be 0. All are 0 at first.
    team : Team, optional
        The world by default.
    """

    def __init__(self, count=1, team=None):
        self.team = team or world()
        count = operator.index(count)
        if count < 0:
            raise MisuseError(f"count is {count}; it must be at least 0")
        self.count = count
        collect(self.team)
        handle = ffi.new("cw_notifications *")
        self._counts = self.team.allgather(count)
        check(lib.cw_notifications_create(self.team._handle, count, handle))
        self._pointer = handle
        self._own(self.team, lambda: check(lib.cw_notifications_free(handle)))

    @property
    def _handle(self):
        self._check_alive()
        return self._pointer[0]

    def _number(self, number, rank=None):
        number = operator.index(number)
        rank = self.team.rank if rank is None else rank
        if not 0 <= number < self._counts[rank]:
            raise IndexError(f"counter {number} is out of range; rank {rank} has {self._counts[rank]} counters")
        return number

    def notify(self, rank, number=0) -> None:
        """Adds 1 to a counter of a member when all that this process has put there before is visible. Local.

        Parameters
        ----------
        rank : int
            In the team.
        number : int, optional
            Of the counter.
        """
        rank = rank_of(self.team, rank)
        check(lib.cw_put_notify(ffi.NULL, ffi.NULL, 0, self.team.process(rank), self._handle, self._number(number, rank)))

    def read(self, number=0) -> int:
        """Returns a counter of this process. Local."""
        value = ffi.new("int64_t *")
        check(lib.cw_notification_read(self._handle, self._number(number), value))
        return value[0]

    def reset(self, number=0) -> int:
        """Sets a counter of this process to 0, and returns its old value. No notification is lost. Local."""
        before = ffi.new("int64_t *")
        check(lib.cw_notification_reset(self._handle, self._number(number), before))
        return before[0]

    def wait(self, number=0, value=1, comparison="at_least") -> int:
        """Waits until a comparison of a counter of this process with a value holds. Returns the counter. Local.

        All that was put before the notifications has then arrived. Other Python threads run meanwhile.

        Parameters
        ----------
        number : int, optional
            Of the counter.
        value : int, optional
        comparison : str, optional
            "at_least", "equal", "not_equal" or "changed", which waits for any change and ignores the value.
        """
        now = ffi.new("int64_t *")
        check(lib.cw_notification_wait(self._handle, self._number(number), named(_COMPARISONS, comparison, "comparison"),
                                       value, now))
        return now[0]

    def test(self, number=0, value=1, comparison="at_least") -> bool:
        """Returns whether a comparison of a counter of this process with a value holds. Local.

        Parameters
        ----------
        number, value, comparison
            As for `wait`, without "changed".
        """
        return named(_HOLDS, comparison, "comparison")(self.read(number), value)

    def request(self, number=0, value=1, comparison="at_least") -> Handle:
        """Returns a handle that is complete when `wait` with these arguments would return. Local."""
        handle = Handle()
        check(lib.cw_notification_request(self._handle, self._number(number),
                                          named(_COMPARISONS, comparison, "comparison"), value, handle._handle))
        handle._add(self._use)
        return handle
