! The heat equation on a square plate: one edge is hot, the others are cold, and the plate takes on the mean of its
! neighbours until it no longer changes. Each process computes its own patch, and gets the rim around it from the others.
program heat
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: n = 40
  double precision, parameter :: tolerance = 1d-4
  integer old, new, spare, me, ilo, ihi, jlo, jhi, i, j, steps
  double precision before(0:n + 1, 0:n + 1), after(n, n), change, middle

  call pbeginf
  call ga_initialize
  me = ga_nodeid()

  ! The plate lies inside a frame, whose lower edge has 100 degrees.
  if (.not. ga_create(MT_DBL, n + 2, n + 2, 'plate', 0, 0, old)) call ga_error('no memory', 1)
  call ga_zero(old)
  call ga_fill_patch(old, n + 2, n + 2, 1, n + 2, 100d0)
  if (.not. ga_duplicate(old, new, 'next step')) call ga_error('no memory', 1)
  call ga_copy(old, new)

  ! The part of my patch that is inside of the frame.
  call ga_distribution(old, me, ilo, ihi, jlo, jhi)
  ilo = max(ilo, 2)
  jlo = max(jlo, 2)
  ihi = min(ihi, n + 1)
  jhi = min(jhi, n + 1)

  change = 1
  steps = 0
  do while (change > tolerance)
    change = 0
    if (ilo <= ihi .and. jlo <= jhi) then
      call ga_get(old, ilo - 1, ihi + 1, jlo - 1, jhi + 1, before, n + 2)
      do j = 1, jhi - jlo + 1
        do i = 1, ihi - ilo + 1
          after(i, j) = (before(i - 1, j) + before(i + 1, j) + before(i, j - 1) + before(i, j + 1)) / 4
          change = max(change, abs(after(i, j) - before(i, j)))
        end do
      end do
      call ga_put(new, ilo, ihi, jlo, jhi, after, n)
    end if
    call ga_dgop(1, change, 1, 'max')
    call ga_sync
    spare = old
    old = new
    new = spare
    steps = steps + 1
  end do

  ! By symmetry a quarter of the heat arrives in the middle.
  call ga_get(old, n / 2 + 1, n / 2 + 1, n / 2 + 1, n / 2 + 1, middle, 1)
  if (me == 0) print '(a, i0, a, f6.2, a)', 'after ', steps, ' steps the middle has ', middle, ' degrees'
  if (abs(middle - 25) > 2) call ga_error('the plate has another temperature', 1)
  call ga_terminate
  call pend
end program heat
