/* Who computes what of a product: its matrix c as tiles, dealt to the members. */
#ifndef CWI_LINEAR_TILES_H
#define CWI_LINEAR_TILES_H

#include "linear/patch_matrix.h"

struct cwi_tiles {
  enum cwi_tiles_kind {
    CWI_TILES_OWN,    /* each member computes what it has: blocks are large, and evenly dealt */
    CWI_TILES_SPREAD, /* each one an equal part: blocks are small */
    CWI_TILES_SHARED, /* who is free takes the next one: blocks are large, and unevenly dealt */
  } kind;
  struct cwi_tile *list;
  int64_t count;
  int64_t next;      /* not SHARED */
  cw_team team;      /* SHARED: */
  cw_region counter; /* at rank 0 */
};

/* Choose the kind, which is the same on all members, and list the tiles: all of them, or mine.
 * depth: of the product. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_tiles_make(const struct cwi_matrix *c, int64_t depth,
                                    struct cwi_tiles *tiles);

/* Before the first and after the last tile. Collective; only where the kind is SHARED they do
 * anything. */
CWI_CHECKED cw_error cwi_tiles_begin(struct cwi_tiles *tiles);
CWI_CHECKED cw_error cwi_tiles_end(struct cwi_tiles *tiles);

/* The number of my next tile, or one that is not less than `count`. Local. */
CWI_CHECKED cw_error cwi_tiles_next(struct cwi_tiles *tiles, int64_t *number);

void cwi_tiles_free(struct cwi_tiles *tiles);
#endif
