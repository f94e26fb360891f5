"""Indexing of arrays, against numpy arrays as the model."""
import numpy as np
import pytest
from cases import ARITHMETIC, DTYPES, OTHER, distributions, same, values
from conftest import combinations, drawn_together
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import causeway as cw

SHAPE = (7, 9, 5)


def shapes():
    return hnp.array_shapes(min_dims=1, max_dims=4, max_side=8)


def basic_keys(shape):
    return hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True, max_dims=10)


@st.composite
def mixed_keys(draw, shape):
    """Draws keys of integers, slices, lists, masks, ellipsis and newaxis together."""
    length = draw(st.integers(0, 3))
    lists = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    key, axis, masked = [], 0, False
    while axis < len(shape) and draw(st.integers(0, 5)) > 0:
        n = shape[axis]
        kind = draw(st.sampled_from(["int", "slice", "list", "array", "mask", "newaxis"]))
        if kind == "int":
            key.append(draw(st.integers(-n, n - 1)))
        elif kind == "slice":
            key.append(draw(st.slices(n)))
        elif kind in ("list", "array"):
            its = draw(hnp.arrays(np.intp, (length,) if kind == "list" else tuple(lists) + (length,),
                                  elements=st.integers(-n, n - 1)))
            key.append(its.tolist() if kind == "list" else its)
        elif kind == "mask" and not masked:  # several masks seldom fit each other
            mask = np.zeros(n, bool)
            mask[:length] = True
            if mask.sum() != length:
                continue
            key.append(mask[::-1])
            masked = True
        else:
            key.append(None)
            continue
        axis += 1
    if draw(st.booleans()):
        key.append(Ellipsis)
    return tuple(key)


def keys(shape):
    return st.one_of(basic_keys(shape), mixed_keys(shape), hnp.arrays(bool, shape),
                     hnp.integer_array_indices(shape))


@st.composite
def cases(draw, dtypes, steps, *more):
    """Draws a shape, a dtype, a place in the list of distributions, and for each step a key and values of more strategies."""
    shape = draw(shapes())
    return (shape, draw(st.sampled_from(dtypes)), draw(st.integers(0, len(distributions((1,))) - 1)),
            [(draw(keys(shape)), *map(draw, more)) for _ in range(steps)])


KINDS = st.sampled_from(["plain", "scalar", "row", "reversed", "transposed", "gaps", "more"])


def value_of(kind, dtype, shape, first):
    """Returns a value to put: broadcast, reversed, transposed, with gaps, or plain."""
    if kind == "scalar":
        return values(dtype, (), first)
    if kind == "row" and shape:
        return values(dtype, shape[-1:], first)
    if kind == "reversed":
        return values(dtype, shape, first)[tuple(slice(None, None, -1) for _ in shape)]
    if kind == "transposed":
        return values(dtype, shape[::-1], first).T
    if kind == "gaps":
        return values(dtype, tuple(2 * n for n in shape), first)[tuple(slice(None, None, 2) for _ in shape)]
    if kind == "more" and len(shape) > 1:  # numpy rejects it for masks
        return values(dtype, (1,) + shape, first)
    return values(dtype, shape, first)


@drawn_together(80, cases(DTYPES, 8, st.sampled_from([1, -1, 2])))
def test_gets_against_numpy(case):
    shape, dtype, distribution, steps = case
    x = values(dtype, shape)
    with cw.from_numpy(x, distribution=distributions(shape)[distribution]) as a:
        for key, stride in steps:
            assert same(a[key], x[key]), key
            out = np.zeros_like(x[key])
            if out.shape:
                out = out[..., ::stride]
                if out.shape == x[key].shape:
                    assert a.get(key, out=out) is out and same(out, x[key])


@drawn_together(60, cases(DTYPES, 10, KINDS))
def test_puts_of_several_processes_against_numpy(case):
    shape, dtype, distribution, steps = case
    x = values(dtype, shape)
    written = np.zeros(shape, bool)
    with cw.from_numpy(x, distribution=distributions(shape)[distribution]) as a:
        for turn, (key, kind) in enumerate(steps):
            value = value_of(kind, dtype, x[key].shape, 10 * turn)
            if np.unique(np.arange(x.size).reshape(shape)[key]).size < x[key].size:
                value = values(dtype, (), turn)  # which of several values is stored is not defined
            if written[key].any():
                a.sync()
                written[...] = False
            if cw.process() == turn % cw.processes():
                if turn % 3 == 2 and not any(isinstance(its, (list, np.ndarray)) for its in
                                             (key if isinstance(key, tuple) else (key,))):
                    a.put_start(key, value).wait()
                else:
                    a[key] = value
            x[key] = value
            written[key] = True
        a.sync()
        assert same(a[...], x)


