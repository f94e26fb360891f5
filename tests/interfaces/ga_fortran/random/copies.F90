! Tests elements of which several processes have copies: ghost cells around blocks, and mirrored arrays, of which each
! node has a copy.
#include "macommon.h"
module copies
  use model
  use create, only: create_shaped, destroy, draw_shape
  implicit none
contains

  ! --- Ghost cells ---

  ! Each process has, around its block, the adjacent elements; beyond an end of the array they are those of the other
  ! end.
  subroutine update_ghosts
    type(held) a
    integer lo(ranks), hi(ranks), dims(ranks), ld(ranks), wide
    integer*8 x
    if (peer) return ! whose ghost cells Debian's GA has wrong in some shapes: known.md
    a = held(members=processes, kind=ghosts)
    call draw_shape(a, 2 * processes)
    call create_shaped(a)
    call refill(a)
    call update_somehow(a%g)
    call ga_sync
    lo = 1
    hi = 1
    call nga_distribution(a%g, me, lo, hi)
    dims = 1
    ld = 0
    call nga_access_ghosts(a%g, dims, x, ld)
    lo(1:a%n) = lo(1:a%n) - 1
    hi(1:a%n) = hi(1:a%n) + 1
    wide = count_of(lo, hi)
    call kit_check(all(dims == hi - lo + 1), 'the extents of nga_access_ghosts')
    call kit_check(all(ld(1:a%n - 1) == dims(1:a%n - 1)), 'ld of nga_access_ghosts')
    if (a%code == MT_INT) call from_raw(a%code, wide, int_mb(x), buffer)
    if (a%code == MT_REAL) call from_raw(a%code, wide, real_mb(x), buffer)
    if (a%code == MT_DBL) call from_raw(a%code, wide, dbl_mb(x), buffer)
    if (a%code == MT_SCPL) call from_raw(a%code, wide, scpl_mb(x), buffer)
    if (a%code == MT_DCPL) call from_raw(a%code, wide, dcpl_mb(x), buffer)
    if (a%code == MT_C_INT .and. bit_size(wide) == 64) call from_raw(a%code, wide, byte_mb(x), buffer)
    if (a%code == MT_C_INT .and. bit_size(wide) == 32) call from_raw(a%code, wide, int_mb(x), buffer)
    call nga_release_ghosts(a%g)
    call kit_check(all(buffer(1:wide) == a%at(wrapped(a, lo, hi))), 'ghost cells')
    if (a%n > 1) then
      call nga_get_ghost_block(a%g, lo, hi, raw, dims)
      call from_raw(a%code, wide, raw, buffer)
      call kit_check(all(buffer(1:wide) == a%at(wrapped(a, lo, hi))), 'nga_get_ghost_block')
    end if
    call destroy(a)
  end subroutine update_ghosts

  subroutine update_somehow(g)
    integer, intent(in) :: g
    integer what, handle
    logical done
    what = from_to(1, 8)
    done = .true.
    if (what == 1) call ga_update_ghosts(g)
    if (what == 2) call ga_update1_ghosts(g)
    if (what == 3) done = ga_update2_ghosts(g)
    if (what == 4) done = ga_update3_ghosts(g)
    if (what == 5) done = ga_update4_ghosts(g)
    if (what == 6) done = ga_set_update5_info(g) .and. ga_update5_ghosts(g)
    if (what == 7) done = ga_update7_ghosts(g)
    if (what == 8) then
      call nga_update_ghosts_nb(g, handle)
      call nga_nbwait(handle)
    end if
    call kit_check(done, 'an update of ghost cells')
  end subroutine update_somehow

  ! Returns the places of the elements in the model. Indices beyond an end of the array count from the other end.
  function wrapped(a, lo, hi) result(at)
    type(held), intent(in) :: a
    integer, intent(in) :: lo(ranks), hi(ranks)
    integer at(product(hi - lo + 1)), index(ranks), k
    do k = 1, product(hi - lo + 1)
      call element(k, lo, hi, index)
      at(k) = place(modulo(index - 1, a%dims) + 1, a%dims)
    end do
  end function wrapped

  ! --- Mirrored arrays ---

  subroutine mirror
    type(held) a, d
    integer group, chunk(ranks), ones(ranks), lo(ranks), hi(ranks), node, k, what
    double complex one, total(most)
    if (peer) return ! to Debian's GA each process is a node
    a = held(members=processes, kind=plain)
    call draw_shape(a, 1)
    d = a
    chunk = -1
    ones = 1
    group = ga_pgroup_get_mirror()
    call kit_check(nga_create_config(a%code, a%n, a%dims, 'mirrored', chunk, group, a%g), 'nga_create_config')
    call kit_check(ga_is_mirrored(a%g) == 1, 'ga_is_mirrored')
    call kit_check(nga_create(d%code, d%n, d%dims, 'distributed', chunk, d%g), 'nga_create')
    call refill(d)
    total = 0
    do node = 0, ga_cluster_nnodes() - 1
      do k = 1, a%size
        one = number(a%code, 9)
        total(k) = total(k) + one
        if (node == ga_cluster_nodeid()) a%at(k) = one
      end do
    end do
    if (ga_pgroup_nodeid(group) == 0) then
      call to_raw(a%code, a%size, a%at, raw)
      call nga_put(a%g, ones, a%dims, raw, a%dims)
    end if
    call ga_sync
    call look_at_copy(a, 'the copy of a node')
    what = from_to(1, 3)
    call draw_patch(a, lo, hi)
    if (what == 1) call ga_merge_mirrored(a%g)
    if (what == 1) a%at(1:a%size) = total(1:a%size)
    if (what == 2) call nga_merge_distr_patch(a%g, lo, hi, d%g, lo, hi)
    if (what == 2) d%at(places(d, lo, hi)) = total(places(d, lo, hi))
    if (what == 3) call ga_copy(d%g, a%g)
    if (what == 3) a%at = d%at
    call look_at_copy(a, 'the copy of a node afterwards')
    if (what == 3) call ga_zero(d%g)
    if (what == 3) call ga_copy(a%g, d%g)
    call look(d, 'distributed, beside a mirrored array')
    call kit_check(ga_destroy(a%g) .and. ga_destroy(d%g), 'ga_destroy')
  end subroutine mirror

  ! Each process accesses the copy of its node.
  subroutine look_at_copy(a, what)
    type(held), intent(in) :: a
    character(*), intent(in) :: what
    integer ones(ranks)
    ones = 1
    call nga_get(a%g, ones, a%dims, raw, a%dims)
    call from_raw(a%code, a%size, raw, buffer)
    call kit_check(all(buffer(1:a%size) == a%at(1:a%size)), what)
    call ga_sync
  end subroutine look_at_copy
end module copies
