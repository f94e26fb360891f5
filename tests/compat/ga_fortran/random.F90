! Random calls against a serial model: arrays of each type and of one to seven dimensions, in random distributions.
! Every process has a copy of what each array must hold, and draws the same random numbers; who moves a patch is drawn,
! too.
module model
  implicit none
  integer, parameter :: most = 4096, most_ranks = 7, rounds = 60
  integer :: type, rank, dims(most_ranks), g
  double precision :: held(most), buffer(most), got(most)
  ! In the array's type; a real number is that of the model.
  integer :: ints(most)
  real :: reals(most)
  complex :: singles(most)
  double complex :: doubles(most)
contains

  integer function from_to(least, greatest)
    use kit_fortran, only: kit_random
    integer, intent(in) :: least, greatest
    from_to = least + kit_random(greatest - least + 1)
  end function from_to

  subroutine draw_patch(lo, hi)
    integer, intent(out) :: lo(most_ranks), hi(most_ranks)
    integer d
    lo = 1
    hi = 1
    do d = 1, rank
      lo(d) = from_to(1, dims(d))
      hi(d) = from_to(lo(d), dims(d))
    end do
  end subroutine draw_patch

  ! The place in the model of an element, the first dimension first.
  integer function place(index)
    integer, intent(in) :: index(most_ranks)
    integer d
    place = 0
    do d = most_ranks, 1, -1
      place = place * dims(d) + index(d) - 1
    end do
    place = place + 1
  end function place

  ! Element number k of a patch, and its place in a buffer whose dimensions are ld.
  subroutine element(k, lo, hi, ld, index, at)
    integer, intent(in) :: k, lo(most_ranks), hi(most_ranks), ld(most_ranks)
    integer, intent(out) :: index(most_ranks), at
    integer d, rest, step
    rest = k - 1
    at = 1
    step = 1
    do d = 1, most_ranks
      index(d) = lo(d) + mod(rest, hi(d) - lo(d) + 1)
      rest = rest / (hi(d) - lo(d) + 1)
      at = at + (index(d) - lo(d)) * step
      step = step * ld(d)
    end do
  end subroutine element

  subroutine to_type
    ints = int(buffer)
    reals = real(buffer)
    singles = cmplx(buffer, -buffer)
    doubles = dcmplx(buffer, -buffer)
  end subroutine to_type

  ! Also the imaginary parts are looked at.
  subroutine from_type
#include "mafdecls.fh"
    if (type == MT_INT) got = ints
    if (type == MT_REAL) got = reals
    if (type == MT_SCPL) got = merge(dble(real(singles)), -1d9, aimag(singles) == -real(singles))
    if (type == MT_DCPL) got = merge(dble(doubles), -1d9, dimag(doubles) == -dble(doubles))
  end subroutine from_type

  ! what: 'put', 'get' or 'acc', of the buffer in the array's type.
  subroutine move(what, lo, hi, ld)
#include "mafdecls.fh"
    character(3), intent(in) :: what
    integer, intent(in) :: lo(most_ranks), hi(most_ranks), ld(most_ranks)
    call to_type
    if (type == MT_INT) call move_typed(what, lo, hi, ld, ints, 2)
    if (type == MT_REAL) call move_typed(what, lo, hi, ld, reals, 2e0)
    if (type == MT_DBL) call move_typed(what, lo, hi, ld, buffer, 2d0)
    if (type == MT_SCPL) call move_typed(what, lo, hi, ld, singles, (2e0, 0e0))
    if (type == MT_DCPL) call move_typed(what, lo, hi, ld, doubles, (2d0, 0d0))
    if (type == MT_DBL) got = buffer
    call from_type
  end subroutine move

  subroutine create
#include "mafdecls.fh"
#include "global.fh"
    integer, parameter :: types(5) = (/MT_INT, MT_REAL, MT_DBL, MT_SCPL, MT_DCPL/)
    integer chunk(most_ranks), d
    type = types(from_to(1, 5))
    rank = from_to(1, most_ranks)
    dims = 1
    do d = 1, rank
      dims(d) = from_to(1, merge(7, 2, rank <= 4)) ! so that the buffer has room for columns that are one longer
      chunk(d) = from_to(0, dims(d))
    end do
    if (rank == 2 .and. from_to(0, 1) == 0) then
      if (.not. ga_create(type, dims(1), dims(2), 'matrix', chunk(1), chunk(2), g)) call ga_error('no array', 1)
    else if (from_to(0, 2) == 0) then
      g = ga_create_handle()
      call ga_set_data(g, rank, dims, type)
      chunk = max(chunk, 1)
      call ga_set_block_cyclic(g, chunk)
      if (.not. ga_allocate(g)) call ga_error('no array', 1)
    else
      if (.not. nga_create(type, rank, dims, 'array', chunk, g)) call ga_error('no array', 1)
    end if
    call ga_zero(g)
    held = 0
  end subroutine create

  ! One put, accumulate or get of a patch by a process that all draw.
  subroutine act
    use kit_fortran, only: kit_check
