! Sparse arrays from Fortran: random arrays of double precision and of integers, compared with a dense model that every
! process has. GA's arrays are made and read by calls of C, in which a Fortran array a(rows, columns) has columns x
! rows elements.
module arrays
  use, intrinsic :: iso_c_binding
  implicit none
#include "mafdecls.fh"

  interface
    integer(c_int) function nga_create_c(type, ndim, dims, name, chunk) bind(c, name='NGA_Create')
      import
      integer(c_int), value :: type, ndim
      integer(c_int) :: dims(*)
      character(c_char) :: name(*)
      type(c_ptr), value :: chunk
    end function nga_create_c
    subroutine nga_get_c(g, lo, hi, buf, ld) bind(c, name='NGA_Get')
      import
      integer(c_int), value :: g
      integer(c_int) :: lo(*), hi(*), ld(*)
      type(c_ptr), value :: buf
    end subroutine nga_get_c
    subroutine nga_put_c(g, lo, hi, buf, ld) bind(c, name='NGA_Put')
      import
      integer(c_int), value :: g
      integer(c_int) :: lo(*), hi(*), ld(*)
      type(c_ptr), value :: buf
    end subroutine nga_put_c
    subroutine ga_initialize_c() bind(c, name='GA_Initialize')
    end subroutine ga_initialize_c
    subroutine ga_terminate_c() bind(c, name='GA_Terminate')
    end subroutine ga_terminate_c
    subroutine ga_sync_c() bind(c, name='GA_Sync')
    end subroutine ga_sync_c
    subroutine ga_destroy_c(g) bind(c, name='GA_Destroy')
      import
      integer(c_int), value :: g
    end subroutine ga_destroy_c
    integer(c_int) function ga_nodeid_c() bind(c, name='GA_Nodeid')
      import
    end function ga_nodeid_c
    integer(c_int) function ga_nnodes_c() bind(c, name='GA_Nnodes')
      import
    end function ga_nnodes_c
  end interface

