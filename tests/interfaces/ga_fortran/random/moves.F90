! Tests calls that move data between an array and a process's memory.
module moves
  use model
  implicit none
contains

  subroutine move(a)
    type(held), intent(inout) :: a
    select case (from_to(1, 9))
    case (1, 2)
      call move_patch(a)
    case (3)
      call accumulate_by_all(a)
    case (4)
      call move_strided(a)
    case (5)
      call move_periodic(a)
    case (6)
      call move_list(a)
    case (7)
      call increment(a)
    case (8)
      call in_place(a)
    case (9)
      call by_turns(a)
    end select
  end subroutine move

  ! Draws numbers for a patch in a buffer with these leading dimensions, and returns their positions in it.
  subroutine draw_buffer(a, count, lo, hi, ld, at)
    type(held), intent(in) :: a
    integer, intent(in) :: count, lo(ranks), hi(ranks), ld(ranks)
    integer, intent(out) :: at(count)
    integer k, index(ranks), width(ranks)
    width = max(ld, 1)
    do k = 1, count
      call element(k, lo, hi, index)
      at(k) = place(index - lo + 1, width)
    end do
    buffer = 0
    do k = 1, count
      buffer(at(k)) = number(a%code, 9)
    end do
    call to_raw(a%code, most, buffer, raw)
  end subroutine draw_buffer

  subroutine draw_ld(a, lo, hi, ld)
    type(held), intent(in) :: a
    integer, intent(in) :: lo(ranks), hi(ranks)
    integer, intent(out) :: ld(ranks)
    integer d
    ld = hi - lo + 1
    do d = 1, a%n - 1
      ld(d) = ld(d) + from_to(0, 1)
    end do
  end subroutine draw_ld

  ! Compares the result of a get with the model.
  subroutine check_got(a, count, from, at, what)
    type(held), intent(in) :: a
    integer, intent(in) :: count, from(count), at(count)
    character(*), intent(in) :: what
    call from_raw(a%code, most, raw, buffer)
    call kit_check(all(buffer(at) == a%at(from)), what)
    call say(what, buffer(at))
  end subroutine check_got

  subroutine move_patch(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks), ld(ranks), who, what, way, count
    call draw_patch(a, lo, hi)
    call draw_ld(a, lo, hi, ld)
    count = count_of(lo, hi)
    who = draw_member(a)
    what = from_to(1, 3)
    way = from_to(1, 2)
    if (a%n == 2) way = from_to(1, 4)
    call move_one(a, count, lo, hi, ld, who, what, way)
  end subroutine move_patch

  ! what: put, accumulate or get. way: 1 and 2 take arrays of indices, 3 and 4 a matrix; 2 and 4 are non-blocking.
  subroutine move_one(a, count, lo, hi, ld, who, what, way)
    type(held), intent(inout) :: a
    integer, intent(in) :: count, lo(ranks), hi(ranks), ld(ranks), who, what, way
    integer at(count), model_at(count), handle
    character(3), parameter :: names(3) = (/'put', 'acc', 'get'/)
    double complex scale
    model_at = places(a, lo, hi)
    call draw_buffer(a, count, lo, hi, ld, at)
    call draw_scalar(a%code, scale, alpha)
    if (what == 1) a%at(model_at) = buffer(at)
    if (what == 2) a%at(model_at) = a%at(model_at) + scale * buffer(at)
    if (me == who .and. what == 1) then
      if (way == 1) call nga_put(a%g, lo, hi, raw, ld)
      if (way == 2) call nga_nbput(a%g, lo, hi, raw, ld, handle)
      if (way == 3) call ga_put(a%g, lo(1), hi(1), lo(2), hi(2), raw, ld)
      if (way == 4) call ga_nbput(a%g, lo(1), hi(1), lo(2), hi(2), raw, ld, handle)
    else if (me == who .and. what == 2) then
      if (way == 1) call nga_acc(a%g, lo, hi, raw, ld, alpha)
      if (way == 2) call nga_nbacc(a%g, lo, hi, raw, ld, alpha, handle)
      if (way == 3) call ga_acc(a%g, lo(1), hi(1), lo(2), hi(2), raw, ld, alpha)
      if (way == 4) call ga_nbacc(a%g, lo(1), hi(1), lo(2), hi(2), raw, ld, alpha, handle)
    else if (me == who) then
      if (way == 1) call nga_get(a%g, lo, hi, raw, ld)
      if (way == 2) call nga_nbget(a%g, lo, hi, raw, ld, handle)
      if (way == 3) call ga_get(a%g, lo(1), hi(1), lo(2), hi(2), raw, ld)
      if (way == 4) call ga_nbget(a%g, lo(1), hi(1), lo(2), hi(2), raw, ld, handle)
    end if
    if (me == who .and. (way == 2 .or. way == 4)) call ga_nbwait(handle)
    if (me == who .and. what == 3) call check_got(a, count, model_at, at, 'get')
    call look(a, names(what))
  end subroutine move_one

  ! All processes accumulate to the same elements at the same time.
  subroutine accumulate_by_all(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks), ld(ranks)
    call draw_patch(a, lo, hi)
    ld = hi - lo + 1
    call accumulate_patch(a, count_of(lo, hi), lo, hi, ld)
    call look(a, 'acc by all')
  end subroutine accumulate_by_all

  subroutine accumulate_patch(a, count, lo, hi, ld)
    type(held), intent(inout) :: a
    integer, intent(in) :: count, lo(ranks), hi(ranks), ld(ranks)
    integer at(count), model_at(count)
    double complex scale
    model_at = places(a, lo, hi)
    call draw_buffer(a, count, lo, hi, ld, at)
    call draw_scalar(a%code, scale, alpha)
    if (mine(a)) call nga_acc(a%g, lo, hi, raw, ld, alpha)
    a%at(model_at) = a%at(model_at) + a%members * scale * buffer(at)
  end subroutine accumulate_patch

  ! Moves every n-th element of each dimension, from or to a dense buffer.
  subroutine move_strided(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks), skip(ranks), ld(ranks), d
    if (peer .and. (a%n > 2 .or. a%kind > irregular)) return
    call draw_patch(a, lo, hi)
    skip = 1
    do d = 1, a%n
      skip(d) = from_to(1, 3)
    end do
    ld = (hi - lo) / skip + 1
    call move_elsewhere(a, product(ld), lo, hi, skip, ld)
  end subroutine move_strided

  ! Moves periodic patches: where lo or hi is outside the array, the patch continues at the other end.
  subroutine move_periodic(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks), skip(ranks), d
    if (peer .and. (a%n > 2 .or. a%kind > irregular)) return
    lo = 1
    hi = 1
    do d = 1, a%n
      lo(d) = from_to(1, a%dims(d)) - from_to(0, 1) * from_to(0, a%dims(d))
      hi(d) = lo(d) + from_to(0, a%dims(d) - 1)
    end do
    skip = 0
    call move_elsewhere(a, count_of(lo, hi), lo, hi, skip, hi - lo + 1)
  end subroutine move_periodic

  ! skip: 0 means a periodic call.
  subroutine move_elsewhere(a, count, lo, hi, skip, ld)
    type(held), intent(inout) :: a
    integer, intent(in) :: count, lo(ranks), hi(ranks), skip(ranks), ld(ranks)
    integer at(count), index(ranks), ones(ranks), k, what
    character(3), parameter :: names(3) = (/'put', 'acc', 'get'/)
    double complex scale
    logical here
    ones = 1
    do k = 1, count
      call element(k, ones, ld, index)
      index = lo + (index - 1) * max(skip, 1)
      at(k) = place(1 + modulo(index - 1, a%dims), a%dims)
      buffer(k) = number(a%code, 9)
    end do
    what = from_to(1, 3)
    here = me == draw_member(a)
    call draw_scalar(a%code, scale, alpha)
    call to_raw(a%code, count, buffer, raw)
    if (what == 1) a%at(at) = buffer(1:count)
    if (what == 2) a%at(at) = a%at(at) + scale * buffer(1:count)
    if (here .and. skip(1) > 0) then
      if (what == 1) call nga_strided_put(a%g, lo, hi, skip, raw, ld)
      if (what == 2) call nga_strided_acc(a%g, lo, hi, skip, raw, ld, alpha)
      if (what == 3) call nga_strided_get(a%g, lo, hi, skip, raw, ld)
    else if (here) then
      if (what == 1) call nga_periodic_put(a%g, lo, hi, raw, ld)
      if (what == 2) call nga_periodic_acc(a%g, lo, hi, raw, ld, alpha)
      if (what == 3) call nga_periodic_get(a%g, lo, hi, raw, ld)
    end if
    if (here .and. what == 3) call check_got(a, count, at, (/(k, k = 1, count)/), 'strided or periodic get')
    call look(a, merge('strided  ', 'periodic ', skip(1) > 0)//names(what))
  end subroutine move_elsewhere

  ! Moves elements by their indices, each once; an accumulate has some of them twice.
  subroutine move_list(a)
    type(held), intent(inout) :: a
    integer, parameter :: longest = 12
    integer subs(a%n, longest), rows(longest), columns(longest), at(longest), lo(ranks), hi(ranks), n, k, what, where
    double complex scale, values(longest)
    logical here, matrix
    if (peer .and. a%kind > irregular) return
    what = from_to(1, 3)
    n = 0
    do k = 1, longest
      call draw_patch(a, lo, hi)
      where = place(lo, a%dims)
      if (what /= 2 .and. any(at(1:n) == where)) cycle
      n = n + 1
      at(n) = where
      subs(:, n) = lo(1:a%n)
      rows(n) = lo(1)
      columns(n) = lo(2)
      values(n) = number(a%code, 9)
    end do
    here = me == draw_member(a)
    matrix = a%n == 2 .and. chance(50)
    call draw_scalar(a%code, scale, alpha)
    call to_raw(a%code, n, values, raw)
    if (what == 1) a%at(at(1:n)) = values(1:n)
    do k = 1, merge(n, 0, what == 2)
      a%at(at(k)) = a%at(at(k)) + scale * values(k)
    end do
    if (here .and. matrix) then
      if (what == 1) call ga_scatter(a%g, raw, rows, columns, n)
      if (what == 2) call ga_scatter_acc(a%g, raw, rows, columns, n, alpha)
      if (what == 3) call ga_gather(a%g, raw, rows, columns, n)
    else if (here) then
      if (what == 1) call nga_scatter(a%g, raw, subs, n)
      if (what == 2) call nga_scatter_acc(a%g, raw, subs, n, alpha)
      if (what == 3) call nga_gather(a%g, raw, subs, n)
    end if
    if (here .and. what == 3) call check_got(a, n, at, (/(k, k = 1, n)/), 'gather')
    call look(a, 'list')
  end subroutine move_list

  ! All members increment one element.
  subroutine increment(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks), inc, before
    double complex value
    if (.not. is_whole(a%code)) return
    call draw_patch(a, lo, hi)
    inc = from_to(-3, 9)
    value = a%at(place(lo, a%dims))
    call ga_sync
    if (mine(a)) then
      if (a%n == 2) then
        before = ga_read_inc(a%g, lo(1), lo(2), inc)
      else
        before = nga_read_inc(a%g, lo, inc)
      end if
      if (inc /= 0) call kit_check(mod(before - nint(dble(value)), inc) == 0, 'read_inc')
    end if
    a%at(place(lo, a%dims)) = value + inc * a%members
    call look(a, 'read_inc')
  end subroutine increment

  ! Each member adds to its own block, by a pointer.
  subroutine in_place(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks), p, mark, at(a%size), count
    integer*8 k
    integer ld(ranks)
    if (a%kind > irregular .or. a%code /= MT_DBL) return
    mark = from_to(1, 9)
    call ga_sync
    do p = 0, processes - 1
      lo = 1
      hi = 1
      call nga_distribution(a%g, p, lo, hi)
      if (any(hi(1:a%n) < lo(1:a%n))) cycle
      count = count_of(lo, hi)
      at(1:count) = places(a, lo, hi)
      a%at(at(1)) = mark + p
      if (p /= me) cycle
      if (a%n == 2) then
        call ga_access(a%g, lo(1), hi(1), lo(2), hi(2), k, ld)
        dbl_mb(k) = mark + p
        call ga_release_update(a%g, lo(1), hi(1), lo(2), hi(2))
      else
        call nga_access(a%g, lo, hi, k, ld)
        dbl_mb(k) = mark + p
        call nga_release_update(a%g, lo, hi)
      end if
    end do
    call look(a, 'access')
  end subroutine in_place

  ! Gets, adds and puts under a mutex.
  subroutine by_turns(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks)
    double complex got(1)
    call draw_patch(a, lo, hi)
    call kit_check(ga_create_mutexes(1), 'ga_create_mutexes')
    if (mine(a)) then
      call ga_lock(0)
      call ga_init_fence
      call nga_get(a%g, lo, lo, raw, lo)
      call from_raw(a%code, 1, raw, got)
      got = got + 1
      call to_raw(a%code, 1, got, raw)
      call nga_put(a%g, lo, lo, raw, lo)
      call ga_fence
      call ga_unlock(0)
    end if
    a%at(place(lo, a%dims)) = a%at(place(lo, a%dims)) + a%members
    call look(a, 'lock')
    call kit_check(ga_destroy_mutexes(), 'ga_destroy_mutexes')
  end subroutine by_turns
end module moves
