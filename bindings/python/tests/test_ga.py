"""The calls of ga4py, compared with numpy."""
import io

import numpy as np
import pytest

import causeway as cw
from causeway import ga

TYPES = [ga.C_INT, ga.C_LONG, ga.C_FLOAT, ga.C_DBL, ga.C_SCPL, ga.C_DCPL]
ME, ALL = cw.process(), cw.processes()


@pytest.fixture(autouse=True)
def no_arrays_are_left():
    yield
    ga.terminate()


def numbers(shape, gtype=ga.C_DBL, seed=0):
    """Returns the same small whole numbers on all processes."""
    values = np.random.default_rng(seed).integers(-9, 9, (2, *shape))
    its = ga.dtype(gtype)
    return (values[0] + 1j * values[1] if its.kind == "c" else values[0]).astype(its)


def array(values, gtype=ga.C_DBL, **options):
    """Makes an array with these values."""
    g_a = ga.create(gtype, values.shape, **options)
    if ga.nodeid() == 0:
        ga.put(g_a, values)
    ga.sync()
    return g_a


@pytest.mark.parametrize("gtype", TYPES)
def test_put_get_acc(gtype):
    a = numbers((11, 7), gtype)
    g_a = array(a, gtype)
    assert ga.inquire_type(g_a) == gtype and ga.ndim(g_a) == 2
    assert np.array_equal(ga.get(g_a), a)
    assert np.array_equal(ga.get(g_a, [2, 1], [9, 6]), a[2:9, 1:6])
    ga.sync()
    ga.acc(g_a, np.ones((4, 3), ga.dtype(gtype)), (3, 2), (7, 5), alpha=3)
    ga.sync()
    a[3:7, 2:5] += 3 * ALL
    assert np.array_equal(ga.get(g_a), a)


def test_buffers_of_any_layout():
    a = numbers((6, 8))
    g_a = ga.create(ga.C_DBL, a.shape)
    if ME == 0:
        ga.put(g_a, np.asfortranarray(a))
        ga.put(g_a, a[::-1][:2], (4, 0), (6, 8))
        ga.put(g_a, a[0].tolist(), (3, 0), (4, 8))
    ga.sync()
    expected = a.copy()
    expected[4:6], expected[3] = a[::-1][:2], a[0]
    room = np.zeros((12, 16))
    assert ga.get(g_a, buffer=room[::2, ::2]) is not None
    assert np.array_equal(room[::2, ::2], expected) and not room[1::2].any()
    turned = np.zeros((8, 6)).T
    ga.get(g_a, buffer=turned)
    assert np.array_equal(turned, expected)
    backwards = np.zeros((6, 8))
    ga.get(g_a, buffer=backwards[::-1])
    assert np.array_equal(backwards[::-1], expected)
    flat = np.zeros(48)
    ga.get(g_a, buffer=flat)
    assert np.array_equal(flat.reshape(6, 8), expected)


def test_nonblocking():
    a = numbers((9, 5))
    g_a = ga.create(ga.C_DBL, a.shape)
    ga.zero(g_a)
    if ME == ALL - 1:
        ga.nbwait(ga.nbput(g_a, a))
    ga.sync()
    ga.nbwait(ga.nbacc(g_a, np.ones(5), (0, 0), (1, 5), alpha=2))
    ga.sync()
    a[0] += 2 * ALL
    buffer, handle = ga.nbget(g_a, (0, 0), (4, 5))
    while not ga.nbtest(handle):
        pass
    assert np.array_equal(buffer, a[:4])
    handles = [ga.nbget(g_a, (row, 0), (row + 1, 5)) for row in range(9)]
    for row, (buffer, handle) in enumerate(handles):
        ga.nbwait(handle)
        assert np.array_equal(buffer[0], a[row])


