/* Iteration spaces of arrays, and the loops over them that call a kernel for rows of elements. */
#pragma once

#include "array/axis.h"

#include <causeway/array.h>

#include <stddef.h>
#include <stdint.h>

/* A channel is one of the arrays that a kernel reads or writes. Channel 0 is the target; if there
 * is no target, it is the first operand. The other channels are the operands. */
enum { CWI_CHANNELS = 4 };

/* Some positions of a patch, and the addresses of their elements in each channel. A channel that
 * does not move along a dimension has a stride of 0. */
struct cwi_space {
  int dimensions;
  struct cwi_range ranges[CW_MAX_DIMENSIONS]; /* positions */
  char *at[CWI_CHANNELS];
  ptrdiff_t strides[CWI_CHANNELS][CW_MAX_DIMENSIONS]; /* in bytes */
  int64_t index;                                      /* row-major number of the first element */
  int64_t index_strides[CW_MAX_DIMENSIONS];           /* all 0 if the index is not used */
};

/* Narrows the space to a part. In each dimension d the part has part[d].count positions: number
 * part[d].first, and from there every part[d].step-th. */
void cwi_space_narrow(struct cwi_space *space, int channels, const struct cwi_range *part);

/* The elements that a kernel works on: `rows` rows of `count` elements. */
struct cwi_rows {
  size_t count, rows;
  char *at[CWI_CHANNELS];
  ptrdiff_t step[CWI_CHANNELS]; /* bytes from element to element */
  ptrdiff_t leap[CWI_CHANNELS]; /* bytes from row to row */
  int64_t index, index_step, index_leap;
};

struct cwi_working;
typedef void (*cwi_rows_kernel)(const struct cwi_rows *rows, struct cwi_working *working);

/* Runs a kernel over a space. Rows are as long and contiguous as possible. If channels run along
 * different dimensions, the space is processed in tiles, which keep the cache lines of all channels
 * in the cache. */
void cwi_loop(const struct cwi_space *space, int channels, cwi_rows_kernel kernel,
              struct cwi_working *working);
