/* Where in objects operations go. */
#include "profile/charts.h"

#include <string.h>

/* --- Charts ----------------------------------------------------------------------------------- */

static void chart_cut(struct cwi_chart *chart, int along, int64_t extent, int64_t most)
{
  int shift = 0;
  while (extent > 0 && (extent - 1) >> shift >= most)
    shift++;
  chart->shifts[along] = shift;
  chart->cells[along] = extent > 0 ? (int32_t)((extent - 1) >> shift) + 1 : 1;
}

/* The two longest dimensions, in their order; of equal ones the first. */
void cwi_chart_make(struct cwi_chart *chart, int dimensions, const int64_t *extents)
{
  const int count = dimensions > 0 ? dimensions : 1;
  int longest = 0, second = -1;
  *chart = (struct cwi_chart){.dimensions = dimensions};
  memcpy(chart->extents, extents, (size_t)count * sizeof *extents);
  for (int d = 1; d < count; d++)
    if (extents[d] > extents[longest]) {
      second = longest;
      longest = d;
    } else if (second < 0 || extents[d] > extents[second]) {
      second = d;
    }
  const bool line = second < 0 || extents[second] <= 1;
  chart->drawn[0] = line || longest < second ? longest : second;
  chart->drawn[1] = line ? -1 : longest < second ? second : longest;
  chart_cut(chart, 0, extents[chart->drawn[0]], line ? CWI_CHART_LINE : CWI_CHART_SIDE);
  chart_cut(chart, 1, line ? 1 : extents[chart->drawn[1]], CWI_CHART_SIDE);
}

bool cwi_chart_same(const struct cwi_chart *one, const struct cwi_chart *other)
{
  return one->dimensions == other->dimensions &&
         memcmp(one->extents, other->extents, sizeof one->extents) == 0;
}

void cwi_chart_agree(struct cwi_chart *chart, const struct cwi_chart *other)
{
  for (int along = 0; along < 2; along++)
    if (chart->starts[along] != other->starts[along] ||
        memcmp(chart->start[along], other->start[along],
               (size_t)chart->starts[along] * sizeof chart->start[along][0]) != 0)
      chart->starts[along] = 0;
  chart->from_one = chart->from_one != 0 || other->from_one != 0;
}

/* --- Cells ------------------------------------------------------------------------------------ */

static void cell_touch(struct cwi_chart_cell *cell, int32_t least, int32_t most)
{
  if (cell->most == 0 || least < cell->least)
    cell->least = least;
  if (most > cell->most)
    cell->most = most;
}

void cwi_chart_add_cell(struct cwi_chart_cell *sum, const struct cwi_chart_cell *cell)
{
  sum->operations += cell->operations;
  sum->bytes += cell->bytes;
  if (cell->most != 0)
    cell_touch(sum, cell->least, cell->most);
}

static void cell_add(struct cwi_chart_cell *cell, uint64_t operations, uint64_t bytes, int process)
{
  cell->operations += operations;
  cell->bytes += bytes;
  if (cell->least != process + 1 || cell->most != process + 1)
    cell_touch(cell, process + 1, process + 1);
}

static int cell_of(const struct cwi_chart *chart, int along, int64_t index)
{
  const int64_t cell = index >> chart->shifts[along];
  return cell < 0 ? 0 : cell < chart->cells[along] ? (int)cell : chart->cells[along] - 1;
}

/* Indices of the range that come before `end`. */
static int64_t range_before(const struct cwi_drawn_range *range, int64_t end)
{
  if (range->width == 0)
    return end;
  const int64_t since = end - range->begin, rest = since % range->stride;
  return since / range->stride * range->width + (rest < range->width ? rest : range->width);
}

/* The cells that a range meets, and how many of its indices lie in each. */
struct weights {
  int first, last;
  int64_t all, of[CWI_CHART_LINE];
};

static void weigh(const struct cwi_chart *chart, int along, const struct cwi_drawn_range *range,
                  struct weights *weights)
{
  weights->first = cell_of(chart, along, range->first);
  weights->last = cell_of(chart, along, range->last);
  weights->all = 0;
  int64_t before = range_before(range, range->first);
  for (int cell = weights->first; cell <= weights->last; cell++) {
    const int64_t end =
        cell < weights->last ? (int64_t)(cell + 1) << chart->shifts[along] : range->last + 1;
    const int64_t until = range_before(range, end);
    weights->of[cell] = until - before;
    weights->all += until - before;
    before = until;
  }
}

/* Each cell has what lies there of the bytes. Where that is no whole number the first has more. */
static void spread(const struct cwi_chart *chart, struct cwi_chart_cell *cells,
                   const struct cwi_drawn_place *place, unsigned operations, uint64_t bytes,
                   int process)
{
  struct weights rows, columns;
  uint64_t left = bytes;
  weigh(chart, 0, &place->along[0], &rows);
  weigh(chart, 1, &place->along[1], &columns);
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
        cell_add(&cells[row * chart->cells[1] + column], begins ? operations : 0, more, process);
    }
}

void cwi_chart_add(const struct cwi_chart *chart, struct cwi_chart_cell *cells,
                   const struct cwi_drawn_place *place, unsigned operations, uint64_t bytes,
                   int process)
{
  const int row = cell_of(chart, 0, place->along[0].first);
  const int column = cell_of(chart, 1, place->along[1].first);
  if (cell_of(chart, 0, place->along[0].last) == row &&
      cell_of(chart, 1, place->along[1].last) == column)
    cell_add(&cells[row * chart->cells[1] + column], operations, bytes, process);
  else
    spread(chart, cells, place, operations, bytes, process);
}
