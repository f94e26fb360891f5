/* A process's share of the product, in its own memory: the limit of what all can do together. */
#ifndef MATMUL_SHARE_H
#define MATMUL_SHARE_H

#include "dgemm.h"
#include "product.h"

struct share {
  struct dgemm call;
  double *a, *b, *c;
};

/* op(A) has so many of its rows, op(B) and C all columns, but no side is longer than 4096. */
void share_create(const struct sides *sides, bool ta, bool tb, struct share *share);
void share_destroy(struct share *share);

void share_multiply(const struct share *share);

/* Operations of it; an addition and a multiplication are two. */
double share_operations(const struct share *share);

#endif
