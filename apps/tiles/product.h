/* C += A B by tasks. Each task adds up to KERNEL_PAIRS products of tiles to a tile of C. */
#pragma once

#include "matrices.h"
#include "timeline.h"

/* Results of all processes together. */
struct tally {
  double seconds;
  cw_tasks_counts counts;
};

/* Makes BLAS use a single thread. */
void product_alone(void);

/* Settings of one way to compute the product. */
struct way {
  cw_device device; /* NULL to use hosts only */
  cw_where where;
  size_t cache;
  struct timeline *timeline; /* NULL if no timeline is wanted */
};

/* Computes C += A B. Collective. */
void product_run(struct matrices *matrices, const struct way *way, struct tally *tally);
