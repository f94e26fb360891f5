/* LAPACK and ScaLAPACK for the solvers. Their Fortran names end with an underscore. */
#include "linear/lapack.h"

#include <complex.h>

static const char lower[] = "L"; /* which triangle of a symmetric matrix counts */
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
#define ONE(routine) s##routine##_
#define ALL(routine) ps##routine##_
#define ONE_SYMMETRIC(routine) ssy##routine##_
#define ALL_SYMMETRIC(routine) pssy##routine##_
#define ONE_UNITARY(routine) sor##routine##_
#define ALL_UNITARY(routine) psor##routine##_
#define COMPLEX_ONLY NOTHING
#include "linear/lapack.inc"

#define ELEMENT double
#define REAL double
#define NAME(step) double_##step
#define ONE(routine) d##routine##_
#define ALL(routine) pd##routine##_
#define ONE_SYMMETRIC(routine) dsy##routine##_
#define ALL_SYMMETRIC(routine) pdsy##routine##_
#define ONE_UNITARY(routine) dor##routine##_
#define ALL_UNITARY(routine) pdor##routine##_
#define COMPLEX_ONLY NOTHING
#include "linear/lapack.inc"

#define ELEMENT float _Complex
#define REAL float
#define NAME(step) float_complex_##step
#define ONE(routine) c##routine##_
#define ALL(routine) pc##routine##_
#define ONE_SYMMETRIC(routine) che##routine##_
#define ALL_SYMMETRIC(routine) pche##routine##_
#define ONE_UNITARY(routine) cun##routine##_
#define ALL_UNITARY(routine) pcun##routine##_
#define COMPLEX_ONLY ARGUMENTS
#include "linear/lapack.inc"

#define ELEMENT double _Complex
#define REAL double
#define NAME(step) double_complex_##step
#define ONE(routine) z##routine##_
#define ALL(routine) pz##routine##_
#define ONE_SYMMETRIC(routine) zhe##routine##_
#define ALL_SYMMETRIC(routine) pzhe##routine##_
#define ONE_UNITARY(routine) zun##routine##_
#define ALL_UNITARY(routine) pzun##routine##_
#define COMPLEX_ONLY ARGUMENTS
#include "linear/lapack.inc"

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
