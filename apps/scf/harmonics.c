/* Transforms Cartesian functions into real spherical ones, by tables made on first use. */
#include "harmonics.h"

#include <math.h>
#include <string.h>

/* One non-zero coefficient: spherical function `row` += value x Cartesian function `column`. */
struct term {
  int row, column;
  double value;
};

enum { TERMS_MAX = 128 };

static struct {
  int count;
  struct term terms[TERMS_MAX];
} tables[MOMENTUM_MAX + 1];

double double_factorial(int n)
{
  double product = 1;
  for (; n > 1; n -= 2)
    product *= n;
  return product;
}

static double binomial(int n, int k)
{
  double value = 1;
  for (int i = 1; i <= k; i++)
    value = value * (n - k + i) / i;
  return value;
}

static int cartesian_index(int y, int z)
{
  return (y + z) * (y + z + 1) / 2 + z;
}

/* Expands the solid harmonic (l, m) in monomials, without normalisation: equation 6.4.47 of
 * Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory. `odd` is 1 for the sine
 * functions. */
static void harmonic_expand(int l, int m, int odd, double monomials[CARTESIAN_MAX])
{
  for (int t = 0; 2 * t <= l - m; t++) {
    for (int u = 0; u <= t; u++) {
      for (int w = odd; w <= m; w += 2) { /* w = 2v */
        double sign = (t + (w - odd) / 2) % 2 ? -1 : 1;
        double value = sign * pow(0.25, t) * binomial(l, t) * binomial(l - t, m + t) *
                       binomial(t, u) * binomial(m, w);
        monomials[cartesian_index(2 * u + w, l - 2 * t - m)] += value;
      }
    }
  }
}

/* Returns the overlap of two monomials of degree l on a sphere, relative to that of x^l with
 * itself. */
static double monomial_overlap(int l, const int a[2], const int b[2])
{
  int y = a[0] + b[0], z = a[1] + b[1], x = 2 * l - y - z;
  if (x % 2 || y % 2 || z % 2)
    return 0;
  return double_factorial(x - 1) * double_factorial(y - 1) * double_factorial(z - 1) /
         double_factorial(2 * l - 1);
}

static double expansion_norm(int l, const double monomials[CARTESIAN_MAX])
{
  int powers[CARTESIAN_MAX][2], count = 0;
  for (int sum = 0; sum <= l; sum++) {
    for (int z = 0; z <= sum; z++, count++) {
      powers[count][0] = sum - z;
      powers[count][1] = z;
    }
  }
  double norm = 0;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      norm += monomials[i] * monomials[j] * monomial_overlap(l, powers[i], powers[j]);
    }
  }
  return sqrt(norm);
}

static void table_build(int l)
{
  for (int m = -l; m <= l; m++) {
    double monomials[CARTESIAN_MAX] = {0};
    harmonic_expand(l, m < 0 ? -m : m, m < 0, monomials);
    double norm = expansion_norm(l, monomials);
    for (int column = 0; column < cartesian_count(l); column++) {
      if (monomials[column] == 0)
        continue;
      tables[l].terms[tables[l].count++] =
          (struct term){.row = m + l, .column = column, .value = monomials[column] / norm};
    }
  }
}

void harmonics_transform(const struct axis *axis, const double *from, double *to)
{
  int l = axis->momentum, inner = axis->inner;
  if (tables[l].count == 0)
    table_build(l);
  int columns = cartesian_count(l), rows = spherical_count(l);
  memset(to, 0, sizeof *to * (size_t)(axis->outer * rows * inner));
  for (int outer = 0; outer < axis->outer; outer++) {
    for (int t = 0; t < tables[l].count; t++) {
      const struct term *term = &tables[l].terms[t];
      const double *source = from + term->column * inner;
      double *target = to + term->row * inner;
      for (int i = 0; i < inner; i++)
        target[i] += term->value * source[i];
    }
    from += columns * inner;
    to += rows * inner;
  }
}
