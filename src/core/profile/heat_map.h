/* Where in an object operations go: in a heat_map of cells over its one or two longest dimensions,
 * the same for all objects of one shape, however they are distributed. */
#ifndef CWI_PROFILE_HEAT_MAP_H
#define CWI_PROFILE_HEAT_MAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Dimensions that an object may have. Cells along each of the two that are drawn, or along the only
 * one; beginnings of blocks that are known. */
enum { CWI_HEAT_MAP_DIMENSIONS = 8 };
enum {
  CWI_HEAT_MAP_SIDE = 16,
  CWI_HEAT_MAP_LINE = 64,
  CWI_HEAT_MAP_CELLS = 256,
  CWI_HEAT_MAP_STARTS = 64
};

/* What is drawn, and how. Dimensions are C's. */
struct cwi_heat_map {
  int32_t dimensions; /* of the array; 0: bytes of a region, slice behind slice */
  int32_t from_one;   /* the program counts indices from 1, and dimensions from the last */
  int32_t drawn[2];   /* which dimensions; -1: there is no second one */
  int32_t cells[2];   /* along them */
  int32_t starts[2];  /* how many blocks of processes are known along them; 0: none, or there are
                         too many */
  int64_t extents[CWI_HEAT_MAP_DIMENSIONS];
  int32_t shifts[2]; /* a cell is 2^shift wide; the last one may be shorter */
  int64_t start[2][CWI_HEAT_MAP_STARTS];
};

/* An operation counts in the cell in which it begins, its bytes in those in which they lie. */
struct cwi_heat_map_cell {
  uint64_t operations, bytes;
  int32_t least, most; /* targets of what begins or lies there, plus 1; 0: nothing does */
};

/* What lies between two bytes of one process, as indices of both drawn dimensions. Of indices from
 * first to last it has those of every block: `width` of them, `stride` apart, one of which begins
 * at `begin`; width 0: all. */
struct cwi_profile_range {
  int64_t first, last;
  int64_t width, stride, begin;
};
struct cwi_profile_place {
  struct cwi_profile_range along[2];
  int64_t number; /* of the first element, row by row; of a region: bytes from the slice's begin */
};

/* first, last: bytes of the process's part of the object. */
typedef void cwi_place_finder(const void *owner, const struct cwi_heat_map *heat_map, int process,
                              const char *first, const char *last, struct cwi_profile_place *place);

/* How an object lies in its processes' memory. */
struct cwi_object_layout {
  cwi_place_finder *find;
  const void *owner; /* for find; it lives until the object is called otherwise */
  struct cwi_heat_map heat_map;
};

/* A heat_map over extents, of which no blocks are known. dimensions: 0: of a region of extents[0]
 * bytes. */
void cwi_heat_map_make(struct cwi_heat_map *heat_map, int dimensions, const int64_t *extents);

/* Cells in all. */
static inline size_t cwi_heat_map_count(const struct cwi_heat_map *heat_map)
{
  return (size_t)heat_map->cells[0] * (size_t)heat_map->cells[1];
}

static inline int64_t cwi_heat_map_width(const struct cwi_heat_map *heat_map, int along)
{
  return INT64_C(1) << heat_map->shifts[along];
}

/* Are cells of the one those of the other? */
bool cwi_heat_map_same(const struct cwi_heat_map *one, const struct cwi_heat_map *other);

/* Blocks of the one stay known where the other has the same. */
void cwi_heat_map_agree(struct cwi_heat_map *heat_map, const struct cwi_heat_map *other);

/* Count what an operation does at a place. operations: 1, or 0. */
void cwi_heat_map_add(const struct cwi_heat_map *heat_map, struct cwi_heat_map_cell *cells,
                      const struct cwi_profile_place *place, unsigned operations, uint64_t bytes,
                      int process);

/* The same in bytes of a region from first to last. */
static inline void cwi_heat_map_add_bytes(const struct cwi_heat_map *heat_map,
                                          struct cwi_heat_map_cell *cells, int64_t first,
                                          int64_t last, uint64_t bytes, int process)
{
  struct cwi_heat_map_cell *cell = &cells[first >> heat_map->shifts[0]];
  if (CWI_UNLIKELY(last >> heat_map->shifts[0] != first >> heat_map->shifts[0] ||
                   cell->least != process + 1 || cell->most != process + 1)) {
    const struct cwi_profile_place place = {.along = {{.first = first, .last = last}}};
    cwi_heat_map_add(heat_map, cells, &place, 1, bytes, process);
    return;
  }
  cell->operations++;
  cell->bytes += bytes;
}

/* Add what another cell has. */
void cwi_heat_map_add_cell(struct cwi_heat_map_cell *sum, const struct cwi_heat_map_cell *cell);
#endif
