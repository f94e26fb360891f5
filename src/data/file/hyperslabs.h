/* The part of an array that this process reads or writes: hyperslabs that are contiguous in the
 * file. If blocks are wide, each process handles its own. Otherwise it handles an equal share of
 * the file, and transfers the elements from or to their owners: short messages on the network cost
 * less than short accesses to the file system. */
#pragma once

#include "array/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_hyperslabs {
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], extents[CW_MAX_DIMENSIONS]; /* the patch that is divided */
  int64_t next, last; /* positions in the patch, in the order of the file; last: one past my part */
  int64_t line;       /* positions that are contiguous in the file */
  int64_t step;       /* positions of a hyperslab; the last hyperslab of a line may have fewer */
  size_t most;        /* size of the largest hyperslab in bytes */
};

struct cwi_hyperslab {
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  size_t bytes;
  size_t offset; /* in bytes from the beginning of the array in the file */
};

void cwi_hyperslabs_begin(struct cwi_hyperslabs *hyperslabs, cw_array array);
bool cwi_hyperslabs_next(struct cwi_hyperslabs *hyperslabs, struct cwi_hyperslab *hyperslab);

/* Returns the address of the hyperslab if its elements are contiguous in memory that this process
 * can load and store, otherwise NULL. The caller has synchronised. */
char *cwi_hyperslab_address(cw_array array, const struct cwi_hyperslab *hyperslab);
