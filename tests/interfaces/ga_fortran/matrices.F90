! Products, factors, equations and eigenvalues, compared with results that Fortran computes.
module matrices
  implicit none
  integer, parameter :: n = 9
  external put_all
contains

  integer function array_of(type, rows, columns)
#include "mafdecls.fh"
#include "global.fh"
    integer, intent(in) :: type, rows, columns
    if (.not. ga_create(type, rows, columns, 'matrix', 0, 0, array_of)) call ga_error('no array', 1)
  end function array_of

  ! Elements whose real and imaginary parts all differ.
  double complex function number(i, j)
    integer, intent(in) :: i, j
    number = dcmplx(mod(7 * i + 3 * j, 11) - 5, mod(2 * i + 5 * j, 7) - 3)
  end function number

#define PRODUCT(type, gemm) \
    do j = 1, n ; do i = 1, n ; gemm/**/a(i, j) = number(i, j) ; gemm/**/b(i, j) = number(j, i + 1) ; end do ; end do ; \
    g = array_of(type, n, n) ; h = array_of(type, n, n) ; c = array_of(type, n, n) ; \
    call put_all(g, gemm/**/a, n, n) ; call put_all(h, gemm/**/b, n, n) ; call ga_zero(c) ; \
    gemm/**/x = 2 ; gemm/**/y = 0 ; \
    call ga_/**/gemm('N', 't', 4, 5, 6, gemm/**/x, g, h, gemm/**/y, c) ; \
    gemm/**/w = 2 * matmul(gemm/**/a(1:4, 1:6), transpose(gemm/**/b(1:5, 1:6))) ; \
    call ga_get(c, 1, 4, 1, 5, gemm/**/v, 4) ; \
    call kit_check(maxval(abs(gemm/**/v - gemm/**/w)) < 1e-3, 'gemm of type') ; \
    call ga_sync ; \
    call kit_check(ga_destroy(g) .and. ga_destroy(h) .and. ga_destroy(c), 'destroy')

  subroutine products
    use kit_fortran, only: kit_check
