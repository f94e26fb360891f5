/* A product of distributed matrices: C = op(A) op(B), op being nothing or the transposition. */
#ifndef MATMUL_PRODUCT_H
#define MATMUL_PRODUCT_H

#include <causeway.h>
#include <stdbool.h>

/* C has m x n elements, which are sums of k products. */
struct sides {
  int64_t m, n, k;
};

/* How elements are dealt out to processes: one block to each; or, in both dimensions, one after the
 * other (block 1), or blocks of them. */
struct distribution {
  cw_layout layout;
  int64_t block;   /* of CW_CYCLIC */
  const int *grid; /* processes along each dimension; NULL: Causeway chooses */
};

struct product {
  struct sides sides;
  bool ta, tb;      /* is A transposed, is B? */
  cw_array a, b, c; /* A has m x k elements, or k x m if it is transposed; so has B */
};

/* Make the matrices. The same sides give the same A and B in all distributions: random numbers from
 * 0 to 1. Collective. */
void product_create(const struct sides *sides, bool ta, bool tb,
                    const struct distribution *distribution, struct product *product);
void product_destroy(struct product *product);

/* How far C is from the other product's C, relative to the norms of A and B. Collective. */
double product_residual(const struct product *product, const struct product *other);

/* What rounding can make of it, if both are right. */
double product_rounding(const struct sides *sides);

#endif
