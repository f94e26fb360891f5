/* A product of distributed matrices: C = op(A) op(B), where op is the identity or the
 * transposition. */
#pragma once

#include <causeway.h>
#include <stdbool.h>

/* C has m x n elements, each a sum of k products. */
struct sides {
  int64_t m, n, k;
};

/* Distribution of a matrix: one block for each process; or round robin in both dimensions, by
 * single elements (block 1) or by blocks. */
struct distribution {
  cw_layout layout;
  int64_t block;   /* length of blocks for CW_CYCLIC */
  const int *grid; /* processes along each dimension; NULL to let Causeway choose */
};

struct product {
  struct sides sides;
  bool ta, tb;      /* true if A or B is stored transposed */
  cw_array a, b, c; /* A has m x k elements, or k x m if it is transposed; B accordingly */
};

/* Makes the matrices. A and B have random numbers from 0 to 1, the same in all distributions for
 * the same sides. Collective. */
void product_create(const struct sides *sides, bool ta, bool tb,
                    const struct distribution *distribution, struct product *product);
void product_destroy(struct product *product);

/* Returns the norm of the difference of the two C, relative to the norms of A and B. Collective. */
double product_residual(const struct product *product, const struct product *other);

/* Returns an upper bound on the residual of two correct results, by rounding. */
double product_rounding(const struct sides *sides);