def test_strided_and_periodic():
    a = numbers((10, 7))
    g_a = array(a)
    assert np.array_equal(ga.strided_get(g_a, (0, 0), (9, 7), (4, 3)), a[0:9:4, 0:7:3])
    assert np.array_equal(ga.periodic_get(g_a, (-1, -1), (2, 2)), np.pad(a, 1, "wrap")[:3, :3])
    ga.sync()
    if ME == 0:
        ga.strided_put(g_a, np.zeros((5, 7)), skip=(2, 1))
        ga.strided_acc(g_a, np.ones((5, 4)), skip=(2, 2), alpha=4)
        ga.periodic_put(g_a, [[7]], (-1, 7), (0, 8))
        ga.periodic_acc(g_a, [[1]], (-1, 7), (0, 8))
    ga.sync()
    a[::2] = 0
    a[::2, ::2] = 4
    a[9, 0] = 8
    assert np.array_equal(ga.get(g_a), a)


@pytest.mark.parametrize("gtype", TYPES)
def test_gather_scatter(gtype):
    a = numbers((8, 5), gtype)
    g_a = array(a, gtype)
    places = np.argwhere(np.ones((8, 5)))[ME::2]
    assert np.array_equal(ga.gather(g_a, places), a[tuple(places.T)])
    out = np.zeros(2 * len(places), ga.dtype(gtype))[::2]
    assert ga.gather(g_a, places.ravel(), out) is out
    assert np.array_equal(out, a[tuple(places.T)])
    ga.sync()
    if ME == 0:
        ga.scatter(g_a, [1, 2], [[0, 1], [7, 4]])
    ga.sync()
    ga.scatter_acc(g_a, [1, 1, 1], [0, 1, 3, 3, 0, 1], alpha=2)
    ga.sync()
    a[0, 1], a[7, 4] = 1 + 4 * ALL, 2
    a[3, 3] += 2 * ALL
    assert np.array_equal(ga.get(g_a), a)


def test_read_inc():
    counter = ga.create(ga.C_LONG, [3])
    ga.zero(counter)
    mine = [ga.read_inc(counter, 1, 2) for _ in range(10)]
    ga.sync()
    assert mine == sorted(mine) and len(set(mine)) == 10
    assert ga.get(counter).tolist() == [0, 20 * ALL, 0]


def test_access():
    a = numbers((9, 6))
    g_a = array(a)
    lo, hi = ga.distribution(g_a)
    mine = ga.access(g_a)
    if mine is None:
        assert lo.tolist() == hi.tolist() == [-1, -1]
    else:
        assert np.array_equal(mine, a[lo[0]:hi[0], lo[1]:hi[1]])
        mine *= 2
    ga.release_update(g_a)
    ga.sync()
    assert np.array_equal(ga.get(g_a), 2 * a)
    if lo[0] >= 0:
        corner = ga.access(g_a, lo, lo + 1)
        assert corner[0, 0] == 2 * a[tuple(lo)]
        ga.release(g_a, lo, lo + 1)
        with pytest.raises(cw.MisuseError):
            ga.release(g_a, lo, lo + 1)


def test_distribution_and_places():
    g_a = ga.create(ga.C_DBL, (20, 10), "places", (20, 1))
    assert ga.inquire_name(g_a) == "places" and ga.total_blocks(g_a) == -1
    gtype, dims = ga.inquire(g_a)
    assert gtype == ga.C_DBL and dims.tolist() == [20, 10]
    owned = np.full((20, 10), -1)
    for rank in range(ALL):
        lo, hi = ga.distribution(g_a, rank)
        if lo[0] >= 0:
            assert (lo[0], hi[0]) == (0, 20)
            owned[lo[0]:hi[0], lo[1]:hi[1]] = rank
    assert (owned >= 0).all()
    assert all(ga.locate(g_a, (i, j)) == owned[i, j] for i in (0, 19) for j in range(10))
    assert ga.locate(g_a, (20, 0)) == -1
    region, owners = ga.locate_region(g_a, (1, 0), (3, 10))
    assert ga.locate_nnodes(g_a, (1, 0), (3, 10)) == len(owners)
    seen = np.zeros((20, 10), int)
    for (lo, hi), rank in zip(region, owners):
        assert (owned[lo[0]:hi[0], lo[1]:hi[1]] == rank).all()
        seen[lo[0]:hi[0], lo[1]:hi[1]] += 1
    assert (seen[1:3] == 1).all() and seen.sum() == 20
    assert ga.compare_distr(g_a, ga.duplicate(g_a))
    assert not ga.compare_distr(g_a, ga.create(ga.C_DBL, (20, 11)))
    assert ga.proc_topology(g_a, 0).tolist() == [0, 0]
    assert ga.nblock(g_a)[0] == 1


