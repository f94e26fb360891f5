/* A process's share of the product, in its own memory. Its rate is the upper limit for all
 * ways. */
#pragma once

#include "dgemm.h"
#include "product.h"

struct share {
  struct dgemm call;
  double *a, *b, *c;
};

/* Makes a share: op(A) has the rows of one process, op(B) and C have all columns, but no side is
 * longer than 4096. */
void share_create(const struct sides *sides, bool ta, bool tb, struct share *share);
void share_destroy(struct share *share);

void share_multiply(const struct share *share);

/* Returns the number of floating-point operations: an addition and a multiplication count as
 * two. */
double share_operations(const struct share *share);
