! Makes a call that ends the job, with a message in Fortran's terms. Usage: ends WHICH.
program ends
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
  integer g, v, other, third, square, line, i
  double precision a(8, 8)
  character(20) which
  call getarg(1_4, which)
  call pbeginf
  if (which == 'early') call ga_get(-1000, 1, 1, 1, 1, a, 1)
  call ga_initialize
  a = 1
  if (.not. ga_create(MT_DBL, 7, 5, 'matrix', 0, 0, g)) stop 2
  if (.not. nga_create(MT_INT, 3, (/4, 5, 6/), 'cube', (/0, 0, 0/), v)) stop 2
  if (.not. ga_duplicate(g, other, 'other')) stop 2
  if (.not. ga_duplicate(g, third, 'third')) stop 2
  if (.not. ga_create(MT_DBL, 3, 3, 'square', 0, 0, square)) stop 2
  if (.not. ga_create(MT_DBL, 3, 1, 'line', 0, 0, line)) stop 2
  call ga_fill(square, 1d0)
  call ga_fill(line, 1d0)
  if (which == 'gone') then
    if (.not. ga_destroy(g)) stop 2
  end if
  select case (which)
  case ('gone', 'put')
    call ga_put(g, 1, 8, 1, 1, a, 8)
  case ('acc')
    call ga_acc(g, 1, 1, 0, 1, a, 8, 1d0)
  case ('order')
    call nga_get(v, (/1, 3, 1/), (/4, 2, 6/), a, (/4, 5/))
  case ('bounds')
    call nga_put(v, (/1, 1, 1/), (/4, 5, 7/), a, (/4, 5/))
  case ('ld')
    call nga_get(v, (/1, 1, 1/), (/4, 5, 6/), a, (/3, 5/))
  case ('ld2')
    call nga_get(v, (/1, 1, 1/), (/4, 5, 6/), a, (/4, 3/))
  case ('cube')
    call ga_get(v, 1, 1, 1, 1, a, 1)
  case ('extent')
    if (ga_create(MT_DBL, 0, 5, 'bad', 0, 0, g)) stop 2
  case ('extents')
    if (nga_create(MT_DBL, 3, (/4, 5, -6/), 'bad', (/0, 0, 0/), g)) stop 2
  case ('type')
    if (ga_create(77, 4, 5, 'bad', 0, 0, g)) stop 2
  case ('map')
    if (nga_create_irreg(MT_DBL, 2, (/4, 5/), 'bad', (/1, 2/), (/1, 1/), g)) stop 2
  case ('blocks') ! of which no map could tell: nothing behind its end is read
    if (nga_create_irreg(MT_DBL, 2, (/7, 9/), 'bad', (/1, 4, 1, 5/), (/9, 2/), g)) stop 2
  case ('blocks1')
    if (ga_create_irreg(MT_DBL, 7, 9, 'bad', (/1, 4/), 2, (/1, 5/), 10, g)) stop 2
  case ('noblocks')
    if (nga_create_irreg_config(MT_DBL, 2, (/7, 9/), 'bad', (/1, 4, 1, 5/), (/2, 0/), -1, g)) stop 2
  case ('blocks_ghosts')
    if (nga_create_ghosts_irreg(MT_DBL, 2, (/7, 9/), (/1, 1/), 'bad', (/1, 4, 1, 5/), (/2, 10/), g)) stop 2
  case ('set_blocks', 'set_tiles')
    v = ga_create_handle()
    call ga_set_data(v, 2, (/7, 9/), MT_DBL)
    if (which == 'set_blocks') call ga_set_irreg_distr(v, (/1, 4, 1, 5/), (/8, 2/))
    call ga_set_tiled_irreg_proc_grid(v, (/1, 4, 1, 5/), (/2, 10/), (/1, 1/))
  case ('behind')
    if (nga_create_irreg(MT_DBL, 2, (/7, 9/), 'bad', (/1, 4, 1, 20/), (/2, 2/), g)) stop 2
  case ('begin3')
    if (nga_create_irreg(MT_DBL, 3, (/7, 9, 8/), 'bad', (/2, 1, 1/), (/1, 1, 1/), g)) stop 2
  case ('many_blocks')
    v = ga_create_handle()
    call ga_set_data(v, 2, (/7, 9/), MT_DBL)
    call ga_set_irreg_distr(v, (/1, 4, 1, 5/), (/2, 2/))
    if (.not. ga_allocate(v)) stop 2
  case ('copy', 'shapes', 'layers', 'times')
    if (.not. nga_create(MT_DBL, 3, (/4, 5, 6/), 'more', (/0, 0, 0/), third)) stop 2
    if (.not. nga_create(MT_DBL, 3, (/3, 5, 6/), 'less', (/0, 0, 0/), line)) stop 2
    if (which == 'copy') call ga_copy(third, line)
    if (which == 'times') call ga_elem_multiply(third, line, third)
    if (which == 'layers') call ga_symmetrize(line)
    call nga_copy_patch('n', third, (/1, 1, 1/), (/4, 5, 6/), line, (/1, 1, 1/), (/3, 5, 6/))
  case ('transpose')
    if (.not. ga_create(MT_DBL, 5, 8, 'wide', 0, 0, third)) stop 2
    call ga_transpose(g, third)
  case ('pack', 'named')
    if (.not. nga_create(MT_DBL, 1, (/10/), "it's", (/0/), third)) stop 2
    if (.not. nga_create(MT_INT, 1, (/10/), 'mask', (/0/), line)) stop 2
    if (which == 'pack') call ga_pack(third, other, line, 4, 2, i)
    if (.not. nga_create(MT_DBL, 1, (/11/), 'longer', (/0/), v)) stop 2
    call ga_copy(third, v)
  case ('list')
    i = ga_pgroup_create((/0, 5/), 2)
  case ('order_of_list')
    i = ga_pgroup_create((/5, 0/), 2)
  case ('restricted')
    v = ga_create_handle()
    call ga_set_data(v, 2, (/7, 9/), MT_DBL)
    call ga_set_restricted(v, (/7/), 1)
    if (.not. ga_allocate(v)) stop 2
  case ('mutex')
    call ga_lock(0)
  case ('typed')
    call ga_dscal(v, 2d0)
  case ('gather')
    call ga_gather(g, a, (/1, 7/), (/1, 6/), 2)
  case ('subs')
    call nga_scatter(v, a, (/1, 1, 1, 4, 6, 6/), 2)
  case ('read_inc')
    i = nga_read_inc(v, (/0, 1, 1/), 1)
  case ('gemm')
    call ga_dgemm('n', 'x', 5, 5, 5, 1d0, g, g, 0d0, g)
  case ('gemm2')
    call ga_dgemm('n', 'n', 7, 5, 5, 1d0, g, v, 0d0, g)
  case ('many')
    call ga_dgemm('n', 'n', 7, 5, 6, 1d0, g, g, 0d0, g)
  case ('fit')
    call ga_matmul_patch('n', 'n', 1d0, 0d0, g, 1, 2, 1, 2, other, 1, 3, 1, 4, third, 1, 2, 1, 4)
  case ('second')
    call ga_copy_patch('n', g, 1, 2, 1, 2, other, 1, 2, 5, 6)
  case ('op')
    call ga_dgop(1, a, 1, 'most')
  case ('field') ! 2^32
    i = 2**30
    call nga_get_field(v, (/1, 1, 1/), (/1, 1, 1/), 4 * i, 4, a, (/1, 1/))
  case ('grid')
    i = 2**30
    v = ga_create_handle()
    call ga_set_data(v, 2, (/4, 4/), MT_DBL)
    call ga_set_block_cyclic(v, (/2, 2/))
    if (.not. ga_allocate(v)) stop 2
    call nga_release_block_grid(v, (/4 * i, 0/))
  case ('element')
    i = 2**30
    v = nga_sprs_array_create(4, 4, MT_DBL)
    call nga_sprs_array_add_element(v + 4 * i, 0, 0, 1d0)
  case ('rows')
    i = 2**30
    v = nga_sprs_array_create(4, 4, MT_DBL)
    call nga_sprs_array_row_distribution(v, 4 * i, line, third)
  case ('disk')
    i = 2**30
    if (dra_init(-1, -1d0, -1d0, -1d0) /= 0) stop 2
    if (dra_create(4 * i + MT_DBL, 7, 5, 'disk', 'ends.dra', DRA_RW, 7, 5, third) == 0) stop 2
  case ('none', 'less', 'beyond', 'below')
    if (dra_init(-1, -1d0, -1d0, -1d0) /= 0) stop 2
    i = 7
    if (which == 'none') i = 0
    if (dra_create(MT_DBL, 5, i, 'disk', 'ends.dra', DRA_RW, 7, 5, third) /= 0) stop 2
    if (which == 'less') then
      if (ndra_write_section(.false., g, (/1, 1/), (/5, 4/), third, (/1, 4/), (/5, 1/), i) /= 0) stop 2
    else if (which == 'beyond') then
      if (dra_read_section(.false., g, 1, 5, 1, 5, third, 1, 5, 4, 8, i) /= 0) stop 2
    else
      if (dra_write_section(.false., g, 0, 5, 1, 5, third, 1, 5, 1, 5, i) /= 0) stop 2
    end if
  case ('side')
    if (nga_update_ghost_dir(v, 4, 1, .true.)) stop 2
  case ('singular')
    i = ga_solve(square, line)
  case ('uplo')
    call ga_symul('x', g)
  case ('overlay')
    if (ga_overlay(g, other)) stop 2
  case ('noverlay')
    if (nga_overlay(g, other)) stop 2
  case ('error')
    call ga_error('the program gives up   ', 7)
  case ('nerror')
    call nga_error('the program gives up', 7)
  end select
  call ga_terminate
  call pend
end program ends