def test_irregular_and_new_style():
    g_a = ga.create_irreg(ga.C_INT, (8, 4), (ALL, 1), [*range(ALL), 0])
    lo, hi = ga.distribution(g_a)
    assert lo.tolist() == [ME, 0] and hi.tolist() == [8 if ME == ALL - 1 else ME + 1, 4]
    handle = ga.create_handle()
    ga.set_data(handle, (8, 4), ga.C_INT)
    ga.set_array_name(handle, "made")
    ga.set_irreg_distr(handle, [*range(ALL), 0], (ALL, 1))
    ga.set_ghosts(handle, (1, 1))
    g_b = ga.allocate(handle)
    assert ga.inquire_name(g_b) == "made" and ga.has_ghosts(g_b) and not ga.has_ghosts(g_a)
    assert ga.distribution(g_b)[0].tolist() == lo.tolist()
    handle = ga.create_handle()
    ga.set_data(handle, (10, 7), ga.C_DBL)
    ga.set_block_cyclic(handle, (3, 2))
    g_c = ga.allocate(handle)
    assert ga.total_blocks(g_c) == 16
    assert [its.tolist() for its in ga.distribution(g_c, 15)] == [[9, 6], [10, 7]]
    handle = ga.create_handle()
    ga.set_data(handle, (10, 7), ga.C_DBL)
    ga.set_block_cyclic_proc_grid(handle, (3, 2), (1, ALL))
    a = numbers((10, 7))
    g_d = ga.allocate(handle)
    ga.copy(array(a), g_d)
    assert np.array_equal(ga.get(g_d), a)


def test_ghosts():
    a = numbers((8, 6))
    g_a = ga.create_ghosts(ga.C_DBL, a.shape, (1, 2))
    if ME == 0:
        ga.put(g_a, a)
    ga.sync()
    ga.update_ghosts(g_a)
    lo, hi = ga.distribution(g_a)
    mine = ga.access_ghosts(g_a)
    if mine is not None:
        padded = np.pad(a, ((1, 1), (2, 2)), "wrap")
        assert np.array_equal(mine, padded[lo[0]:hi[0] + 2, lo[1]:hi[1] + 4])
    ga.release_ghosts(g_a)


@pytest.mark.parametrize("gtype", TYPES)
def test_arithmetic(gtype):
    a, b = numbers((7, 5), gtype), numbers((7, 5), gtype, 1)
    g_a, g_b = array(a, gtype), array(b, gtype)
    g_c = ga.duplicate(g_a)
    ga.add(g_a, g_b, g_c, 2, -3)
    assert np.array_equal(ga.get(g_c), 2 * a - 3 * b)
    ga.elem_multiply(g_a, g_b, g_c)
    assert np.array_equal(ga.get(g_c), a * b)
    assert ga.dot(g_a, g_b) == (a * b).sum()
    ga.scale(g_c, 3, (0, 0), (2, 5))
    ga.add_constant(g_c, 1)
    expected = a * b
    expected[:2] *= 3
    assert np.array_equal(ga.get(g_c), expected + 1)
    ga.copy(g_a, g_c, (0, 0), (2, 5), (3, 0), (5, 5))
    assert np.array_equal(ga.get(g_c, (3, 0), (5, 5)), a[:2])
    g_t = ga.create(gtype, (5, 7))
    ga.transpose(g_a, g_t)
    assert np.array_equal(ga.get(g_t), a.T)
    assert np.isclose(ga.norm1(g_a), abs(a).sum()) and np.isclose(ga.norm_infinity(g_a), abs(a).max())
    ga.fill(g_a, 4)
    ga.zero(g_a, (1, 1), (2, 2))
    expected = np.full((7, 5), 4, a.dtype)
    expected[1, 1] = 0
    assert np.array_equal(ga.get(g_a), expected)
    assert ga.dot(g_b, g_b, (0, 0), (3, 2), (0, 0), (3, 2)) == (b[:3, :2] ** 2).sum()


