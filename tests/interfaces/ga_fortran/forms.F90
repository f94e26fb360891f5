! Tests the calls whose arguments differ between ga_ and nga_, and those that have only one name. Process 0 moves data
! that all processes then check.
module forms
  implicit none
contains

  ! Makes a matrix of 6 x 4 numbers, a(i, j) = i + 10 j, of type MT_DBL or MT_INT.
  integer function numbered(type)
#include "mafdecls.fh"
#include "global.fh"
    integer, intent(in) :: type
    integer i, j
    if (.not. ga_create(type, 6, 4, 'numbered', 0, 0, numbered)) call ga_error('no array', 1)
    if (ga_nodeid() == 0) then
      do j = 1, 4
        do i = 1, 6
          if (type == MT_DBL) call ga_put(numbered, i, i, j, j, dble(i + 10 * j), 1)
          if (type == MT_INT) call ga_put(numbered, i, i, j, j, i + 10 * j, 1)
        end do
      end do
    end if
    call ga_sync
  end function numbered

  double precision function at(g, i, j)
    integer, intent(in) :: g, i, j
    double precision x
    call ga_sync
    call ga_get(g, i, i, j, j, x, 1)
    call ga_sync
    at = x
  end function at

  subroutine creation
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer g, world, p, lo(2), hi(2), ilo, ihi, jlo, jhi, type, n, dims(7), d1, d2, k
    integer map5(5, 4), map(4, 4), procs(4), np, coord(2), prow, pcol
    logical, external :: ga_locate_nnodes, nga_locate_nnodes
    world = ga_pgroup_get_world()
    n = 1
    if (ga_nnodes() > 1) n = 2
    call kit_check(ga_create_irreg(MT_DBL, 6, 4, 'irregular', (/1, 3/), n, (/1/), 1, g), 'ga_create_irreg')
    call nga_distribution(g, 0, lo, hi)
    call kit_check(all(lo == 1) .and. hi(2) == 4 .and. hi(1) == merge(2, 6, n == 2), 'the blocks of ga_create_irreg')
    call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
    call nga_distribution(g, ga_nodeid(), lo, hi)
    call kit_check(ilo == lo(1) .and. ihi == hi(1) .and. jlo == lo(2) .and. jhi == hi(2), 'ga_distribution')
    if (ga_nodeid() >= n) call kit_check(ilo == 0 .and. ihi == -1, 'who has nothing')
    call ga_inquire(g, type, d1, d2)
    call kit_check(type == MT_DBL .and. d1 == 6 .and. d2 == 4, 'ga_inquire')
    call nga_inquire(g, type, k, dims)
    call kit_check(type == MT_DBL .and. k == 2 .and. all(dims(1:2) == (/6, 4/)), 'nga_inquire')
    call kit_check(ga_locate(g, 1, 1, p) .and. p == 0 .and. .not. ga_locate(g, 7, 1, p), 'ga_locate')
    call kit_check(nga_locate(g, (/6, 4/), p) .and. p == n - 1, 'nga_locate')
    call kit_check(ga_locate_nnodes(g, 1, 6, 1, 4, np), 'ga_locate_nnodes')
    call kit_check_number(np, n, 'ga_locate_nnodes')
    call kit_check(nga_locate_nnodes(g, (/1, 1/), (/2, 2/), np), 'nga_locate_nnodes')
    call kit_check_number(np, 1, 'nga_locate_nnodes')
    call kit_check(ga_locate_region(g, 1, 6, 2, 3, map5, np) .and. np == n, 'ga_locate_region')
    call kit_check(all(map5(:, 1) == (/1, hi0(n), 2, 3, 0/)), 'the first piece of ga_locate_region')
    call kit_check(.not. ga_locate_region(g, 1, 7, 2, 3, map5, np), 'ga_locate_region outside')
    call kit_check(nga_locate_region(g, (/1, 2/), (/6, 3/), map, procs, np) .and. np == n, 'nga_locate_region')
    call kit_check(all(map(:, 1) == (/1, 2, hi0(n), 3/)) .and. procs(1) == 0, 'the first piece of nga_locate_region')
    call kit_check_number(nga_locate_num_blocks(g, (/1, 1/), (/6, 4/)), -1, 'nga_locate_num_blocks')
    call ga_proc_topology(g, 0, prow, pcol)
    call nga_proc_topology(g, 0, coord)
    call kit_check(prow == 0 .and. pcol == 0 .and. all(coord == 0), 'proc_topology')
    call kit_check(ga_destroy(g), 'destroy')
    map(1:3, 1) = (/1, 1, 1/)
    if (n == 2) map(2, 1) = 3
    call kit_check(nga_create_irreg(MT_DBL, 2, (/6, 4/), 'irregular', map, (/n, 1/), g), 'nga_create_irreg')
    call nga_distribution(g, 0, lo, hi)
    call kit_check(hi(1) == hi0(n), 'the blocks of nga_create_irreg')
    call kit_check(ga_destroy(g), 'destroy')
    call kit_check(nga_create_irreg_config(MT_DBL, 2, (/6, 4/), 'irregular', (/1, 1/), (/1, 1/), world, g) .and. &
                   ga_destroy(g), 'nga_create_irreg_config')
    call kit_check(nga_create_ghosts_config(MT_DBL, 2, (/6, 4/), (/1, 1/), 'rim', (/0, 0/), world, g) .and. &
                   ga_destroy(g), 'nga_create_ghosts_config')
    call kit_check(nga_create_ghosts_irreg(MT_DBL, 2, (/6, 4/), (/1, 1/), 'rim', (/1, 1/), (/1, 1/), g) .and. &
                   ga_destroy(g), 'nga_create_ghosts_irreg')
    call kit_check(nga_create_ghosts_irreg_config(MT_DBL, 2, (/6, 4/), (/1, 1/), 'rim', (/1, 1/), (/1, 1/), world, g) &
                   .and. ga_destroy(g), 'nga_create_ghosts_irreg_config')
  end subroutine creation

  integer function hi0(n)
    integer, intent(in) :: n
    hi0 = merge(2, 6, n == 2)
  end function hi0

  subroutine moving
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer g, flag, h, handles(3), one(2), np
    double precision a(6, 4), b(3, 2), v(3)
    g = numbered(MT_DBL)
    np = ga_nnodes()
    one = 1
    call ga_acc(g, 1, 1, 1, 1, 1d0, 1, 2d0)
    call nga_acc(g, one, one, 1d0, (/1/), 3d0)
    call kit_check(at(g, 1, 1) == 11 + 5 * np, 'acc')
    if (ga_nodeid() == 0) then
      call ga_nbput(g, 2, 2, 1, 1, 100d0, 1, handles(1))
      call nga_nbput(g, (/3, 1/), (/3, 1/), 200d0, one, handles(2))
      call nga_nbwait(handles(1))
      call nga_nbwait_notify(handles(2))
      call ga_fence_all
      call ga_nbacc(g, 2, 2, 1, 1, 1d0, 1, 5d0, handles(1))
      call nga_nbacc(g, (/3, 1/), (/3, 1/), 1d0, one, 6d0, handles(2))
      call nga_nbget(g, (/6, 4/), (/6, 4/), v, one, handles(3))
      call ga_nbwait(handles(3))
      call ga_nbwait(handles(1))
      call ga_nbwait(handles(2))
      call kit_check(v(1) == 46, 'nga_nbget')
    end if
    call kit_check(at(g, 2, 1) == 105 .and. at(g, 3, 1) == 206, 'nbput, nbacc')
    if (ga_nodeid() == 0) then
      call ga_scatter(g, (/1d0, 2d0/), (/1, 6/), (/1, 4/), 2)
      call nga_scatter(g, (/3d0/), (/2, 3/), 1)
      call ga_fence_all
      call ga_scatter_acc(g, (/1d0, 1d0/), (/1, 6/), (/1, 4/), 2, 10d0)
      call nga_scatter_acc(g, (/1d0/), (/2, 3/), 1, 20d0)
      call ga_fence_all
      call ga_gather(g, v, (/1, 6, 1/), (/1, 4, 2/), 3)
      call kit_check(all(v == (/11, 12, 21/)), 'ga_gather, ga_scatter, ga_scatter_acc')
      call nga_gather(g, v, (/2, 3, 6, 4/), 2)
      call kit_check(all(v(1:2) == (/23, 12/)), 'nga_gather, nga_scatter, nga_scatter_acc')
    end if
    call nga_alloc_gatscat_buf(10)
    call nga_free_gatscat_buf
    call ga_sync
    call nga_periodic_get(g, (/6, 4/), (/7, 5/), a, (/6/))
    call kit_check(a(2, 1) == 41 .and. a(1, 2) == 16 .and. a(2, 2) == 11, 'nga_periodic_get')
    call ga_sync
    if (ga_nodeid() == 0) call nga_periodic_put(g, (/0, 1/), (/0, 1/), 7d0, one)
    call ga_sync
    call nga_periodic_acc(g, (/0, 1/), (/0, 1/), 1d0, one, 2d0)
    call kit_check(at(g, 6, 1) == 7 + 2 * np, 'nga_periodic_put, nga_periodic_acc')
    b = 1
    if (ga_nodeid() == 0) call nga_strided_put(g, (/1, 1/), (/6, 4/), (/2, 2/), b, (/3/))
    call ga_sync
    call nga_strided_acc(g, (/1, 1/), (/6, 4/), (/2, 2/), b, (/3/), 2d0)
    call ga_sync
    call nga_strided_get(g, (/1, 1/), (/6, 4/), (/2, 2/), b, (/3/))
    call kit_check(all(b == 1 + 2 * np) .and. at(g, 2, 2) == 22, 'nga_strided_put, _acc, _get')
    flag = numbered(MT_INT)
    if (ga_nodeid() == 0) then
      call kit_check_number(ga_read_inc(flag, 2, 3, 5), 32, 'ga_read_inc')
      call kit_check_number(nga_read_inc(flag, (/2, 3/), -5), 37, 'nga_read_inc')
      call nga_nbput_notify(g, (/4, 4/), (/4, 4/), 9d0, one, flag, (/1, 1/), 99, h)
      call nga_nbwait_notify(h)
      call ga_get(flag, 1, 1, 1, 1, h, 1)
      call kit_check_number(h, 99, 'nga_nbput_notify')
    end if
    call kit_check(at(g, 4, 4) == 9, 'what nga_nbput_notify puts')
    call kit_check(ga_destroy(g) .and. ga_destroy(flag), 'destroy')
  end subroutine moving

  subroutine ga_fence_all
    call ga_init_fence
    call ga_fence
  end subroutine ga_fence_all

  ! Elements of 16 bytes with a field of 8 bytes.
  subroutine fields
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer g, type, h
    double precision x(2)
    type = nga_register_type(16)
    if (.not. nga_create(type, 1, (/3/), 'fields', (/0/), g)) call ga_error('no array', 1)
    if (ga_nodeid() == 0) then
      call nga_put_field(g, (/2/), (/3/), 8, 8, (/1d0, 2d0/), (/2/))
      call nga_nbput_field(g, (/2/), (/2/), 0, 8, (/3d0/), (/1/), h)
      call ga_nbwait(h)
    end if
    call ga_sync
    call nga_get_field(g, (/2/), (/3/), 8, 8, x, (/2/))
    call kit_check(all(x == (/1, 2/)), 'nga_get_field')
    call nga_nbget_field(g, (/2/), (/2/), 0, 8, x, (/1/), h)
    call ga_nbwait(h)
    call kit_check(x(1) == 3, 'nga_nbget_field')
    call wide_rows(type)
    call kit_check(ga_destroy(g), 'destroy')
    call kit_check_number(nga_deregister_type(type), 0, 'nga_deregister_type')
  end subroutine fields

  ! The columns of the buffer are farther apart than an INTEGER of 4 bytes can count; the buffer has one column.
  subroutine wide_rows(type)
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer, intent(in) :: type
    integer g, ld
    double precision x(2)
    ld = huge(ld) / 2**22
    if (.not. nga_create(type, 2, (/2, 3/), 'fields', (/0, 0/), g)) call ga_error('no array', 1)
    if (ga_nodeid() == 0) call nga_put_field(g, (/1, 3/), (/2, 3/), 8, 8, (/4d0, 5d0/), (/ld/))
    call ga_sync
    call nga_get_field(g, (/1, 3/), (/2, 3/), 8, 8, x, (/ld/))
    call kit_check(all(x == (/4, 5/)), 'fields in a buffer with a great leading dimension')
    call kit_check(ga_destroy(g), 'destroy')
  end subroutine wide_rows

  ! The bounds that ga_distribution returns for a process without elements may be released, too. Also tests the printed
  ! distribution.
  subroutine parts
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer g, ilo, ihi, jlo, jhi
    if (.not. ga_create(MT_DBL, 1, 1, 'one', 0, 0, g)) call ga_error('no array', 1)
    call ga_distribution(g, ga_nodeid(), ilo, ihi, jlo, jhi)
    call ga_release(g, ilo, ihi, jlo, jhi)
    call ga_release_update(g, ilo, ihi, jlo, jhi)
    call nga_release(g, (/ilo, jlo/), (/ihi, jhi/))
    call nga_release_update(g, (/1, 9/), (/0, 9/))
    call ga_print_distribution(g)
    call kit_check(ga_destroy(g), 'destroy')
    if (.not. ga_create(MT_DBL, 10, 20, 'printed', 10, 0, g)) call ga_error('no array', 1)
    call nga_print_distribution(g)
    call kit_check(ga_destroy(g), 'destroy')
  end subroutine parts

  subroutine access
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer g, ilo, ihi, jlo, jhi, lo(2), hi(2), ld, lds(1), n, b, me, dims(2)
    MA_ACCESS_INDEX_TYPE k
    me = ga_nodeid()
    g = numbered(MT_INT)
    call ga_distribution(g, me, ilo, ihi, jlo, jhi)
    lo = (/ilo, jlo/)
    hi = (/ihi, jhi/)
    if (ilo > 0) then
      call ga_access(g, ilo, ihi, jlo, jhi, k, ld)
      call kit_check_number(int_mb(k), ilo + 10 * jlo, 'ga_access')
      call kit_check_number(int_mb(k + (ihi - ilo) + ld * (jhi - jlo)), ihi + 10 * jhi, 'ga_access, the end')
      int_mb(k) = 7
      call ga_release_update(g, ilo, ihi, jlo, jhi)
      call nga_access(g, lo, hi, k, lds)
      call kit_check_number(int_mb(k), 7, 'nga_access')
      call nga_release(g, lo, hi)
      call ga_access(g, ilo, ihi, jlo, jhi, k, ld)
      call ga_release(g, ilo, ihi, jlo, jhi)
      call nga_access(g, lo, hi, k, lds)
      call nga_release_update(g, lo, hi)
      call nga_access_block_segment(g, me, k, n)
      call kit_check_number(n, (ihi - ilo + 1) * (jhi - jlo + 1), 'nga_access_block_segment')
      call nga_release_block_segment(g, me)
      call nga_access_block_segment(g, me, k, n)
      call nga_release_update_block_segment(g, me)
    end if
    call ga_sync
    call kit_check(ga_destroy(g), 'destroy')
    ! Blocks that are distributed round robin: number me belongs to this process.
    g = ga_create_handle()
    call ga_set_data(g, 2, (/8, 2/), MT_DBL)
    call ga_set_block_cyclic(g, (/2, 2/))
    call kit_check(ga_allocate(g), 'ga_allocate')
    call ga_fill(g, 3d0)
    call nga_access_block(g, me, k, lds)
    call kit_check(dbl_mb(k + 3) == 3, 'nga_access_block')
    call nga_release_block(g, me)
    call nga_access_block(g, me, k, lds)
    call nga_release_update_block(g, me)
    call nga_access_block_grid(g, (/me, 0/), k, lds)
    dbl_mb(k) = me
    call nga_release_update_block_grid(g, (/me, 0/))
    call nga_access_block_grid(g, (/me, 0/), k, lds)
    call nga_release_block_grid(g, (/me, 0/))
    call ga_sync
    do b = 0, ga_nnodes() - 1
      call kit_check(at(g, 2 * b + 1, 1) == b, 'what was written into a block')
    end do
    call kit_check(ga_destroy(g), 'destroy')
  end subroutine access

  subroutine rims
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer g, h, lo(2), hi(2), lds(1), dims(2)
    double precision a(3, 3)
    MA_ACCESS_INDEX_TYPE k
    if (.not. nga_create_ghosts(MT_DBL, 2, (/8, 8/), (/1, 1/), 'rims', (/0, 0/), g)) call ga_error('no array', 1)
    call ga_fill(g, 0d0)
    if (ga_nodeid() == 0) call ga_put(g, 8, 8, 8, 8, 5d0, 1)
    call ga_sync
    call nga_update_ghosts_nb(g, h)
    call ga_nbwait(h)
    call ga_sync
    call nga_distribution(g, ga_nodeid(), lo, hi)
    call nga_access_ghosts(g, dims, k, lds)
    call kit_check(all(dims == hi - lo + 3) .and. lds(1) == dims(1), 'nga_access_ghosts')
    if (all(lo == 1)) call kit_check(dbl_mb(k) == 5, 'the corner of the rim')
    call nga_release_ghosts(g)
    call nga_access_ghosts(g, dims, k, lds)
    call nga_release_update_ghosts(g)
    call nga_access_ghost_element(g, k, (/1, 1/), lds)
    if (all(lo == 1)) call kit_check(dbl_mb(k) == 5, 'nga_access_ghost_element')
    call nga_release_ghost_element(g, (/1, 1/))
    call nga_access_ghost_element(g, k, (/1, 1/), lds)
    call nga_release_update_ghost_element(g, (/1, 1/))
    if (all(lo == 1)) then
      call nga_get_ghost_block(g, (/0, 0/), (/2, 2/), a, (/3/))
      call kit_check(a(1, 1) == 5 .and. a(2, 2) == 0, 'nga_get_ghost_block')
    end if
    call ga_sync
    call kit_check(nga_update_ghost_dir(g, 1, -1, .true.), 'nga_update_ghost_dir')
    call ga_fill(g, 1d0)
    call nga_fill_patch(g, (/1, 1/), (/8, 8/), 2d0)
    call kit_check(nga_update_ghost_dir(g, 1, -1, .false.), 'nga_update_ghost_dir')
    call nga_get_ghost_block(g, lo, lo, a, (/3/))
    call kit_check(a(1, 1) == 2, 'an element of the block')
    call nga_get_ghost_block(g, (/lo(1) - 1, lo(2)/), (/lo(1) - 1, lo(2)/), a, (/3/))
    call kit_check(a(1, 1) == 2, 'a cell before it in the first dimension')
    call nga_get_ghost_block(g, (/lo(1), lo(2) - 1/), (/lo(1), lo(2) - 1/), a, (/3/))
    call kit_check(a(1, 1) == 1, 'a cell before it in the second dimension')
    call nga_nbget_ghost_dir(g, (/-1, 0/), h)
    call ga_nbwait(h)
    call kit_check(ga_destroy(g), 'destroy')
  end subroutine rims

  subroutine patches
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer g, h, c, lo(2), hi(2), sub(2)
    double precision x
    double precision, external :: ga_ddot_patch_dp
    lo = (/1, 1/)
    hi = (/2, 2/)
    g = numbered(MT_DBL)
    h = numbered(MT_DBL)
    c = numbered(MT_DBL)
    call ga_fill_patch(g, 1, 2, 1, 2, 3d0)
    call nga_fill_patch(g, (/3, 1/), (/3, 1/), 4d0)
    call ga_scale_patch(g, 1, 2, 1, 1, 2d0)
    call nga_scale_patch(g, (/3, 1/), (/3, 1/), 2d0)
    call kit_check(at(g, 1, 1) == 6 .and. at(g, 1, 2) == 3 .and. at(g, 3, 1) == 8, 'fill_patch, scale_patch')
    call ga_zero_patch(g, 1, 1, 1, 1)
    call nga_zero_patch(g, (/2, 1/), (/2, 1/))
    call kit_check(at(g, 1, 1) == 0 .and. at(g, 2, 1) == 0 .and. at(g, 3, 1) == 8, 'zero_patch')
    call ga_copy_patch('n', h, 1, 3, 1, 2, g, 4, 6, 3, 4)
    call kit_check(at(g, 6, 4) == 23, 'ga_copy_patch')
    call ga_copy_patch('T', h, 1, 2, 1, 3, g, 1, 3, 1, 2)
    call kit_check(at(g, 3, 2) == 32, 'ga_copy_patch of the transposed')
    call nga_copy_patch('n', h, lo, hi, g, lo, hi)
    call kit_check(at(g, 1, 2) == 21, 'nga_copy_patch')
    call ga_copy_patch_dp('n', h, 1, 1, 4, 4, g, 1, 1, 1, 1)
    call kit_check(at(g, 1, 1) == 41, 'ga_copy_patch_dp')
    call ga_add_patch(2d0, h, 1, 2, 1, 2, 1d0, h, 1, 2, 1, 2, c, 5, 6, 3, 4)
    call kit_check(at(c, 6, 3) == 36, 'ga_add_patch')
    call nga_add_patch(1d0, h, lo, hi, 1d0, h, lo, hi, c, lo, hi)
    call kit_check(at(c, 2, 2) == 44, 'nga_add_patch')
    call kit_check(ga_ddot_patch_dp(h, 'n', 1, 2, 1, 1, h, 'n', 1, 2, 1, 1) == 265, 'ga_ddot_patch_dp')
    call ga_recip(h)
    call kit_check(at(h, 2, 2) == 1d0 / 22, 'ga_recip')
    call nga_select_elem(h, 'max', x, sub)
    call kit_check(x == 1d0 / 11 .and. all(sub == 1), 'nga_select_elem')
    call ga_print_patch(h, 1, 2, 1, 2, 0)
    call nga_print_patch(h, lo, hi, 1)
    if (.not. nga_create_config(MT_DBL, 2, (/6, 4/), 'mirrored', (/0, 0/), ga_pgroup_get_mirror(), sub(1))) &
      call ga_error('no mirrored array', 1)
    call ga_fill(sub(1), 1d0)
    call nga_merge_distr_patch(sub(1), (/1, 1/), (/6, 4/), c, (/1, 1/), (/6, 4/))
    call kit_check(at(c, 6, 4) == ga_cluster_nnodes(), 'nga_merge_distr_patch')
    call kit_check(ga_destroy(g) .and. ga_destroy(h) .and. ga_destroy(c) .and. ga_destroy(sub(1)), 'destroy')
  end subroutine patches

