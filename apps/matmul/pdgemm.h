/* The same product by ScaLAPACK, on matrices of its own. */
#ifndef MATMUL_PDGEMM_H
#define MATMUL_PDGEMM_H

#include "product.h"

/* A process's part of a matrix, and how ScaLAPACK describes it. */
struct pdgemm_part {
  cw_array array;
  cw_array_view view;
  int descriptor[9];
};

struct pdgemm {
  struct product product;
  struct pdgemm_part a, b, c;
  int system, context; /* of BLACS */
};

/* The same A and B as those of product_create, in blocks on a grid of all processes. Collective. */
void pdgemm_create(const struct sides *sides, bool ta, bool tb, struct pdgemm *pdgemm);
void pdgemm_destroy(struct pdgemm *pdgemm);

void pdgemm_multiply(struct pdgemm *pdgemm);

#endif
