/* The star of radius 2 that the kernels stencil and amr apply to their grids: it differentiates
 * along both axes, and adds. */
#ifndef PRK_STAR_H
#define PRK_STAR_H

#include "kernel.h"

enum { RADIUS = 2 };

/* out[j] += scale * star at in[j]; rows of in are so many numbers apart. */
void star_add(double *out, const double *in, int64_t stride, int64_t count, double scale);

/* Those numbers of a span of a grid's rows or columns that are not too near to its ends for a star,
 * counted from the span's first. */
struct span star_inner(const struct span *span, int64_t order);

/* By how much numbers of this process's part of a grid are off, all together: the star has added up
 * `expected` where it is, and nothing elsewhere. All numbers are multiples of a power of two, and
 * exact. */
double star_errors(const double *out, const struct span *rows, const struct span *columns,
                   int64_t order, double expected);

/* For a test: what a star has lost for an old number beside it, the next one has too much. */
void star_spoil(double *out, const struct span *rows, const struct span *columns, int64_t order);

/* As the definition counts: a multiplication and an addition for each point of the star, and one
 * more. */
enum { STAR_OPERATIONS = 2 * (4 * RADIUS + 1) + 1 };

#endif
