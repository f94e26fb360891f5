/* C += A B as tasks: each adds up to KERNEL_PAIRS products of tiles to a tile of C. */
#ifndef TILES_PRODUCT_H
#define TILES_PRODUCT_H

#include "matrices.h"
#include "timeline.h"

/* What all processes did together. */
struct tally {
  double seconds;
  cw_tasks_counts counts;
};

/* BLAS uses this thread alone. */
void product_alone(void);

/* How it runs. */
struct way {
  cw_device device; /* NULL: hosts do it alone */
  cw_where where;
  size_t cache;
  struct timeline *timeline; /* NULL: nobody wants to know when */
};

/* Collective. */
void product_run(struct matrices *matrices, const struct way *way, struct tally *tally);

#endif