#include "mafdecls.fh"
#include "global.fh"
    integer g, h, c, i, j, lo(2)
    real sgemma(n, n), sgemmb(n, n), sgemmx, sgemmy, sgemmv(4, 5), sgemmw(4, 5)
    double precision dgemma(n, n), dgemmb(n, n), dgemmx, dgemmy, dgemmv(4, 5), dgemmw(4, 5)
    complex cgemma(n, n), cgemmb(n, n), cgemmx, cgemmy, cgemmv(4, 5), cgemmw(4, 5)
    double complex zgemma(n, n), zgemmb(n, n), zgemmx, zgemmy, zgemmv(4, 5), zgemmw(4, 5)
    PRODUCT(MT_REAL,sgemm)
    PRODUCT(MT_DBL,dgemm)
    PRODUCT(MT_SCPL,cgemm)
    PRODUCT(MT_DCPL,zgemm)
    ! Patches: rows 2 to 5 and columns 3 to 8 of the first, and so on.
    g = array_of(MT_DBL, n, n)
    h = array_of(MT_DBL, n, n)
    c = array_of(MT_DBL, n, n)
    call put_all(g, dgemma, n, n)
    call put_all(h, dgemmb, n, n)
    dgemmw = matmul(dgemma(2:5, 3:8), dgemmb(1:6, 2:6))
    call ga_zero(c)
    call ga_matmul_patch('n', 'n', 1d0, 0d0, g, 2, 5, 3, 8, h, 1, 6, 2, 6, c, 6, 9, 5, 9)
    call check('ga_matmul_patch')
    call nga_matmul_patch('n', 'n', 1d0, 0d0, g, (/2, 3/), (/5, 8/), h, (/1, 2/), (/6, 6/), c, (/6, 5/), (/9, 9/))
    call check('nga_matmul_patch')
    call nga_matmul_patch_alt('n', 'n', 1d0, 0d0, g, (/2, 3/), (/5, 8/), h, (/1, 2/), (/6, 6/), c, (/6, 5/), (/9, 9/))
    call check('nga_matmul_patch_alt')
    call ga_matmul('n', 'n', 1d0, 0d0, g, 2, 5, 3, 8, h, 1, 6, 2, 6, c, 6, 9, 5, 9)
    call check('ga_matmul')
    call ga_matmul_mirrored('n', 'n', 1d0, 0d0, g, 2, 5, 3, 8, h, 1, 6, 2, 6, c, 6, 9, 5, 9)
    call check('ga_matmul_mirrored')
    call kit_check(ga_destroy(g) .and. ga_destroy(h) .and. ga_destroy(c), 'destroy')
  contains
    subroutine check(what)
      character(*), intent(in) :: what
      call ga_get(c, 6, 9, 5, 9, dgemmv, 4)
      call kit_check(maxval(abs(dgemmv - dgemmw)) < 1d-9, what)
      call ga_sync
      call ga_zero(c)
    end subroutine check
  end subroutine products

  ! A symmetric matrix with a large diagonal.
  subroutine positive(a)
    double precision, intent(out) :: a(n, n)
    integer i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = dble(number(i, j) + number(j, i))
      end do
      a(j, j) = a(j, j) + 200
    end do
  end subroutine positive

  ! Copies one triangle of a matrix; the other one gets NaNs.
  subroutine half_of(a, uplo, half)
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
    double precision, intent(in) :: a(n, n)
    character, intent(in) :: uplo
    double precision, intent(out) :: half(n, n)
    integer i, j
    half = a
    do j = 1, n
      do i = 1, n
        if (merge(i < j, i > j, uplo == 'L')) half(i, j) = ieee_value(half(i, j), ieee_quiet_nan)
      end do
    end do
  end subroutine half_of

  subroutine factors
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    integer, external :: ga_cholesky, ga_llt_f, ga_llt_i
    double precision a(n, n), half(n, n), l(n, n), b(n, 2), x(n, 2)
    integer g, h, i, which
    character uplo
    call positive(a)
    g = array_of(MT_DBL, n, n)
    h = array_of(MT_DBL, n, 2)
    do which = 1, 2
      uplo = 'LU'(which:which)
      call put_all(g, a, n, n)
      ! Only this triangle has numbers, so only it may be read.
      call ga_zeroul(uplo, g)
      call kit_check_number(ga_cholesky(uplo, g), 0, 'ga_cholesky')
      call ga_get(g, 1, n, 1, n, l, n)
      if (uplo == 'L') call kit_check(maxval(abs(matmul(l, transpose(l)) - a)) < 1d-9, 'the lower factor')
      if (uplo == 'U') call kit_check(maxval(abs(matmul(transpose(l), l) - a)) < 1d-9, 'the upper factor')
      call ga_sync
      call kit_check_number(ga_llt_i(uplo, g, -1), 0, 'ga_llt_i')
      call ga_get(g, 1, n, 1, n, l, n)
      l = matmul(l, a)
      do i = 1, n
        l(i, i) = l(i, i) - 1
      end do
      call kit_check(maxval(abs(l)) < 1d-9, 'the inverse')
      call ga_sync
      call put_all(g, a, n, n)
      call kit_check_number(ga_llt_f(uplo, g, -1), 0, 'ga_llt_f')
      do i = 1, n
        b(i, :) = (/i, -i * i/)
      end do
      call put_all(h, b, n, 2)
      call ga_llt_s(uplo, g, h, -1)
      call ga_get(h, 1, n, 1, 2, x, n)
      call kit_check(maxval(abs(matmul(a, x) - b)) < 1d-9, 'ga_llt_s')
      call ga_sync
    end do
    ! These calls read the lower triangle, like Debian's GA.
    call half_of(a, 'L', half)
    call put_all(g, half, n, n)
    call put_all(h, b, n, 2)
    call kit_check_number(ga_llt_solve(g, h), 0, 'ga_llt_solve')
    call solved(a, 'ga_llt_solve')
    call kit_check_number(ga_spd_invert(g), 0, 'ga_spd_invert')
    call ga_get(g, 1, n, 1, n, l, n)
    half = matmul(l, a)
    do i = 1, n
      half(i, i) = half(i, i) - 1
    end do
    call kit_check(maxval(abs(half)) < 1d-9 .and. maxval(abs(l - transpose(l))) < 1d-12, 'ga_spd_invert')
    call ga_sync
    a(1, 3) = 77
    call put_all(g, a, n, n)
    call ga_symul('U', g)
    call ga_get(g, 3, 3, 1, 1, x, 1)
    call kit_check(x(1, 1) == 77, 'ga_symul')
    call ga_sync
    ! This is the result of Debian's GA.
    call put_all(g, a, n, n)
    call ga_zeroul('U', g)
    call ga_get(g, 1, n, 1, n, l, n)
    call kit_check(all(l(1, :) == a(1, :)) .and. all(l(2:, 1) == 0) .and. l(n, n) == a(n, n), 'ga_zeroul U')
    call ga_sync
    call put_all(g, a, n, n)
    call ga_zeroul('L', g)
    call ga_get(g, 1, n, 1, n, l, n)
    call kit_check(all(l(:, 1) == a(:, 1)) .and. all(l(1, 2:) == 0) .and. l(n, n) == a(n, n), 'ga_zeroul L')
    call ga_sync
    ! The matrix is no longer symmetric, for LU.
    call put_all(g, a, n, n)
    call put_all(h, b, n, 2)
    call ga_lu_solve('n', g, h)
    call solved(a, 'ga_lu_solve')
    call ga_lu_solve_seq('t', g, h)
    call solved(transpose(a), 'ga_lu_solve_seq')
    call ga_lu_solve_alt(1, g, h)
    call solved(transpose(a), 'ga_lu_solve_alt')
    call kit_check(ga_destroy(g) .and. ga_destroy(h), 'destroy')
  contains
    subroutine solved(m, what)
      double precision, intent(in) :: m(n, n)
      character(*), intent(in) :: what
      call ga_get(h, 1, n, 1, 2, x, n)
      call kit_check(maxval(abs(matmul(m, x) - b)) < 1d-8, what)
      call ga_sync
      call put_all(h, b, n, 2)
    end subroutine solved
  end subroutine factors

  subroutine eigenvalues
    use kit_fortran, only: kit_check, kit_check_number
