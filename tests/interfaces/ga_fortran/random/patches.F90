! Tests arithmetic of patches, products of matrices, and scans and packing of vectors.
#include "macommon.h"
module patches
  use model
  use create, only: partner, end_partner
  implicit none
contains

  subroutine compute_patches(a)
    type(held), intent(inout) :: a
    integer lo(ranks), hi(ranks)
    call draw_patch(a, lo, hi)
    select case (from_to(1, 6))
    case (1, 2)
      call with_number_patch(a, lo, hi, count_of(lo, hi))
    case (3, 4)
      call combine_patches(a, lo, hi, count_of(lo, hi))
    case (5)
      call turn(a)
    case (6)
      call compute_vectors
    end select
    if (chance(20)) call multiply
  end subroutine compute_patches

  subroutine with_number_patch(a, lo, hi, count)
    type(held), intent(inout) :: a
    integer, intent(in) :: lo(ranks), hi(ranks), count
    integer at(count), what
    double complex value
    at = places(a, lo, hi)
    what = from_to(1, 7)
    if (what == 5 .and. is_complex(a%code)) return
    if (what >= 6 .and. (a%n /= 2 .or. (peer .and. a%code == MT_INT) .or. a%code == MT_C_INT)) return
    call draw_scalar(a%code, value, alpha)
    if (mine(a) .and. a%n == 2 .and. chance_of(lo)) then
      if (what == 1) call ga_fill_patch(a%g, lo(1), hi(1), lo(2), hi(2), alpha)
      if (what == 2) call ga_scale_patch(a%g, lo(1), hi(1), lo(2), hi(2), alpha)
      if (what == 3 .and. .not. peer) call ga_zero_patch(a%g, lo(1), hi(1), lo(2), hi(2))
      if (what == 3 .and. peer) call nga_zero_patch(a%g, lo, hi)
    else if (mine(a)) then
      if (what == 1) call nga_fill_patch(a%g, lo, hi, alpha)
      if (what == 2) call nga_scale_patch(a%g, lo, hi, alpha)
      if (what == 3) call nga_zero_patch(a%g, lo, hi)
    end if
    if (mine(a)) then
      if (what == 4) call ga_add_constant_patch(a%g, lo, hi, alpha)
      if (what == 5) call ga_abs_value_patch(a%g, lo, hi)
      if (what >= 6) call typed_patch(a, what == 6, lo, hi)
    end if
    if (what == 1 .or. what == 6) a%at(at) = value
    if (what == 2 .or. what == 7) a%at(at) = a%at(at) * value
    if (what == 3) a%at(at) = 0
    if (what == 4) a%at(at) = a%at(at) + value
    if (what == 5) a%at(at) = abs(dble(a%at(at)))
    call look(a, 'a patch with a number')
  end subroutine with_number_patch

  ! Decides by the patch instead of a random number, because not all processes call this.
  logical function chance_of(lo)
    integer, intent(in) :: lo(ranks)
    chance_of = mod(sum(lo), 2) == 0
  end function chance_of

  subroutine typed_patch(a, fill, lo, hi)
    type(held), intent(in) :: a
    logical, intent(in) :: fill
    integer, intent(in) :: lo(ranks), hi(ranks)
