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

/* As the definition counts: a multiplication and an addition for each point of the star, and one
 * more. */
enum { STAR_OPERATIONS = 2 * (4 * RADIUS + 1) + 1 };

#endif
