/* Block-sparse square matrices in distributed arrays: tiles of uneven sides, of which some are
 * there and the others are zeros. All processes know which. */
#ifndef TILES_MATRICES_H
#define TILES_MATRICES_H

#include <causeway.h>

struct matrices {
  int64_t size, tiles;
  int64_t *first; /* [tiles + 1] index at which a row or column of tiles begins; then size */
  int full;       /* percent of the tiles that are there */
  cw_array a, b, c, right; /* right: A B, by cw_array_multiply */
};

/* tile: how long a tile's side is in the mean. Collective. */
void matrices_make(struct matrices *matrices, int64_t size, int64_t tile, int full);
void matrices_free(struct matrices *matrices);

/* Is the tile in A (which 0) or B (1)? */
int matrices_has(const struct matrices *matrices, int which, int64_t row, int64_t column);

/* The indices of a tile. */
void matrices_tile(const struct matrices *matrices, int64_t row, int64_t column, int64_t lo[2],
                   int64_t hi[2]);

/* C = 0. Collective. */
void matrices_clear(struct matrices *matrices);

/* The greatest difference of C to what is right, over the greatest element. Collective. */
double matrices_error(const struct matrices *matrices);

#endif
