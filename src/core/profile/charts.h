/* Where in an object operations go: in a chart of cells over its one or two longest dimensions, the
 * same for all objects of one shape, however they are distributed. */
#ifndef CWI_PROFILE_CHARTS_H
#define CWI_PROFILE_CHARTS_H

#include "base/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Dimensions that an object may have. Cells along each of the two that are drawn, or along the only
 * one; beginnings of blocks that are known. */
enum { CWI_CHART_DIMENSIONS = 8 };
enum { CWI_CHART_SIDE = 16, CWI_CHART_LINE = 64, CWI_CHART_CELLS = 256, CWI_CHART_STARTS = 64 };

/* What is drawn, and how. Dimensions are C's. */
struct cwi_chart {
  int32_t dimensions; /* of the array; 0: bytes of a region, slice behind slice */
  int32_t from_one;   /* the program counts indices from 1, and dimensions from the last */
  int32_t drawn[2];   /* which dimensions; -1: there is no second one */
  int32_t cells[2];   /* along them */
  int32_t starts[2];  /* how many blocks of processes are known along them; 0: none, or there are
                         too many */
  int64_t extents[CWI_CHART_DIMENSIONS];
  int32_t shifts[2]; /* a cell is 2^shift wide; the last one may be shorter */
  int64_t start[2][CWI_CHART_STARTS];
};

/* An operation counts in the cell in which it begins, its bytes in those in which they lie. */
struct cwi_chart_cell {
  uint64_t operations, bytes;
  int32_t least, most; /* targets of what begins or lies there, plus 1; 0: nothing does */
};

/* What lies between two bytes of one process, as indices of both drawn dimensions. Of indices from
 * first to last it has those of every block: `width` of them, `stride` apart, one of which begins
 * at `begin`; width 0: all. */
struct cwi_drawn_range {
  int64_t first, last;
  int64_t width, stride, begin;
};
struct cwi_drawn_place {
  struct cwi_drawn_range along[2];
  int64_t number; /* of the first element, row by row; of a region: bytes from the slice's begin */
};

/* first, last: bytes of the process's part of the object. */
typedef void cwi_place_finder(const void *owner, const struct cwi_chart *chart, int process,
                              const char *first, const char *last, struct cwi_drawn_place *place);

/* How an object lies in its processes' memory. */
struct cwi_object_layout {
  cwi_place_finder *find;
  const void *owner; /* for find; it lives until the object is called otherwise */
  struct cwi_chart chart;
};

/* A chart over extents, of which no blocks are known. dimensions: 0: of a region of extents[0]
 * bytes. */
void cwi_chart_make(struct cwi_chart *chart, int dimensions, const int64_t *extents);

/* Cells in all. */
static inline size_t cwi_chart_count(const struct cwi_chart *chart)
{
  return (size_t)chart->cells[0] * (size_t)chart->cells[1];
}

static inline int64_t cwi_chart_width(const struct cwi_chart *chart, int along)
{
  return INT64_C(1) << chart->shifts[along];
}

/* Are cells of the one those of the other? */
bool cwi_chart_same(const struct cwi_chart *one, const struct cwi_chart *other);

/* Blocks of the one stay known where the other has the same. */
void cwi_chart_agree(struct cwi_chart *chart, const struct cwi_chart *other);

/* Count what an operation does at a place. operations: 1, or 0. */
void cwi_chart_add(const struct cwi_chart *chart, struct cwi_chart_cell *cells,
                   const struct cwi_drawn_place *place, unsigned operations, uint64_t bytes,
                   int process);

/* The same in bytes of a region from first to last. */
static inline void cwi_chart_add_bytes(const struct cwi_chart *chart, struct cwi_chart_cell *cells,
                                       int64_t first, int64_t last, uint64_t bytes, int process)
{
  struct cwi_chart_cell *cell = &cells[first >> chart->shifts[0]];
  if (CWI_UNLIKELY(last >> chart->shifts[0] != first >> chart->shifts[0] ||
                   cell->least != process + 1 || cell->most != process + 1)) {
    const struct cwi_drawn_place place = {.along = {{.first = first, .last = last}}};
    cwi_chart_add(chart, cells, &place, 1, bytes, process);
    return;
  }
  cell->operations++;
  cell->bytes += bytes;
}

/* Add what another cell has. */
void cwi_chart_add_cell(struct cwi_chart_cell *sum, const struct cwi_chart_cell *cell);

#ifdef __cplusplus
}
#endif
#endif
