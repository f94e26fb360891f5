/* The boxes in which a patch meets the blocks of a plain array: the short walk, without cuts and
 * divisions, that most transfers of most programs need. portion.h has the walk for all others. */
#ifndef CWI_ARRAY_PLAIN_H
#define CWI_ARRAY_PLAIN_H

#include "array/portion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the present box has of one dimension. */
struct cwi_span {
  int64_t lo, hi; /* of the patch */
  int64_t first;  /* block that has lo */
  int64_t block;
  int64_t from, count; /* indices of the box */
  int64_t width;       /* elements of the block in memory, ghosts included */
  int64_t place;       /* of `from` among them */
};

struct cwi_plain_walk {
  cw_array array;
  struct cwi_span spans[CW_MAX_DIMENSIONS];
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next in the buffer; the
                                           caller sets them after begin */
};

/* The first box. False: the array is not plain, or the patch is empty or not within it. */
bool cwi_plain_begin(struct cwi_plain_walk *walk, cw_array array, const int64_t *lo,
                     const int64_t *hi);

/* The present box. */
void cwi_plain_portion(const struct cwi_plain_walk *walk, struct cwi_portion *portion);

/* The next one. False: there is none. */
bool cwi_plain_next(struct cwi_plain_walk *walk);

#ifdef __cplusplus
}
#endif
#endif
