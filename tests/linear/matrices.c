/* Implements tests/linear/matrices.h. */
#include "linear/matrices.h"

#include "kit/devices.h"

#include <stdlib.h>
#include <string.h>

const cw_type types[TYPES] = {CW_DOUBLE, CW_DOUBLE_COMPLEX, CW_FLOAT, CW_FLOAT_COMPLEX};

bool is_complex(cw_type type)
{
  return type == CW_FLOAT_COMPLEX || type == CW_DOUBLE_COMPLEX;
}

bool is_single(cw_type type)
{
  return type == CW_FLOAT || type == CW_FLOAT_COMPLEX;
}

static int parts_of(cw_type type)
{
  return is_complex(type) ? 2 : 1;
}

void to_element(cw_type type, entry value, void *element)
{
  const double parts[2] = {creal(value), cimag(value)};
  for (int i = 0; i < parts_of(type); i++)
    if (is_single(type))
      ((float *)element)[i] = (float)parts[i];
    else
      ((double *)element)[i] = parts[i];
}

entry from_element(cw_type type, const void *element)
{
  double parts[2] = {0, 0};
  for (int i = 0; i < parts_of(type); i++)
    parts[i] = is_single(type) ? (double)((const float *)element)[i] : ((const double *)element)[i];
  return parts[0] + parts[1] * I;
}

entry *make_numbers(int64_t count)
{
  return kit_alloc((size_t)count + 1, sizeof(entry));
}

entry some_integer(cw_type type)
{
  const double real = kit_common(7) - 3;
  return is_complex(type) ? real + (kit_common(7) - 3) * I : real;
}

entry some_real(cw_type type)
{
  const double real = kit_common(2000001) * 1e-6 - 1;
  return is_complex(type) ? real + (kit_common(2000001) * 1e-6 - 1) * I : real;
}

/* Draws boundaries of blocks, one block for each process of a grid. */
static void draw_boundaries(int64_t extent, int blocks, int64_t *starts)
{
  for (int i = 0; i < blocks; i++) {
    starts[i] = i == 0 ? 0 : kit_common((int)extent + 1);
    for (int j = i; j > 1 && starts[j] < starts[j - 1]; j--) {
      const int64_t swapped = starts[j];
      starts[j] = starts[j - 1];
      starts[j - 1] = swapped;
    }
  }
}

/* Draws square blocks, a grid of some processes in any order, and any first block: what ScaLAPACK
 * can use without a copy. ranks: [processes]. */
static void draw_grid(cw_distribution *how, int dimensions, int64_t *block, int *grid,
                      int *alignment, int *ranks)
{
  const int processes = kit_processes();
  how->layout = CW_CYCLIC;
  how->members = 1;
  for (int d = 0; d < dimensions; d++) {
    block[d] = d > 0 ? block[0] : 1 + kit_common(9);
    grid[d] = 1 + kit_common(processes / how->members);
    alignment[d] = kit_common(grid[d]);
    how->members *= grid[d];
  }
  for (int i = 0; i < processes; i++) {
    const int place = kit_common(i + 1);
    ranks[i] = ranks[place];
    ranks[place] = i;
  }
  how->block = block;
  how->grid = grid;
  how->alignment = alignment;
  how->ranks = ranks;
  how->column_major = kit_common(2) == 1;
}

cw_array make_array(cw_type type, int dimensions, const int64_t *extents, int distribution)
{
  int64_t block[CW_MAX_DIMENSIONS], starts[64];
  int blocks[CW_MAX_DIMENSIONS], grid[CW_MAX_DIMENSIONS], alignment[CW_MAX_DIMENSIONS], used = 0;
  int *ranks = kit_alloc((size_t)kit_processes(), sizeof *ranks);
  cw_array array = NULL;
  cw_array_options options = {.type = type, .dimensions = dimensions, .extents = extents};
  cw_distribution *how = &options.distribution;
  int whole = kit_common(dimensions);
  for (int d = 0; d < dimensions; d++) /* the partitioned dimension */
    whole = extents[d] > extents[whole] ? d : whole;
  if (extents[whole] < kit_processes() && (distribution == 1 || distribution == 7))
    distribution = 0;
  for (int d = 0; d < dimensions; d++) {
    block[d] = 1 + kit_common(distribution == 3 ? 64 : 9);
    grid[d] = blocks[d] = d == whole ? kit_processes() : 1;
    draw_boundaries(extents[d], blocks[d], &starts[used]);
    used += blocks[d];
  }
  switch (distribution) {
  case 1: /* irregular */
    how->boundaries = starts;
    how->blocks = blocks;
    break;
  case 2:
  case 3:
    how->layout = CW_CYCLIC;
    how->block = block;
    how->column_major = kit_common(2) == 1;
    break;
  case 4:
    how->layout = CW_TILED;
    how->block = block;
    break;
  case 5:
    how->layout = CW_ROUND_ROBIN;
    how->block = block;
    break;
  case 6: /* all of it on one process */
    how->members = 1;
    break;
  case 7:
    how->grid = grid;
    break;
  case 8:
    draw_grid(how, dimensions, block, grid, alignment, ranks);
    break;
  default:
    break;
  }
  KIT_MUST(kit_array_create(cw_team_world(), &options, &array));
  free(ranks);
  return array;
}

cw_array make_matrix(cw_type type, int64_t rows, int64_t columns, int distribution)
{
  const int64_t extents[2] = {rows, columns};
  return make_array(type, 2, extents, distribution);
}

/* Stores the bounds of this process's slice of dimension 0, or of the whole, and returns the number
 * of its elements and of those before it. */
static int64_t slice(const cw_array_description *is, bool mine, int64_t *lo, int64_t *hi,
                     int64_t *before)
{
  int64_t elements = 1;
  for (int d = 0; d < is->dimensions; d++) {
    lo[d] = 0;
    hi[d] = is->extents[d] - 1;
    elements *= d > 0 ? is->extents[d] : 1;
  }
  if (mine) {
    lo[0] = is->extents[0] * kit_me() / kit_processes();
    hi[0] = is->extents[0] * (kit_me() + 1) / kit_processes() - 1;
  }
  *before = lo[0] * elements;
  return elements * (hi[0] - lo[0] + 1);
}

void write_array(cw_array array, const entry *values)
{
  cw_array_description is;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], before;
  KIT_MUST(cw_array_describe(array, &is));
  const int64_t count = slice(&is, true, lo, hi, &before);
  char *buffer = kit_alloc((size_t)count + 1, is.element_bytes);
  for (int64_t i = 0; i < count; i++)
    to_element(is.type, values[before + i], buffer + (size_t)i * is.element_bytes);
  KIT_MUST(cw_array_put(array, lo, hi, buffer, NULL));
  KIT_MUST(cw_array_sync(array));
  free(buffer);
}

void read_array(cw_array array, entry *values)
{
  cw_array_description is;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], before;
  KIT_MUST(cw_array_describe(array, &is));
  const int64_t count = slice(&is, false, lo, hi, &before);
  char *buffer = kit_alloc((size_t)count + 1, is.element_bytes);
  KIT_MUST(cw_array_get(array, lo, hi, buffer, NULL));
  for (int64_t i = 0; i < count; i++)
    values[i] = from_element(is.type, buffer + (size_t)i * is.element_bytes);
  KIT_MUST(cw_array_sync(array));
  free(buffer);
}
