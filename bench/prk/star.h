/* The star of radius 2 that the kernels stencil and amr apply to their grids. It adds the
 * derivatives along both axes. */
#pragma once

#include "kernel.h"

enum { RADIUS = 2 };

/* Computes out[j] += scale * (star at in[j]). `stride` is the distance between rows of `in`. */
void star_add(double *out, const double *in, int64_t stride, int64_t count, double scale);

/* Returns the rows or columns of a span that are far enough from the ends of the grid for a star,
 * counted from the first of the span. */
struct span star_inner(const struct span *span, int64_t order);

/* Returns the sum of the errors in this process's part of a grid. The star has added `expected`
 * where it applies, and nothing elsewhere. All values are multiples of a power of two, so they are
 * exact. */
double star_errors(const double *out, const struct span *rows, const struct span *columns,
                   int64_t order, double expected);

/* For tests: moves an amount from one value to the next, as if a star had used an old neighbour. */
void star_spoil(double *out, const struct span *rows, const struct span *columns, int64_t order);

/* Operations as the definition counts them: a multiplication and an addition for each point of the
 * star, and one more. */
enum { STAR_OPERATIONS = 2 * (4 * RADIUS + 1) + 1 };
