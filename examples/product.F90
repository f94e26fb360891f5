! A product of two matrices, first by ga_dgemm and then by hand: the processes take tiles of the result from a shared
! counter, get what each needs, and add up their parts with ga_acc.
program product
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: n = 60, tile = 20, tiles = (n / tile)**3
  integer a, b, c, d, counter, task, i, j, k
  double precision left(tile, tile), right(tile, tile), difference

  call pbeginf
  call ga_initialize
  a = matrix('a')
  b = matrix('b')
  c = matrix('c')
  d = matrix('d')
  if (ga_nodeid() == 0) then
    do j = 1, n
      do i = 1, n
        call ga_put(a, i, i, j, j, dble(mod(i + 2 * j, 9)), 1)
        call ga_put(b, i, i, j, j, dble(mod(3 * i + j, 7)), 1)
      end do
    end do
  end if
  call ga_sync

  call ga_dgemm('n', 'n', n, n, n, 1d0, a, b, 0d0, c)

  ! Task (i, j, k): tile (i, k) of a times tile (k, j) of b, into tile (i, j) of d.
  if (.not. ga_create(MT_INT, 1, 1, 'counter', 0, 0, counter)) call ga_error('no memory', 1)
  call ga_zero(counter)
  call ga_zero(d)
  task = ga_read_inc(counter, 1, 1, 1)
  do while (task < tiles)
    i = tile * mod(task, n / tile)
    j = tile * mod(task / (n / tile), n / tile)
    k = tile * (task / (n / tile)**2)
    call ga_get(a, i + 1, i + tile, k + 1, k + tile, left, tile)
    call ga_get(b, k + 1, k + tile, j + 1, j + tile, right, tile)
    call ga_acc(d, i + 1, i + tile, j + 1, j + tile, matmul(left, right), tile, 1d0)
    task = ga_read_inc(counter, 1, 1, 1)
  end do
  call ga_sync

  call ga_add(1d0, c, -1d0, d, d)
  call ga_norm_infinity(d, difference)
  if (ga_nodeid() == 0) print '(a, i0, a, es8.1)', 'two products of ', n, ' rows differ by ', difference
  if (difference > 1d-9) call ga_error('the products differ', 1)
  call ga_terminate
  call pend
contains
  integer function matrix(name)
    character(*), intent(in) :: name
    if (.not. ga_create(MT_DBL, n, n, name, 0, 0, matrix)) call ga_error('no memory', 1)
  end function matrix
end program product
