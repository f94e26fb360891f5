/* LAPACK and ScaLAPACK for the solvers. Their Fortran names end with an underscore. */
#include "solvers/lapack.h"

#include "external/routines.h"

static const char lower[] = "L"; /* the triangle of a symmetric matrix that is used */
static const int first = 1;      /* row and column of a matrix's first element */

static int rows(const struct cwi_grid_part *local)
{
  return (int)local->axes[0].extent;
}

static int columns(const struct cwi_grid_part *local)
{
  return (int)local->axes[1].extent;
}

static const int *ld(const struct cwi_grid_part *local)
{
  return &local->desc[8];
}

#define NOTHING(...)
#define ARGUMENTS(...) __VA_ARGS__

#define ELEMENT float
#define REAL float
#define NAME(step) float_##step
#define LETTER "s"
#define SYMMETRIC "sy"
#define TRANSPOSE "tran"
#define UNITARY "or"
#define COMPLEX_ONLY NOTHING
#include "solvers/lapack.inc"

#define ELEMENT double
#define REAL double
#define NAME(step) double_##step
#define LETTER "d"
#define SYMMETRIC "sy"
#define TRANSPOSE "tran"
#define UNITARY "or"
#define COMPLEX_ONLY NOTHING
#include "solvers/lapack.inc"

#define ELEMENT float _Complex
#define REAL float
#define NAME(step) float_complex_##step
#define LETTER "c"
#define SYMMETRIC "he"
#define TRANSPOSE "tranc"
#define UNITARY "un"
#define COMPLEX_ONLY ARGUMENTS
#include "solvers/lapack.inc"

#define ELEMENT double _Complex
#define REAL double
#define NAME(step) double_complex_##step
#define LETTER "z"
#define SYMMETRIC "he"
#define TRANSPOSE "tranc"
#define UNITARY "un"
#define COMPLEX_ONLY ARGUMENTS
#include "solvers/lapack.inc"

const struct cwi_lapack *cwi_lapack_of(cw_type type)
{
  static const struct cwi_lapack *const steps[CW_TYPES] = {
      [CW_FLOAT] = &float_steps,
      [CW_DOUBLE] = &double_steps,
      [CW_FLOAT_COMPLEX] = &float_complex_steps,
      [CW_DOUBLE_COMPLEX] = &double_complex_steps,
  };
  return (unsigned)type < CW_TYPES ? steps[type] : NULL;
}

cw_error cwi_lapack_begin(bool alone)
{
  static const struct cwi_symbol *const in_blas[] = {float_in_blas, double_in_blas,
                                                     float_complex_in_blas, double_complex_in_blas};
  static const struct cwi_symbol *const in_lapack[] = {
      float_in_lapack, double_in_lapack, float_complex_in_lapack, double_complex_in_lapack};
  static const struct cwi_symbol *const in_scalapack[] = {float_in_scalapack, double_in_scalapack,
                                                          float_complex_in_scalapack,
                                                          double_complex_in_scalapack};
  for (int i = 0; i < 4; i++) {
    CWI_TRY(cwi_routines_find(CWI_BLAS, in_blas[i]));
    CWI_TRY(cwi_routines_find(CWI_LAPACK, in_lapack[i]));
    if (!alone)
      CWI_TRY(cwi_routines_find(CWI_SCALAPACK, in_scalapack[i]));
  }
  return CW_OK;
}
