! Converts numbers from and to an array's type; the model computes with double complex. These routines are outside of
! modules, so that the compiler does not compare the types of their arguments.
#define CONVERSIONS(name, type, down, up) \
subroutine to_/**/name(n, values, raw); implicit none; integer, intent(in) :: n; \
double complex, intent(in) :: values(n); type, intent(out) :: raw(n); raw = down; end subroutine; \
subroutine from_/**/name(n, raw, values); implicit none; integer, intent(in) :: n; \
type, intent(in) :: raw(n); double complex, intent(out) :: values(n); values = up; end subroutine
CONVERSIONS(int, integer, nint(dble(values)), dble(raw))
CONVERSIONS(small, integer*4, nint(dble(values), 4), dble(raw))
CONVERSIONS(real, real, real(dble(values)), dble(raw))
CONVERSIONS(double, double precision, dble(values), raw)
CONVERSIONS(single, complex, cmplx(values), dcmplx(raw))
CONVERSIONS(twice, double complex, values, raw)

subroutine to_raw(code, n, values, raw)
  implicit none
#include "mafdecls.fh"
  integer, intent(in) :: code, n
  double complex values(*), raw(*)
  if (code == MT_INT) call to_int(n, values, raw)
  if (code == MT_C_INT) call to_small(n, values, raw)
  if (code == MT_REAL) call to_real(n, values, raw)
  if (code == MT_DBL) call to_double(n, values, raw)
  if (code == MT_SCPL) call to_single(n, values, raw)
  if (code == MT_DCPL) call to_twice(n, values, raw)
end subroutine to_raw

subroutine from_raw(code, n, raw, values)
  implicit none
#include "mafdecls.fh"
  integer, intent(in) :: code, n
  double complex values(*), raw(*)
  if (code == MT_INT) call from_int(n, raw, values)
  if (code == MT_C_INT) call from_small(n, raw, values)
  if (code == MT_REAL) call from_real(n, raw, values)
  if (code == MT_DBL) call from_double(n, raw, values)
  if (code == MT_SCPL) call from_single(n, raw, values)
  if (code == MT_DCPL) call from_twice(n, raw, values)
end subroutine from_raw
