/* Heat maps: where in objects operations go. */
#include "profile/heat_map.h"

#include <string.h>

/* --- Geometry --------------------------------------------------------------------------------- */

static void heat_map_limit(struct cwi_heat_map *heat_map, int along, int64_t extent, int64_t most)
{
  int shift = 0;
  while (extent > 0 && (extent - 1) >> shift >= most)
    shift++;
  heat_map->shifts[along] = shift;
  heat_map->cells[along] = extent > 0 ? (int32_t)((extent - 1) >> shift) + 1 : 1;
}

/* Draws the two longest dimensions in their order. Among equal ones the first is drawn. */
void cwi_heat_map_make(struct cwi_heat_map *heat_map, int dimensions, const int64_t *extents)
{
  const int count = dimensions > 0 ? dimensions : 1;
  int longest = 0, second = -1;
  *heat_map = (struct cwi_heat_map){.dimensions = dimensions};
  memcpy(heat_map->extents, extents, (size_t)count * sizeof *extents);
  for (int d = 1; d < count; d++)
    if (extents[d] > extents[longest]) {
      second = longest;
      longest = d;
    } else if (second < 0 || extents[d] > extents[second]) {
      second = d;
    }
  const bool line = second < 0 || extents[second] <= 1;
  heat_map->drawn[0] = line || longest < second ? longest : second;
  heat_map->drawn[1] = line ? -1 : longest < second ? second : longest;
  heat_map_limit(heat_map, 0, extents[heat_map->drawn[0]],
                 line ? CWI_HEAT_MAP_LINE : CWI_HEAT_MAP_SIDE);
  heat_map_limit(heat_map, 1, line ? 1 : extents[heat_map->drawn[1]], CWI_HEAT_MAP_SIDE);
}

bool cwi_heat_map_same(const struct cwi_heat_map *one, const struct cwi_heat_map *other)
{
  return one->dimensions == other->dimensions &&
         memcmp(one->extents, other->extents, sizeof one->extents) == 0;
}

void cwi_heat_map_agree(struct cwi_heat_map *heat_map, const struct cwi_heat_map *other)
{
  for (int along = 0; along < 2; along++)
    if (heat_map->starts[along] != other->starts[along] ||
        memcmp(heat_map->start[along], other->start[along],
               (size_t)heat_map->starts[along] * sizeof heat_map->start[along][0]) != 0)
      heat_map->starts[along] = 0;
  heat_map->from_one = heat_map->from_one != 0 || other->from_one != 0;
}

/* --- Cells ------------------------------------------------------------------------------------ */

static void cell_touch(struct cwi_heat_map_cell *cell, int32_t least, int32_t most)
{
  if (cell->most == 0 || least < cell->least)
    cell->least = least;
  if (most > cell->most)
    cell->most = most;
}

void cwi_heat_map_add_cell(struct cwi_heat_map_cell *sum, const struct cwi_heat_map_cell *cell)
{
  sum->operations += cell->operations;
  sum->bytes += cell->bytes;
  if (cell->most != 0)
    cell_touch(sum, cell->least, cell->most);
}

static void cell_add(struct cwi_heat_map_cell *cell, uint64_t operations, uint64_t bytes,
                     int process)
{
  cell->operations += operations;
  cell->bytes += bytes;
  if (cell->least != process + 1 || cell->most != process + 1)
    cell_touch(cell, process + 1, process + 1);
}

static int cell_of(const struct cwi_heat_map *heat_map, int along, int64_t index)
{
  const int64_t cell = index >> heat_map->shifts[along];
  return cell < 0 ? 0 : cell < heat_map->cells[along] ? (int)cell : heat_map->cells[along] - 1;
}

/* Returns the number of indices of the range that come before `end`. */
static int64_t range_before(const struct cwi_profile_range *range, int64_t end)
{
  if (range->width == 0)
    return end;
  const int64_t since = end - range->begin, rest = since % range->stride;
  return since / range->stride * range->width + (rest < range->width ? rest : range->width);
}

/* The cells that a range covers, and how many of its indices lie in each. */
struct weights {
  int first, last;
  int64_t all, of[CWI_HEAT_MAP_LINE];
};

static void weigh(const struct cwi_heat_map *heat_map, int along,
                  const struct cwi_profile_range *range, struct weights *weights)
{
  weights->first = cell_of(heat_map, along, range->first);
  weights->last = cell_of(heat_map, along, range->last);
  weights->all = 0;
  int64_t before = range_before(range, range->first);
  for (int cell = weights->first; cell <= weights->last; cell++) {
    const int64_t end =
        cell < weights->last ? (int64_t)(cell + 1) << heat_map->shifts[along] : range->last + 1;
    const int64_t until = range_before(range, end);
    weights->of[cell] = until - before;
    weights->all += until - before;
    before = until;
  }
}

/* Divides the bytes among the cells in proportion to the indices there. The first cell gets the
 * remainder. */
static void spread(const struct cwi_heat_map *heat_map, struct cwi_heat_map_cell *cells,
                   const struct cwi_profile_place *place, unsigned operations, uint64_t bytes,
                   int process)
{
  struct weights rows, columns;
  uint64_t left = bytes;
  weigh(heat_map, 0, &place->along[0], &rows);
  weigh(heat_map, 1, &place->along[1], &columns);
  const double all = (double)rows.all * (double)columns.all;
  const double each = all > 0 ? (double)bytes / all : 0;
  for (int row = rows.last; row >= rows.first; row--)
    for (int column = columns.last; column >= columns.first; column--) {
      const double there = each * (double)rows.of[row] * (double)columns.of[column];
      const bool begins = row == rows.first && column == columns.first;
      const uint64_t more =
          begins || (uint64_t)(there + 1e-6) > left ? left : (uint64_t)(there + 1e-6);
      left -= more;
      if (more > 0 || begins)
        cell_add(&cells[row * heat_map->cells[1] + column], begins ? operations : 0, more, process);
    }
}

void cwi_heat_map_add(const struct cwi_heat_map *heat_map, struct cwi_heat_map_cell *cells,
                      const struct cwi_profile_place *place, unsigned operations, uint64_t bytes,
                      int process)
{
  const int row = cell_of(heat_map, 0, place->along[0].first);
  const int column = cell_of(heat_map, 1, place->along[1].first);
  if (cell_of(heat_map, 0, place->along[0].last) == row &&
      cell_of(heat_map, 1, place->along[1].last) == column)
    cell_add(&cells[row * heat_map->cells[1] + column], operations, bytes, process);
  else
    spread(heat_map, cells, place, operations, bytes, process);
}
