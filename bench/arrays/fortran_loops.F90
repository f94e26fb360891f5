! The calls of the Fortran interface that bench/arrays/fortran.c measures, each in a loop; compiled with an INTEGER of 8 bytes.

! A patch, which is one element or 128 x 128.
#define PATCH(name, statement) \
subroutine name(g, x, times); implicit none; integer g, times, k; double precision x(*); \
do k = 1, times; statement; end do; end subroutine
PATCH(loop_get, call ga_get(g, 7, 7, 9, 9, x, 1))
PATCH(loop_put, call ga_put(g, 7, 7, 9, 9, x, 1))
PATCH(loop_acc, call ga_acc(g, 7, 7, 9, 9, x, 1, 1d0))
PATCH(loop_get_patch, call ga_get(g, 11, 138, 21, 148, x, 128))
PATCH(loop_put_patch, call ga_put(g, 11, 138, 21, 148, x, 128))
PATCH(loop_acc_patch, call ga_acc(g, 11, 138, 21, 148, x, 128, 2d0))

subroutine loop_create(times)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer g, times, k
  do k = 1, times
    if (.not. ga_create(MT_DBL, 100, 100, 'passing', 0, 0, g)) call ga_error('create', 1)
    if (.not. ga_destroy(g)) call ga_error('destroy', 1)
  end do
end subroutine

subroutine loop_push(times)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer times, k, handle
  MA_ACCESS_INDEX_TYPE at
  do k = 1, times
    if (.not. ma_push_get(MT_DBL, 100, 'passing', handle, at)) call ga_error('push', 1)
    if (.not. ma_pop_stack(handle)) call ga_error('pop', 1)
  end do
end subroutine

subroutine loop_eaf(writes, fd, x, bytes, times)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "eaf.fh"
  integer writes, fd, bytes, times, k, code
  double precision x(*), offset
  do k = 1, times
    offset = dble(bytes)*dble(mod(k, 64))
    if (writes .ne. 0) then
      code = eaf_write(fd, offset, x, bytes)
    else
      code = eaf_read(fd, offset, x, bytes)
    end if
    if (code .ne. 0) call ga_error('eaf', code)
  end do
end subroutine

subroutine loop_dra(g, d, times)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
  integer g, d, times, k, request
  do k = 1, times
    if (dra_write(g, d, request) .ne. 0) call ga_error('dra_write', 1)
    if (dra_wait(request) .ne. 0) call ga_error('dra_wait', 1)
  end do
end subroutine
