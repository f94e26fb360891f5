/* The star of the kernels stencil and amr. */
#include "star.h"

#include <math.h>

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

static bool star_is_in(const struct span *inner, int64_t number)
{
  return number >= inner->first && number < inner->first + inner->count;
}

double star_errors(const double *out, const struct span *rows, const struct span *columns,
                   int64_t order, double expected)
{
  const struct span high = star_inner(rows, order), wide = star_inner(columns, order);
  double errors = 0;
  for (int64_t i = 0; i < rows->count; i++)
    for (int64_t j = 0; j < columns->count; j++) {
      const bool inner = star_is_in(&high, i) && star_is_in(&wide, j);
      errors += fabs(*out++ - (inner ? expected : 0));
    }
  return errors;
}

void star_spoil(double *out, const struct span *rows, const struct span *columns, int64_t order)
{
  const double old = 1.0 / (4 * RADIUS);
  const struct span high = star_inner(rows, order), wide = star_inner(columns, order);
  double *number = out + high.first * columns->count + wide.first;
  if (high.count == 0 || wide.count == 0)
    return;
  number[0] -= old;
  number[1] += old;
}
