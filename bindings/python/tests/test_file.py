"""Arrays in HDF5 files. h5py reads and writes them in a process of its own: it and the library may have different HDF5 libraries."""
import os
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from whole import DISTRIBUTIONS, DTYPES, NUMBERS, distribute, numbers, same

import causeway as cw


@pytest.fixture
def path():
    """A file in a folder that all processes share, which is removed afterwards."""
    name = np.zeros(1, "S200")
    folder = tempfile.mkdtemp() if cw.process() == 0 else ""
    name[0] = folder.encode()
    folder = cw.from_numpy(name, root=0)[0].decode()
    yield os.path.join(folder, "file.h5")
    cw.barrier()
    if cw.process() == 0:
        for its in os.listdir(folder):
            os.remove(os.path.join(folder, its))
        os.rmdir(folder)


def run_alone(program, *arguments):
    """Runs a Python program outside MPI, on process 0. Returns its output there."""
    cw.barrier()
    output = None
    if cw.process() == 0:
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("PMI", "OMPI", "PMIX", "MPI", "LD_PRELOAD"))}
        output = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True)
        assert output.returncode == 0, output.stderr
        output = output.stdout
    cw.barrier()
    return output


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_every_distribution(path, distribution):
    x = numbers((7, 5), float, 1)
    cw.save(path, distribute(x, distribution))
    same(cw.load(path), x)
    same(cw.load(path, distribution=distribution), x)
    assert cw.load(path, distribution=distribution).distribution == distribution


def test_every_dtype(path):
    arrays = {dtype: numbers((7,), dtype, 1) for dtype in DTYPES}
    cw.save(path, {f"group/{dtype}": distribute(x) for dtype, x in arrays.items()})
    for dtype, x in arrays.items():
        same(cw.load(path, f"group/{dtype}", dtype=dtype), x)
        if dtype in NUMBERS:
            same(cw.load(path, f"group/{dtype}"), x)


def test_h5py_reads(path):
    pytest.importorskip("h5py", reason="h5py is not installed")
    x, z = numbers((7, 5), float, 1), numbers((6,), complex, 2)
    cw.save(path, x=distribute(x, cw.block_cyclic(2)), z=distribute(z))
    output = run_alone("import h5py, sys; f = h5py.File(sys.argv[1]); print(f['x'][...].tolist(), '|', f['z'][...].tolist())", path)
    if cw.process() == 0:
        first, second = output.split("|")
        assert eval(first) == x.tolist() and eval(second) == z.tolist()


def test_h5py_writes(path):
    pytest.importorskip("h5py", reason="h5py is not installed")
    run_alone("import h5py, numpy, sys; f = h5py.File(sys.argv[1], 'w'); f['x'] = numpy.arange(12.0).reshape(3, 4); "
              "f.create_dataset('y', data=numpy.arange(6, dtype='>i4'), chunks=(2,), compression='gzip')", path)
    same(cw.load(path, "x", distribution=cw.tiled(2)), np.arange(12.0).reshape(3, 4))
    same(cw.load(path, "y"), np.arange(6, dtype="i4"))


def test_several_names(path):
    a, b = cw.ones(4), cw.zeros((2, 3), int)
    cw.save(path, {"a": a}, b=b)
    same(cw.load(path, "a"), np.ones(4))
    same(cw.load(path, "b"), np.zeros((2, 3), int))


def test_wrong_names(path):
    a = cw.ones(3)
    cw.save(path, {"run/density": a, "z": a, "run/more/x": a})
    for name in ("array", "run", "run/other", "z/x"):
        with pytest.raises(cw.OutsideError, match=rf"{name}.*\(datasets of the file: 'run/density', 'run/more/x', 'z'\)"):
            cw.load(path, name)
    names = [f"group {i % 3}/dataset {i}" for i in range(30)]
    cw.save(path, dict.fromkeys(names, a))
    with pytest.raises(cw.OutsideError, match=r"\(datasets of the file: 'group 0/dataset 0', .*, \.\.\.\)"):
        cw.load(path)


def test_distributions_of_other_dimensions(path):
    cw.save(path, cw.ones((4, 4)))
    with pytest.raises(cw.MisuseError):
        cw.load(path, distribution=cw.block_cyclic((2, 2, 2)))
    with pytest.raises(cw.MisuseError):
        cw.load(path, distribution=cw.block_cyclic((2,)))
    same(cw.load(path, distribution=cw.block_cyclic((2, 1))), np.ones((4, 4)))


def test_wrong_arguments(path):
    with pytest.raises(TypeError):
        cw.save(path, np.ones(3))
    with pytest.raises(cw.MisuseError):
        cw.save(path, cw.empty((0, 3)))
    with pytest.raises(cw.MisuseError):
        cw.save(path)
    with pytest.raises(cw.OutsideError):
        cw.load(path)
    cw.save(path, cw.ones(3))
    with pytest.raises(cw.CausewayError):
        cw.load(path, "other")
    with pytest.raises(cw.MisuseError):
        cw.load(path, dtype=np.int32)
    with pytest.raises(TypeError):
        cw.load(path, distribution="blocks")
    with pytest.raises(cw.OutsideError):
        cw.save("/nonexistent/file.h5", cw.ones(3))
