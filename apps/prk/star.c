/* The star of the kernels stencil and amr. */
#include "star.h"

void star_add(double *restrict out, const double *in, int64_t stride, int64_t count, double scale)
{
  const double near = scale / (2 * RADIUS), far = scale / (4 * RADIUS);
  for (int64_t j = 0; j < count; j++)
    out[j] += near * (in[j + 1] - in[j - 1] + in[j + stride] - in[j - stride]) +
              far * (in[j + 2] - in[j - 2] + in[j + 2 * stride] - in[j - 2 * stride]);
}

struct span star_inner(const struct span *span, int64_t order)
{
  const int64_t first = span->first > RADIUS ? span->first : RADIUS;
  const int64_t end =
      span->first + span->count < order - RADIUS ? span->first + span->count : order - RADIUS;
  return (struct span){first - span->first, end > first ? end - first : 0};
}
