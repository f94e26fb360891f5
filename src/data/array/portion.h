/* A patch as portions: what of it lies at one holder in one strided shape. The one walk over a
 * distribution that all transfers of patches use. */
#ifndef CWI_ARRAY_PORTION_H
#define CWI_ARRAY_PORTION_H

#include "array/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Some elements of an array, and where they are in a local buffer. */
struct cwi_selection {
  cw_array array;
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next in the buffer */
  size_t field_offset, field_bytes;     /* of each element; field_bytes = element: all of it */
};

/* One strided shape. */
struct cwi_portion {
  int holder;
  size_t remote; /* bytes from the holder's base */
  size_t local;  /* bytes from the buffer */
  size_t run;
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t remote_strides[CW_MAX_LEVELS], local_strides[CW_MAX_LEVELS];
};

struct cwi_portions {
  const struct cwi_selection *selection;
  struct cwi_axis_cut cuts[CW_MAX_DIMENSIONS];
  int64_t numbers[CW_MAX_DIMENSIONS];
  struct cwi_segment segments[CW_MAX_DIMENSIONS];
  bool done;
};

/* Add a level: `count` times what there is so far, so many bytes apart; levels that touch are
 * joined. */
static inline void cwi_portion_add_level(struct cwi_portion *portion, int64_t count,
                                         ptrdiff_t remote, ptrdiff_t local)
{
  const int last = portion->levels - 1;
  if (count == 1)
    return;
  if (last < 0 && remote == (ptrdiff_t)portion->run && local == (ptrdiff_t)portion->run) {
    portion->run *= (size_t)count;
    return;
  }
  if (last >= 0 && remote == portion->remote_strides[last] * (ptrdiff_t)portion->counts[last] &&
      local == portion->local_strides[last] * (ptrdiff_t)portion->counts[last]) {
    portion->counts[last] *= (size_t)count;
    return;
  }
  portion->counts[portion->levels] = (size_t)count;
  portion->remote_strides[portion->levels] = remote;
  portion->local_strides[portion->levels++] = local;
}

void cwi_portions_begin(struct cwi_portions *portions, const struct cwi_selection *selection);
bool cwi_portions_next(struct cwi_portions *portions, struct cwi_portion *portion);

#ifdef __cplusplus
}
#endif
#endif
