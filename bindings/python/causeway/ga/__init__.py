"""The calls of ga4py, the Python interface of Global Arrays, on Causeway's arrays.

    from causeway import ga              # instead of: from ga4py import ga
    g_a = ga.create(ga.C_DBL, [100, 100])
    ga.zero(g_a)
    ga.acc(g_a, np.ones((10, 10)), [0, 0], [10, 10])
    ga.sync()
    print(ga.dot(g_a, g_a))

Handles of arrays and groups are integers; 0 is never one. A patch is lo to hi, where hi is exclusive, as in Python's
ranges; without lo and hi it is the whole array. Buffers are numpy arrays, or whatever numpy.asarray converts. `to_array`
returns the causeway.Array of a handle, so that a program can change over step by step.

Differences from ga4py: errors are exceptions, and no call ends the job, except for `error`. `gop_add` and its like return
numbers for numbers. `nbput`, `nbget` and `nbacc` return objects, for `nbwait` and `nbtest`. `allocate` returns the handle of
the array. Handles need not be equal on different processes. `locate_region` returns hi exclusive, like all others.
Mirrored arrays, the calls for single blocks of block-cyclic arrays, and those of GA's own memory are left out.
As in GA, right-hand sides of equations and eigenvectors are rows.
"""
from ._arithmetic import (
    abs_value, add, add_constant, add_diagonal, cgemm, copy, dgemm, dot, elem_divide, elem_maximum, elem_minimum,
    elem_multiply, enum, fill, gemm, get_diag, matmul_patch, median, norm1, norm_infinity, pack, randomize, recip, scale,
    scale_cols, scale_rows, scan_add, scan_copy, select_elem, select_elem_max, select_elem_min, set_diagonal, sgemm,
    shift_diagonal, step_max, symmetrize, transpose, unpack, zero, zero_diagonal, zgemm)
from ._arrays import (
    allocate, compare_distr, create, create_ghosts, create_ghosts_irreg, create_handle, create_irreg, destroy,
    distribution, duplicate, get_pgroup, has_ghosts, inquire, inquire_dims, inquire_name, inquire_type, locate,
    locate_nnodes, locate_region, nblock, ndim, print_distribution, print_file, print_patch, print_stdout, proc_topology,
    set_array_name, set_block_cyclic, set_block_cyclic_proc_grid, set_chunk, set_data, set_ghosts, set_irreg_distr,
    set_pgroup, set_restricted, total_blocks, update_ghost_dir, update_ghosts, valid_handle)
from ._handles import (
    C_CHAR, C_DBL, C_DCPL, C_FLOAT, C_FLT, C_INT, C_LONG, C_LONGLONG, C_SCPL, F_DBL, F_DCPL, F_INT, F_REAL, F_SCPL,
    deregister_type, dtype, register_dtype, to_array)
from ._processes import (
    brdcst, cluster_nnodes, cluster_nodeid, cluster_nprocs, cluster_procid, create_mutexes, destroy_mutexes, error, fence,
    gop, gop_absmax, gop_absmin, gop_add, gop_max, gop_min, gop_multiply, init_fence, initialize, initialized, lock,
    mask_sync, nnodes, nodeid, pgroup_absolute_id, pgroup_brdcst, pgroup_create, pgroup_destroy, pgroup_get_default,
    pgroup_get_world, pgroup_gop, pgroup_gop_add, pgroup_gop_max, pgroup_gop_min, pgroup_gop_multiply, pgroup_nnodes,
    pgroup_nodeid, pgroup_set_default, pgroup_split, pgroup_split_irreg, pgroup_sync, sync, terminate, unlock, wtime)
from ._solvers import diag, diag_std, llt_solve, lu_solve, solve, spd_invert
from ._transfers import (
    acc, access, access_ghosts, gather, get, nbacc, nbget, nbput, nbtest, nbwait, periodic_acc, periodic_get, periodic_put,
    put, read_inc, release, release_ghosts, release_update, release_update_ghosts, scatter, scatter_acc, strided_acc,
    strided_get, strided_put)

__all__ = [name for name in globals() if not name.startswith("_")]
