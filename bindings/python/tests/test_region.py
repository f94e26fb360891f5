"""Regions: transfers of random layouts against a model, atomic updates, lifetime, threads."""
import gc
import threading

import numpy as np
import pytest
from conftest import drawn_together
from hypothesis import strategies as st

import causeway as cw

WORLD = cw.world()
NEXT = (WORLD.rank + 1) % WORLD.size
SHAPE = (5, 4, 6)
REAL_AND_COMPLEX = ["i4", "i8", "f4", "f8", "c8", "c16"]
ATOMIC = REAL_AND_COMPLEX + ["i1", "u1", "i2", "u2", "u4", "u8"]
OTHER = ["?", "i1", "u8", "f2", "M8[ns]", "S3", [("a", "i1"), ("b", "f8")]]


def filled(rank, dtype, shape=SHAPE):
    """The contents of a member's slice at the beginning."""
    return (np.arange(np.prod(shape)).reshape(shape) % 100 + rank).astype("i8").astype(dtype)


def make(dtype, shape=SHAPE):
    region = cw.Region(shape, dtype)
    region.local[...] = filled(WORLD.rank, dtype, shape)
    WORLD.barrier()
    return region


def slices(extent):
    bound = st.one_of(st.none(), st.integers(-extent - 1, extent + 1))
    return st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2]))


def indices():
    entry = [st.one_of(slices(n), st.integers(-n, n - 1), st.just(Ellipsis)) for n in SHAPE]
    return st.tuples(*entry).filter(lambda its: its.count(Ellipsis) <= 1).flatmap(
        lambda its: st.sampled_from([its, its[:1], its[:2]]))


def laid_out(x, layout):
    """Returns the same elements in another layout."""
    if layout == "F":
        return np.array(x, order="F")
    if layout == "strided":
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]) if x.ndim else x.shape, x.dtype)
        its = wide[..., ::2] if x.ndim else wide
        its[...] = x
        return its
    return x[::-1].copy()[::-1] if layout == "reversed" and x.ndim else np.array(x)


@pytest.mark.parametrize("dtype", REAL_AND_COMPLEX + OTHER)
def test_any_layout(dtype):
    region = make(dtype)

    @drawn_together(25, indices(), st.sampled_from(["C", "F", "strided", "reversed"]), st.integers(0, 1000))
    def run(index, layout, seed):
        model = filled(NEXT, dtype)
        part = region[NEXT][index]
        assert np.shape(part) == model[index].shape and (np.asarray(part) == model[index]).all()
        value = np.random.default_rng(seed).integers(0, 2, np.shape(part)).astype(dtype)
        WORLD.barrier()
        region[NEXT][index] = laid_out(value, layout)
        model[index] = value
        out = laid_out(np.zeros(SHAPE, dtype), layout)
        assert region.get(NEXT, offset=..., out=out) is out and (out == model).all()
        if dtype in REAL_AND_COMPLEX:
            region.accumulate(NEXT, laid_out(value, layout), index, scale=3)
            model[index] += 3 * value
            assert (region[NEXT][...] == model).all()
        WORLD.barrier()
        expected = filled(WORLD.rank, dtype)
        expected[index] = value
        if dtype in REAL_AND_COMPLEX:
            expected[index] += 3 * value
        assert (region.local == expected).all()
        WORLD.barrier()
        region.local[...] = filled(WORLD.rank, dtype)
        WORLD.barrier()
    run()


def test_scalars_and_offsets():
    region = make("f8", 10)
    cell = region[NEXT]
    assert cell[3] == 3 + NEXT and cell[-1] == 9 + NEXT and isinstance(cell[3], np.float64)
    WORLD.barrier()
    cell[0], cell[-2] = 7.5, np.float32(2)
    region.put(NEXT, [[1, 2], [3, 4]], 2)
    assert (region.get(NEXT, (2, 3), 1) == [[1 + NEXT, 1, 2], [3, 4, 6 + NEXT]]).all()
    assert region.get(NEXT, offset=0) == 7.5
    WORLD.barrier()
    assert list(region.local[[0, 8]]) == [7.5, 2]
    WORLD.barrier()
    region[NEXT][2:5] = 1
    region[NEXT][...] += 1
    WORLD.barrier()
    assert list(region.local[2:6]) == [2, 2, 2, 5]


