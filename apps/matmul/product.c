/* Makes the matrices of a product, and compares results. */
#include "product.h"

#include <float.h>

static void make_matrix(const char *name, int64_t rows, int64_t columns,
                        const struct distribution *distribution, cw_array *matrix)
{
  const int64_t extents[2] = {rows, columns};
  const int64_t block[2] = {distribution->block, distribution->block};
  const cw_array_options options = {
      .name = name,
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = distribution->layout, .grid = distribution->grid, .block = block}};
  CW_MUST(cw_array_create(cw_team_world(), &options, matrix));
}

void product_create(const struct sides *sides, bool ta, bool tb,
                    const struct distribution *distribution, struct product *product)
{
  const int64_t m = sides->m, n = sides->n, k = sides->k;
  *product = (struct product){.sides = *sides, .ta = ta, .tb = tb};
  make_matrix("A", ta ? k : m, ta ? m : k, distribution, &product->a);
  make_matrix("B", tb ? n : k, tb ? k : n, distribution, &product->b);
  make_matrix("C", m, n, distribution, &product->c);
  CW_MUST(cw_array_randomize(product->a, NULL, NULL, NULL, 1));
  CW_MUST(cw_array_randomize(product->b, NULL, NULL, NULL, 2));
}

void product_destroy(struct product *product)
{
  CW_MUST(cw_array_destroy(&product->a));
  CW_MUST(cw_array_destroy(&product->b));
  CW_MUST(cw_array_destroy(&product->c));
}

static double norm(cw_array matrix)
{
  double result = 0;
  CW_MUST(cw_array_norm(matrix, NULL, NULL, CW_NORM_EUCLIDEAN, &result));
  return result;
}

double product_residual(const struct product *product, const struct product *other)
{
  const double minus = -1;
  cw_array difference = NULL;
  CW_MUST(cw_array_duplicate(product->c, "difference", &difference));
  const cw_operand mine = {.array = product->c}, its = {.array = other->c};
  const cw_operand result = {.array = difference};
  CW_MUST(cw_array_combine(CW_ELEMENT_SUM, NULL, &mine, &minus, &its, &result));
  const double residual = norm(difference) / (norm(product->a) * norm(product->b));
  CW_MUST(cw_array_destroy(&difference));
  return residual;
}

double product_rounding(const struct sides *sides)
{
  return 2 * (double)sides->k * DBL_EPSILON;
}
