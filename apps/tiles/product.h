/* C += A B as tasks: each adds up to KERNEL_PAIRS products of tiles to a tile of C. */
#ifndef TILES_PRODUCT_H
#define TILES_PRODUCT_H

#include "matrices.h"

/* What all processes did together. */
struct tally {
  double seconds;
  cw_tasks_counts counts;
};

/* BLAS uses this thread alone. */
void product_alone(void);

/* device: NULL: hosts do it alone. Collective. */
void product_run(struct matrices *matrices, cw_device device, cw_where where, size_t cache,
                 struct tally *tally);

#endif
