/* Assigns the work of a product to members: its matrix c is divided into tiles. */
#pragma once

#include "linear/patch_matrix.h"

struct cwi_tiles {
  enum cwi_tiles_kind {
    CWI_TILES_OWN, /* each member computes its own blocks, which are large and evenly distributed */
    CWI_TILES_SPREAD, /* each member computes an equal part, because blocks are small */
    CWI_TILES_SHARED, /* a member that is free takes the next tile: blocks are large and unevenly
                         distributed */
  } kind;
  struct cwi_tile *list;
  int64_t count;
  int64_t next;      /* unless SHARED */
  cw_team team;      /* SHARED only */
  cw_region counter; /* SHARED only: at rank 0 */
};

/* Chooses the kind, which is the same on all members, and lists the tiles: all of them if SHARED,
 * otherwise mine. `depth` is the depth of the product. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_tiles_make(const struct cwi_matrix *c, int64_t depth,
                                    struct cwi_tiles *tiles);

/* Called before the first and after the last tile. Collective; only the kind SHARED needs them. */
CWI_CHECKED cw_error cwi_tiles_begin(struct cwi_tiles *tiles);
CWI_CHECKED cw_error cwi_tiles_end(struct cwi_tiles *tiles);

/* Stores the number of my next tile in *number. At the end the number is not less than `count`.
 * Local. */
CWI_CHECKED cw_error cwi_tiles_next(struct cwi_tiles *tiles, int64_t *number);

void cwi_tiles_free(struct cwi_tiles *tiles);
