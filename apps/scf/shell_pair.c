/* Computes the primitive pairs of two shells. */
#include "shell_pair.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

static const double sqrt2_pi_5_4 = 5.91496717279561287782; /* sqrt(2) pi^(5/4) */

static void primitive_pair_fill(struct primitive_pair *primitive, const struct shell_pair *pair,
                                int i, int j)
{
  const struct contraction *a = pair->a->contraction, *b = pair->b->contraction;
  double p = a->exponents[i], q = b->exponents[j], square = 0;
  primitive->exponent = p + q;
  primitive->inverse = 1 / (p + q);
  for (int axis = 0; axis < 3; axis++) {
    double x = pair->separation[axis];
    square += x * x;
    primitive->shift[axis] = -q * primitive->inverse * x;
    primitive->center[axis] = pair->a->center[axis] + primitive->shift[axis];
  }
  primitive->weight = a->coefficients[i] * b->coefficients[j] * sqrt2_pi_5_4 *
                      exp(-p * q * primitive->inverse * square) * primitive->inverse;
}

/* Adds the weight to an existing primitive pair with the same sum of exponents, and returns true if
 * there is one. On one centre only the sum of the exponents matters. Two shells of a general
 * contraction then have nearly half as many pairs. */
static bool primitive_pair_merge(struct shell_pair *pair, const struct primitive_pair *added)
{
  if (pair->a->center != pair->b->center)
    return false;
  for (int k = 0; k < pair->primitive_count; k++) {
    struct primitive_pair *present = &pair->primitives[k];
    if (fabs(present->exponent - added->exponent) <= 1e-14 * added->exponent) {
      present->weight += added->weight;
      return true;
    }
  }
  return false;
}

static int weight_compare(const void *left, const void *right)
{
  double x = fabs(((const struct primitive_pair *)left)->weight);
  double y = fabs(((const struct primitive_pair *)right)->weight);
  return (x < y) - (x > y);
}

void shell_pair_create(struct shell_pair *pair, const struct shell *x, const struct shell *y,
                       double cutoff)
{
  bool swap = shell_momentum(x) < shell_momentum(y);
  *pair = (struct shell_pair){.a = swap ? y : x, .b = swap ? x : y};
  for (int axis = 0; axis < 3; axis++) {
    pair->separation[axis] = pair->a->center[axis] - pair->b->center[axis];
  }
  int rows = pair->a->contraction->primitive_count;
  int columns = pair->b->contraction->primitive_count;
  pair->primitives = memory_allocate((size_t)rows * (size_t)columns, sizeof *pair->primitives);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      struct primitive_pair added;
      primitive_pair_fill(&added, pair, i, j);
      if (fabs(added.weight) < cutoff || primitive_pair_merge(pair, &added))
        continue;
      pair->primitives[pair->primitive_count++] = added;
    }
  }
  qsort(pair->primitives, (size_t)pair->primitive_count, sizeof *pair->primitives, weight_compare);
}

void shell_pair_free(struct shell_pair *pair)
{
  free(pair->primitives);
  pair->primitives = NULL;
}
