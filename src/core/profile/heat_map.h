/* Heat maps show where in an object operations go: a grid of cells over its one or two longest
 * dimensions. The grid is the same for all objects of one shape, however they are distributed. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Upper bounds: on the dimensions of an object; on the cells along each of two drawn dimensions
 * (SIDE), along a single drawn dimension (LINE), and in all; and on the known starts of blocks
 * along a dimension. */
enum { CWI_HEAT_MAP_DIMENSIONS = 8 };
enum {
  CWI_HEAT_MAP_SIDE = 16,
  CWI_HEAT_MAP_LINE = 64,
  CWI_HEAT_MAP_CELLS = 256,
  CWI_HEAT_MAP_STARTS = 64
};

/* The geometry of a heat map. Dimensions are in C's order. */
struct cwi_heat_map {
  int32_t dimensions; /* of the array; 0 for a region, whose bytes are numbered slice by slice */
  int32_t from_one;   /* the program counts indices from 1 and dimensions from the last */
  int32_t drawn[2];   /* drawn dimensions; the second is -1 if there is only one */
  int32_t cells[2];   /* number of cells along each of them */
  int32_t starts[2];  /* number of known block starts along each; 0 if none or too many are known */
  int64_t extents[CWI_HEAT_MAP_DIMENSIONS];
  int32_t shifts[2]; /* a cell is 2^shift wide; the last one may be narrower */
  int64_t start[2][CWI_HEAT_MAP_STARTS];
};

/* An operation counts in the cell in which it begins. Its bytes count in the cells in which they
 * lie. */
struct cwi_heat_map_cell {
  uint64_t operations, bytes;
  int32_t least, most; /* least and largest target of its operations or bytes, plus 1; 0 if the cell
                          is empty */
};

/* The indices along one drawn dimension that lie between two bytes of one process. They are the
 * indices from `first` to `last` that lie in blocks. Each block has `width` indices. Blocks begin
 * at a distance of `stride`, one of them at `begin`. If `width` is 0, all indices from `first` to
 * `last` count. */
struct cwi_profile_range {
  int64_t first, last;
  int64_t width, stride, begin;
};
struct cwi_profile_place {
  struct cwi_profile_range along[2];
  int64_t
      number; /* number of the first element, row by row; for a region, its offset in the slice */
};

/* Finds the place of the bytes from `first` to `last` of the process's part of the object. */
typedef void cwi_place_finder(const void *owner, const struct cwi_heat_map *heat_map, int process,
                              const char *first, const char *last, struct cwi_profile_place *place);

/* Layout of an object in the memory of its processes. */
struct cwi_object_layout {
  cwi_place_finder *find;
  const void *owner; /* argument of `find`; valid until the object is renamed or unnamed */
  struct cwi_heat_map heat_map;
};

/* Makes a heat map over `extents` without known blocks. If `dimensions` is 0, it is for a region of
 * extents[0] bytes. */
void cwi_heat_map_make(struct cwi_heat_map *heat_map, int dimensions, const int64_t *extents);

/* Returns the number of cells. */
static inline size_t cwi_heat_map_count(const struct cwi_heat_map *heat_map)
{
  return (size_t)heat_map->cells[0] * (size_t)heat_map->cells[1];
}

static inline int64_t cwi_heat_map_width(const struct cwi_heat_map *heat_map, int along)
{
  return INT64_C(1) << heat_map->shifts[along];
}

/* Returns true if both heat maps have the same cells. */
bool cwi_heat_map_same(const struct cwi_heat_map *one, const struct cwi_heat_map *other);

/* Keeps the known block starts of `heat_map` only where `other` has the same ones. */
void cwi_heat_map_agree(struct cwi_heat_map *heat_map, const struct cwi_heat_map *other);

/* Counts an operation at a place. `operations` is 1, or 0 for a further piece of an operation that
 * was counted before. */
void cwi_heat_map_add(const struct cwi_heat_map *heat_map, struct cwi_heat_map_cell *cells,
                      const struct cwi_profile_place *place, unsigned operations, uint64_t bytes,
                      int process);

/* Like cwi_heat_map_add for one operation on the bytes from `first` to `last` of a region. */
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

/* Adds the counts of another cell. */
void cwi_heat_map_add_cell(struct cwi_heat_map_cell *sum, const struct cwi_heat_map_cell *cell);