#define TYPED(l, type) \
    if (.not. ga_create(type, 4, 4, 'typed', 0, 0, g)) call ga_error('no array', 1) ; \
    call ga_zero(g) ; \
    l/**/x = 3 ; \
    call ga_/**/l/**/fill_patch(g, 1, 2, 1, 2, l/**/x) ; \
    call nga_/**/l/**/fill_patch(g, (/3, 3/), (/4, 4/), l/**/x) ; \
    l/**/x = 2 ; \
    call ga_/**/l/**/scal_patch(g, 1, 2, 1, 2, l/**/x) ; \
    call nga_/**/l/**/scale_patch(g, (/3, 3/), (/4, 4/), l/**/x) ; \
    call ga_/**/l/**/scal(g, l/**/x) ; \
    call ga_/**/l/**/add_patch(l/**/x, g, 1, 2, 1, 2, l/**/x, g, 3, 4, 3, 4, g, 1, 2, 3, 4) ; \
    call nga_/**/l/**/add_patch(l/**/x, g, lo, hi, l/**/x, g, lo, hi, g, lo, hi) ; \
    l/**/y = ga_/**/l/**/dot_patch(g, 'n', 1, 2, 3, 4, g, 'n', 1, 2, 3, 4) ; \
    call kit_check(l/**/y == 4 * 48**2, 'ga_ dot_patch of type') ; \
    l/**/y = nga_/**/l/**/dot_patch(g, 'n', lo, hi, g, 'n', lo, hi) ; \
    call kit_check(l/**/y == 4 * 48**2, 'nga_ dot_patch of type') ; \
    call kit_check(ga_destroy(g), 'destroy')

  subroutine types
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer g, lo(2), hi(2), ix, iy
    integer, external :: ga_idot_patch
    real sx, sy
    double precision dx, dy
    complex cx, cy
    double complex zx, zy
    lo = (/1, 1/)
    hi = (/2, 2/)
    TYPED(i, MT_INT)
    TYPED(s, MT_REAL)
    TYPED(d, MT_DBL)
    TYPED(c, MT_SCPL)
    TYPED(z, MT_DCPL)
  end subroutine types

  subroutine one_name
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer, external :: comm_size
    integer comm, n
    call ga_mpi_comm(comm)
    call kit_check_number(comm_size(comm), ga_nnodes(), 'ga_mpi_comm')
    call ga_mpi_comm_pgroup(comm, ga_pgroup_get_world())
    call kit_check_number(comm_size(comm), ga_nnodes(), 'ga_mpi_comm_pgroup')
    call ga_mpi_comm_pgroup_default(comm)
    call kit_check_number(comm_size(comm), ga_nnodes(), 'ga_mpi_comm_pgroup_default')
    n = ga_nodeid()
    call ga_pgroup_brdcst(ga_pgroup_get_world(), 1, n, ma_sizeof(MT_INT, 1, MT_BYTE), ga_nnodes() - 1)
    call kit_check_number(n, ga_nnodes() - 1, 'ga_pgroup_brdcst')
    call kit_check(ga_initialize_comm(comm) .and. nga_initialize_comm(comm), 'initialize_comm does nothing again')
  end subroutine one_name
end module forms

program main
  use forms
  use kit_fortran, only: kit_verdict
  implicit none
  call pbeginf
  call ga_initialize
  call creation
  call moving
  call fields
  call parts
  call access
  call rims
  call patches
  call types
  call one_name
  call nga_terminate
  call kit_verdict
  call pend
end program main
