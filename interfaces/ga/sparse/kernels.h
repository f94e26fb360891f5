/* The elements that a process has of a sparse array, as loops go over them, and these loops. */
#ifndef CWI_GA_SPARSE_KERNELS_H
#define CWI_GA_SPARSE_KERNELS_H

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Needed columns that follow each other. */
struct cwi_sparse_run {
  int64_t first;
  size_t place, length;
};

/* Values lie block after block, and row after row in each. Entry u has the elements of a row that
 * lie in one block: first[u] to first[u + 1] - 1. */
struct cwi_sparse_elements {
  size_t count;
  char *values;
  uint32_t *place; /* [count] an element's column is needed[place] */
  size_t entries;
  int64_t *row;  /* [entries] among mine */
  size_t *first; /* [entries + 1] */

  /* Distinct columns: those in long runs, then the others, both in ascending order. */
  size_t needed_count, in_runs, run_count;
  int64_t *needed;
  struct cwi_sparse_run *runs;
};

/* Of one type of numbers. Sums and products of integers wrap. */
struct cwi_sparse_kernels {
  /* y[row] += the sum of value * x[place], over all elements */
  void (*multiply)(const struct cwi_sparse_elements *elements, const void *x, void *y);
  /* sums[place[k]] += *factor * values[k] */
  void (*spread)(size_t count, const uint32_t *place, const void *factor, const void *values,
                 void *sums);
  /* values[k] *= factors[place[k]] */
  void (*scale)(size_t count, const uint32_t *place, const void *factors, void *values);
  bool (*is_zero)(const void *value);
  void (*set)(int number, void *value);
  /* as Matrix Market files have it */
  int (*print)(const void *value, char *text, size_t size);
  const char *field; /* what they call the type */
};

/* NULL: the type has no arithmetic. */
const struct cwi_sparse_kernels *cwi_sparse_kernels(cw_type type);
#endif