#include "global.fh"
    integer lo(most_ranks), hi(most_ranks), ld(most_ranks), index(most_ranks), k, at, who, what, d
    call draw_patch(lo, hi)
    who = from_to(0, ga_nnodes() - 1)
    what = from_to(1, 4)
    ld = hi - lo + 1
    do d = 1, rank - 1
      ld(d) = ld(d) + from_to(0, 1)
    end do
    do k = 1, most
      buffer(k) = from_to(-50, 50)
    end do
    if (what <= 2) then
      do k = 1, product(hi - lo + 1)
        call element(k, lo, hi, ld, index, at)
        if (what == 1) held(place(index)) = buffer(at)
        if (what == 2) held(place(index)) = held(place(index)) + 2 * buffer(at)
      end do
      if (ga_nodeid() == who .and. what == 1) call move('put', lo, hi, ld)
      if (ga_nodeid() == who .and. what == 2) call move('acc', lo, hi, ld)
      call ga_sync
    else
      if (ga_nodeid() == who .or. what == 4) then
        call move('get', lo, hi, ld)
        do k = 1, product(hi - lo + 1)
          call element(k, lo, hi, ld, index, at)
          call kit_check(got(at) == held(place(index)), 'an element of a get')
        end do
      end if
      call ga_sync
    end if
  end subroutine act

  ! Patches of whole numbers: filled, scaled, copied; dots and greatest elements.
  subroutine compute
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer lo(most_ranks), hi(most_ranks), h, index(most_ranks), at, k, found(most_ranks), what, d
    double precision sum, x, want
    if (type /= MT_DBL) return
    call draw_patch(lo, hi)
    x = from_to(-3, 3)
    what = from_to(1, 3)
    select case (what)
    case (1)
      call nga_fill_patch(g, lo, hi, x)
    case (2)
      call nga_scale_patch(g, lo, hi, x)
    case (3)
      call ga_add_constant_patch(g, lo, hi, x)
      call nga_scale_patch(g, lo, hi, 1d0)
    end select
    call nga_get(g, lo, hi, buffer, hi - lo + 1)
    call ga_sync
    sum = 0
    do k = 1, product(hi - lo + 1)
      call element(k, lo, hi, hi - lo + 1, index, at)
      want = x
      if (what == 2) want = held(place(index)) * x
      if (what == 3) want = held(place(index)) + x
      call kit_check(buffer(at) == want, 'an element that was computed')
      held(place(index)) = want
      sum = sum + want**2
    end do
    call kit_check(nga_ddot_patch(g, 'n', lo, hi, g, 'n', lo, hi) == sum, 'nga_ddot_patch')
    call nga_select_elem(g, 'max', x, found)
    k = product(dims(1:rank))
    found(rank + 1:) = 1
    call kit_check(x == maxval(held(1:k)) .and. held(place(found)) == x, 'nga_select_elem')
    if (.not. ga_duplicate(g, h, 'copy')) call ga_error('no array', 1)
    call ga_copy(g, h)
    call nga_get(h, (/(1, d = 1, rank)/), dims, buffer, dims)
    call kit_check(all(buffer(1:k) == held(1:k)), 'ga_copy')
    call kit_check(ga_destroy(h), 'ga_destroy')
  end subroutine compute

  ! Lists of elements, none of which they name twice.
  subroutine list
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer subs(rank, 5), index(most_ranks), n, k, d
    if (type /= MT_INT .or. ga_nnodes() < 1) return
    n = 0
    do k = 1, 5
      index = 1
      do d = 1, rank
        index(d) = from_to(1, dims(d))
      end do
      subs(:, n + 1) = index(1:rank)
      do d = 1, n
        if (all(subs(:, d) == subs(:, n + 1))) exit
      end do
      if (d <= n) cycle
      n = n + 1
      ints(n) = from_to(-9, 9)
      held(place(index)) = ints(n)
    end do
    if (ga_nodeid() == ga_nnodes() - 1) call nga_scatter(g, ints, subs, n)
    call ga_sync
    ints(6:10) = 0
    call nga_gather(g, ints(6), subs, n)
    call kit_check(all(ints(6:5 + n) == ints(1:n)), 'nga_gather of what nga_scatter has put')
    call ga_sync
  end subroutine list
end module model

! Of any type: outside of the module nobody compares it. Where a call in two dimensions exists, it is taken now and
! then.
subroutine move_typed(what, lo, hi, ld, numbers, two)
  use model, only: g, rank, most_ranks
  implicit none
  character(3), intent(in) :: what
  integer, intent(in) :: lo(most_ranks), hi(most_ranks), ld(most_ranks)
  integer numbers(*), two, handle
  if (rank == 2 .and. mod(lo(1), 2) == 0) then
    if (what == 'put') call ga_put(g, lo(1), hi(1), lo(2), hi(2), numbers, ld)
    if (what == 'acc') call ga_acc(g, lo(1), hi(1), lo(2), hi(2), numbers, ld, two)
    if (what == 'get') call ga_get(g, lo(1), hi(1), lo(2), hi(2), numbers, ld)
  else if (mod(hi(1), 2) == 0) then
    if (what == 'put') call nga_put(g, lo, hi, numbers, ld)
    if (what == 'acc') call nga_acc(g, lo, hi, numbers, ld, two)
    if (what == 'get') call nga_get(g, lo, hi, numbers, ld)
  else
    if (what == 'put') call nga_nbput(g, lo, hi, numbers, ld, handle)
    if (what == 'acc') call nga_nbacc(g, lo, hi, numbers, ld, two, handle)
    if (what == 'get') call nga_nbget(g, lo, hi, numbers, ld, handle)
    call ga_nbwait(handle)
  end if
end subroutine move_typed

program main
  use model
  use kit_fortran, only: kit_check, kit_verdict
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer round, step
  call pbeginf
  call ga_initialize
  do round = 1, rounds
    call create
    do step = 1, 8
      call act
      if (from_to(0, 2) == 0) call compute
      if (from_to(0, 2) == 0) call list
    end do
    call kit_check(ga_destroy(g), 'ga_destroy')
  end do
  call ga_terminate
  call kit_verdict
  call pend
end program main