#include "mafdecls.fh"
#include "global.fh"
    double precision a(n, n), s(n, n), half(n, n), v(n, n), e(n)
    double complex z(n, n), w(n, n), b(n), x(n)
    integer g, h, r, i, j, found
    call positive(a)
    s = 0
    do i = 1, n
      a(i, i) = a(i, i) - 190
      s(i, i) = i
    end do
    g = array_of(MT_DBL, n, n)
    h = array_of(MT_DBL, n, n)
    r = array_of(MT_DBL, n, n)
    ! GA_Diag_seq of Debian's GA reads the upper triangles, all others the lower ones.
    call half_of(a, 'U', half)
    call put_all(g, half, n, n)
    call half_of(s, 'U', half)
    call put_all(h, half, n, n)
    call ga_diag(g, h, r, e)
    call check('ga_diag')
    call ga_diag_seq(g, h, r, e)
    call check('ga_diag_seq')
    call ga_diag_reuse(1, g, h, r, e)
    call check('ga_diag_reuse')
    call half_of(a, 'L', half)
    call put_all(g, half, n, n)
    call half_of(s, 'L', half)
    call put_all(h, half, n, n)
    call ga_pdsygv(g, h, r, e)
    call check('ga_pdsygv')
    s = 0
    do i = 1, n
      s(i, i) = 1
    end do
    call ga_diag_std(g, r, e)
    call check('ga_diag_std')
    call ga_diag_std_seq(g, r, e)
    call check('ga_diag_std_seq')
    call ga_pdsyev(g, r, e, 0)
    call check('ga_pdsyev')
    call ga_pdsyevd(g, r, e, 0)
    call check('ga_pdsyevd')
    call ga_pdsyevx(g, r, e, 0)
    call check('ga_pdsyevx')
    call ga_pdsyevr(g, r, e, 0, found)
    call check('ga_pdsyevr')
    call kit_check_number(found, n, 'ga_pdsyevr counts')
    call kit_check(ga_destroy(g) .and. ga_destroy(h) .and. ga_destroy(r), 'destroy')
    ! Hermitian matrices, which are replaced by their eigenvectors.
    do j = 1, n
      do i = 1, n
        z(i, j) = number(i, j) + conjg(number(j, i))
      end do
    end do
    g = array_of(MT_DCPL, n, n)
    call put_all(g, z, n, n)
    call ga_pzheevd(g, g, e, 0)
    call check_complex('ga_pzheevd')
    call put_all(g, z, n, n)
    call ga_pzheevr(g, g, e, 0, found)
    call check_complex('ga_pzheevr')
    call kit_check_number(found, n, 'ga_pzheevr counts')
    ! The same vectors, by the calls whose names do not contain the type.
    call put_all(g, z, n, n)
    call ga_diag_std(g, g, e)
    call check_complex('ga_diag_std')
    h = array_of(MT_DCPL, n, n)
    w = 0
    do i = 1, n
      w(i, i) = 1
    end do
    call put_all(g, z, n, n)
    call put_all(h, w, n, n)
    call ga_diag(g, h, g, e)
    call check_complex('ga_diag')
    call kit_check(ga_destroy(h), 'destroy')
    ! A system of equations.
    do i = 1, n
      z(i, i) = z(i, i) + 200
      b(i) = number(i, 1)
    end do
    h = array_of(MT_DCPL, n, 1)
    call put_all(g, z, n, n)
    call put_all(h, b, n, 1)
    call kit_check_number(ga_llt_solve(g, h), 0, 'ga_llt_solve of complex numbers')
    call ga_get(h, 1, n, 1, 1, x, n)
    call kit_check(maxval(abs(matmul(z, x) - b)) < 1d-9, 'ga_llt_solve of complex numbers')
    call ga_sync
    call kit_check_number(ga_spd_invert(g), 0, 'ga_spd_invert of complex numbers')
    call ga_get(g, 1, n, 1, n, w, n)
    w = matmul(w, z)
    do i = 1, n
      w(i, i) = w(i, i) - 1
    end do
    call kit_check(maxval(abs(w)) < 1d-9, 'ga_spd_invert of complex numbers')
    call ga_sync
    call kit_check(ga_destroy(g) .and. ga_destroy(h), 'destroy')
  contains
    subroutine check(what)
      character(*), intent(in) :: what
      call ga_get(r, 1, n, 1, n, v, n)
      do i = 1, n
        call kit_check(maxval(abs(matmul(a, v(:, i)) - e(i) * matmul(s, v(:, i)))) < 1d-8, what)
      end do
      call kit_check(all(e(2:) >= e(:n - 1)), 'eigenvalues ascend')
      call ga_sync
    end subroutine check
    subroutine check_complex(what)
      character(*), intent(in) :: what
      call ga_get(g, 1, n, 1, n, w, n)
      do i = 1, n
        call kit_check(maxval(abs(matmul(z, w(:, i)) - e(i) * w(:, i))) < 1d-8, what)
      end do
      call ga_sync
    end subroutine check_complex
  end subroutine eigenvalues
end module matrices

program main
  use matrices
  use kit_fortran, only: kit_verdict
  implicit none
  call pbeginf
  call ga_initialize
  call products
  call factors
  call eigenvalues
  call ga_terminate
  call kit_verdict
  call pend
end program main

! Puts elements of any type. It is outside the module so that the compiler does not compare the types.
  subroutine put_all(g, a, rows, columns)
  implicit none
#include "global.fh"
    integer, intent(in) :: g, rows, columns
    double precision, intent(in) :: a(*)
    if (ga_nodeid() == 0) call ga_put(g, 1, rows, 1, columns, a, rows)
    call ga_sync
  end subroutine put_all