def test_order():
    a, b = numbers((7, 5)), numbers((7, 5), seed=1)
    g_a, g_b = array(a), array(b)
    g_c, g_m = ga.duplicate(g_a), ga.duplicate(g_a)
    ga.elem_maximum(g_a, g_b, g_c)
    assert np.array_equal(ga.get(g_c), np.maximum(a, b))
    ga.elem_minimum(g_a, g_b, g_c)
    assert np.array_equal(ga.get(g_c), np.minimum(a, b))
    ga.median(g_a, g_b, g_c, g_m)
    assert np.array_equal(ga.get(g_m), np.median([a, b, np.minimum(a, b)], axis=0))
    value, index = ga.select_elem_max(g_a)
    assert value == a.max() and tuple(index) == np.unravel_index(a.argmax(), a.shape)
    value, index = ga.select_elem_min(g_a)
    assert value == a.min() and tuple(index) == np.unravel_index(a.argmin(), a.shape)
    ga.abs_value(g_a)
    assert np.array_equal(ga.get(g_a), abs(a))
    ga.fill(g_b, -2)
    ga.add_constant(g_a, 1)
    assert ga.step_max(g_a, g_b) == 0.5 * (abs(a) + 1).min()
    ga.recip(g_a)
    assert np.allclose(ga.get(g_a), 1 / (abs(a) + 1))
    ga.elem_divide(g_b, g_a, g_c)
    assert np.allclose(ga.get(g_c), -2 * (abs(a) + 1))


@pytest.mark.parametrize("gtype", [ga.C_FLOAT, ga.C_DBL, ga.C_DCPL])
def test_products(gtype):
    a, b, c = numbers((6, 4), gtype), numbers((6, 5), gtype, 1), numbers((4, 5), gtype, 2)
    g_a, g_b, g_c = array(a, gtype), array(b, gtype), array(c, gtype)
    ga.gemm(True, False, 4, 5, 6, 2, g_a, g_b, -1, g_c)
    assert np.allclose(ga.get(g_c), 2 * a.T @ b - c)
    ga.matmul_patch("c", "n", 1, 0, g_a, (0, 0), (3, 2), g_b, (0, 1), (3, 4), g_c, (1, 1), (3, 4))
    assert np.allclose(ga.get(g_c, (1, 1), (3, 4)), a[:3, :2].conj().T @ b[:3, 1:4])


def test_diagonals():
    a, v = numbers((6, 6)), numbers((6,), seed=1)
    g_a, g_v, g_w = array(a), array(v), array(v)
    ga.get_diag(g_a, g_w)
    assert np.array_equal(ga.get(g_w), np.diag(a))
    ga.set_diagonal(g_a, g_v)
    ga.add_diagonal(g_a, g_v)
    ga.shift_diagonal(g_a, 1.5)
    np.fill_diagonal(a, 2 * v + 1.5)
    assert np.array_equal(ga.get(g_a), a)
    ga.scale_rows(g_a, g_v)
    ga.scale_cols(g_a, g_w)
    assert np.array_equal(ga.get(g_a), a * v[:, None] * ga.get(g_w))
    ga.zero_diagonal(g_a)
    assert not np.diag(ga.get(g_a)).any()
    b = ga.get(g_a)
    ga.symmetrize(g_a)
    assert np.array_equal(ga.get(g_a), (b + b.T) / 2)


def test_scans():
    a, mask = numbers((20,)), np.arange(20) % 4 == 1
    g_a, g_m = array(a), array(mask.astype("i4"), ga.C_INT)
    g_b = ga.duplicate(g_a)
    ga.zero(g_b)
    ga.scan_copy(g_a, g_b, g_m)
    assert np.array_equal(ga.get(g_b)[1:], np.repeat(a[1::4], 4)[:19])
    ga.scan_add(g_a, g_b, g_m)
    assert np.array_equal(ga.get(g_b)[1:5], np.cumsum(a[1:5]))
    assert ga.pack(g_a, g_b, g_m) == 5
    assert np.array_equal(ga.get(g_b, 0, 5), a[mask])
    ga.enum(g_a, 2, 18, 5, 3)
    assert np.array_equal(ga.get(g_a, 2, 18), 5 + 3 * np.arange(16))
    assert ga.unpack(g_b, g_a, g_m) == 5
    assert np.array_equal(ga.get(g_a)[mask], a[mask])


