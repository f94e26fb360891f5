! Creates arrays of each kind, and checks what the library reports about them.
#include "macommon.h"
module create
  use model
  implicit none
contains

  ! least: minimum extent of each dimension.
  subroutine draw_shape(a, least)
    type(held), intent(inout) :: a
    integer, intent(in) :: least
    integer, parameter :: greatest(ranks) = (/60, 13, 5, 3, 2, 2, 2/)
    integer d
    a%code = codes(from_to(1, 6))
    a%n = from_to(1, 3)
    if (least == 1 .and. chance(25)) a%n = from_to(4, ranks)
    if (least > 1) a%n = from_to(1, 2)
    a%dims = 1
    do d = 1, a%n
      a%dims(d) = from_to(least, max(least, greatest(a%n)))
    end do
    a%size = product(a%dims)
  end subroutine draw_shape

  integer function draw_kind()
    integer, parameter :: of_peer(3) = (/plain, chunked, irregular/)
    draw_kind = from_to(plain, grouped)
    if (peer .and. processes > 1) draw_kind = of_peer(1 + mod(draw_kind, 3))
    if (peer .and. (draw_kind == tiled .or. draw_kind == restricted .or. draw_kind == ghosts)) draw_kind = plain
  end function draw_kind

  subroutine create_array(a)
    type(held), intent(inout) :: a
    a = held(members=processes)
    a%kind = draw_kind()
    call draw_shape(a, merge(2 * processes, 1, a%kind == ghosts))
    call create_shaped(a)
    call say_numbers('create', (/a%kind, a%code, a%dims(1:a%n)/))
    if (mine(a)) call ga_zero(a%g)
    call look(a, 'zero')
    call refill(a)
    call look(a, 'refill')
  end subroutine create_array

  ! Creates an array of kind a%kind, with the type and dimensions of a.
  subroutine create_shaped(a)
    type(held), intent(inout) :: a
    select case (a%kind)
    case (plain, chunked)
      call create_regular(a)
    case (irregular)
      call create_irregular(a)
    case (ghosts)
      call create_ghosts(a)
    case (grouped)
      call create_grouped(a)
    case default
      call create_in_steps(a)
    end select
    if (mine(a)) call kit_check(ga_valid_handle(a%g), 'ga_valid_handle')
  end subroutine create_shaped

  subroutine create_regular(a)
    type(held), intent(inout) :: a
    integer chunk(ranks), d
    logical made
    chunk = -1
    do d = 1, a%n
      if (a%kind == chunked) chunk(d) = from_to(0, a%dims(d))
    end do
    if (a%n == 2 .and. chance(50)) then
      made = ga_create(a%code, a%dims(1), a%dims(2), 'matrix', chunk(1), chunk(2), a%g)
    else if (chance(50)) then
      made = nga_create(a%code, a%n, a%dims, 'array', chunk, a%g)
    else
      made = nga_create_config(a%code, a%n, a%dims, 'array', chunk, ga_pgroup_get_world(), a%g)
    end if
    call kit_check(made, 'create')
  end subroutine create_regular

  ! Draws blocks along one dimension. Some of them are empty, unless Debian's GA is tested, which aborts then.
  subroutine create_irregular(a)
    type(held), intent(inout) :: a
    integer nblock(ranks), map(ranks + 8), d, i, along, at
    logical made
    along = from_to(1, a%n)
    nblock = 1
    nblock(along) = from_to(1, min(processes, a%dims(along)))
    at = 0
    do d = 1, a%n
      map(at + 1) = 1
      do i = 2, nblock(d)
        map(at + i) = from_to(map(at + i - 1) + merge(1, 0, peer), a%dims(d) - merge(nblock(d) - i, 0, peer))
      end do
      at = at + nblock(d)
    end do
    call say_numbers('map', (/nblock(1:a%n), map(1:at)/))
    if (a%n == 2 .and. chance(50)) then
      made = ga_create_irreg(a%code, a%dims(1), a%dims(2), 'irregular', map, nblock(1), map(nblock(1) + 1), nblock(2), a%g)
    else
      made = nga_create_irreg(a%code, a%n, a%dims, 'irregular', map, nblock, a%g)
    end if
    call kit_check(made, 'create_irreg')
  end subroutine create_irregular

  subroutine create_ghosts(a)
    type(held), intent(inout) :: a
    integer width(ranks), chunk(ranks)
    width = 1
    chunk = -1
    call kit_check(nga_create_ghosts(a%code, a%n, a%dims, width, 'ghosts', chunk, a%g), 'nga_create_ghosts')
  end subroutine create_ghosts

  ! Makes a group of consecutive processes.
  subroutine create_grouped(a)
    type(held), intent(inout) :: a
    integer list(processes), chunk(ranks), i
    a%first = from_to(0, processes - 1)
    a%members = from_to(1, processes - a%first)
    list(1:a%members) = (/(a%first + i, i = 0, a%members - 1)/)
    a%group = ga_pgroup_create(list, a%members)
    chunk = -1
    if (.not. mine(a)) return
    call kit_check(ga_pgroup_nnodes(a%group) == a%members, 'ga_pgroup_nnodes')
    call kit_check(ga_pgroup_nodeid(a%group) == me - a%first, 'ga_pgroup_nodeid')
    call kit_check(nga_create_config(a%code, a%n, a%dims, 'grouped', chunk, a%group, a%g), 'nga_create_config')
    call kit_check(ga_get_pgroup(a%g) == a%group, 'ga_get_pgroup')
  end subroutine create_grouped

  subroutine create_in_steps(a)
    type(held), intent(inout) :: a
    integer block(ranks), grid(ranks), list(processes), d, i
    a%g = ga_create_handle()
    call ga_set_data(a%g, a%n, a%dims, a%code)
    call ga_set_array_name(a%g, 'steps')
    do d = 1, ranks
      block(d) = from_to(1, a%dims(d))
    end do
    grid = 1
    grid(from_to(1, a%n)) = processes
    if (a%kind == cyclic) call ga_set_block_cyclic(a%g, block)
    if (a%kind == gridded) call ga_set_block_cyclic_proc_grid(a%g, block, grid)
    if (a%kind == tiled) call ga_set_tiled_proc_grid(a%g, block, grid)
    if (a%kind == restricted) then
      list = (/(processes - i, i = 1, processes)/)
      if (chance(50)) then
        call ga_set_restricted(a%g, list, from_to(1, processes))
      else
        call ga_set_restricted_range(a%g, 0, from_to(0, processes - 1))
      end if
      if (chance(50)) call ga_set_chunk(a%g, block)
    end if
    call kit_check(ga_allocate(a%g), 'ga_allocate')
  end subroutine create_in_steps

  subroutine destroy(a)
    type(held), intent(inout) :: a
    if (mine(a)) call kit_check(ga_destroy(a%g), 'ga_destroy')
    if (mine(a) .and. .not. peer) call kit_check(.not. ga_valid_handle(a%g), 'ga_valid_handle of what is gone')
    call ga_sync
    if (a%kind == grouped) then
      if (mine(a)) call kit_check(ga_pgroup_destroy(a%group), 'ga_pgroup_destroy')
      call ga_sync
    end if
    a%g = 0
  end subroutine destroy

  ! Creates a second array of this type, shape and group, with other numbers.
  subroutine partner(a, b, greatest)
    type(held), intent(in) :: a
    type(held), intent(inout) :: b
    integer, intent(in) :: greatest
    integer k
    b = a
    if (.not. peer .and. a%kind /= grouped .and. chance(40)) then
      b%kind = merge(plain, cyclic, chance(50))
      call create_shaped(b)
    else if (mine(a)) then
      call kit_check(ga_duplicate(a%g, b%g, 'partner'), 'ga_duplicate')
    end if
    do k = 1, b%size
      b%at(k) = number(b%code, greatest)
      if (b%at(k) == 0) b%at(k) = 1
    end do
    call put_model(b)
  end subroutine partner

  subroutine end_partner(a, b)
    type(held), intent(in) :: a
    type(held), intent(inout) :: b
    call ga_sync
    if (mine(a)) call kit_check(ga_destroy(b%g), 'ga_destroy')
    call ga_sync
  end subroutine end_partner

  subroutine inquire_array(a)
    type(held), intent(in) :: a
    integer code, n, dims(ranks), d1, d2
    character(20) name
    if (.not. mine(a)) return
    call nga_inquire(a%g, code, n, dims)
    call kit_check(code == a%code .or. a%code == MT_C_INT, 'the type of nga_inquire')
    call kit_check(n == a%n .and. all(dims(1:a%n) == a%dims(1:a%n)), 'nga_inquire')
    call kit_check(ga_ndim(a%g) == a%n .and. ga_get_dimension(a%g) == a%n, 'ga_ndim')
    if (a%n == 2) then
      call ga_inquire(a%g, code, d1, d2)
      call kit_check(d1 == a%dims(1) .and. d2 == a%dims(2), 'ga_inquire')
    end if
    call ga_inquire_name(a%g, name)
    call kit_check(ga_has_ghosts(a%g) .eqv. a%kind == ghosts, 'ga_has_ghosts')
    if (a%kind <= irregular) call inquire_blocks(a)
  end subroutine inquire_array

  ! Checks that every element has one owner, and lies in the owner's block.
  subroutine inquire_blocks(a)
    type(held), intent(in) :: a
    integer lo(ranks), hi(ranks), index(ranks), nblock(ranks), owner, p, covered, np, subs(2)
    integer map(2 * ranks * (processes + 1)), procs(processes + 1)
    covered = 0
    do p = 0, processes - 1
      lo = 1
      hi = 1
      call nga_distribution(a%g, p, lo, hi)
      call say_numbers('distribution', (/lo(1:a%n), hi(1:a%n)/))
      if (all(hi(1:a%n) >= lo(1:a%n))) covered = covered + product(hi(1:a%n) - lo(1:a%n) + 1)
    end do
    call kit_check(covered == a%size, 'blocks that cover the array')
    call draw_patch(a, lo, hi)
    index = lo
    call kit_check(nga_locate(a%g, index, owner), 'nga_locate')
    call say_numbers('locate', (/owner/))
    if (a%n == 2) then
      call kit_check(ga_locate(a%g, index(1), index(2), subs(1)), 'ga_locate')
      call kit_check(subs(1) == owner, 'ga_locate')
    end if
    call kit_check(nga_locate_region(a%g, lo, hi, map, procs, np), 'nga_locate_region')
    call say_numbers('locate_region', (/map(1:2 * a%n * np), procs(1:np)/))
    call ga_nblock(a%g, nblock)
    call say_numbers('nblock', nblock(1:a%n))
    call kit_check(ga_compare_distr(a%g, a%g), 'ga_compare_distr')
  end subroutine inquire_blocks
end module create
