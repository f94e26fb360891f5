/* The product by one-sided calls: a process with a task fetches the parts of A and B, wherever they
 * are, multiplies them, and accumulates the result into C. */
#pragma once

#include "distribute.h"
#include "product.h"
#include "tiles.h"

typedef void (*distribute_function)(int64_t count, task_function run, void *what);

/* Computes C = op(A) op(B), with tasks distributed by `distribute`. Collective. */
void multiply_onesided(struct product *product, const struct tiling *tiling,
                       distribute_function distribute);
