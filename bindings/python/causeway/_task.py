"""Pools of tasks: calls of functions that run on any process, where idle processes take work from busy ones."""
import itertools
import struct
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._library import CausewayError, FailedError, MisuseError, check, error, ffi, lib
from ._lifetime import Shared, collect
from ._message import PLACE_SIZE, Message, Store, fetch, read
from ._team import Team, world

_BODY = struct.Struct("=qq")      # of a task: number of its future; whether a place in memory or the message follows
_RESULT = struct.Struct("=qBBxxi")  # number of the future; whether the task failed; whether a place follows; length of what follows
_INLINE = 4096  # bytes: longer results stay where they were made, until the phase ends
_RUNS_PER_PROCESS = 16  # tasks that map makes for each process

_functions = {}  # by name
_names = {}      # by function


class TaskError(CausewayError, RuntimeError):
    """An exception of a task that could not be sent to the process that waits for it. The text is the exception's."""


class RemoteTraceback(Exception):
    """The traceback of a task's exception, as text. It is the exception's cause."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text

    def __str__(self):
        return f"\n{self.text}"


def task(function: Callable | None = None, *, name: str | None = None) -> Callable:
    """Registers a function under a name, so that every process can run it as a task. A decorator. Local.

    Functions at the outer level of a module can be tasks without it. Functions within functions and lambdas need it,
    and then every process must register the function before a task with it runs.

    Parameters
    ----------
    function : callable
        Remains as it is: a call of it is an ordinary call.
    name : str, optional
        The same on all processes; by default the module's and the function's name.

    Raises
    ------
    MisuseError
        Another function has the name. (A function that is defined again under the same default name takes its place.)
    """
    if function is None:
        return lambda its: task(its, name=name)
    if not callable(function):
        raise TypeError(f"a task is a function, not a {type(function).__name__}")
    own = f"{function.__module__}.{function.__qualname__}"
    known = _functions.get(name or own)
    if name is not None and known is not None and (known.__module__, known.__qualname__) != (
            function.__module__, function.__qualname__):
        raise MisuseError(f"task: name is {name!r}, which {known.__module__}.{known.__qualname__} has")
    _names.pop(known, None)
    _functions[name or own] = function
    _names[function] = name or own
    return function


class Future:
    """The result of a task, on the process that has submitted it, once a phase of the pool has run it."""
    __slots__ = ("_name", "_process", "_message", "_place", "_failed", "_value", "_read", "__weakref__")

    def __init__(self, name):
        self._name = name
        self._process = None  # that has run the task
        self._message = None
        self._failed = self._read = False
        self._value = None

    def done(self) -> bool:
        """Returns whether the task has run. Local."""
        return self._process is not None

    def process(self) -> int:
        """Returns the process that has run the task. Local."""
        self._check_done()
        return self._process

    def result(self) -> Any:
        """Returns what the task has returned, or raises its exception. Local.

        The cause of the exception has the traceback of the other process as text.

        Raises
        ------
        MisuseError
            No phase has run the task yet.
        """
        self._check_done()
        self._load()
        if self._failed:
            raise self._value
        return self._value

    def exception(self) -> BaseException | None:
        """Returns the exception of the task, or None if it has succeeded. Local."""
        self._check_done()
        self._load()
        return self._value if self._failed else None

    def _check_done(self):
        if self._process is None:
            raise MisuseError(f"the task {self._name} has not run: its result exists after TaskPool.run")

    def _load(self):
        self._read = True
        message, self._message = self._message, None
        if message is None:
            return
        try:
            self._value = read(*message)
        except Exception as problem:
            self._failed, self._value = True, problem
        else:
            if self._failed:
                self._value = _exception_of(self._value)

    def __reduce__(self):
        raise TypeError("a Future cannot be sent: it belongs to the process that has submitted the task")

    def __del__(self):
        if self._failed and not self._read:
            problem = self.exception()
            warnings.warn(f"the exception of the task {self._name} on process {self._process} was never read: "
                          f"{type(problem).__name__}: {problem}", RuntimeWarning, stacklevel=2)

    def __repr__(self):
        state = "pending" if not self.done() else "failed" if self._failed else "done"
        return f"<causeway.Future of {self._name}, {state}>"


def _message_of(problem):
    """Returns an exception as a message: a pickle of the exception or None, its type and text, and its traceback as text."""
    text = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
    try:
        pickled = Message(problem)
        raw = bytearray(pickled.size)
        pickled.write(memoryview(raw))
    except Exception:
        raw = None
    return Message((raw, f"{type(problem).__name__}: {problem}", text))


def _unsent(problem, text):
    """Returns the TaskError that stands for an exception, with the reason."""
    return TaskError(f"{text} (the exception itself cannot be sent by pickle: {problem})")


def _exception_of(sent):
    """Returns the exception for the contents of such a message."""
    raw, text, trace = sent
    try:
        problem = read(memoryview(raw))
        if not isinstance(problem, BaseException):
            raise TypeError
    except Exception as error:
        problem = _unsent(error, text)
    problem.__cause__ = RemoteTraceback(trace)
    return problem


_here = threading.local()  # pool: that whose task this thread runs


class _Work:
    """What a process keeps for a pool: the futures of its tasks, and results for others. It does not refer to the pool."""

    def __init__(self, team, body, survive):
        self.team = team  # with survive, the members that are left
        self.body = body
        self.survive = survive
        self.store = Store(often=survive)
        self.numbers = itertools.count()
        self.futures = {}
        self.calls = {}  # with survive, the messages of tasks without a result: if it is lost, they run again
        self.results = {process: [] for process in team}  # by the process that has submitted the task
        self.pool = None  # a weak reference
        self.interrupt = None  # what ends the phase here: this process runs no further task
        self.running = False

    def body_of(self, number, call):
        """Returns the body of a task: the call itself if it fits, else its place in memory."""
        message = Message(call)
        if self.survive:
            self.calls[number] = message = message.copy()
        return self.body_with(number, message)

    def body_with(self, number, message):
        """Returns the body of a task with the message of its call."""
        if _BODY.size + message.size > self.body:
            return _BODY.pack(number, 1) + self.store.add(message)
        body = bytearray(_BODY.size + message.size)
        _BODY.pack_into(body, 0, number, 0)
        message.write(memoryview(body)[_BODY.size:])
        return body

    def run(self, body, adder):
        """Runs a task and keeps its result for the process that has submitted it."""
        if self.interrupt is not None:
            return
        number, placed = _BODY.unpack_from(body)
        message, failed = self.call(body[_BODY.size:], adder if placed else None)
        places = message.size > _INLINE and not self.survive
        if places:
            data = self.store.add(message)
        else:
            data = bytearray(message.size)
            message.write(memoryview(data))
        self.results[adder].append((_RESULT.pack(number, failed, places, len(data)), data))

    def call(self, data, owner):
        """Makes the call of a task and returns the result as a message, and whether it is an exception."""
        before = getattr(_here, "pool", None)
        _here.pool = self.pool()
        try:
            if owner is None:
                function, args, kwargs = read(data)
            else:
                function, args, kwargs = read(fetch(bytes(data), owner), True)
            if type(function) is str:
                function = _function_of(function)
            return Message(function(*args, **kwargs)), False
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt):
                raise
            return _message_of(problem), True
        finally:
            _here.pool = before

    def phase(self, pool):
        """Runs all tasks and delivers their results. Collective over the team."""
        again = True
        while again:
            code = lib.cw_tasks_process(pool._handle)
            problem = error(code) if code else None
            self.exchange_surviving() if self.survive else self.exchange()
            for results in self.results.values():
                results.clear()
            again = self.survive and self.is_unfinished()
            for number in list(self.futures if again else ()):
                body = self.body_with(number, self.calls[number])
                check(lib.cw_tasks_add(pool._handle, pool._class, ffi.from_buffer(body), len(body)))
        if self.survive and not self.futures:
            self.store.close()
        interrupt, self.interrupt = self.interrupt, None
        if interrupt is not None or problem is not None:
            raise interrupt or problem

    def is_unfinished(self):
        """Returns whether results are missing, because members that have run the tasks have failed. Collective over the team."""
        try:
            missing, interrupted = self.team.allreduce([len(self.futures), self.interrupt is not None])
            return missing > 0 and interrupted == 0
        except FailedError:
            return True

    def exchange_surviving(self):
        """Makes the exchange, again if members fail meanwhile. The members that are left are the team afterwards."""
        failed = True
        while failed:
            try:
                self.exchange()
            except FailedError:
                pass
            failed = self.team.agree_failed()
            if failed:
                self.team = self.team.shrink()

    def exchange(self):
        """Sends the results to the processes that have submitted the tasks. Collective over the team."""
        pieces = [b"".join(itertools.chain.from_iterable(self.results[process])) for process in self.team]
        sizes = np.array([len(piece) for piece in pieces], np.uintp)
        all_sizes = np.empty_like(sizes)
        team = self.team._handle
        check(lib.cw_alltoall(team, ffi.from_buffer(sizes), sizes.itemsize, ffi.from_buffer(all_sizes)))
        received = bytearray(int(all_sizes.sum()))
        check(lib.cw_alltoallv(team, ffi.from_buffer(b"".join(pieces)), ffi.from_buffer("size_t[]", sizes), ffi.NULL,
                               ffi.from_buffer(received), ffi.from_buffer("size_t[]", all_sizes), ffi.NULL))
        view, at = memoryview(received), 0
        for process, size in zip(self.team, all_sizes):
            self.deliver(view[at:at + int(size)], process)
            at += int(size)
        check(lib.cw_barrier(team))  # the memory of results is needed until all have fetched theirs

    def deliver(self, data, process):
        """Stores the results of tasks that a process has run in their futures."""
        at = 0
        while at < len(data):
            number, failed, placed, length = _RESULT.unpack_from(data, at)
            at += _RESULT.size
            future = self.futures.pop(number, None)
            self.calls.pop(number, None)
            if future is None:  # an exchange that has failed on another member has delivered it
                at += length
                continue
            if placed:
                future._message = (fetch(bytes(data[at:at + length]), process), True)
            else:
                future._message = (data[at:at + length], False)
            future._process, future._failed = process, bool(failed)
            at += length


def _function_of(name):
    function = _functions.get(name)
    if function is None:
        raise LookupError(f"this process has no task named {name}: register it with @cw.task on every process")
    return function


@ffi.def_extern(error=lib.CW_BUG)
def causeway_python_task(its, argument):
    """Called by the library, in any of a pool's threads, to run a task."""
    work = ffi.from_handle(argument)
    try:
        work.run(memoryview(ffi.buffer(its.body, its.bytes)), its.adder)
    except BaseException as problem:  # KeyboardInterrupt or no memory for a result; C must not see it
        work.interrupt = problem
    return lib.CW_OK