@pytest.mark.filterwarnings("ignore")  # numpy's about conversions
@pytest.mark.parametrize("dtype", "bBhHiIlLqQfd")
def test_limits_of_numbers(dtype):
    """Numbers at and beyond the limits of a type are stored as by numpy, or cause an error of the same type."""
    def put(target, value):
        try:
            target[1] = value
        except (OverflowError, ValueError, TypeError) as error:
            return type(error)
    region, kind = cw.Region(3, dtype), np.dtype(dtype)
    limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    for value in (limits.min, limits.max, 2 * int(limits.max), int(limits.max) + 1, int(limits.min) - 1, 7, -0.5, np.int32(-1),
                  np.int64(5), float("inf"), "word", None, kind.type(3)):
        x = np.zeros(3, dtype)
        region.local[...] = 0
        assert put(x, value) == put(region[WORLD.rank], value), value
        assert region.local.tobytes() == x.tobytes(), value
        assert type(region[WORLD.rank][1]) is kind.type and region[WORLD.rank][1].tobytes() == x[1].tobytes()


@pytest.mark.parametrize("aggregate", [False, True])
def test_nonblocking(aggregate):
    region = make("i8", 1000)
    value = np.arange(2000)[::2]
    with cw.Handle(aggregate) as handle:
        for k in range(10):
            region.start_put(NEXT, value[k * 100:(k + 1) * 100], k * 100, handle)
    cw.fence(region[NEXT].process)
    got = region.start_get(NEXT, 1000)
    assert (got.wait() == value).all() and got.test()
    WORLD.barrier()
    region.start_accumulate(NEXT, value, scale=2)  # the handle is forgotten, and its buffer kept
    handles = [region.start_get(NEXT, 10) for _ in range(3)]
    done = cw.wait_any(handles)
    assert 0 <= done < 3
    cw.wait_all(handles)
    cw.wait_all()
    WORLD.barrier()
    assert (region.local == 3 * value).all()


def test_slices_of_different_sizes():
    region = cw.Region((WORLD.rank, 3), "i4")
    assert region.shapes == [(rank, 3) for rank in range(WORLD.size)]
    assert region.local.shape == (WORLD.rank, 3)
    region.local[...] = WORLD.rank
    WORLD.barrier()
    for rank in range(WORLD.size):
        assert (region[rank][...] == np.full((rank, 3), rank)).all()
        shared = region.shared(rank)
        assert (shared is not None) == (cw.node(rank) == cw.node(WORLD.rank)) or rank == 0
        assert shared is None or (shared == rank).all()
    assert cw.Region(0).local.size == 0


@pytest.mark.parametrize("dtype", ATOMIC)
def test_atomic_updates(dtype):
    region = cw.Region(4, dtype)
    region.local[...] = 0
    WORLD.barrier()
    old = [int(region.fetch_add(0, 1, 1).real) for _ in range(5)] + [int(region.fetch_op(0, (1,), np.array(1)).real)]
    assert sorted(sum(WORLD.allgather(old), [])) == list(range(6 * WORLD.size))
    WORLD.barrier()
    assert region.swap(NEXT, 2, 5) == 0
    assert region.compare_swap(NEXT, 2, 4, 9) == 5 and region.compare_swap(NEXT, 2, 5, 9) == 5
    assert region.read(NEXT, 2) == 9 and isinstance(region.read(NEXT, 2), np.dtype(dtype).type)
    WORLD.barrier()
    assert (region.get_accumulate(NEXT, [1, 2], 2) == [9, 0]).all()
    assert (region[NEXT][2:] == [10, 2]).all()
    if np.dtype(dtype).kind in "iu":
        assert region.fetch_op(NEXT, 2, 6, "bitwise_and") == 10 and region.read(NEXT, 2) == 2
        assert region.fetch_op(NEXT, 2, 3, "maximum") == 2 and region.read(NEXT, 2) == 3
    else:
        with pytest.raises(cw.MisuseError):
            region.fetch_op(NEXT, 2, 6, "bitwise_and")


