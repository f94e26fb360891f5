! Tests behaviour on which NWChem relies although GA does not document it. It was found by running NWChem.
program relied
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: n = 6, layers = 3, m = 4
  logical :: right
  call pbeginf
  call ga_initialize
  right = ma_init(MT_DBL, 10000, 10000)
  call chunks
  call symmetric_layers
  call turned_patches
  call turned_corners
  call handles
  if (.not. right) call ga_error('relied', 1)
  if (ga_nodeid() == 0) write (*, '(a)') 'right'
  call ga_terminate
  call pend
contains

  subroutine expect(so, what)
    logical, intent(in) :: so
    character(*), intent(in) :: what
    if (.not. so) write (*, '(3a,i0)') 'wrong: ', what, ', process ', ga_nodeid()
    right = right .and. so
  end subroutine

  ! Each element has a number that depends on its place.
  subroutine number_all(g, dims)
    integer, intent(in) :: g, dims(3)
    double precision :: all(dims(1), dims(2), dims(3))
    integer :: i, j, k
    do k = 1, dims(3)
      do j = 1, dims(2)
        do i = 1, dims(1)
          all(i, j, k) = 100*i + 10*j + k
        end do
      end do
    end do
    if (ga_nodeid() == 0) call nga_put(g, [1, 1, 1], dims, all, dims)
    call ga_sync
  end subroutine

  ! A matrix of several columns, kept whole, and a vector have the same rows on each process.
  subroutine chunks
    integer :: many, one, i(4), j(4)
    right = right .and. ga_create(MT_DBL, 435, 10, 'many', 0, 10, many)
    right = right .and. ga_create(MT_DBL, 435, 1, 'one', 0, 0, one)
    call ga_distribution(many, ga_nodeid(), i(1), i(2), i(3), i(4))
    call ga_distribution(one, ga_nodeid(), j(1), j(2), j(3), j(4))
    call expect(all(i(1:2) == j(1:2)) .and. i(4) == 10, 'chunk 0 of ga_create')
  end subroutine

  ! For each index of the first dimension, the last two dimensions are a matrix.
  subroutine symmetric_layers
    integer :: g, i, j, k, dims(3)
    double precision :: all(layers, n, n)
    dims = [layers, n, n]
    right = right .and. nga_create(MT_DBL, 3, dims, 'layers', [-1, -1, -1], g)
    call number_all(g, dims)
    call ga_symmetrize(g)
    call nga_get(g, [1, 1, 1], dims, all, dims)
    do k = 1, n
      do j = 1, n
        do i = 1, layers
          call expect(all(i, j, k) == 100*i + 5.5d0*(j + k), 'ga_symmetrize of three dimensions')
        end do
      end do
    end do
  end subroutine

  ! Copies a transposed patch to one of another shape: the elements of the transposed patch keep their order.
  subroutine turned_patches
    integer :: g, line, i, j, dims(3)
    double precision :: turned(m*n), expected(m*n), dot
    dims = [m, n, layers]
    right = right .and. nga_create(MT_DBL, 3, dims, 'from', [-1, -1, -1], g)
    right = right .and. nga_create(MT_DBL, 2, [2, m*n], 'to', [-1, -1], line)
    call number_all(g, dims)
    call ga_zero(line)
    call nga_copy_patch('t', g, [1, 1, 2], [m, n, 2], line, [2, 1], [2, m*n])
    call nga_get(line, [2, 1], [2, m*n], turned, [1])
    expected = [((100d0*i + 10*j + 2, j=1, n), i=1, m)]
    call expect(all(turned == expected), 'nga_copy_patch of a turned patch to a line')
    dot = nga_ddot_patch(line, 'n', [2, 1], [2, m*n], g, 't', [1, 1, 2], [m, n, 2])
    call expect(dot == sum(expected**2), 'nga_ddot_patch of a line and a turned patch')
  end subroutine

  ! The corners of a transposed factor are those of the transposed matrix, and may be beyond the array's own bounds.
  subroutine turned_corners
    integer :: a, b, c
    double precision :: product(n, m)
    right = right .and. nga_create(MT_DBL, 3, [n, 2, layers], 'a', [-1, -1, -1], a)
    right = right .and. ga_create(MT_DBL, m, 2, 'b', 0, 0, b)
    right = right .and. ga_create(MT_DBL, n, m, 'c', 0, 0, c)
    call ga_fill(a, 2d0)
    call ga_fill(b, 3d0)
    call nga_matmul_patch('n', 't', 1d0, 0d0, a, [1, 1, 2], [n, 2, 2], b, [1, 1], [2, m], c, [1, 1], [n, m])
    call ga_get(c, 1, n, 1, m, product, n)
    call expect(all(product == 12), 'nga_matmul_patch of a turned factor')
  end subroutine

  ! A handle of 0 is a variable that no call has used.
  subroutine handles
    integer :: g, handle
    double precision :: all(n, n)
    right = right .and. ga_create(MT_DBL, n, n, 'got', 0, 0, g)
    call ga_fill(g, 1d0)
    handle = 0
    call nga_nbget(g, [1, 1], [n, n], all, [n], handle)
    call expect(handle /= 0, 'the handle of nga_nbget is 0')
    call ga_nbwait(handle)
    call ga_nbwait(handle)
    call expect(sum(all) == n*n, 'nga_nbget')
    call waited_for(g)
    call never_waited_for(g)
  end subroutine

  ! With INTEGERs of 4 bytes a handle is an index in a table, whose entries are reused after their operation is
  ! complete.
  subroutine never_waited_for(g)
    integer, intent(in) :: g
    integer :: i, handle, most
    double precision :: got(n, n)
    most = 0
    do i = 1, 1000
      handle = 0
      call nga_nbget(g, [1, 1], [n, n], got, [n], handle)
      if (bit_size(handle) == 32) most = max(most, handle)
      if (mod(i, 50) == 0) call ga_sync
    end do
    call expect(most <= 128, 'the places of handles that nobody waits for')
  end subroutine

  ! A put that is complete on return does not change its handle, which still names an earlier get.
  subroutine waited_for(g)
    integer, intent(in) :: g
    integer :: note, handle
    double precision :: got(n - 1, n)
    right = right .and. ga_create(MT_DBL, n, n, 'note', 0, 0, note)
    got = 0
    handle = 0
    call nga_nbget(g, [1, 1], [n - 1, n], got, [n - 1], handle)
    call nga_nbput_notify(note, [1, 1], [1, 1], 1d0, [1], note, [2, 1], 1d0, handle)
    call ga_nbwait(handle)
    call expect(sum(got) == n*(n - 1), 'nga_nbget and nga_nbput_notify with one handle')
    handle = 0
    call nga_nbput_notify(note, [1, 1], [1, 1], 1d0, [1], note, [2, 1], 1d0, handle)
    call expect(handle /= 0, 'the handle of nga_nbput_notify is 0')
  end subroutine
end program
