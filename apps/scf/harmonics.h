/* Cartesian and real spherical functions of one angular momentum.
 *
 * Cartesian functions x^a y^b z^c are in libint2's standard order (xx xy xz yy yz zz) and carry
 * the normalisation of x^l; spherical ones are orthonormal, m = -l ... l.
 */
#pragma once

enum { MOMENTUM_MAX = 5, CARTESIAN_MAX = (MOMENTUM_MAX + 1) * (MOMENTUM_MAX + 2) / 2 };

static inline int cartesian_count(int l)
{
  return (l + 1) * (l + 2) / 2;
}

static inline int spherical_count(int l)
{
  return 2 * l + 1;
}

/** Returns the double factorial n!!, with (-1)!! = 1. */
double double_factorial(int n);

/** One axis of a block of integrals seen as [outer][functions][inner]. */
struct axis {
  int outer, inner;
  int momentum;
};

/** Transforms the Cartesian functions of one axis into spherical ones. `to` must not overlap
 * `from`. */
void harmonics_transform(const struct axis *axis, const double *from, double *to);