def test_solvers():
    a, b = numbers((7, 7)) + 20 * np.eye(7), numbers((2, 7), seed=1)
    g_a, g_b = array(a), array(b)
    ga.lu_solve(g_a, g_b)
    assert np.allclose(ga.get(g_b), np.linalg.solve(a.T, b.T).T)
    g_v = array(b[0])
    ga.lu_solve(g_a, g_v, True)
    assert np.allclose(ga.get(g_v), np.linalg.solve(a, b[0]))
    s = a @ a.T
    g_s, g_b = array(s), array(b)
    assert ga.llt_solve(g_s, g_b) == 0
    assert np.allclose(ga.get(g_b), np.linalg.solve(s, b.T).T)
    g_e = ga.duplicate(g_s)
    values = ga.diag_std(g_s, g_e)
    vectors = ga.get(g_e)
    assert np.allclose(values, np.linalg.eigvalsh(s)) and np.allclose(vectors @ s, values[:, None] * vectors)
    g_o = array(np.diag(np.arange(1.0, 8)))
    out = np.zeros(7)
    assert ga.diag(g_s, g_o, g_e, out) is out
    vectors = ga.get(g_e)
    assert np.allclose(vectors @ s, out[:, None] * vectors * np.arange(1.0, 8))
    assert ga.spd_invert(g_s) == 0
    assert np.allclose(ga.get(g_s), np.linalg.inv(s))
    with pytest.raises(cw.MisuseError, match="right-hand side"):
        ga.lu_solve(g_a, array(b.T))


def test_randomize():
    g_a, g_b = ga.create(ga.C_DBL, (9, 4)), ga.create(ga.C_DBL, (9, 4), "other", (9, 1))
    ga.randomize(g_a, 5, seed=3)
    ga.randomize(g_b, 5, seed=3)
    a = ga.get(g_a)
    assert (a >= 0).all() and (a < 5).all() and len(np.unique(a)) == 36 and np.array_equal(a, ga.get(g_b))
    ga.sync()
    ga.randomize(g_a)
    assert not np.array_equal(ga.get(g_a), a)


def test_global_operations():
    assert ga.gop_add(ME + 1) == ALL * (ALL + 1) // 2
    assert ga.gop_multiply(2.0) == 2.0 ** ALL
    assert ga.gop_max([ME, -ME]).tolist() == [ALL - 1, 0]
    assert ga.gop_min(np.float32(ME)) == 0
    assert ga.gop_absmax(-ME) == ALL - 1 and ga.gop_absmin(-1 - ME) == 1
    assert ga.gop(ME == 0 and 1 or 0, "||") == 1
    x = np.arange(6.0).reshape(2, 3)
    assert ga.gop_add(x.T) is not None and np.array_equal(x, ALL * np.arange(6.0).reshape(2, 3))
    text = np.array([ME, 5])
    assert ga.brdcst(text, ALL - 1).tolist() == [ALL - 1, 5]
    with pytest.raises(TypeError):
        ga.gop_add("text")
    with pytest.raises(cw.MisuseError):
        ga.gop(1, "-")


def test_mutexes():
    assert ga.create_mutexes(3)
    g_a = ga.create(ga.C_DBL, [1])
    ga.zero(g_a)
    for _ in range(5):
        ga.lock(2)
        ga.put(g_a, ga.get(g_a) + 1)
        ga.unlock(2)
    ga.sync()
    assert ga.get(g_a)[0] == 5 * ALL
    with pytest.raises(IndexError):
        ga.lock(3)
    with pytest.raises(cw.MisuseError):
        ga.create_mutexes(1)
    assert ga.destroy_mutexes() and not ga.destroy_mutexes()