#define TYPED(type, letter) \
    if (a%code == type .and. fill) call ga_/**/letter/**/fill_patch(a%g, lo(1), hi(1), lo(2), hi(2), alpha); \
    if (a%code == type .and. .not. fill) call ga_/**/letter/**/scal_patch(a%g, lo(1), hi(1), lo(2), hi(2), alpha)
    TYPED(MT_INT,i)
    TYPED(MT_REAL,s)
    TYPED(MT_DBL,d)
    TYPED(MT_SCPL,c)
    TYPED(MT_DCPL,z)
  end subroutine typed_patch

  ! Draws a patch of the same extents at another place of the second array.
  subroutine draw_place(b, lo, hi, blo, bhi)
    type(held), intent(in) :: b
    integer, intent(in) :: lo(ranks), hi(ranks)
    integer, intent(out) :: blo(ranks), bhi(ranks)
    integer d
    blo = 1
    do d = 1, b%n
      blo(d) = from_to(1, b%dims(d) - hi(d) + lo(d))
    end do
    bhi = blo + hi - lo
  end subroutine draw_place

  subroutine combine_patches(a, lo, hi, count)
    type(held), intent(inout) :: a
    integer, intent(in) :: lo(ranks), hi(ranks), count
    type(held) b
    integer at(count), b_at(count), blo(ranks), bhi(ranks), what
    double complex x, y
    what = from_to(1, 6)
    if (is_complex(a%code) .and. what >= 4) what = what - 3
    if (peer .and. (what == 3 .and. is_complex(a%code) .or. a%kind > irregular)) what = 1
    call partner(a, b, 3)
    call draw_place(b, lo, hi, blo, bhi)
    if (peer .and. what > 1) then
      blo = lo
      bhi = hi
    end if
    at = places(a, lo, hi)
    b_at = places(b, blo, bhi)
    call draw_scalar(a%code, x, alpha)
    call draw_scalar(a%code, y, beta)
    if (mine(a)) then
      if (what == 1 .and. a%n == 2) &
        call ga_copy_patch('n', b%g, blo(1), bhi(1), blo(2), bhi(2), a%g, lo(1), hi(1), lo(2), hi(2))
      if (what == 1 .and. a%n /= 2) call nga_copy_patch('n', b%g, blo, bhi, a%g, lo, hi)
      if (what == 2) call nga_add_patch(alpha, a%g, lo, hi, beta, b%g, blo, bhi, a%g, lo, hi)
      if (what == 3) call ga_elem_multiply_patch(a%g, lo, hi, b%g, blo, bhi, a%g, lo, hi)
      if (what == 4) call ga_elem_maximum_patch(a%g, lo, hi, b%g, blo, bhi, a%g, lo, hi)
      if (what == 5) call ga_elem_minimum_patch(a%g, lo, hi, b%g, blo, bhi, a%g, lo, hi)
      if (what == 6) call dot_patches(a, b, lo, hi, blo, bhi, sum(a%at(at) * b%at(b_at)))
    end if
    if (what == 1) a%at(at) = b%at(b_at)
    if (what == 2) a%at(at) = x * a%at(at) + y * b%at(b_at)
    if (what == 3) a%at(at) = a%at(at) * b%at(b_at)
    if (what == 4) a%at(at) = max(dble(a%at(at)), dble(b%at(b_at)))
    if (what == 5) a%at(at) = min(dble(a%at(at)), dble(b%at(b_at)))
    call look(a, 'of two patches')
    call end_partner(a, b)
  end subroutine combine_patches

  subroutine dot_patches(a, b, lo, hi, blo, bhi, want)
    type(held), intent(in) :: a, b
    integer, intent(in) :: lo(ranks), hi(ranks), blo(ranks), bhi(ranks)
    double complex, intent(in) :: want
    double complex got
    if (abs(want) > 1d6) return ! more than a REAL can count
    got = want
    if (a%code == MT_INT) got = nga_idot_patch(a%g, 'n', lo, hi, b%g, 'n', blo, bhi)
    if (a%code == MT_REAL) got = nga_sdot_patch(a%g, 'n', lo, hi, b%g, 'n', blo, bhi)
    if (a%code == MT_DBL .and. a%n /= 2) got = nga_ddot_patch(a%g, 'n', lo, hi, b%g, 'n', blo, bhi)
    if (a%code == MT_DBL .and. a%n == 2) &
      got = ga_ddot_patch(a%g, 'n', lo(1), hi(1), lo(2), hi(2), b%g, 'n', blo(1), bhi(1), blo(2), bhi(2))
    call kit_check(got == want, 'a dot product of patches')
  end subroutine dot_patches

  ! Transposes a matrix, and makes a square matrix symmetric.
  subroutine turn(a)
    type(held), intent(inout) :: a
    type(held) b
    integer i, j, n, m
    if (a%n /= 2 .or. a%kind == grouped .or. a%kind == ghosts .or. (peer .and. a%kind > irregular)) return
    n = a%dims(1)
    m = a%dims(2)
    b = held(code=a%code, n=2, size=a%size, members=processes, kind=plain)
    b%dims(1:2) = (/m, n/)
    call kit_check(nga_create(b%code, 2, b%dims, 'turned', (/-1, -1/), b%g), 'nga_create')
    call ga_transpose(a%g, b%g)
    b%at(1:n * m) = reshape(transpose(reshape(a%at(1:n * m), (/n, m/))), (/n * m/))
    call look(b, 'transpose')
    if (n == m .and. a%code == MT_DBL) then
      call refill(a)
      call ga_symmetrize(a%g)
      do j = 1, n
        do i = 1, j
          b%at(1) = (a%at((j - 1) * n + i) + a%at((i - 1) * n + j)) / 2
          a%at((j - 1) * n + i) = b%at(1)
          a%at((i - 1) * n + j) = b%at(1)
        end do
      end do
      call look(a, 'symmetrize')
    end if
    call kit_check(ga_destroy(b%g), 'ga_destroy')
  end subroutine turn

  ! --- Matrices ---

  subroutine new_matrix(a, code, rows, columns)
    type(held), intent(inout) :: a
    integer, intent(in) :: code, rows, columns
    a = held(code=code, n=2, size=rows * columns, members=processes, kind=plain)
    a%dims(1:2) = (/rows, columns/)
    call kit_check(ga_create(code, rows, columns, 'factor', 0, 0, a%g), 'ga_create')
    call refill(a)
  end subroutine new_matrix

  function as_matrix(a) result(m)
    type(held), intent(in) :: a
    double complex m(a%dims(1), a%dims(2))
    m = reshape(a%at(1:a%size), a%dims(1:2))
  end function as_matrix

  ! Computes c = alpha * op(a) * op(b) + beta * c, of whole matrices or of patches.
  subroutine multiply
    type(held) a, b, c
    integer m, n, k, code
    character ta, tb
    double complex x, y
    m = from_to(1, 12)
    n = from_to(1, 12)
    k = from_to(1, 12)
    code = codes(from_to(1, 5))
    if (code == MT_INT) code = MT_DBL
    ta = merge('n', 't', chance(50))
    tb = merge('n', 't', chance(50))
    call new_matrix(a, code, merge(m, k, ta == 'n'), merge(k, m, ta == 'n'))
    call new_matrix(b, code, merge(k, n, tb == 'n'), merge(n, k, tb == 'n'))
    call new_matrix(c, code, m, n)
    call draw_scalar(code, x, alpha)
    call draw_scalar(code, y, beta)
    if (chance(60)) then
      if (code == MT_DBL) call ga_dgemm(ta, tb, m, n, k, alpha, a%g, b%g, beta, c%g)
      if (code == MT_REAL) call ga_sgemm(ta, tb, m, n, k, alpha, a%g, b%g, beta, c%g)
      if (code == MT_DCPL) call ga_zgemm(ta, tb, m, n, k, alpha, a%g, b%g, beta, c%g)
      if (code == MT_SCPL) call ga_cgemm(ta, tb, m, n, k, alpha, a%g, b%g, beta, c%g)
    else
      ! The corners are those of op(a) and op(b).
      call nga_matmul_patch(ta, tb, alpha, beta, a%g, (/1, 1/), (/m, k/), b%g, (/1, 1/), (/k, n/), c%g, (/1, 1/), c%dims)
    end if
    call model_product(a, b, c, ta, tb, x, y)
    call look(c, 'product')
    call kit_check(ga_destroy(a%g) .and. ga_destroy(b%g) .and. ga_destroy(c%g), 'ga_destroy')
  end subroutine multiply

  subroutine model_product(a, b, c, ta, tb, x, y)
    type(held), intent(in) :: a, b
    type(held), intent(inout) :: c
    character, intent(in) :: ta, tb
    double complex, intent(in) :: x, y
    double complex p(c%dims(1), c%dims(2))
    if (ta == 'n' .and. tb == 'n') p = matmul(as_matrix(a), as_matrix(b))
    if (ta == 't' .and. tb == 'n') p = matmul(transpose(as_matrix(a)), as_matrix(b))
    if (ta == 'n' .and. tb == 't') p = matmul(as_matrix(a), transpose(as_matrix(b)))
    if (ta == 't' .and. tb == 't') p = matmul(transpose(as_matrix(a)), transpose(as_matrix(b)))
    c%at(1:c%size) = x * reshape(p, (/c%size/)) + y * c%at(1:c%size)
  end subroutine model_product

  ! --- Vectors ---

  subroutine new_vector(v, code, n)
    type(held), intent(inout) :: v
    integer, intent(in) :: code, n
    v = held(code=code, n=1, size=n, members=processes, kind=plain)
    v%dims(1) = n
    call kit_check(nga_create(code, 1, (/n/), 'vector', (/-1/), v%g), 'nga_create')
    call refill(v)
  end subroutine new_vector

  subroutine compute_vectors
    type(held) from, to, mask
    integer n, lo, hi, what, count, want, k
    integer start, inc
    n = from_to(processes, 60)
    lo = from_to(1, n)
    hi = from_to(lo, n)
    what = from_to(1, 5)
    call new_vector(from, MT_INT, n)
    call new_vector(to, MT_INT, n)
    call new_vector(mask, MT_INT, n)
    do k = 1, n
      mask%at(k) = merge(1, 0, from_to(1, 3) == 1 .or. k == lo)
    end do
    call put_model(mask)
    start = from_to(-9, 9)
    inc = from_to(-9, 9)
    count = 0
    if (what == 1) call ga_patch_enum(to%g, lo, hi, start, inc)
    if (what == 2) call ga_scan_copy(from%g, to%g, mask%g, lo, hi)
    if (what == 3) call ga_scan_add(from%g, to%g, mask%g, lo, hi, mod(start, 2))
    if (what == 4) call ga_pack(from%g, to%g, mask%g, lo, hi, count)
    if (what == 5) call ga_unpack(from%g, to%g, mask%g, lo, hi, count)
    want = 0
    do k = lo, hi
      if (what == 1) to%at(k) = start + (k - lo) * inc
      if (what == 2) to%at(k) = merge(from%at(k), to%at(max(k - 1, 1)), mask%at(k) /= 0)
      if (what == 3 .and. mod(start, 2) == 0) to%at(k) = from%at(k) + merge((0d0, 0d0), to%at(max(k - 1, 1)), mask%at(k) /= 0)
      if (what == 3 .and. mod(start, 2) /= 0) to%at(k) = merge((0d0, 0d0), to%at(max(k - 1, 1)) + from%at(max(k - 1, 1)), mask%at(k) /= 0)
      if (mask%at(k) == 0) cycle
      want = want + 1
      if (what == 4) to%at(want) = from%at(k)
      if (what == 5) to%at(k) = from%at(want)
    end do
    if (what >= 4) call kit_check(count == want, 'the count of ga_pack and ga_unpack')
    call look(to, 'vectors')
    call kit_check(ga_destroy(from%g) .and. ga_destroy(to%g) .and. ga_destroy(mask%g), 'ga_destroy')
  end subroutine compute_vectors
end module patches
