/* The product by one-sided calls: whoever has a task gets what it needs, wherever that is,
 * multiplies it, and accumulates what comes out. */
#ifndef MATMUL_ONESIDED_H
#define MATMUL_ONESIDED_H

#include "dealer.h"
#include "product.h"
#include "tiles.h"

typedef void (*deal_function)(int64_t count, task_function run, void *what);

/* C = op(A) op(B). Collective. */
void multiply_onesided(struct product *product, const struct cut *cut, deal_function deal);

#endif
