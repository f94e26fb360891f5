/* Computes the Boys function: a table with a Taylor expansion, and an asymptotic formula for large
 * T. */
#include "boys.h"

#include <math.h>

/* Grid of the Taylor expansion. The distance to the nearest point is at most 0.05, for which the
 * ninth term is below 1e-15. */
enum { STEPS_PER_UNIT = 10, TERMS = 8, T_MAX = 40, ORDERS = BOYS_ORDER_MAX + TERMS };

static struct {
  double damping;        /* exp(-T) */
  double values[ORDERS]; /* F_m(T) */
} table[T_MAX * STEPS_PER_UNIT + 1];

static double odd_inverse[BOYS_ORDER_MAX + 1]; /* [m] = 1 / (2m - 1) */

static const double pi = 3.14159265358979323846;

/* Computes F_m(T) by a power series, which converges for every T and has only positive terms. */
static double boys_series(double t, int order)
{
  double term = 1.0 / (2 * order + 1), sum = term;
  for (int i = 1; term > 1e-17 * sum; i++) {
    term *= 2 * t / (2 * order + 2 * i + 1);
    sum += term;
  }
  return exp(-t) * sum;
}

void boys_initialise(void)
{
  for (int step = 0; step <= T_MAX * STEPS_PER_UNIT; step++) {
    double t = (double)step / STEPS_PER_UNIT, damping = exp(-t);
    double *values = table[step].values;
    table[step].damping = damping;
    values[ORDERS - 1] = boys_series(t, ORDERS - 1);
    for (int m = ORDERS - 1; m > 0; m--) {
      values[m - 1] = (2 * t * values[m] + damping) / (2 * m - 1);
    }
  }
  for (int m = 0; m <= BOYS_ORDER_MAX; m++)
    odd_inverse[m] = 1.0 / (2 * m - 1);
}

/* Computes the values for large T. Beyond the table the rest of the integral, erfc(sqrt(T)), is
 * below a rounding error, and the upward recurrence is stable. */
static void boys_asymptote(double t, int order, double *values)
{
  double half = 0.5 / t, damping = order ? exp(-t) : 0;
  values[0] = sqrt(0.5 * pi * half);
  for (int m = 0; m < order; m++)
    values[m + 1] = ((2 * m + 1) * values[m] - damping) * half;
}

void boys_values(double t, int order, double *values)
{
  static const double inverse[TERMS] = {1, 1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7};
  if (t >= T_MAX) {
    boys_asymptote(t, order, values);
    return;
  }
  int step = (int)(t * STEPS_PER_UNIT + 0.5);
  double distance = step * (1.0 / STEPS_PER_UNIT) - t;
  const double *row = table[step].values + order;
  /* The derivative of F_m is -F_(m+1), so the table also has the derivatives. exp(-T) is
   * expanded likewise. */
  double sum = row[TERMS - 1], growth = 1;
  for (int k = TERMS - 1; k > 0; k--) {
    double factor = distance * inverse[k];
    sum = sum * factor + row[k - 1];
    growth = growth * factor + 1;
  }
  values[order] = sum;
  double damping = table[step].damping * growth;
  for (int m = order; m > 0; m--)
    values[m - 1] = (2 * t * values[m] + damping) * odd_inverse[m];
}
