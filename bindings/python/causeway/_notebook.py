"""The cell magic %%causeway, which runs a cell of a notebook as a program on several processes.

python -m causeway._notebook FOLDER is what each of the processes runs: FOLDER has the cell and its variables.
"""
import argparse
import os
import pathlib
import pickle
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

from ._library import LAUNCHER_VARIABLES, CausewayError, MisuseError, OutsideError, launcher, lib, mpi


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise MisuseError(f"%%causeway: {message}; {self.format_usage().strip()}")


def _options(line):
    """Returns the options in the first line of a cell."""
    parser = _Parser(prog="%%causeway", add_help=False)
    parser.add_argument("-n", dest="processes", type=int, default=2)
    parser.add_argument("-i", dest="inputs", action="append", default=[], metavar="NAME")
    parser.add_argument("-o", dest="outputs", action="append", default=[], metavar="NAME")
    parser.add_argument("-t", dest="seconds", type=float)
    parser.add_argument("-l", dest="label", action="store_true")
    options = parser.parse_args(shlex.split(line))
    if options.processes < 1:
        parser.error(f"-n is {options.processes}; it must be 1 or more")
    return options


def _command(options, folder):
    """Returns the command that starts the processes."""
    mpiexec = shutil.which(f"mpiexec.{mpi}") or shutil.which("mpiexec")
    if mpiexec is None:
        raise OutsideError(f"%%causeway: there is no mpiexec of {mpi} in PATH")
    label = {"mpich": ["-prepend-rank"], "openmpi": ["--tag-output"]}[mpi] if options.label else []
    crowd = ["--oversubscribe"] if mpi == "openmpi" else []
    return [mpiexec, *crowd, *label, "-n", str(options.processes), sys.executable, "-u", "-m", "causeway._notebook", folder]


def _environment():
    """Returns the environment for a job that is not part of this one. It finds this package and uses the same MPI."""
    own = dict(os.environ)
    if launcher() is not None:  # its variables would lead the new processes to this job
        own = {name: value for name, value in own.items()
               if name.startswith("OMPI_ALLOW_") or not name.startswith(LAUNCHER_VARIABLES)}
    package = str(pathlib.Path(__file__).parents[1])
    own["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [own.get("PYTHONPATH")])])
    own["CAUSEWAY_MPI"] = mpi
    return own


def _show(job, seconds):
    """Prints the output of a job until it ends, and returns whether its time was over. An interrupt ends the job, too."""
    over = threading.Event()

    def end():
        over.set()
        job.terminate()

    timer = threading.Timer(seconds, end) if seconds is not None else None
    try:
        if timer is not None:
            timer.start()
        for line in job.stdout:
            print(line, end="", flush=True)
        job.wait()
    finally:
        if timer is not None:
            timer.cancel()
        if job.poll() is None:
            _end(job)
    return over.is_set()


def _end(job):
    """Ends a job."""
    job.terminate()
    try:
        job.wait(5)
    except subprocess.TimeoutExpired:
        job.kill()
        job.wait()


def _pickled(name, value):
    """Returns the pickle of a variable of the notebook."""
    if getattr(value, "__module__", None) == "__main__" and callable(value):
        raise MisuseError(f"%%causeway: -i {name}: the processes do not have the functions and classes of the notebook: define "
                          "it in the cell, or in a module")
    try:
        return pickle.dumps(value)
    except Exception as error:
        raise MisuseError(f"%%causeway: -i {name}: its value cannot be sent: {error}") from None


def run_cell(line, cell, variables):
    """Runs a cell on several processes.

    Parameters
    ----------
    line : str
        The options: -n processes; -i and -o names of variables; -t seconds; -l.
    cell : str
        The program.
    variables : dict
        Those of the notebook: the cell's processes receive the inputs, and this receives process 0's outputs.

    Raises
    ------
    MisuseError
        An option is wrong; an input or output does not exist.
    CausewayError
        The job has ended with a status other than 0. Its output has the reason.
    OutsideError
        The time of the job was over; there is no mpiexec.
    """
    options = _options(line)
    missing = [name for name in options.inputs if name not in variables]
    if missing:
        raise MisuseError(f"%%causeway: the notebook has no variable {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="causeway-cell-") as name:
        folder = pathlib.Path(name)
        (folder / "cell.py").write_text(cell)
        (folder / "outputs").write_text(" ".join(options.outputs))
        (folder / "inputs.pickle").write_bytes(pickle.dumps({name: _pickled(name, variables[name]) for name in options.inputs}))
        with subprocess.Popen(_command(options, name), env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as job:
            over = _show(job, options.seconds)
        if over:
            raise OutsideError(f"%%causeway: the job has not ended within {options.seconds} seconds")
        if job.returncode != 0:
            raise CausewayError(f"%%causeway: the job has ended with status {job.returncode}; its output has the reason")
        if options.outputs:
            variables.update(pickle.loads((folder / "outputs.pickle").read_bytes()))


def load(shell):
    """Makes %%causeway known to IPython."""

    def causeway(line, cell):
        """Runs the cell as a program on several processes: %%causeway -n 4 [-i NAME] [-o NAME] [-t SECONDS] [-l]

        -n  number of processes (2)
        -i  a variable of the notebook that the processes receive, by pickle; may be given several times
        -o  a variable of process 0 that the notebook receives
        -t  seconds after which the job is ended
        -l  print the process number before each line of output
        """
        run_cell(line, cell, shell.user_ns)

    shell.register_magic_function(causeway, "cell")


def _run_here(folder):
    """Runs the cell on this process of the job."""
    inputs = pickle.loads((folder / "inputs.pickle").read_bytes())
    variables = {name: pickle.loads(its) for name, its in inputs.items()}
    file, show = str(folder / "cell.py"), sys.excepthook

    def show_cell(kind, value, trace):
        its = _of_cell(trace, file)
        show(kind, value.with_traceback(its), its)

    sys.excepthook = show_cell
    after = runpy.run_path(file, init_globals=variables, run_name="__main__")
    wanted = (folder / "outputs").read_text().split()
    if wanted and lib.cw_process() == 0:
        missing = [name for name in wanted if name not in after]
        if missing:
            raise MisuseError(f"%%causeway: the cell has no variable {', '.join(missing)} (-o)")
        (folder / "outputs.pickle").write_bytes(pickle.dumps({name: after[name] for name in wanted}))


def _of_cell(trace, file):
    """Returns the part of a traceback from the first line of the cell; all of it if none is the cell's."""
    its = trace
    while its is not None and its.tb_frame.f_code.co_filename != file:
        its = its.tb_next
    return its or trace


if __name__ == "__main__":
    _run_here(pathlib.Path(sys.argv[1]))
