/* A heat equation on a periodic grid of 2 or 3 dimensions in one process: the reference for
 * programs with ghost cells. Each new value is a sum over all cells up to `width` away, including
 * corners, in a fixed order, so that results are equal to the last bit. */
#pragma once

#include "kit/kit.h"

#include <stdlib.h>
#include <string.h>

enum { STENCIL_MOST = 3 };

struct stencil {
  int dimensions, width;
  bool corners; /* also cells that differ in more than one dimension */
  int64_t extents[STENCIL_MOST];
  double *values, *next;
};

static inline int64_t stencil_cells(const struct stencil *stencil)
{
  int64_t cells = 1;
  for (int d = 0; d < stencil->dimensions; d++)
    cells *= stencil->extents[d];
  return cells;
}

/* Steps to the next index of a box, the last dimension first. Returns false after the last one. */
static inline bool stencil_next(int dimensions, const int64_t *lo, const int64_t *hi, int64_t *at)
{
  for (int d = dimensions - 1; d >= 0; d--) {
    if (++at[d] <= hi[d])
      return true;
    at[d] = lo[d];
  }
  return false;
}

/* Returns the cell at distance `away` from the one with this index. */
typedef double *(*stencil_cell)(const void *where, const int64_t *index, const int64_t *away);

/* Returns a cell of the model. The index may be outside, because the grid is periodic. */
static inline double *stencil_model_cell(const void *where, const int64_t *index,
                                         const int64_t *away)
{
  const struct stencil *stencil = where;
  int64_t place = 0;
  for (int d = 0; d < stencil->dimensions; d++) {
    const int64_t extent = stencil->extents[d];
    place = place * extent + (index[d] + away[d] + 4 * extent) % extent;
  }
  return &stencil->values[place];
}

static inline double stencil_value(const struct stencil *stencil, stencil_cell cell,
                                   const void *where, const int64_t *index)
{
  const int64_t width = stencil->width;
  const int64_t lo[STENCIL_MOST] = {-width, -width, -width},
                hi[STENCIL_MOST] = {width, width, width};
  int64_t away[STENCIL_MOST] = {-width, -width, -width};
  double sum = 0, weight = 0.7;
  do {
    int outside = 0;
    for (int d = 0; d < stencil->dimensions; d++)
      outside += away[d] != 0;
    if (outside <= 1 || stencil->corners) {
      sum += weight * *cell(where, index, away);
      weight = weight > 0.05
                   ? weight * 0.9
                   : 0.7; /* adjacent weights differ, so that exchanged neighbours are detected */
    }
  } while (stencil_next(stencil->dimensions, lo, hi, away));
  return sum / 16;
}

static inline void stencil_start(struct stencil *stencil)
{
  const int64_t cells = stencil_cells(stencil);
  stencil->values = kit_alloc((size_t)cells, sizeof(double));
  stencil->next = kit_alloc((size_t)cells, sizeof(double));
  for (int64_t i = 0; i < cells; i++)
    stencil->values[i] = (double)(i * 37 % 101) / 7;
}

static inline void stencil_step(struct stencil *stencil)
{
  int64_t lo[STENCIL_MOST] = {0}, hi[STENCIL_MOST], at[STENCIL_MOST] = {0}, cell = 0;
  for (int d = 0; d < stencil->dimensions; d++)
    hi[d] = stencil->extents[d] - 1;
  do
    stencil->next[cell++] = stencil_value(stencil, stencil_model_cell, stencil, at);
  while (stencil_next(stencil->dimensions, lo, hi, at));
  double *values = stencil->values;
  stencil->values = stencil->next;
  stencil->next = values;
}

/* Operation on the cells lo to hi of a block of the grid that a process has. */
enum stencil_task { STENCIL_SET, STENCIL_STEP, STENCIL_COMPARE };

static inline void stencil_visit(const struct stencil *stencil, enum stencil_task task,
                                 const int64_t *lo, const int64_t *hi, stencil_cell cell,
                                 const void *from, const void *to)
{
  static const int64_t none[STENCIL_MOST];
  int64_t at[STENCIL_MOST];
  memcpy(at, lo, sizeof at);
  do {
    double *mine = cell(to, at, none);
    const double model = *stencil_model_cell(stencil, at, none);
    if (task == STENCIL_SET)
      *mine = model;
    else if (task == STENCIL_STEP)
      *mine = stencil_value(stencil, cell, from, at);
    else if (!kit_check(*mine == model, "cell %lld, %lld is %.17g; it should be %.17g",
                        (long long)at[0], (long long)at[1], *mine, model))
      break;
  } while (stencil_next(stencil->dimensions, lo, hi, at));
}

static inline void stencil_end(struct stencil *stencil)
{
  free(stencil->values);
  free(stencil->next);
}