def test_groups():
    half = ga.pgroup_split(ga.pgroup_get_world(), 2 if ALL > 1 else 1)
    members = ga.pgroup_gop_add(half, 1)
    assert members == ga.pgroup_nnodes(half)
    ga.pgroup_set_default(half)
    assert ga.nnodes() == members and ga.nodeid() == ga.pgroup_nodeid(half)
    assert ga.pgroup_absolute_id(half, ga.nodeid()) == ME
    g_a = ga.create(ga.C_DBL, (4, 4))
    assert ga.get_pgroup(g_a) == half
    ga.fill(g_a, ME)
    ga.sync()
    assert (ga.get(g_a) == ME).all() or members > 1
    ga.destroy(g_a)
    ga.pgroup_set_default(ga.pgroup_get_world())
    ga.pgroup_destroy(half)
    first = ga.pgroup_create([0])
    assert ga.pgroup_nodeid(first) == (0 if ME == 0 else -1)
    if ME == 0:
        ga.destroy(ga.create(ga.C_INT, [5], pgroup=first))
    else:
        with pytest.raises(cw.MisuseError):
            ga.create(ga.C_INT, [5], pgroup=first)
    ga.pgroup_destroy(first)
    colour = ga.pgroup_split_irreg(ga.pgroup_get_world(), ME % 2)
    assert ga.pgroup_nnodes(colour) == len(range(ME % 2, ALL, 2))
    ga.pgroup_destroy(colour)
    with pytest.raises(cw.MisuseError):
        ga.pgroup_sync(colour)


def test_nodes():
    nodes = [ga.cluster_nodeid(process) for process in range(ALL)]
    assert ga.cluster_nnodes() == max(nodes) + 1 and ga.cluster_nodeid() == nodes[ME]
    assert sum(ga.cluster_nprocs(node) for node in range(max(nodes) + 1)) == ALL
    assert ga.cluster_procid(nodes[-1], ga.cluster_nprocs(nodes[-1]) - 1) == ALL - 1


def test_registered_type():
    pair = np.dtype([("key", "i4"), ("value", "f8")])
    gtype = ga.register_dtype(pair)
    g_a = ga.create(gtype, [4])
    if ME == 0:
        ga.put(g_a, np.array([(k, k / 2) for k in range(4)], pair))
    ga.sync()
    assert ga.get(g_a, 2, 3)["value"] == 1.0 and ga.inquire_type(g_a) == gtype
    ga.destroy(g_a)
    ga.deregister_type(gtype)


def test_print(capfd):
    g_a = ga.create(ga.C_INT, (2, 3), "shown")
    ga.fill(g_a, 7)
    ga.print_stdout(g_a)
    ga.print_distribution(g_a)
    text = io.StringIO()
    ga.print_file(g_a, text)
    out = capfd.readouterr().out
    if ME == 0:
        assert "shown[0:2,0:3] of int32\n[[7 7 7]\n [7 7 7]]" in out and out.startswith(text.getvalue())
        assert "process 0 has 0:" in out
    else:
        assert not text.getvalue()


def test_errors():
    g_a = ga.create(ga.C_DBL, (10, 4))
    for wrong, kind in (((0, 0, (11, 4)), IndexError), ((0, -1, (2, 2)), IndexError), ((3, 3, (2, 4)), cw.MisuseError)):
        with pytest.raises(kind):
            ga.get(g_a, wrong[:2], wrong[2])
    with pytest.raises(IndexError, match="range 0:12 is out of range for axis 0, which has 10 elements"):
        ga.put(g_a, np.zeros((12, 4)), (0, 0), (12, 4))
    with pytest.raises(cw.MisuseError, match="2 dimensions"):
        ga.get(g_a, [0], [4])
    with pytest.raises(TypeError):
        ga.get(g_a, [0.5, 0], [4, 4])
    with pytest.raises(cw.MisuseError, match="buffer has 3 elements"):
        ga.put(g_a, [1, 2, 3])
    with pytest.raises(TypeError):
        ga.put(g_a, np.ones((10, 4), complex))
    with pytest.raises(TypeError):
        ga.get(g_a, buffer=np.zeros((10, 4), "f4"))
    with pytest.raises(IndexError, match="index 10 is out of range for axis 0"):
        ga.gather(g_a, [[10, 0]])
    with pytest.raises(TypeError):
        ga.create(999, [4])
    with pytest.raises(TypeError):
        ga.get("name")
    ga.destroy(g_a)
    with pytest.raises(cw.MisuseError, match="not the handle"):
        ga.get(g_a)
    assert not ga.valid_handle(g_a)