def _call_each(function, items, star):
    """The task of map: calls a function with each item."""
    if type(function) is str:
        function = _function_of(function)
    return [function(*item) for item in items] if star else [function(item) for item in items]


class TaskPool(Shared):
    """A pool of tasks of a team. Collective over the team.

    Any member submits tasks, before a phase or from within tasks. All members call run, the phase, which ends when no
    task is left anywhere. Members without work take half of the tasks of another one.

        pool = cw.TaskPool()
        if cw.process() == 0:
            futures = [pool.submit(simulate, parameter) for parameter in parameters]
        pool.run()
        if cw.process() == 0:
            results = [future.result() for future in futures]

    Parameters
    ----------
    team : Team, optional
        The world by default.
    body : int
        Bytes of a task that are kept in the queues. The arguments of a task that needs more stay in memory of the process
        that submits it. 96 to 1048576.
    slots : int
        Tasks in the queue of a process. More wait in memory, or run at once. The queues take (slots * threads + inbox) *
        (body + 16) bytes in each process.
    inbox : int
        Tasks that others may add to a process before it takes some.
    threads : int
        Threads of each process that run tasks. They share the interpreter, so more than one helps only if tasks spend their
        time in calls that release its lock: numpy's large products, transfers, files.
    steal : {"near", "random", "nothing"}
        Members from which a member without work takes tasks: first those of its node; any; none.
    survive : bool
        If members fail, the phase ends with the others, and their futures have results. The tasks of a failed member, and those
        whose results are lost with it, run on others, so a task may run more than once. The job must survive failures
        (`survives`). On several nodes process 0 must be a member: it keeps all tasks. `TaskPool.left` is the team of the
        members that are left.

    Raises
    ------
    MisuseError
        An option is out of range, or not the same on all members.
    """

    _STEALS = {"near": lib.CW_STEAL_NEAR_FIRST, "random": lib.CW_STEAL_RANDOM, "nothing": lib.CW_STEAL_NOTHING}

    def __init__(self, team: Team | None = None, *, body: int = 512, slots: int = 8192, inbox: int = 256, threads: int = 1,
                 steal: str = "near", survive: bool = False):
        if steal not in self._STEALS:
            raise MisuseError(f"TaskPool: steal is {steal!r}; it can be one of {', '.join(map(repr, self._STEALS))}")
        if not _BODY.size + PLACE_SIZE <= body <= lib.CW_TASKS_MOST_BODY:
            raise MisuseError(f"TaskPool: body is {body}; it can be {_BODY.size + PLACE_SIZE} to {lib.CW_TASKS_MOST_BODY}")
        if threads < 1:
            raise MisuseError(f"TaskPool: threads is {threads}; it must be 1 or more")
        self.team = team = team or world()
        collect(team)
        options = ffi.new("cw_tasks_options *", {"body": body, "slots": slots, "inbox": inbox, "threads": threads,
                                                 "order": self._STEALS[steal], "survive": survive})
        handle, number = ffi.new("cw_tasks *"), ffi.new("int *")
        check(lib.cw_tasks_create(team._handle, options, handle))
        self._handle = handle[0]
        self._work = work = _Work(team, body, survive)
        work.pool = weakref.ref(self)
        argument = ffi.new_handle(work)

        def release(argument=argument):  # the library has the argument until then
            try:
                check(lib.cw_tasks_free(handle))
            finally:
                work.store.close()
        self._own(team, release)
        check(lib.cw_tasks_register(self._handle, b"python", lib.causeway_python_task, argument, number))
        self._class = number[0]

    def submit(self, function: Callable, *args: Any, **kwargs: Any) -> Future:
        """Adds a task to this process's queue: a call of a function with arguments, which are copied. Local.

        In a phase the task runs before the phase ends. Others can take the tasks that a running task has submitted when it
        has returned, or has called wanted. If the queue is full, the task runs at once, within this call.

        Parameters
        ----------
        function : callable
            One that @cw.task has registered, or one at the outer level of a module that every process can import.
        *args, **kwargs
            Anything that pickle can send. The memory of large numpy arrays is sent as it is.

        Returns
        -------
        Future
            Of this process.

        Raises
        ------
        TypeError
            The function or an argument cannot be sent.
        """
        return self._submit(lib.cw_process(), 0, function, args, kwargs)

    def at(self, process: int | None = None, affinity: int = 0) -> "_Place":
        """Returns an object whose submit adds tasks to the queue of a process, and with affinity. Local.

        Parameters
        ----------
        process : int, optional
            A member, by its number in the world; this one by default. This is a hint: others may take the task.
        affinity : int
            How strongly the process should keep the task. It runs those with the most affinity first, and gives those with
            the least away first.
        """
        return _Place(self, lib.cw_process() if process is None else process, affinity)

    def _submit(self, process, affinity, function, args, kwargs):
        self._check_alive()
        if process not in self._work.results:
            raise IndexError(f"process {process} is no member of the pool's team")
        name = _names.get(function) if getattr(function, "__hash__", None) else None
        if name is None and not callable(function):
            raise TypeError(f"a task is a function, not a {type(function).__name__}")
        shown = name or getattr(function, "__qualname__", repr(function))
        number = next(self._work.numbers)
        try:
            body = self._work.body_of(number, (name or function, args, kwargs))
        except Exception as problem:
            raise TypeError(f"the call of {shown} cannot be sent to another process: {problem}") from problem
        future = self._work.futures[number] = Future(shown)
        code = lib.cw_tasks_add_to(self._handle, self._class, ffi.from_buffer(body), len(body), process, affinity)
        if code:
            del self._work.futures[number]
            raise error(code)
        return future

    def run(self) -> None:
        """Runs all tasks, and those that they submit, until none is left on any member. Collective over the team.

        Afterwards the futures have their results, and what tasks have put is visible to all. If nobody refers to the future
        of a task that has failed, a RuntimeWarning names the task.

        Raises
        ------
        MisuseError
            A task of the pool makes the call; operations of tasks have failed at their targets.
        """
        self._check_alive()
        work = self._work
        if work.running:
            raise MisuseError("TaskPool.run: this process runs the tasks of this pool already")
        work.running = True
        try:
            work.phase(self)
        finally:
            work.running = False

    @property
    def left(self) -> Team:
        """The team of the members that had not failed at the end of the last phase; without failures, the pool's team. Local."""
        return self._work.team

    def map(self, function: Callable, iterable: Iterable = (), *, chunk: int | None = None,
            root: int | None = 0) -> list | None:
        """Calls a function with each item, and returns the list of results. Collective over the team: it runs a phase.

        Parameters
        ----------
        function : callable
            As for submit.
        iterable
            The items. Only those of the root are read.
        chunk : int, optional
            Items of a task; by default the items make 16 tasks for each member.
        root : int or None
            Rank in the team of the member that has the items and receives the results. With None each member has items
            of its own and receives their results.

        Returns
        -------
        list or None
            On the root the results in the order of the items, and None on other members.

        Raises
        ------
        Exception
            On the root, that of the first item that has failed.
        """
        return self._map(function, iterable, chunk, root, False)

    def starmap(self, function: Callable, iterable: Iterable = (), *, chunk: int | None = None,
                root: int | None = 0) -> list | None:
        """Like map, but each item is a tuple of arguments: function(*item). Collective over the team."""
        return self._map(function, iterable, chunk, root, True)

    def _map(self, function, iterable, chunk, root, star):
        if root is not None and not 0 <= root < self.team.size:
            raise IndexError(f"root is {root}; the team has members 0 to {self.team.size - 1}")
        if chunk is not None and chunk < 1:
            raise MisuseError(f"TaskPool.map: chunk is {chunk}; it must be 1 or more")
        mine = root is None or root == self.team.rank
        futures = []
        failure = None
        if mine:
            try:
                items = list(iterable)
                chunk = chunk or -(-len(items) // (_RUNS_PER_PROCESS * self.team.size)) or 1
                name = _names.get(function, function)
                for at in range(0, len(items), chunk):
                    futures.append(self.submit(_call_each, name, items[at:at + chunk], star))
            except Exception as error:  # the others are in the phase
                failure = error
        self.run()
        for future in futures:
            future._read = True
        if failure is not None:
            raise failure
        if not mine:
            return None
        return [result for future in futures for result in future.result()]

    def wanted(self) -> bool:
        """Returns whether other members find no task to take from this one. A task that can be divided asks now and then. Local.

        It lets communication progress, and offers the tasks that the running task has submitted.

        Raises
        ------
        MisuseError
            This thread runs no task of the pool.
        """
        self._check_alive()
        flag = ffi.new("bool *")
        check(lib.cw_tasks_wanted(self._handle, flag))
        return flag[0]

    def counts(self) -> dict[str, int | float]:
        """Returns what this process has counted since the pool was created: a dict. Local.

        The names are those of cw_tasks_counts: added, executed, near_steals, near_stolen, far_steals, phases and others.
        """
        self._check_alive()
        counts = ffi.new("cw_tasks_counts *")
        check(lib.cw_tasks_statistics(self._handle, counts))
        return {name: getattr(counts, name) for name, _ in ffi.typeof("cw_tasks_counts").fields}


class _Place:
    """Where TaskPool.at adds tasks."""
    __slots__ = ("_pool", "_process", "_affinity")

    def __init__(self, pool, process, affinity):
        self._pool, self._process, self._affinity = pool, process, affinity

    def submit(self, function: Callable, *args: Any, **kwargs: Any) -> Future:
        """Adds a task, as TaskPool.submit does. Local."""
        return self._pool._submit(self._process, self._affinity, function, args, kwargs)


def current_pool() -> TaskPool | None:
    """Returns the pool whose task this thread runs, to submit further tasks to; None outside tasks. Local."""
    return getattr(_here, "pool", None)
