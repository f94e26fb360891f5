/* The elements of a sparse array that a process has, in a form for fast loops, and these loops. */
#pragma once

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of `length` consecutive needed columns. Its first column is `first`, which is stored in
 * needed[place]. */
struct cwi_sparse_run {
  int64_t first;
  size_t place, length;
};

/* The elements of a process. The values are stored block after block, and row after row in each
 * block. An entry is a row of one block: entry u has the elements first[u] to first[u + 1] - 1. */
struct cwi_sparse_elements {
  size_t count;
  char *values;
  uint32_t *place; /* [count] the column of an element is needed[place] */
  size_t entries;
  int64_t *row;  /* [entries] row number among this process's rows */
  size_t *first; /* [entries + 1] */

  /* The distinct columns: first those in long runs, then the others. Both parts are in ascending
   * order. */
  size_t needed_count, in_runs, run_count;
  int64_t *needed;
  struct cwi_sparse_run *runs;
};

/* Loops for one type of numbers. Sums and products of integers wrap around. */
struct cwi_sparse_kernels {
  /* adds value * x[place] to y[row] for each element */
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
  const char *field; /* name of the type in Matrix Market format */
};

/* Returns the loops of a type, or NULL if the type has no arithmetic. */
const struct cwi_sparse_kernels *cwi_sparse_kernels(cw_type type);
