/* Counting transfers, for CW_STATS and for the profile. */
#include "route/route.h"

/* Returns the bytes of the target that a transfer touches, for the profile. The shape has at least
 * one byte. */
static struct cwi_touched bytes_touched(const struct cwi_shape *shape)
{
  const cw_vector *vector = shape->vectors;
  if (vector != NULL) {
    while (vector->bytes == 0 || vector->count == 0)
      vector++;
    return (struct cwi_touched){vector->remote[0], vector->bytes, shape->vectors,
                                shape->vector_count};
  }
  struct cwi_touched touched = {shape->remote, shape->run, NULL, 0};
  for (int level = 0; level < shape->levels; level++) {
    const ptrdiff_t reach = (ptrdiff_t)(shape->counts[level] - 1) * shape->remote_strides[level];
    touched.first += reach < 0 ? reach : 0;
    touched.span += (size_t)(reach < 0 ? -reach : reach);
  }
  return touched;
}

void cwi_note_transfer(cw_operation operation, enum cwi_where where, int process,
                       const struct cwi_shape *shape)
{
  cwi_count((enum cwi_counted)operation, where, shape->bytes);
  if (!cwi_is_profiled())
    return;
  const struct cwi_touched touched = bytes_touched(shape);
  cwi_profile_note_touched((enum cwi_counted)operation, where, process, &touched, shape->bytes);
}
