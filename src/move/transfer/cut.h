/* Cutting a shape into pieces of limited size, in the order of its packed bytes. */
#ifndef CWI_TRANSFER_CUT_H
#define CWI_TRANSFER_CUT_H

#include "transfer/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_cutter {
  struct cwi_planes planes;
  struct cwi_plane rest; /* what is left of the plane being cut; rows 0: nothing */
  size_t cut;            /* bytes of its first row that have gone */
  size_t atom;           /* bytes that must stay together: a power of two up to 16 */
};

static inline struct cwi_cutter cwi_cutter(const struct cwi_shape *shape, size_t atom)
{
  return (struct cwi_cutter){.planes = cwi_planes(shape), .atom = atom};
}

/* Is anything left? */
static inline bool cwi_cut_more(struct cwi_cutter *cutter)
{
  return cutter->rest.rows > 0 || cwi_planes_next(&cutter->planes, &cutter->rest);
}

/* The next piece of at most `room` bytes (at least an atom). Only when something is left. */
void cwi_cut(struct cwi_cutter *cutter, size_t room, struct cwi_plane *piece);

#ifdef __cplusplus
}
#endif
#endif
