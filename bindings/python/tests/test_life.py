"""The start and the end of processes: jobs that this test starts, with the mpiexec of its own MPI."""
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import causeway as cw
from causeway._library import LAUNCHER_VARIABLES

pytestmark = pytest.mark.skipif(cw.processes() > 1, reason="it starts jobs")


def environment(**more):
    """Returns the environment for a process that is not of this job."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER_VARIABLES)}
    own.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)
    return own


def command(program, processes, mpi=cw.mpi):
    """Returns the command of a job that runs a program text."""
    launcher = [f"mpiexec.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", str(processes)]
    return [*(launcher if processes else []), sys.executable, "-B", "-c", textwrap.dedent(program)]


def run(program, processes=2, mpi=cw.mpi, **more):
    """Runs a job and returns its status, output and errors."""
    done = subprocess.run(command(program, processes, mpi), env=environment(**more), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def test_exception_of_one_process_ends_the_job():
    status, _, errors = run("""
        import causeway as cw
        if cw.process() == 1:
            raise OSError("only here")
        cw.barrier()""")
    assert status == 1
    assert "OSError: only here" in errors
    assert "ended by an uncaught OSError" in errors


def test_exception_of_a_thread_ends_the_job():
    status, _, errors = run("""
        import causeway as cw, threading
        if cw.process() == 1:
            threading.Thread(target=lambda: 1 / 0).start()
        cw.barrier()
        cw.barrier() if cw.process() == 0 else threading.Event().wait()""")
    assert status == 1
    assert "ZeroDivisionError" in errors


@pytest.mark.parametrize("end", ["sys.exit(3)", "raise SystemExit(3)"])
def test_status_of_one_process_ends_the_job(end):
    status, _, errors = run(f"""
        import causeway as cw, sys
        if cw.process() == 1:
            {end}
        cw.barrier()""")
    assert status == 3
    assert "ended with status 3" in errors


def test_status_0_and_objects_that_are_alive_at_the_end():
    status, output, errors = run("""
        import causeway as cw, sys
        array, pool = cw.empty(5), cw.TaskPool()
        array.itself = array
        future = pool.submit(print, "a task", flush=True)
        pool.run()
        sys.exit(0)""")
    assert (status, errors) == (0, "")
    assert output.count("a task") == 2


def test_exception_within_a_with_block():
    status, _, errors = run("""
        import causeway as cw
        try:
            with cw.TaskPool() as pool, cw.empty(3):
                raise KeyError(1)
        except KeyError:
            pass
        del pool
        import gc; gc.collect()
        assert cw.collect() == 2""")
    assert (status, errors) == (0, "")


def test_one_process_keeps_its_status():
    status, _, errors = run("import causeway, sys; sys.exit(7)", processes=0)
    assert (status, errors) == (7, "")


def test_fork():
    status, output, errors = run("""
        import causeway as cw, gc, os, sys
        array, counter = cw.full((4, 4), 3.0), cw.Counter()
        locks, pool, handle, mine = cw.Locks(1), cw.TaskPool(), cw.MemoryHandle(cw.zeros(2).local), array.local
        child = os.fork()
        if child == 0:
            for number, call in enumerate((
                    cw.barrier, cw.process, lambda: array[0, 0], lambda: array[0], lambda: array.put((0, 0), 1.0),
                    lambda: array.__setitem__((0, 0), 1.0), lambda: array + 1, array.sync, array.free, counter.next,
                    lambda: locks[0].acquire(), pool.run, handle.release, lambda: cw.zeros(3), cw.collect, cw.wait_all)):
                try:
                    call()
                    print("not rejected:", number, flush=True)
                except cw.MisuseError as error:
                    print(error, flush=True)
            del array, counter, locks, pool, handle
            gc.collect()
            sys.exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
        cw.barrier()
        assert (array[...] == 3).all() and (mine == 3).all()
        pool.free()""", PYTHONWARNINGS="ignore::DeprecationWarning")  # of fork with threads, from Python 3.12 on
    assert (status, errors) == (0, "")
    assert output.count("is no process of the job: it cannot use causeway") == 2 * 16, output


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(f"""
        import causeway as cw, math, multiprocessing, subprocess
        if __name__ == "__main__":
            with multiprocessing.get_context("{method}").Pool(1) as pool:
                assert pool.map(math.sqrt, [1, 4]) == [1, 2]
            assert subprocess.run(["echo", "yes"], capture_output=True).stdout == b"yes\\n"
            cw.barrier()
            print(cw.processes())"""))
    arguments = command("", 2)[:-2] + [str(program)]
    done = subprocess.run(arguments, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.count("2")) == (0, 2), done.stderr


def wait_for_line(job, text):
    """Reads the output of a job until a line that contains a text, which it returns."""
    for line in job.stdout:
        if text in line:
            return line
    raise AssertionError(f"the job has ended without {text!r}")


def runs(pid):
    """Returns whether a process exists and has not ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def interrupt(program, who, processes=2):
    """Starts a job and sends SIGINT when all its processes are ready: to the launcher's group, as Ctrl-C does, or to one process.

    Returns the job, which has ended, the PIDs of its processes, and the errors.
    """
    with subprocess.Popen(command(program, processes), env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as job:
        try:
            pids = [int(line.split()[1]) for line in sorted(wait_for_line(job, "ready") for _ in range(processes or 1))]
            time.sleep(0.2)  # until the processes wait
            os.kill(pids[0], signal.SIGINT) if who == "process" else os.killpg(job.pid, signal.SIGINT)
            errors = job.communicate(timeout=30)[1]
        except BaseException:
            os.killpg(job.pid, signal.SIGKILL)
            raise
    return job, pids, errors


@pytest.mark.parametrize("who, call", [
    ("process", "cw.barrier() if cw.process() == 0 else time.sleep(99)"), ("launcher", "threading.Event().wait()"),
    ("launcher", "cw.world().allreduce(1) if cw.process() == 0 else [array[9] for _ in iter(int, 1)]"),
    ("launcher", "pool.map(time.sleep, [99] * 4)")])
def test_interrupt_ends_all_processes(who, call, tmp_path):
    _, pids, errors = interrupt(f"""
        import causeway as cw, os, pathlib, threading, time
        array, pool = cw.zeros(10), cw.TaskPool()
        files = [line.split()[5] for line in open("/proc/self/maps") if "/dev/shm/" in line]
        pathlib.Path({str(tmp_path)!r}, str(cw.process())).write_text("\\n".join(files))
        cw.barrier()
        print(f"ready{{cw.process()}} {{os.getpid()}}\\n", end="", flush=True)
        {call}""", who)
    until = time.monotonic() + 20
    while any(map(runs, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(runs, pids))
    left = [file for its in tmp_path.iterdir() for file in its.read_text().split() if os.path.exists(file)]
    assert left == []
    assert "Traceback" not in errors and "Stack" not in errors
    printed = sorted(line for line in errors.splitlines() if line.startswith("causeway["))
    assert len(printed) == len({line.split(":")[0] for line in printed})  # a line of each process, or none
    if "threading" not in call:
        assert all(': interrupted at File "<string>", line 8 in <' in line for line in printed)
    if who == "process":
        assert printed[0].startswith("causeway[0]: ")


def test_interrupt_of_one_process_is_an_exception():
    job, _, _ = interrupt("""
        import causeway as cw, os, time
        pool = cw.TaskPool()
        ready = cw.task(lambda: print("ready", os.getpid(), flush=True) or time.sleep(20), name="ready")
        futures = [pool.submit(ready) for _ in range(3)]
        try:
            pool.run()
        except KeyboardInterrupt:
            assert not futures[0].done()
            assert pool.map(abs, [-1]) == [1]
            raise SystemExit(9)""", "process", processes=0)
    assert job.returncode == 9


def test_threads_run_while_one_waits(tmp_path):
    status, _, errors = run(f"""
        import causeway as cw, pathlib, threading, time
        file = pathlib.Path({str(tmp_path / "file")!r})
        if cw.process() == 0:
            waiter = threading.Thread(target=cw.barrier)
            waiter.start()
            file.touch()  # process 1 enters the barrier only now
            waiter.join()
        else:
            while not file.exists():
                time.sleep(0.01)
            cw.barrier()""")
    assert (status, errors) == (0, "")


def test_fatal_errors_and_checks():
    program = """
        import causeway as cw
        try:
            cw.fence(1000)
        except cw.MisuseError as error:
            print("caught:", error)"""
    status, output, errors = run(program, processes=1)
    assert (status, errors) == (0, "")
    assert "caught: cw_fence" in output
    status, output, errors = run(program, processes=1, CW_CHECK="1")
    assert (status, errors) == (0, "")
    status, output, errors = run("import causeway as cw; print(cw.setting('CW_CHECK'))", processes=1, CW_CHECK="yes")
    assert (status, output) == (0, "1\n")
    status, output, errors = run(program, processes=1, CW_ERRORS="fatal")
    assert status == 1
    assert "CW_ERRORS=fatal" in errors


def test_settings_of_python_are_not_inherited():
    program = """
        import os
        os.environ.pop("CW_PUNCH_SIZE", None)
        import causeway as cw, subprocess
        print([name for name in os.environ if name in ("CW_LEAKS", "CW_PUNCH_SIZE")], flush=True)
        subprocess.run(["sh", "-c", "echo ${CW_LEAKS:-none} ${CW_PUNCH_SIZE:-none}"], check=True)"""
    assert run(program, processes=1) == (0, "[]\nnone none\n", "")


def test_objects_that_are_left_are_no_leaks():
    program = """
        import causeway as cw, os
        left = cw.empty(5), cw.Region(5), cw.Locks(1), cw.Notifications(1), cw.TaskPool(), cw.world().dup()
        assert os.environ.get("CW_LEAKS") in (None, "1")"""
    assert run(program, CW_CHECK="1") == (0, "", "")
    status, _, errors = run(program, CW_CHECK="1", CW_LEAKS="1")
    assert status == 0
    assert "was never freed" in errors


def mpi4py_mpi():
    """Returns the MPI of the installed mpi4py."""
    from causeway._library import mpi_of_mpi4py
    its = mpi_of_mpi4py()
    if its is None:
        pytest.skip("there is no mpi4py")
    return its


@pytest.mark.parametrize("order", ["mpi4py.MPI, causeway", "causeway, mpi4py.MPI"])
def test_mpi4py(order):
    status, output, errors = run(f"import {order}; print(causeway.processes(), mpi4py.MPI.COMM_WORLD.size)")
    if mpi4py_mpi() == cw.mpi:
        assert (status, output.count("2")) == (0, 4), errors
    else:
        assert status == 1
        assert "ImportError" in errors


@pytest.mark.parametrize("order", ["mpi4py.MPI, causeway", "causeway, mpi4py.MPI"])
def test_mpi4py_finalizes_first(order):
    if mpi4py_mpi() != cw.mpi:
        pytest.skip("mpi4py uses the other MPI")
    status, _, errors = run(f"import {order}; mpi4py.MPI.Finalize()")
    assert (status, errors) == (0, "")


def test_choice_of_the_mpi():
    status, _, errors = run("import causeway", processes=0, CAUSEWAY_MPI="none")
    assert status == 1
    assert "CAUSEWAY_MPI is 'none'; it can be one of mpich, openmpi" in errors
    status, output, _ = run("import causeway; print(causeway.mpi)", processes=0, CAUSEWAY_MPI=cw.mpi)
    assert (status, output) == (0, f"{cw.mpi}\n")
