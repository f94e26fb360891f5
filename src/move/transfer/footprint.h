/* Which bytes of a target's memory a transfer touches: enough to tell what may not overtake it. */
#ifndef CWI_TRANSFER_FOOTPRINT_H
#define CWI_TRANSFER_FOOTPRINT_H

#include "transfer/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes [begin, end), of which every `stride` bytes the first `run` are touched. stride 0: all. */
struct cwi_footprint {
  uintptr_t begin, end;
  size_t stride, run;
};

static inline struct cwi_footprint cwi_footprint_of_run(const void *remote, size_t bytes)
{
  return (struct cwi_footprint){(uintptr_t)remote, (uintptr_t)remote + bytes, 0, 0};
}

/* Of a list of segments: all from the first to the last of them. */
struct cwi_footprint cwi_footprint_of(const struct cwi_shape *shape);
struct cwi_footprint cwi_footprint_of_plane(const struct cwi_plane *plane);

/* Have they a byte in common? Never says no when the answer is yes. Tiles side by side in one
 * matrix have none. */
bool cwi_footprints_meet(const struct cwi_footprint *a, const struct cwi_footprint *b);

/* Make it cover another one, too. */
void cwi_footprint_widen(struct cwi_footprint *footprint, const struct cwi_footprint *other);
#endif
