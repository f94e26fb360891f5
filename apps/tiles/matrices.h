/* Block-sparse square matrices in distributed arrays. They have tiles of different sizes; some
 * tiles are stored, the others are zeros. All processes know which ones are stored. */
#pragma once

#include <causeway.h>

struct matrices {
  int64_t size, tiles;
  int64_t *
      first; /* [tiles + 1]: first index of each row or column of tiles; the last entry is `size` */
  int full;  /* percentage of tiles that are not zero */
  cw_array a, b, c, right; /* right: the product A B by cw_array_multiply */
};

/* Makes the matrices. `tile` is the mean side of a tile. Collective. */
void matrices_make(struct matrices *matrices, int64_t size, int64_t tile, int full);
void matrices_free(struct matrices *matrices);

/* Returns true if the tile is stored in A (which == 0) or B (which == 1). */
int matrices_has(const struct matrices *matrices, int which, int64_t row, int64_t column);

/* Returns the first and last indices of a tile. */
void matrices_tile(const struct matrices *matrices, int64_t row, int64_t column, int64_t lo[2],
                   int64_t hi[2]);

/* Sets C to zero. Collective. */
void matrices_clear(struct matrices *matrices);

/* Returns the greatest difference between C and the right result, relative to its greatest element.
 * Collective. */
double matrices_error(const struct matrices *matrices);
