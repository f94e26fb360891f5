"""Arrays: creation, properties, local elements, copies, lifetime, errors."""
import copy
import gc
import itertools
import pickle
import threading
import tracemalloc

import numpy as np
import pytest
from cases import DTYPES, distributions, same, values

import causeway as cw
from causeway._library import check, ffi, lib

SHAPES = [(), (1,), (7,), (5, 6), (3, 4, 5), (2, 1, 3, 2), (2,) * 8]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_creation_on_every_distribution(shape):
    x = values("f8", shape)
    for distribution in distributions(shape):
        options = {"distribution": distribution}
        for a, its in ((cw.zeros(shape, **options), np.zeros(shape)),
                       (cw.ones(shape, "i4", **options), np.ones(shape, "i4")),
                       (cw.full(shape, 2 + 1j, **options), np.full(shape, 2 + 1j)), (cw.from_numpy(x, **options), x),
                       (cw.from_numpy(x if cw.process() == 0 else None, root=0, **options), x),
                       (cw.from_function(lambda *i: sum(i, 1), shape, "i8", **options),
                        np.full(shape, sum(np.indices(shape), 1)))):
            with a:
                assert a.shape == its.shape and a.ndim == its.ndim and a.size == its.size
                assert a.dtype == its.dtype and a.nbytes == its.nbytes and a.itemsize == its.itemsize
                assert same(a[...], its) and same(a.to_numpy(), its)
                last = a.to_numpy(root=cw.processes() - 1)
                assert same(last, its) if cw.process() == cw.processes() - 1 else last is None


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_local_elements(shape):
    x = values("i8", shape)
    for distribution in distributions(shape):
        with cw.from_numpy(x, distribution=distribution) as a:
            assert same(a.local, x[a.local_index]) or (a.local.ndim == 0 and a.local == x)
            seen = np.zeros(shape, int)
            for rank in range(cw.processes()):
                np.add.at(seen, a.part(rank), 1)
            assert (seen == 1).all()
            for index, block in a.blocks():
                assert same(np.asarray(block), np.asarray(x[index]))
                assert block.base is not None and a.owner(tuple(its.start for its in index)) == cw.process()
            assert sum(block.size for _, block in a.blocks()) == a.local.size
            a.local[...] += 10 * cw.process()
            a.sync()
            index = tuple(n - 1 for n in shape)
            assert a[index] == x[index] + 10 * a.owner(index)


@pytest.mark.parametrize("shape", [0, (0, 3), (4, 0), (2, 0, 5)], ids=str)
def test_arrays_without_elements(shape):
    for distribution in distributions(np.empty(shape).shape):
        x, a = np.zeros(shape), cw.zeros(shape, distribution=distribution)
        assert a.shape == x.shape and a.size == 0 and a.nbytes == 0 and len(a) == len(x)
        assert same(a[...], x) and same(a.to_numpy(), x) and same(a[::-1], x[::-1])
        assert a.local.size == 0 and a.local.ndim == x.ndim and list(a.blocks()) == []
        a[...] = 1
        a.put([], 1)
        a.sync()
        a.fill(3)
        b = a.copy()
        assert b.shape == a.shape and b.astype("i4").dtype == "i4"
        assert same(cw.from_function(lambda *i: i[0], shape)[...], x) and same(cw.from_numpy(x, root=0)[...], x)
        with pytest.raises(IndexError):
            a.owner((0,) * a.ndim)


def test_members_without_elements():
    """Their blocks are empty as numpy's are: along one dimension."""
    n = cw.processes()
    x = values("f8", (4, 5))
    for distribution, shapes in (
            (cw.blocks(members=1), [(4, 5)] + [(0, 5)] * (n - 1)), (cw.blocks((4, 5)), [(4, 5)] + [(0, 5)] * (n - 1)),
            (cw.block_cyclic(2, members=1), [(4, 5)] + [(0, 5)] * (n - 1)),
            (cw.blocks(boundaries=[[0] * n, [0]]), [(0, 5)] * (n - 1) + [(4, 5)])):
        with cw.from_numpy(x, distribution=distribution) as a:
            assert same(a.local, x[a.local_index]) and a.local.shape == shapes[cw.process()]
            assert [x[a.part(rank)].shape for rank in range(n)] == shapes