contains

  ! A matrix of Fortran, or (columns 0) a vector.
  integer function made(values, rows, columns)
    integer, intent(in) :: rows, columns
    double precision, target, intent(in) :: values(rows, *)
    integer(c_int) :: dims(2), ndim
    dims = [columns, rows]
    ndim = 2
    if (columns == 0) then
      dims(1) = rows
      ndim = 1
    end if
    made = nga_create_c(int(MT_DBL, c_int), ndim, dims, 'array'//c_null_char, c_null_ptr)
    if (ga_nodeid_c() == 0) &
      call nga_put_c(int(made, c_int), [0_c_int, 0_c_int], dims - 1_c_int, c_loc(values), [int(rows, c_int)])
    call ga_sync_c
  end function made

  ! Checks the whole array, and destroys it.
  subroutine take(g, values, rows, columns)
    integer, intent(in) :: g, rows, columns
    double precision, target, intent(out) :: values(rows, *)
    integer(c_int) :: hi(2)
    hi = [columns - 1, rows - 1]
    if (columns == 0) hi(1) = rows - 1
    call nga_get_c(int(g, c_int), [0_c_int, 0_c_int], hi, c_loc(values), [int(rows, c_int)])
    call ga_sync_c
    call ga_destroy_c(int(g, c_int))
  end subroutine take
end module arrays

program sparse
  use kit_fortran
  use arrays
  implicit none
  integer, parameter :: rows = 23, columns = 17, width = 5, rounds = 6
  integer nga_sprs_array_create, nga_sprs_array_duplicate, nga_sprs_array_matmat_multiply
  integer nga_sprs_array_sprsdns_multiply, nga_sprs_array_dnssprs_multiply, nga_sprs_array_create_from_dense
  integer nga_sprs_array_create_from_sparse, nga_sprs_array_count_sketch
  logical nga_sprs_array_assemble, nga_sprs_array_destroy
  external nga_sprs_array_create, nga_sprs_array_duplicate, nga_sprs_array_matmat_multiply
  external nga_sprs_array_sprsdns_multiply, nga_sprs_array_dnssprs_multiply, nga_sprs_array_create_from_dense
  external nga_sprs_array_create_from_sparse, nga_sprs_array_count_sketch
  external nga_sprs_array_assemble, nga_sprs_array_destroy
  double precision :: model(0:rows - 1, 0:columns - 1)
  integer :: me, all, round

  call pbeginf
  call ga_initialize_c
  me = ga_nodeid_c()
  all = ga_nnodes_c()
  do round = 1, rounds
    call try
  end do
  call integers
  call ga_terminate_c
  call kit_verdict
  call pend

contains

  integer function start(extent, part)
    integer, intent(in) :: extent, part
    start = (part*extent + all - 1)/all
  end function start

  integer function filled()
    integer :: k, i, j
    double precision :: value
    model = 0
    filled = nga_sprs_array_create(rows, columns, MT_DBL)
    do k = 1, 120
      i = kit_random(rows)
      j = kit_random(columns)
      value = kit_random(9) - 4
      model(i, j) = model(i, j) + value
      if (kit_random(all) == me) call nga_sprs_array_add_element(filled, i, j, value)
    end do
    call kit_check(nga_sprs_array_assemble(filled), 'assemble')
  end function filled

  subroutine check_matrix(s, want, what)
    integer, intent(in) :: s
    double precision, intent(in) :: want(rows, columns)
    character(*), intent(in) :: what
    double precision :: got(rows, columns)
    call take(nga_sprs_array_create_from_sparse(s), got, rows, columns)
    call kit_check(all_equal(got, want), what)
  end subroutine check_matrix

  logical function all_equal(a, b)
    double precision, intent(in) :: a(:, :), b(:, :)
    all_equal = maxval(abs(a - b)) == 0
  end function all_equal

  ! Checks this process's blocks by their indices in int_mb and dbl_mb.
  subroutine check_blocks(s)
    integer, intent(in) :: s
    integer :: blocks(all), n, b, lo, hi, first, last, r, k, c
    integer*8 :: idx, jdx, val
    double precision :: mine(0:rows - 1, 0:columns - 1)
    mine = 0
    n = all
    call nga_sprs_array_col_block_list(s, blocks, n)
    call nga_sprs_array_row_distribution(s, me, first, last)
    call kit_check(first == start(rows, me) .and. last == start(rows, me + 1) - 1, 'row_distribution')
    do b = 0, all - 1
      call nga_sprs_array_column_distribution(s, b, lo, hi)
      call kit_check(lo == start(columns, b) .and. hi == start(columns, b + 1) - 1, 'column_distribution')
      call nga_sprs_array_access_col_block(s, b, idx, jdx, val)
      call kit_check(any(blocks(1:n) == b) .eqv. idx /= 0, 'a block is listed, and is not there')
      if (idx == 0) then
        call kit_check(jdx == 0 .and. val == 0, 'an empty block')
        cycle
      end if
      do r = 0, last - first
        do k = int_mb(idx + r), int_mb(idx + r + 1) - 1
          c = int_mb(jdx + k)
          call kit_check(c >= lo .and. c <= hi, 'the column of an element')
          mine(first + r, c) = mine(first + r, c) + dbl_mb(val + k)
        end do
      end do
    end do
    call kit_check(all_equal(mine(first:last, :), model(first:last, :)), 'elements of my blocks')
  end subroutine check_blocks

  subroutine try
    integer :: s, copy
    s = filled()
    call check_blocks(s)
    call check_matrix(s, model, 'create_from_sparse')
    call vectors(s)
    call products(s)
    call sketch(s)
    copy = nga_sprs_array_duplicate(s)
    call scaled(s)
    call check_matrix(copy, model, 'a copy of before')
    call kit_check(nga_sprs_array_destroy(copy) .and. nga_sprs_array_destroy(s), 'destroy')
  end subroutine try

  subroutine vectors(s)
    integer, intent(in) :: s
    double precision :: a(columns, 1), v(rows, 1)
    integer :: g_a, g_v, i
    a(:, 1) = [(kit_random(9) - 4, i=1, columns)]
    v = 0
    g_a = made(a, columns, 0)
    g_v = made(v, rows, 0)
    call nga_sprs_array_matvec_multiply(s, g_a, g_v)
    call take(g_v, v, rows, 0)
    call kit_check(all_equal(v, matmul(model, a)), 'matvec_multiply')
    call ga_destroy_c(int(g_a, c_int))
    call nga_sprs_array_get_diag(s, g_v)
    call take(g_v, v, rows, 0)
    do i = 1, columns
      v(i, 1) = v(i, 1) - model(i - 1, i - 1)
    end do
    call kit_check(maxval(abs(v)) == 0, 'get_diag')
  end subroutine vectors

  subroutine products(s)
    integer, intent(in) :: s
    double precision :: right(columns, width), left(width, rows), c(rows, width), d(width, columns)
    double precision :: first(rows, columns), square(rows, rows)
    integer :: g, t, product, i
    right = reshape([(dble(kit_random(9) - 4), i=1, columns*width)], [columns, width])
    left = reshape([(dble(kit_random(9) - 4), i=1, rows*width)], [width, rows])
    g = made(right, columns, width)
    call take(nga_sprs_array_sprsdns_multiply(s, g), c, rows, width)
    call kit_check(all_equal(c, matmul(model, right)), 'sprsdns_multiply')
    call ga_destroy_c(int(g, c_int))
    g = made(left, width, rows)
    call take(nga_sprs_array_dnssprs_multiply(g, s), d, width, columns)
    call kit_check(all_equal(d, matmul(left, model)), 'dnssprs_multiply')
    call ga_destroy_c(int(g, c_int))

    square = reshape([(dble(max(kit_random(9) - 6, 0)), i=1, rows*rows)], [rows, rows])
    g = made(square, rows, rows)
    t = nga_sprs_array_create_from_dense(g)
    product = nga_sprs_array_matmat_multiply(t, s)
    first = matmul(square, model)
    call check_matrix(product, first, 'create_from_dense, matmat_multiply')
    call kit_check(nga_sprs_array_destroy(t) .and. nga_sprs_array_destroy(product), 'destroy')
    call ga_destroy_c(int(g, c_int))
  end subroutine products

  subroutine scaled(s)
    integer, intent(in) :: s
    double precision :: left(rows, 1), right(columns, 1), want(0:rows - 1, 0:columns - 1), got(0:rows - 1, 0:columns - 1)
    integer :: g_left, g_right, i
    left(:, 1) = [(kit_random(9) - 4, i=1, rows)]
    right(:, 1) = [(kit_random(9) - 4, i=1, columns)]
    g_left = made(left, rows, 0)
    g_right = made(right, columns, 0)
    call nga_sprs_array_diag_left_multiply(s, g_left)
    call nga_sprs_array_diag_right_multiply(s, g_right)
    call nga_sprs_array_scale(s, 3d0)
    call nga_sprs_array_shift_diag(s, 7d0)
    do i = 0, columns - 1
      want(:, i) = 3*left(:, 1)*model(:, i)*right(i + 1, 1)
    end do
    call take(nga_sprs_array_create_from_sparse(s), got, rows, columns)
    do i = 0, columns - 1 ! only what is there moves
      if (got(i, i) /= want(i, i)) want(i, i) = want(i, i) + 7
    end do
    call kit_check(all_equal(got, want), 'diag_left, diag_right, scale, shift_diag')
    call ga_destroy_c(int(g_left, c_int))
    call ga_destroy_c(int(g_right, c_int))
  end subroutine scaled

  subroutine sketch(s)
    integer, intent(in) :: s
    double precision :: sums(width, columns), weights(rows, 1), want(width, columns)
    integer :: g_k, g_w, g, i
    integer(c_int), target :: targets(rows)
    g = nga_sprs_array_count_sketch(s, width, g_k, g_w)
    call nga_get_c(int(g_k, c_int), [0_c_int], [int(rows - 1, c_int)], c_loc(targets), [0_c_int])
    call ga_sync_c
    call ga_destroy_c(int(g_k, c_int))
    call take(g_w, weights, rows, 0)
    call take(g, sums, width, columns)
    want = 0
    do i = 1, rows
      want(targets(i) + 1, :) = want(targets(i) + 1, :) + weights(i, 1)*model(i - 1, :)
    end do
    call kit_check(all_equal(sums, want), 'count_sketch')
    call nga_sprs_array_export(s, '/dev/null   ')
  end subroutine sketch

  ! Returns the type of INTEGER, for either of its sizes.
  subroutine integers
    integer :: s, i, blocks(all), n, b, total, k
    integer*8 :: idx, jdx, val
    s = nga_sprs_array_create(rows, rows, MT_INT)
    do i = 0, rows - 1
      if (me == all - 1) call nga_sprs_array_add_element(s, i, rows - 1 - i, i + 100)
    end do
    call kit_check(nga_sprs_array_assemble(s), 'assemble')
    call nga_sprs_array_scale(s, 2)
    n = all
    total = 0
    call nga_sprs_array_col_block_list(s, blocks, n)
    do b = 1, n
      call nga_sprs_array_access_col_block(s, blocks(b), idx, jdx, val)
      do k = 0, int_mb(idx + start(rows, me + 1) - start(rows, me)) - 1
        total = total + int_mb(val + k) - 2*(rows - 1 - int_mb(jdx + k) + 100) + 1
      end do
    end do
    call kit_check_number(total, start(rows, me + 1) - start(rows, me), 'integers')
    call kit_check(nga_sprs_array_destroy(s), 'destroy')
  end subroutine integers
end program sparse
