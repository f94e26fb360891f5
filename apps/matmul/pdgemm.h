/* A product of matrices by ScaLAPACK, to compare with. It has matrices of its own. */
#pragma once

#include "product.h"

/* The part of a matrix on this process, and its ScaLAPACK descriptor. */
struct pdgemm_part {
  cw_array array;
  cw_array_view view;
  int descriptor[9];
};

struct pdgemm {
  struct product product;
  struct pdgemm_part a, b, c;
  int system, context; /* BLACS handles */
};

/* Makes the same A and B as product_create, distributed in blocks over a grid of all processes.
 * Collective. */
void pdgemm_create(const struct sides *sides, bool ta, bool tb, struct pdgemm *pdgemm);
void pdgemm_destroy(struct pdgemm *pdgemm);

void pdgemm_multiply(struct pdgemm *pdgemm);