def test_misuse():
    region = make("f8", (2, 3))
    for index, error in (((2, 0), IndexError), (1.5, TypeError), ([0, 1], TypeError), (True, TypeError),
                         ((0, 0, 0), IndexError)):
        with pytest.raises(error):
            region[NEXT][index]
    for call, error in ((lambda: region[WORLD.size], IndexError), (lambda: region["a"], TypeError),
                        (lambda: region.put(0, np.ones(7)), IndexError), (lambda: region.put(0, 1, -1), IndexError),
                        (lambda: region.get(0, offset=6), IndexError), (lambda: region.get(0, -1), cw.MisuseError),
                        (lambda: region.put(0, [None]), TypeError), (lambda: region.get(0, "a"), TypeError),
                        (lambda: region.get(0, out=np.ones(2, "f4")), TypeError),
                        (lambda: region.get(0, out=[1.]), TypeError),
                        (lambda: region.put(0, np.ones(2), np.s_[:]), ValueError),
                        (lambda: region.accumulate(0, 1, op="mean"), cw.MisuseError),
                        (lambda: region.accumulate(0, 1, scale=2, op="product"), cw.MisuseError),
                        (lambda: region.fetch_add(0, np.s_[:]), TypeError),
                        (lambda: iter(region[0]), TypeError), (lambda: np.asarray(region[0]), TypeError),
                        (lambda: cw.Region(3, object), TypeError), (lambda: cw.Region(-1), cw.MisuseError),
                        (lambda: cw.Region(1.5), TypeError)):
        with pytest.raises(error):
            call()
    with pytest.raises(TypeError, match="accumulate"):
        cw.Region(3, "u1").accumulate(0, 1)


def test_freed():
    region, cells = make("f8"), make("f8", 3)
    first = cells[NEXT]
    WORLD.barrier()
    region.free()
    region.free()
    with cells:
        pass
    for call in (lambda: region[0][...], lambda: region.put(0, 1), lambda: region.local, lambda: first[0],
                 lambda: first.__setitem__(0, 1.0), lambda: cells.fetch_add(0, 0)):
        with pytest.raises(cw.MisuseError, match="freed"):
            call()


def test_forgotten_regions():
    gc.collect()
    cw.collect()
    region = make("f8", 3)
    view = region.local
    del region
    assert cw.collect() == 0  # the numpy array still uses it
    assert list(view) == [WORLD.rank, WORLD.rank + 1, WORLD.rank + 2]
    del view
    gc.collect()
    assert cw.collect() == 1


def test_threads():
    region = make("i8", (4, 100))
    failed = []

    def work(number):
        for k in range(50):
            region[NEXT][number, :] = k
            if not (region[NEXT][number, :] == k).all():
                failed.append((number, k))
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    [its.start() for its in threads]
    [its.join() for its in threads]
    assert failed == []


def test_on_device():
    with cw.open_device("host") as device:
        with cw.Region(8, "f8", device=device) as region:
            with pytest.raises(cw.MisuseError, match="device"):
                region.local
            region[NEXT][...] = np.arange(8)
            WORLD.barrier()
            assert (region[WORLD.rank][::2] == [0, 2, 4, 6]).all()
            WORLD.barrier()
    with pytest.raises(cw.MisuseError, match="closed"):
        device.finish()
    assert cw.DeviceInfo("host", 1) in cw.devices() and cw.devices("host")
    with pytest.raises(cw.MisuseError, match="kind"):
        cw.open_device("abacus")
