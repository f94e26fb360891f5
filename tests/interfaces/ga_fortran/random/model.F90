! The expected contents of the arrays. Each process has a copy of the model, and all draw the same random numbers.
! Process 0 prints after each call what the array contains, so that two libraries can be compared.
module model
  use kit_fortran, only: kit_check, kit_random
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: most = 2400, largest = 200, ranks = 7

  type held
    integer :: g = 0, code = 0, n = 0, dims(ranks) = 1, size = 1
    integer :: kind = 0                    ! how it is distributed
    integer :: group = -1, first = 0, members = 1 ! its processes: so many, from this one
    double complex :: at(most) = 0
  end type held

  integer, parameter :: plain = 1, chunked = 2, irregular = 3, cyclic = 4, gridded = 5, tiled = 6, ghosts = 7, &
                        restricted = 8, grouped = 9
  integer, parameter :: codes(6) = (/MT_DBL, MT_INT, MT_REAL, MT_DCPL, MT_SCPL, MT_C_INT/)

  logical :: peer = .false. ! nothing that Debian's GA gets wrong
  integer :: me = 0, processes = 1, step = 0
  double complex :: buffer(most), raw(most), alpha(1), beta(1)
contains

  integer function from_to(least, greatest)
    integer, intent(in) :: least, greatest
    from_to = least + kit_random(greatest - least + 1)
  end function from_to

  logical function chance(percent)
    integer, intent(in) :: percent
    chance = from_to(1, 100) <= percent
  end function chance

  logical function is_complex(code)
    integer, intent(in) :: code
    is_complex = code == MT_SCPL .or. code == MT_DCPL
  end function is_complex

  logical function is_whole(code)
    integer, intent(in) :: code
    is_whole = code == MT_INT .or. code == MT_C_INT
  end function is_whole

  ! Draws a small whole number of the type.
  double complex function number(code, greatest)
    integer, intent(in) :: code, greatest
    integer re, im
    re = from_to(-greatest, greatest)
    im = from_to(-greatest, greatest)
    number = dcmplx(re, merge(im, 0, is_complex(code)))
  end function number

  ! Draws a number and stores it as an argument of a call.
  subroutine draw_scalar(code, value, typed)
    integer, intent(in) :: code
    double complex, intent(out) :: value, typed(1)
    double complex one(1)
    value = number(code, 3)
    one = value
    call to_raw(code, 1, one, typed)
  end subroutine draw_scalar

  logical function mine(a)
    type(held), intent(in) :: a
    mine = me >= a%first .and. me < a%first + a%members
  end function mine

  integer function draw_member(a)
    type(held), intent(in) :: a
    draw_member = a%first + from_to(0, a%members - 1)
  end function draw_member

  subroutine draw_patch(a, lo, hi)
    type(held), intent(in) :: a
    integer, intent(out) :: lo(ranks), hi(ranks)
    integer d
    lo = 1
    hi = 1
    do d = 1, a%n
      lo(d) = from_to(1, a%dims(d))
      hi(d) = from_to(lo(d), a%dims(d))
    end do
  end subroutine draw_patch

  integer function count_of(lo, hi)
    integer, intent(in) :: lo(ranks), hi(ranks)
    count_of = product(hi - lo + 1)
  end function count_of

  ! Returns the index of element k of a patch; the first dimension varies fastest.
  subroutine element(k, lo, hi, index)
    integer, intent(in) :: k, lo(ranks), hi(ranks)
    integer, intent(out) :: index(ranks)
    integer d, rest
    rest = k - 1
    do d = 1, ranks
      index(d) = lo(d) + mod(rest, hi(d) - lo(d) + 1)
      rest = rest / (hi(d) - lo(d) + 1)
    end do
  end subroutine element

  ! Returns the position of an index in an array of these dimensions.
  integer function place(index, dims)
    integer, intent(in) :: index(ranks), dims(ranks)
    integer d
    place = 0
    do d = ranks, 1, -1
      place = place * dims(d) + index(d) - 1
    end do
    place = place + 1
  end function place

  ! Returns the positions in the model of a patch's elements, in order.
  function places(a, lo, hi) result(at)
    type(held), intent(in) :: a
    integer, intent(in) :: lo(ranks), hi(ranks)
    integer at(product(hi - lo + 1)), index(ranks), k
    do k = 1, product(hi - lo + 1)
      call element(k, lo, hi, index)
      at(k) = place(index, a%dims)
    end do
  end function places

  ! Prints the values that process 0 has got.
  subroutine say(what, values)
    character(*), intent(in) :: what
    double complex, intent(in) :: values(:)
    integer*8 sum
    integer k
    if (me /= 0) return
    sum = 0
    do k = 1, size(values)
      sum = modulo(sum * 31 + nint(4 * dble(values(k)), 8) + 7 * nint(4 * dimag(values(k)), 8), 1000000007_8)
    end do
    write (*, '(i0,1x,a,1x,i0)') step, what, sum
  end subroutine say

  subroutine say_numbers(what, values)
    character(*), intent(in) :: what
    integer, intent(in) :: values(:)
    if (me == 0) write (*, '(i0,1x,a,*(1x,i0))') step, what, values
  end subroutine say_numbers

  ! Compares the array with the model, on process 0 and another process.
  subroutine look(a, what)
    type(held), intent(inout) :: a
    character(*), intent(in) :: what
    integer who, ones(ranks)
    ones = 1
    who = draw_member(a)
    call ga_sync
    if (mine(a) .and. (me == 0 .or. me == who)) then
      raw = 0
      call nga_get(a%g, ones, a%dims, raw, a%dims)
      call from_raw(a%code, a%size, raw, buffer)
      if (any(buffer(1:a%size) /= a%at(1:a%size))) call show(a, what)
      call kit_check(all(buffer(1:a%size) == a%at(1:a%size)), what)
      call say(what, buffer(1:a%size))
    end if
    call ga_sync
    if (maxval(abs(a%at(1:a%size))) > 1d5) call refill(a)
  end subroutine look

  subroutine show(a, what)
    type(held), intent(in) :: a
    character(*), intent(in) :: what
    integer k, shown
    shown = 0
    write (0, '(3a,i0,a,i0,a,i0,a,7(1x,i0))') 'after ', what, ' on process ', me, ': step ', step, ', kind ', a%kind, &
      ', dimensions', a%dims(1:a%n)
    do k = 1, a%size
      if (buffer(k) == a%at(k)) cycle
      shown = shown + 1
      if (shown <= 3) write (0, '(a,i0,a,2g14.6,a,2g14.6)') '  element ', k, ' is', buffer(k), ', not', a%at(k)
    end do
  end subroutine show

  ! One process puts the model's contents into the array.
  subroutine put_model(a)
    type(held), intent(in) :: a
    integer ones(ranks)
    ones = 1
    if (me == a%first) then
      call to_raw(a%code, a%size, a%at, raw)
      call nga_put(a%g, ones, a%dims, raw, a%dims)
    end if
    call ga_sync
  end subroutine put_model

  ! Fills the model and the array with new small numbers.
  subroutine refill(a)
    type(held), intent(inout) :: a
    integer k
    do k = 1, a%size
      a%at(k) = number(a%code, 9)
    end do
    call ga_sync
    call put_model(a)
  end subroutine refill
end module model
