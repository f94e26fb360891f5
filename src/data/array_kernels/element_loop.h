/* Iteration spaces of arrays, and the loops over them that call a kernel for rows of elements. */
#ifndef CWI_ARRAY_KERNELS_ELEMENT_LOOP_H
#define CWI_ARRAY_KERNELS_ELEMENT_LOOP_H

#include "array/axis.h"

#include <causeway/array.h>

#include <stddef.h>
#include <stdint.h>

/* Channel 0 is the target (or what is only read, if there is none); then the operands. */
enum { CWI_CHANNELS = 4 };

/* Some positions of a patch, and where each channel has their elements. A channel may stand still
 * along a dimension: its stride is 0. */
struct cwi_space {
  int dimensions;
  struct cwi_range ranges[CW_MAX_DIMENSIONS]; /* positions */
  char *at[CWI_CHANNELS];
  ptrdiff_t strides[CWI_CHANNELS][CW_MAX_DIMENSIONS]; /* bytes */
  int64_t index;                                      /* row-major, of the first element */
  int64_t index_strides[CW_MAX_DIMENSIONS];           /* all 0: nobody asks for it */
};

/* Only a part of the space: in each dimension from position number `first` every step-th. */
void cwi_space_narrow(struct cwi_space *space, int channels, const struct cwi_range *part);

/* What a kernel works on: `rows` rows of `count` elements. */
struct cwi_rows {
  size_t count, rows;
  char *at[CWI_CHANNELS];
  ptrdiff_t step[CWI_CHANNELS]; /* bytes from element to element */
  ptrdiff_t leap[CWI_CHANNELS]; /* and from row to row */
  int64_t index, index_step, index_leap;
};

struct cwi_working;
typedef void (*cwi_rows_kernel)(const struct cwi_rows *rows, struct cwi_working *working);

/* Run a kernel over a space. Rows are long and contiguous where they can be; where channels run
 * along different dimensions, tiles keep the lines of all of them in the cache. */
void cwi_loop(const struct cwi_space *space, int channels, cwi_rows_kernel kernel,
              struct cwi_working *working);
#endif