def test_arrays_without_dimensions():
    a = cw.zeros((), "i4")
    if cw.process() == cw.processes() - 1:
        a[()] = 5
    a.sync()
    assert same(a[()], np.int32(5)) and same(a[...], np.array(5, "i4")) and a.owner(()) == 0
    assert a.local.shape == ((1,) if cw.process() == 0 else (0,))
    a.sync()
    a.accumulate((), 2)
    a.sync()
    assert a[()] == 5 + 2 * cw.processes() and a[None].shape == (1,)
    with pytest.raises(TypeError):
        len(a)
    with pytest.raises(IndexError):
        a[0]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type(dtype):
    x = values(dtype, (4, 5))
    a = cw.from_numpy(x, distribution=cw.block_cyclic(2))
    b = cw.empty_like(a, name="other")
    a.copy_to(b)
    assert b.name == "other" and same(b[...], x)
    c = a.copy()
    c.sync()
    c.fill(x[1, 1])
    assert same(c[...], np.full((4, 5), x[1, 1], dtype)) and same(a[...], x)
    assert same(cw.zeros_like(a)[...], np.zeros_like(x))
    if dtype.kind in "iufc":
        with np.errstate(all="ignore"):
            assert same(a.astype("c16")[...], x.astype("c16"))
        assert same(cw.full_like(a, 3)[...], np.full_like(x, 3)) and same(cw.ones_like(a)[...], np.ones_like(x))


def test_astype_and_copies_between_distributions():
    x = values("f8", (7, 6))
    for source in distributions(x.shape):
        with cw.from_numpy(x, distribution=source) as a, cw.empty(x.shape, distribution=cw.block_cyclic(2)) as b, \
                a.astype("f4") as c:
            a.copy_to(b)
            assert same(b[...], x) and same(c[...], x.astype("f4")) and c.distribution == a.distribution
    with pytest.raises(TypeError):
        b = cw.zeros(3).astype("i4", casting="safe")
    with pytest.raises(TypeError):
        cw.zeros(3).copy_to(cw.zeros(3, "i4"))
    with pytest.raises(TypeError):
        cw.zeros(3).copy_to(np.zeros(3))
    with pytest.raises(cw.MisuseError):
        cw.zeros(6).copy_to(cw.zeros((2, 3)))


def test_arange():
    for arguments in ((7,), (2, 9), (2, 9, 3), (9, 2, -2), (0.0, 1.0, 0.25), (5, 2)):
        assert same(cw.arange(*arguments)[...], np.arange(*arguments))
    assert cw.arange(3, dtype="f4").dtype == "f4"
    with pytest.raises(cw.MisuseError):
        cw.arange(1, 2, 0)


def test_shapes_of_subarrays_and_strings_of_no_length():
    assert cw.zeros(3, "(2,)f8").shape == (3, 2) and cw.zeros(3, "S").dtype == "S1"
    with cw.zeros(np.int64(4)) as a:
        assert a.shape == (4,)


def test_ghosts():
    x = values("f8", (8, 6))
    a = cw.from_numpy(x, distribution=cw.blocks(ghosts=(1, 2)))
    assert a.ghosts == (1, 2)
    a.update_ghosts()
    rows, columns = a.local_index
    wrapped = np.ix_(np.arange(rows.start - 1, rows.stop + 1) % 8, np.arange(columns.start - 2, columns.stop + 2) % 6)
    if a.local.size:
        assert same(a.local_ghosts, x[wrapped]) and np.shares_memory(a.local, a.local_ghosts)
    for b in (cw.zeros(4), cw.zeros(4, distribution=cw.tiled(2))):
        with pytest.raises(cw.MisuseError):
            b.update_ghosts()
    with pytest.raises(cw.MisuseError):
        b.local_ghosts  # noqa: B018


