/* What this process reads or writes of an array: hyperslabs that are contiguous in the file.
 *
 * If blocks are wide, each process handles its own; otherwise an equal share of the file, whose
 * rows it fetches from their owners: file systems like long writes better than networks dislike
 * short messages. */
#ifndef CWI_FILE_HYPERSLABS_H
#define CWI_FILE_HYPERSLABS_H

#include "array/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_hyperslabs {
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], extents[CW_MAX_DIMENSIONS]; /* the patch that is cut */
  int64_t next, last; /* positions in it, in the order of the file; last: one past mine */
  int64_t line;       /* positions that follow each other in the file */
  int64_t step;       /* positions of a hyperslab; at the end of a line there may be fewer */
  size_t most;        /* bytes of the largest */
};

struct cwi_hyperslab {
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  size_t bytes;
  size_t offset; /* bytes from the array's begin in the file */
};

void cwi_hyperslabs_begin(struct cwi_hyperslabs *hyperslabs, cw_array array);
bool cwi_hyperslabs_next(struct cwi_hyperslabs *hyperslabs, struct cwi_hyperslab *hyperslab);

/* Where the hyperslab's elements follow each other in memory that this process can load and store;
 * NULL: nowhere. Whoever asks has synchronised. */
char *cwi_hyperslab_address(cw_array array, const struct cwi_hyperslab *hyperslab);
#endif
