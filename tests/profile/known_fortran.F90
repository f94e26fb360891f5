! A program in Fortran whose profile is known. check.py searches the profile for its array and its call sites.
program known_fortran
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 30, columns = 20, times = 50
  integer :: array, counter, lo(2), hi(2), i, before
  double precision :: patch(rows, columns)
  logical :: made
  call pbeginf
  call ga_initialize()
  made = ma_init(mt_dbl, 1000, 1000)
  lo = 1
  hi = (/rows, columns/)
  patch = 1
  made = nga_create(mt_dbl, 2, hi, 'fortran', (/0, 0/), array)
  if (ga_nodeid() == 0) then
    call cw_profile_begin('puts of all  ')
    call cw_profile_begin('inner')
    call cw_profile_end
    do i = 1, times
      call nga_put(array, lo, hi, patch, rows) ! site: patch
    end do
    call cw_profile_end
    call nga_get(array, (/5, 11/), (/6, 12/), patch, rows)
  end if
  made = nga_create(mt_int, 2, (/4, 3/), 'counter', (/0, 0/), counter)
  do i = 1, 5
    before = nga_read_inc(counter, (/3, 2/), 1)
  end do
  call ga_sync() ! site: barrier
  made = ga_destroy(counter)
  made = ga_destroy(array)
  call ga_terminate()
  call pend
end program known_fortran
