/* The product by one-sided calls: a process with a task fetches the parts of A and B, wherever they
 * are, multiplies them, and accumulates the result into C. */
#ifndef MATMUL_ONESIDED_H
#define MATMUL_ONESIDED_H

#include "dealer.h"
#include "product.h"
#include "tiles.h"

typedef void (*deal_function)(int64_t count, task_function run, void *what);

/* Computes C = op(A) op(B), with tasks distributed by `deal`. Collective. */
void multiply_onesided(struct product *product, const struct cut *cut, deal_function deal);

#endif
