/* The elements of a sparse array that a process has, in the form for loops, and these loops. */
#ifndef CWI_GA_SPARSE_KERNELS_H
#define CWI_GA_SPARSE_KERNELS_H

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of consecutive needed columns. */
struct cwi_sparse_run {
  int64_t first;
  size_t place, length;
};

/* Values are stored block after block, and row after row in each. Entry u has the elements of a row
 * in one block: first[u] to first[u + 1] - 1. */
struct cwi_sparse_elements {
  size_t count;
  char *values;
  uint32_t *place; /* [count] the column of an element is needed[place] */
  size_t entries;
  int64_t *row;  /* [entries] row number among my rows */
  size_t *first; /* [entries + 1] */

  /* Distinct columns: those in long runs, then the others, each in ascending order. */
  size_t needed_count, in_runs, run_count;
  int64_t *needed;
  struct cwi_sparse_run *runs;
};

/* Loops for one type of numbers. Sums and products of integers wrap around. */
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
  /* writes a number in Matrix Market format */
  int (*print)(const void *value, char *text, size_t size);
  const char *field; /* name of the type in that format */
};

/* Returns the loops of a type, or NULL if it has no arithmetic. */
const struct cwi_sparse_kernels *cwi_sparse_kernels(cw_type type);
#endif
