! Tests values that are put into bins and sorted there.
#include "macommon.h"
module sorted
  use model
  implicit none
  integer, parameter :: bins_most = 12, values_most = 60

  ! The values: process owner(k) puts value k into bin(k). The places of bin b begin after the first offset(b) places.
  type plan
    integer :: bins = 0, values = 0, code = 0
    integer :: bin(values_most) = 0, owner(values_most) = 0, counts(bins_most) = 0, offsets(bins_most) = 0
    double complex :: value(values_most) = 0
  end type plan
contains

  subroutine put_in_bins
    type(plan) p
    integer g
    logical, external :: ga_create_bin_range
    integer g_cnt, g_off, g_range, subs(values_most), n
    logical sort
    if (peer .and. processes > 1) return ! where Debian's GA has other values in bins, or aborts
    call draw_plan(p)
    call create_bins(p, g)
    g_cnt = numbers_of(p%counts(1:p%bins))
    g_off = numbers_of(p%offsets(1:p%bins))
    call take_mine(p, subs, n)
    call to_raw(p%code, n, buffer, raw)
    sort = chance(50)
    call ga_bin_index(g, g_cnt, g_off, raw, subs, n, sort)
    call compare(p, g, .not. sort, 'ga_bin_index')
    call ga_sync
    call ga_bin_sorter(g, g_cnt, g_off)
    call compare(p, g, .false., 'ga_bin_sorter')
    g_range = 0
    call kit_check(ga_create_bin_range(g, g_cnt, g_off, g_range), 'ga_create_bin_range')
    call check_ranges(p, g, g_range)
    call ga_sync
    call kit_check(ga_destroy(g) .and. ga_destroy(g_cnt) .and. ga_destroy(g_off) .and. ga_destroy(g_range), 'ga_destroy')
  end subroutine put_in_bins

  ! Debian's GA does not support empty bins, and sorts only MT_INT.
  subroutine draw_plan(p)
    type(plan), intent(out) :: p
    integer k, b
    p%code = codes(from_to(1, 3))
    if (peer) p%code = MT_INT
    p%bins = from_to(1, bins_most)
    p%values = from_to(p%bins, values_most)
    do k = 1, p%values
      p%bin(k) = from_to(1, p%bins)
      if (peer .and. k <= p%bins) p%bin(k) = k
      p%owner(k) = from_to(0, processes - 1)
      p%value(k) = number(p%code, 99)
      p%counts(p%bin(k)) = p%counts(p%bin(k)) + 1
    end do
    do b = 2, p%bins
      p%offsets(b) = p%offsets(b - 1) + p%counts(b - 1)
    end do
    call say_numbers('bins', p%counts(1:p%bins))
  end subroutine draw_plan

  ! Draws blocks that end where bins end, or anywhere.
  subroutine create_bins(p, g)
    type(plan), intent(in) :: p
    integer, intent(out) :: g
    integer map(processes), blocks, b, first
    if (chance(50)) then
      call kit_check(nga_create(p%code, 1, (/p%values/), 'bins', (/-1/), g), 'nga_create')
      return
    end if
    blocks = 0
    do b = 1, min(processes, p%bins)
      first = p%offsets(1 + (b - 1) * p%bins / min(processes, p%bins)) + 1
      if (blocks > 0) then
        if (first == map(blocks)) cycle
      end if
      if (first > p%values) cycle
      blocks = blocks + 1
      map(blocks) = first
    end do
    call kit_check(nga_create_irreg(p%code, 1, (/p%values/), 'bins', map, (/blocks/), g), 'nga_create_irreg')
  end subroutine create_bins

  ! Makes a vector of MT_INT.
  integer function numbers_of(numbers) result(g)
    integer, intent(in) :: numbers(:)
    integer n
    n = size(numbers)
    call kit_check(nga_create(MT_INT, 1, (/n/), 'numbers', (/-1/), g), 'nga_create')
    if (me == 0) call nga_put(g, (/1/), (/n/), numbers, (/n/))
    call ga_sync
  end function numbers_of

  ! Stores the values that this process puts in the buffer, bin after bin.
  subroutine take_mine(p, subs, n)
    type(plan), intent(in) :: p
    integer, intent(out) :: subs(:), n
    integer b, k
    n = 0
    do b = 1, p%bins
      do k = 1, p%values
        if (p%owner(k) /= me .or. p%bin(k) /= b) cycle
        n = n + 1
        subs(n) = b
        buffer(n) = p%value(k)
      end do
    end do
  end subroutine take_mine

  ! Compares the bins with the expected values. any_order: they need not be sorted.
  subroutine compare(p, g, any_order, what)
    type(plan), intent(in) :: p
    integer, intent(in) :: g
    logical, intent(in) :: any_order
    character(*), intent(in) :: what
    double complex want(values_most)
    integer b, k, at
    at = 0
    call ga_sync
    call nga_get(g, (/1/), (/p%values/), raw, (/p%values/))
    call from_raw(p%code, p%values, raw, buffer)
    do b = 1, p%bins
      do k = 1, p%values
        if (p%bin(k) /= b) cycle
        at = at + 1
        want(at) = p%value(k)
      end do
      call arrange(want(at - p%counts(b) + 1:at))
      if (any_order) call arrange(buffer(at - p%counts(b) + 1:at))
    end do
    call kit_check(all(buffer(1:at) == want(1:at)), what)
    call say(what, buffer(1:at))
  end subroutine compare

  subroutine arrange(numbers)
    double complex, intent(inout) :: numbers(:)
    double complex kept
    integer i, j
    do i = 1, size(numbers)
      do j = i + 1, size(numbers)
        if (dble(numbers(j)) >= dble(numbers(i))) cycle
        kept = numbers(i)
        numbers(i) = numbers(j)
        numbers(j) = kept
      end do
    end do
  end subroutine arrange

  ! Returns the first and the last bin of which a process has a place.
  subroutine check_ranges(p, g, g_range)
    type(plan), intent(in) :: p
    integer, intent(in) :: g, g_range
    integer process, lo(1), hi(1), got(2), want(2), b
    do process = 0, processes - 1
      call nga_distribution(g, process, lo, hi)
      call nga_get(g_range, (/1, process + 1/), (/2, process + 1/), got, (/2/))
      want = 0
      do b = p%bins, 1, -1
        if (p%counts(b) > 0 .and. p%offsets(b) < hi(1) .and. p%offsets(b) + p%counts(b) >= lo(1)) want(1) = b
      end do
      do b = 1, p%bins
        if (p%counts(b) > 0 .and. p%offsets(b) < hi(1) .and. p%offsets(b) + p%counts(b) >= lo(1)) want(2) = b
      end do
      call kit_check(all(got == want), 'the bins of a process')
      call say_numbers('range', got)
    end do
  end subroutine check_ranges
end module sorted