@drawn_together(40, cases(ARITHMETIC, 5, KINDS, st.sampled_from([None, 1, 3])))
def test_accumulates_of_all_processes_against_numpy(case):
    shape, dtype, distribution, steps = case
    x = values(dtype, shape)
    with cw.from_numpy(x, distribution=distributions(shape)[distribution]) as a:
        for turn, (key, kind, scale) in enumerate(steps):
            value = value_of(kind, dtype, x[key].shape, turn)
            a.accumulate(key, value, scale)
            np.add.at(x, key, np.broadcast_to(value.reshape(value.shape[-len(x[key].shape):] if x[key].shape else ()),
                                              x[key].shape) * dtype.type((scale or 1) * cw.processes()))
        a.sync()
        assert same(a[...], x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_on_every_distribution(dtype):
    x = values(dtype, SHAPE)
    y = values(dtype, SHAPE, 50)
    for distribution in distributions(SHAPE):
        with cw.from_numpy(x, distribution=distribution) as a:
            assert same(a[2, 3, 4], x[2, 3, 4]) and same(a[-1, -2, -3], x[-1, -2, -3])
            assert same(a[::-2, 1:8:3], x[::-2, 1:8:3])
            assert same(a[[3, 0, 3], :, 1], x[[3, 0, 3], :, 1])
            a.sync()
            mine = np.s_[cw.process()::cw.processes(), ::-1]
            a[mine] = y[mine]
            a.sync()
            assert same(a[...], y)


def test_values_are_converted_as_numpy_does():
    x, a = np.zeros((4, 3), "i4"), cw.zeros((4, 3), "i4")
    for key, value in (((0, 0), 3.7), ((1,), [1.5, 2.5, -3.5]), (np.s_[2:, 1], True), ((3, 0), np.int64(7)),
                       ((3, 1), np.float32(9.9)), (np.s_[:, 2:], np.ones((1, 4, 1), complex).real)):
        x[key] = value
        a[key] = value
    a.sync()
    assert same(a[...], x)
    for key, value, error in (((0, 0), "word", ValueError), ((0, 0), 1j, TypeError),
                              (np.s_[:2], np.ones(4), ValueError), ((0, 0), [1, 2], (ValueError, TypeError)), (0, a, TypeError)):
        with pytest.raises(error):
            a[key] = value
    with pytest.raises(TypeError, match="complex128"):
        a.accumulate((0, 0), 1j)
    with pytest.raises(TypeError, match="float64"):
        a.accumulate((0, 0), 1.5)
    assert same(a[...], x)


NUMBERS = (3, -1, 2.7, True, 10 ** 30, 10 ** 400, 2 ** 31, float("inf"), "word", None, 1j, np.float64(2.5), np.float32(0.1),
           np.int64(2 ** 40), np.int32(-7), np.uint8(200), np.bool_(True), np.array(4.0), np.array([4.0, 5.0]),
           np.array(9, "i4"), np.ma.array(1.0), b"8")


@pytest.mark.filterwarnings("ignore")  # numpy's about conversions
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1", "?", ">f8", "c16", "S3", "i4,f8"])
def test_numbers_are_put_as_by_numpy(dtype):
    """The fast way (patch.h) and the general one store what numpy stores, or raise an error where numpy does."""
    def fails(target, value):
        try:
            target[-2, np.int64(1)] = value
            return False
        except (TypeError, ValueError, OverflowError):
            return True
    for value in NUMBERS:
        x = np.zeros((3, 2), dtype)
        with cw.zeros((3, 2), dtype) as a:
            assert fails(x, value) == fails(a, value), value
            a.sync()
            assert a[...].tobytes() == x.tobytes() and a[1, 1].tobytes() == x[1, 1].tobytes(), value  # NaN, too


def test_elements_of_other_types_and_layouts():
    """Elements that the fast way does not take: as numpy does, or as an error, but never the bytes of another type."""
    whole = np.arange(24.0).reshape(4, 6)
    for x in (np.arange(12).reshape(2, 6), np.arange(12.0).reshape(2, 6).astype(">f8"), np.arange(12.0).astype("f4").reshape(2, 6),
              whole[::2], whole.T[:2, :1], np.arange(6.0), np.ma.array(whole[:2], mask=True), whole[:2].astype("m8[s]").view("i8")):
        y = np.zeros((4, 6))
        with cw.zeros((4, 6)) as a:
            a[1:3] = x
            y[1:3] = x
            a.sync()
            assert same(a[...], y)
            for key in (np.s_[1:3], (np.s_[1:3], np.s_[:]), (-1,), np.int32(2), np.s_[1:-1, 2], (True, 1), np.s_[3:1], np.s_[::2]):
                assert same(a[key], y[key])
            for out in (np.empty((2, 6), "i8"), np.empty((2, 6), ">f8"), np.empty((6, 2)).T, np.empty(12), bytearray(96)):
                try:
                    assert same(a.get(np.s_[1:3], out=out), y[1:3])
                except (TypeError, ValueError):
                    pass


ROWS = (6, 20, 7)


@pytest.mark.parametrize("distribution, dtype", combinations(distributions(ROWS), ["f8", "i2", "M8[s]"]))
def test_long_rows_of_index_arrays(distribution, dtype):
    """Each row is a transfer of its own."""
    x, y = values(dtype, ROWS), values(dtype, ROWS, 50)
    mask = np.arange(20) % 3 == 1
    keys = [np.s_[[4, -6, 2]], np.s_[:, mask], np.s_[..., [3, 0]], np.s_[[[1, 2], [3, 5]], ::2], np.s_[1:4:2, [7, 7, 0], :],
            np.s_[:, []], np.s_[np.array([5], "u1")]]
    with cw.from_numpy(x, distribution=distribution) as a:
        for key in keys:
            out = np.zeros_like(x[key], order="F")
            assert same(a[key], x[key]) and a.get(key, out=out) is out and same(out, x[key])
        a.sync()
        if cw.process() == 0:
            for key in keys:
                a[key] = y[key]
                a.fence()
        for key in keys:
            x[key] = y[key]
        a.sync()
        assert same(a[...], x)
        a.sync()
        if dtype == "f8":
            for key in keys:
                a.accumulate(key, y[key], scale=2)
                np.add.at(x, key, 2 * cw.processes() * y[key])
        a.sync()
        assert same(a[...], x)
        with pytest.raises(IndexError):
            a[[6, 0]]


@pytest.mark.parametrize("dtype", OTHER, ids=str)
def test_types_without_arithmetic_are_not_accumulated_to(dtype):
    with cw.zeros(4, dtype) as a, pytest.raises(TypeError, match="cannot be added to"):
        a.accumulate(0, 1)


@pytest.mark.parametrize("key", [12, -8, (0, 9), (0, 0, -6), [1, 7], np.s_[[0], -10], np.int64(7), (1, 2, 5),
                                 np.s_[0, 0, 0, 0], np.s_[..., ...], 1.5, "a", np.ones(3), {1: 2},
                                 np.ones(6, bool), np.ones((7, 8), bool), np.s_[[1, 2], [1, 2, 3]]], ids=repr)
def test_wrong_indices(key):
    x, a = np.zeros(SHAPE), cw.zeros(SHAPE)
    with pytest.raises(IndexError):
        x[key]
    for call in (lambda: a[key], lambda: a.put(key, 1), lambda: a.accumulate(key, 1)):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(IndexError):
        a[key] = 1.0


def test_messages():
    a = cw.zeros((10, 4))
    with pytest.raises(IndexError, match="index 12 is out of range for axis 0, which has 10 elements"):
        a[12, 0]
    with pytest.raises(IndexError, match="index -5 is out of range for axis 1, which has 4 elements"):
        a[0, [0, -5]]
    with pytest.raises(IndexError, match="the array has 2 dimensions, but 3 were indexed"):
        a[0, 0, 0]


def test_gets_that_are_started():
    x = values("f8", (20, 30))
    a = cw.from_numpy(x)
    keys = [np.s_[:, 3], np.s_[::-2, 4:9], np.s_[5], np.s_[7, 8], np.s_[3:3], Ellipsis]
    transfers = [a.get_start(key) for key in keys]
    for key, transfer in zip(keys, transfers):
        got = transfer.wait()
        assert same(np.asarray(got), np.asarray(x[key]))
        assert transfer.test() and transfer.wait() is got
    out = np.zeros((30, 40))[::2, 5:35]
    transfer = a.get_start(np.s_[:15], out=out)
    while not transfer.test():
        cw.progress()
    assert same(transfer.wait(), x[:15])
    with pytest.raises(cw.MisuseError):
        a.get_start([1, 2])
    with pytest.raises(cw.MisuseError):
        a.get_start(..., out=np.zeros((20, 30))[::-1])
    a.get_start(...)  # the handle is forgotten, and its buffer kept


def test_out_is_checked():
    a = cw.zeros((4, 5))
    fixed = np.zeros((4, 5))
    fixed.flags.writeable = False
    for out, error in ((np.zeros((4, 4)), cw.MisuseError), (np.zeros((4, 5), "f4"), TypeError), ([0] * 5, TypeError),
                       (fixed, cw.MisuseError)):
        with pytest.raises(error):
            a.get(..., out=out)


@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_read_increment(dtype):
    n = 50
    a = cw.zeros((3, 4), dtype)
    mine = [a.read_increment((1, -1)) for _ in range(n)]
    assert mine == sorted(mine)
    a.sync()
    assert a[1, 3] == n * cw.processes() and a.read_increment((1, 3), 0) == a[1, 3]
    with pytest.raises(IndexError):
        a.read_increment((3, 0))
    with pytest.raises(IndexError):
        a.read_increment(1)
    with pytest.raises(TypeError):
        a.read_increment((1.0, 2))
    with pytest.raises(TypeError), cw.zeros(3) as b:
        b.read_increment(0)
