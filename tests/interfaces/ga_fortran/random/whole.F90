! Tests arithmetic of whole arrays: of one, of several, and of a matrix and its diagonal.
#include "macommon.h"
module whole
  use model
  use create, only: partner, end_partner
  implicit none
contains

  subroutine compute(a)
    type(held), intent(inout) :: a
    select case (from_to(1, 4))
    case (1)
      call with_number(a)
    case (2)
      call combine(a)
    case (3)
      call summarise(a)
    case (4)
      call with_diagonal(a)
    end select
  end subroutine compute

  subroutine with_number(a)
    type(held), intent(inout) :: a
    double complex value
    integer what
    what = from_to(1, 7)
    if (what == 6 .and. is_complex(a%code)) return
    if (what == 7 .and. peer .and. a%code == MT_INT) return
    call draw_scalar(a%code, value, alpha)
    if (mine(a)) then
      if (what == 1) call ga_fill(a%g, alpha)
      if (what == 2 .or. what == 3) call ga_scale(a%g, alpha)
      if (what == 4) call ga_zero(a%g)
      if (what == 5) call ga_add_constant(a%g, alpha)
      if (what == 6) call ga_abs_value(a%g)
      if (what == 7) call scale_typed(a)
    end if
    associate (at => a%at(1:a%size))
      if (what == 1) at = value
      if (what == 2 .or. what == 3 .or. (what == 7 .and. a%code /= MT_C_INT)) at = at * value
      if (what == 4) at = 0
      if (what == 5) at = at + value
      if (what == 6) at = abs(dble(at))
    end associate
    call look(a, 'with a number')
  end subroutine with_number

  ! Uses the names that contain the type.
  subroutine scale_typed(a)
    type(held), intent(in) :: a
    if (a%code == MT_INT) call nga_iscale(a%g, alpha)
    if (a%code == MT_REAL) call ga_sscal(a%g, alpha)
    if (a%code == MT_DBL) call ga_dscal(a%g, alpha)
    if (a%code == MT_SCPL) call ga_cscal(a%g, alpha)
    if (a%code == MT_DCPL) call ga_zscale(a%g, alpha)
  end subroutine scale_typed

  subroutine combine(a)
    type(held), intent(inout) :: a
    type(held) b
    double complex x, y
    integer what, n
    what = from_to(1, 6)
    if (is_complex(a%code) .and. what >= 4) what = what - 3
    if (peer .and. is_complex(a%code) .and. what == 3) what = 2
    if (peer .and. a%kind > irregular .and. a%kind /= grouped) what = min(what, 2)
    n = a%size
    call partner(a, b, 3)
    if (what == 6) b%at(1:n) = sign(1d0, dble(b%at(1:n)))
    if (what == 6) call put_model(b)
    call draw_scalar(a%code, x, alpha)
    call draw_scalar(a%code, y, beta)
    if (mine(a)) then
      if (what == 1) call ga_copy(b%g, a%g)
      if (what == 2) call ga_add(alpha, a%g, beta, b%g, a%g)
      if (what == 3) call ga_elem_multiply(a%g, b%g, a%g)
      if (what == 4) call ga_elem_maximum(a%g, b%g, a%g)
      if (what == 5) call ga_elem_minimum(a%g, b%g, a%g)
      if (what == 6) call ga_elem_divide(a%g, b%g, a%g)
    end if
    associate (p => a%at(1:n), q => b%at(1:n))
      if (what == 1) p = q
      if (what == 2) p = x * p + y * q
      if (what == 3 .or. what == 6) p = p * q
      if (what == 4) p = max(dble(p), dble(q))
      if (what == 5) p = min(dble(p), dble(q))
    end associate
    call look(a, 'of two arrays')
    call look(b, 'the second array')
    call end_partner(a, b)
  end subroutine combine

  ! Tests dot products, norms, and the largest and smallest element.
  subroutine summarise(a)
    type(held), intent(inout) :: a
    type(held) b
    double complex dot(1), want
    double precision norm
    integer found(ranks), n
    n = a%size
    if (maxval(abs(a%at(1:n))) > 100) call refill(a)
    call partner(a, b, 3)
    want = sum(a%at(1:n) * b%at(1:n))
    if (mine(a)) then
      dot = want
      if (a%code == MT_INT) dot = ga_idot(a%g, b%g)
      if (a%code == MT_REAL) dot = ga_sdot(a%g, b%g)
      if (a%code == MT_DBL) dot = ga_ddot(a%g, b%g)
      if (a%code == MT_DCPL) dot = ga_zdot(a%g, b%g)
      call kit_check(dot(1) == want, 'a dot product')
      call say('dot', dot)
      if (.not. is_complex(a%code) .and. a%n <= 2 .and. .not. (peer .and. a%kind > irregular)) then
        call ga_norm1(a%g, norm)
        call kit_check(norm == sum(abs(dble(a%at(1:n)))), 'ga_norm1')
        call ga_norm_infinity(a%g, norm)
        call kit_check(norm == maxval(abs(dble(a%at(1:n)))), 'ga_norm_infinity')
      end if
    end if
    if (.not. is_complex(a%code) .and. a%kind <= irregular) then
      found = 1
      call nga_select_elem(a%g, 'max', alpha, found)
      call from_raw(a%code, 1, alpha, dot)
      call kit_check(dble(dot(1)) == maxval(dble(a%at(1:n))), "nga_select_elem of 'max'")
      call kit_check(a%at(place(found, a%dims)) == dot(1), "the place of nga_select_elem of 'max'")
      call nga_select_elem(a%g, 'min', alpha, found)
      call from_raw(a%code, 1, alpha, dot)
      call kit_check(dble(dot(1)) == minval(dble(a%at(1:n))), "nga_select_elem of 'min'")
    end if
    call ga_sync
    call end_partner(a, b)
  end subroutine summarise

  ! Returns the positions of a matrix's diagonal.
  integer function diagonal(a, i)
    type(held), intent(in) :: a
    integer, intent(in) :: i
    diagonal = (i - 1) * a%dims(1) + i
  end function diagonal

  subroutine with_diagonal(a)
    type(held), intent(inout) :: a
    type(held) v
    integer what, n, i, j
    double complex value
    if (a%n /= 2 .or. a%kind == grouped .or. a%kind == ghosts) return
    if (peer .and. a%kind > irregular) return
    what = from_to(1, 7)
    if (peer .and. (what == 5 .or. (what >= 6 .and. is_complex(a%code)))) return
    n = min(a%dims(1), a%dims(2))
    if (what == 6) n = a%dims(1)
    if (what == 7) n = a%dims(2)
    v = held(code=a%code, n=1, size=n, members=processes, kind=plain)
    v%dims(1) = n
    call kit_check(nga_create(v%code, 1, v%dims, 'vector', (/-1/), v%g), 'nga_create')
    call refill(v)
    call draw_scalar(a%code, value, alpha)
    if (what == 1) call ga_get_diag(a%g, v%g)
    if (what == 2) call ga_set_diagonal(a%g, v%g)
    if (what == 3) call ga_add_diagonal(a%g, v%g)
    if (what == 4) call ga_shift_diagonal(a%g, alpha)
    if (what == 5) call ga_zero_diagonal(a%g)
    if (what == 6) call ga_scale_rows(a%g, v%g)
    if (what == 7) call ga_scale_cols(a%g, v%g)
    do i = 1, merge(n, 0, what <= 5)
      j = diagonal(a, i)
      if (what == 1) v%at(i) = a%at(j)
      if (what == 2) a%at(j) = v%at(i)
      if (what == 3) a%at(j) = a%at(j) + v%at(i)
      if (what == 4) a%at(j) = a%at(j) + value
      if (what == 5) a%at(j) = 0
    end do
    do j = 1, merge(a%dims(2), 0, what > 5)
      do i = 1, a%dims(1)
        n = (j - 1) * a%dims(1) + i
        a%at(n) = a%at(n) * v%at(merge(i, j, what == 6))
      end do
    end do
    call look(a, 'with a diagonal')
    call look(v, 'a diagonal')
    call kit_check(ga_destroy(v%g), 'ga_destroy')
  end subroutine with_diagonal

  ! Tests reductions over all processes, without an array.
  subroutine reduce
    integer i(3)
    real s(2)
    double precision d(2)
    double complex z(2)
    integer root
    i = (/me + 1, -me, 7/)
    call ga_igop(1, i, 3, '+')
    call kit_check(all(i == (/processes * (processes + 1) / 2, -processes * (processes - 1) / 2, 7 * processes/)), 'ga_igop')
    i = (/me, -me, ishft(1, me)/)
    call ga_igop(2, i, 2, 'max')
    call ga_igop(3, i(3), 1, 'or')
    call kit_check(all(i == (/processes - 1, 0, ishft(1, processes) - 1/)), 'ga_igop')
    d = (/-me, 2/)
    call ga_dgop(4, d, 1, 'absmax')
    call ga_dgop(5, d(2), 1, '*')
    call kit_check(all(d == (/processes - 1, 2**processes/)), 'ga_dgop')
    s = (/me, 1/)
    call ga_sgop(6, s, 2, 'min')
    call kit_check(all(s == (/0, 1/)), 'ga_sgop')
    z = dcmplx(me, 1)
    call ga_zgop(7, z, 2, '+')
    call kit_check(all(z == dcmplx(processes * (processes - 1) / 2, processes)), 'ga_zgop')
    i = 8 * me
    call ga_gop(MT_INT, i, 1, 'max')
    call kit_check(i(1) == 8 * processes - 8, 'ga_gop')
    root = from_to(0, processes - 1)
    d = me
    call ga_brdcst(8, d, 16, root)
    call kit_check(all(d == root), 'ga_brdcst')
    call say_numbers('reductions', (/i(1), nint(d(1))/))
  end subroutine reduce
end module whole