class HostDevice:
    """The host as a device, whose memory numpy cannot reach."""

    def __init__(self):
        self._device = ffi.new("cw_device *")
        check(lib.cw_device_open(ffi.new("cw_device_options *", {"kind": lib.CW_DEVICE_HOST}), self._device))
        self._handle = self._device[0]

    def close(self):
        check(lib.cw_device_close(self._device))


def test_parts_on_devices():
    x = values("f8", (6, 7))
    device = HostDevice() if cw.process() == 0 else None
    for distribution in distributions(x.shape):
        if distribution is not None and distribution.ghosts is not None:
            continue
        with cw.from_numpy(x, distribution=distribution, device=device) as a:
            assert a.device is device and same(a[...], x) and same(a[2, 3:], x[2, 3:])
            with a.astype("i2") as b, cw.from_function(lambda i, j: i + j, x.shape, distribution=distribution,
                                                       device=device) as c:
                assert same(b[...], x.astype("i2")) and same(c[...], np.fromfunction(lambda i, j: i + j, x.shape))
            a.sync()
            a.fill(3)
            assert (a[...] == 3).all()
    if device is not None:
        device.close()


def test_wrong_arguments_of_creation():
    for call, error in ((lambda: cw.zeros(3, object), TypeError), (lambda: cw.zeros(3, [("a", "O")]), TypeError),
                        (lambda: cw.zeros(3, "V0"), TypeError), (lambda: cw.zeros(3.5), TypeError),
                        (lambda: cw.zeros(-1), cw.MisuseError), (lambda: cw.zeros((1,) * 9), cw.MisuseError),
                        (lambda: cw.zeros((3, "a")), TypeError), (lambda: cw.zeros(3, "no type"), TypeError),
                        (lambda: cw.zeros(3, distribution=5), TypeError),
                        (lambda: cw.empty_like(np.zeros(3)), TypeError),
                        (lambda: cw.from_numpy(np.zeros(3), root=cw.processes()), IndexError),
                        (lambda: cw.zeros(3).to_numpy(root=-1), IndexError),
                        (lambda: cw.zeros(3).part(cw.processes()), IndexError)):
        with pytest.raises(error):
            call()


def test_nothing_gathers_silently():
    a = cw.zeros((3, 4), name="temperature")
    for call, words in ((lambda: np.asarray(a), "to_numpy"), (lambda: list(a), "local"),
                        (lambda: pickle.dumps(a), "pickled"), (lambda: copy.copy(a), "copy"), (lambda: copy.deepcopy(a), "copy")):
        with pytest.raises(TypeError, match=words):
            call()
    assert len(a) == 3 and "temperature" in repr(a) and "(3, 4)" in repr(a)


def test_freed_arrays():
    a = cw.zeros((3, 4))
    a.free()
    a.free()
    for call in (lambda: a[0, 0], lambda: a[:], lambda: a.put(0, 1), lambda: a.local, lambda: a.sync(),
                 lambda: a.fill(1), lambda: a.copy(), lambda: list(a.blocks()), lambda: a.local_index, lambda: a.owner((0, 0)),
                 lambda: a.__setitem__((0, 0), 1.0)):
        with pytest.raises(cw.MisuseError, match="freed"):
            call()
    assert "freed" in repr(a)


def test_views_keep_a_forgotten_array():
    cw.collect()
    a = cw.full(100, 7.0)
    view = a.local[1:]
    del a
    assert cw.collect() == 0
    assert (view == 7).all()
    del view
    assert cw.collect() == 1


