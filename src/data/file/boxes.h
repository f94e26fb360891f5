/* What this process reads or writes of an array: boxes that are contiguous in the file.
 *
 * If blocks are wide, each process handles its own; otherwise an equal share of the file, whose
 * rows it fetches from their owners: file systems like long writes better than networks dislike
 * short messages. */
#ifndef CWI_FILE_BOXES_H
#define CWI_FILE_BOXES_H

#include "array/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_boxes {
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], extents[CW_MAX_DIMENSIONS]; /* the patch that is cut */
  int64_t next, last; /* positions in it, in the order of the file; last: one past mine */
  int64_t line;       /* positions that follow each other in the file */
  int64_t step;       /* positions of a box; at the end of a line there may be fewer */
  size_t most;        /* bytes of the largest */
};

struct cwi_file_box {
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  size_t bytes;
  size_t offset; /* bytes from the array's begin in the file */
};

void cwi_boxes_begin(struct cwi_boxes *boxes, cw_array array);
bool cwi_boxes_next(struct cwi_boxes *boxes, struct cwi_file_box *box);

/* Where the box's elements follow each other in memory that this process can load and store; NULL:
 * nowhere. Whoever asks has synchronised. */
char *cwi_file_box_address(cw_array array, const struct cwi_file_box *box);

#ifdef __cplusplus
}
#endif
#endif