def test_threads():
    n, turns = 4, 200
    x = values("f8", (8, 40))
    a, sums, counter = cw.from_numpy(x), cw.zeros(10), cw.zeros(1, "i8")
    errors, numbers = [], []

    def work(k):
        try:
            for turn in range(turns):
                i, j = (k + turn) % 8, (3 * turn) % 40
                if a[i, j] != x[i, j] or not same(a[i, 2:j], x[i, 2:j]):
                    errors.append((i, j))
                sums.accumulate(np.s_[k:10:4], 1)
                numbers.append(counter.read_increment(0))
                with pytest.raises(IndexError, match=f"index {40 + k} is out of range"):
                    a[0, 40 + k]
        except Exception as error:  # reported below: an exception in a thread would only be printed
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    sums.sync()
    assert same(sums[...], np.full(10, float(turns * cw.processes())))
    every = sorted(itertools.chain(*cw.world().allgather(numbers)))
    assert every == list(range(n * turns * cw.processes()))


def test_leaks():
    x = values("f8", (12, 12))

    def work(turns):
        for _ in range(turns):
            a = cw.from_numpy(x, distribution=cw.tiled(4))
            a[1:5, ::2] = a[2:6, 1::2]
            a[[1, 2], [3, 4]] = 1
            a.get_start(0).wait()
            a.astype("f4").free()
            sum(block.size for _, block in a.blocks())
            with pytest.raises(IndexError):
                a[12, 0]
            del a

    def left():
        gc.collect()  # the traceback of an exception refers to the array
        cw.collect()
        return tracemalloc.get_traced_memory()[0]

    gc.freeze()  # what exists already, which is much, need not be searched
    tracemalloc.start()
    sizes = []
    for _ in range(14):
        work(8)
        sizes.append(left())
    tracemalloc.stop()
    gc.unfreeze()
    # Python and numpy keep freed objects to use them again, several hundred after about eight rounds. A leak grows in each round.
    assert min(np.diff(sizes[-5:])) < 8 * 100


def test_local_in_place():
    with cw.zeros((4, 6), distribution=cw.blocks(ghosts=1)) as a, cw.Region(3, int) as region:
        region.local[:] = 0
        a.local += 1
        a.local_ghosts *= 2
        region.local -= 1
        assert (a.local == 2).all() and (region.local == -1).all()
        for its, name in ((a, "local"), (a, "local_ghosts"), (region, "local")):
            with pytest.raises(AttributeError, match="stores elements"):
                setattr(its, name, np.ones(3))


CHECKED = pytest.mark.skipif(cw.setting("CW_CHECK") != "1" or cw.processes() < 2, reason="members are not compared")


@CHECKED
@pytest.mark.parametrize("call", [
    lambda a, b, me: a.sum() if me else a.max(), lambda a, b, me: a + b if me else a - b, lambda a, b, me: a + me,
    lambda a, b, me: a.__iadd__(me), lambda a, b, me: a - b if me else b - a, lambda a, b, me: a + np.full(4, me),
    lambda a, b, me: a.var(ddof=me), lambda a, b, me: a.sum(axis=me), lambda a, b, me: a.clip(0, me),
    lambda a, b, me: np.where(a > me, a, b), lambda a, b, me: a.std() if me else a.var(), lambda a, b, me: cw.full(4, me),
    lambda a, b, me: cw.full(4, np.uint8(me)), lambda a, b, me: cw.full((4, 2), [me, 1]), lambda a, b, me: cw.arange(me, 4 + me),
    lambda a, b, me: cw.from_numpy(np.arange(3) + me), lambda a, b, me: cw.dynamic_range(5 + me),
    lambda a, b, me: cw.random.uniform(0, 1 + me, 5, seed=1), lambda a, b, me: cw.linalg.solve(a, np.arange(4) + me),
    lambda a, b, me: cw.vdot(a, b if me else a)])
def test_members_are_compared(call):
    me = cw.process() % 2
    with cw.ones((4, 4)) as a, cw.ones((4, 4)) as b:
        with pytest.raises(cw.MisuseError):
            call(a, b, me)
        assert a.sum() == 16
