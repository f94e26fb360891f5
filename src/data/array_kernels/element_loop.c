/* Loops over iteration spaces of arrays, for all operations. */
#include "array_kernels/element_loop.h"

#include "base/size.h"

#include <stdbool.h>
#include <stdlib.h>

/* A level has a stride for each channel and, at INDEX, one for the index. */
enum { INDEX = CWI_CHANNELS, ALL, TILE = 64 };

struct level {
  int64_t count;
  ptrdiff_t strides[ALL];
};

struct nest {
  int channels;
  int levels; /* innermost first */
  struct level level[CW_MAX_DIMENSIONS];
};

void cwi_space_narrow(struct cwi_space *space, int channels, const struct cwi_range *part)
{
  for (int d = 0; d < space->dimensions; d++) {
    struct cwi_range *range = &space->ranges[d];
    range->first += part[d].first * range->step;
    range->step *= part[d].step;
    range->count = part[d].count;
    for (int k = 0; k < channels; k++) {
      space->at[k] += part[d].first * space->strides[k][d];
      space->strides[k][d] *= part[d].step;
    }
    space->index += part[d].first * space->index_strides[d];
    space->index_strides[d] *= part[d].step;
  }
}

/* Returns true if the outer level continues the inner one without a gap in all channels. */
static bool continues(int channels, const struct level *inner, const struct level *outer)
{
  for (int k = 0; k < channels; k++)
    if (outer->strides[k] != inner->strides[k] * inner->count)
      return false;
  return outer->strides[INDEX] == inner->strides[INDEX] * inner->count;
}

static void build(const struct cwi_space *space, int channels, struct nest *nest)
{
  nest->channels = channels;
  nest->levels = 0; /* the levels are not cleared: that would take longer than the rest */
  for (int d = space->dimensions - 1; d >= 0; d--) {
    struct level *level = &nest->level[nest->levels];
    level->count = space->ranges[d].count;
    if (level->count == 1)
      continue;
    for (int k = 0; k < channels; k++)
      level->strides[k] = space->strides[k][d];
    level->strides[INDEX] = space->index_strides[d];
    if (nest->levels > 0 && continues(channels, level - 1, level))
      level[-1].count *= level->count;
    else
      nest->levels++;
  }
}

/* Returns the level along which the elements of a channel are closest together. */
static int closest(const struct nest *nest, int channel)
{
  int found = 0;
  for (int l = 1; l < nest->levels; l++) {
    const ptrdiff_t best = labs(nest->level[found].strides[channel]);
    const ptrdiff_t here = labs(nest->level[l].strides[channel]);
    if (here != 0 && (best == 0 || here < best))
      found = l;
  }
  return found;
}

/* Returns true if the elements of some channel are closest together along another level than the
 * innermost one. Makes that level the second. */
static bool needs_tiles(struct nest *nest)
{
  for (int k = 0; k < nest->channels; k++) {
    const int fast = closest(nest, k);
    if (fast == 0 || nest->level[0].strides[k] == 0)
      continue;
    const struct level level = nest->level[fast];
    nest->level[fast] = nest->level[1];
    nest->level[1] = level;
    return true;
  }
  return false;
}

struct loop_run {
  const struct cwi_space *space;
  struct nest nest;
  cwi_rows_kernel kernel;
  struct cwi_working *working;
};

/* Runs the kernel on one tile of the two inner levels, from (row, column). */
static void run_tile(const struct loop_run *run, const ptrdiff_t *outer, int64_t row,
                     int64_t column, int64_t most)
{
  const struct level *inner = &run->nest.level[0], *rows = &run->nest.level[1];
  struct cwi_rows tile = {.count = (size_t)cwi_lesser(inner->count - column, most),
                          .rows = (size_t)cwi_lesser(rows->count - row, most)};
  for (int k = 0; k < run->nest.channels; k++) {
    tile.at[k] = run->space->at[k] + outer[k] + row * rows->strides[k] + column * inner->strides[k];
    tile.step[k] = inner->strides[k];
    tile.leap[k] = rows->strides[k];
  }
  tile.index = run->space->index + outer[INDEX] + row * rows->strides[INDEX] +
               column * inner->strides[INDEX];
  tile.index_step = inner->strides[INDEX];
  tile.index_leap = rows->strides[INDEX];
  run->kernel(&tile, run->working);
}

/* Runs the kernel on a space of at most one level, the usual case: the elements are evenly spaced
 * in all channels. */
static void run_line(const struct cwi_space *space, const struct nest *nest, cwi_rows_kernel kernel,
                     struct cwi_working *working)
{
  const struct level *line = &nest->level[0];
  struct cwi_rows rows;
  rows.count = (size_t)(nest->levels > 0 ? line->count : 1);
  rows.rows = 1;
  for (int k = 0; k < nest->channels; k++) {
    rows.at[k] = space->at[k];
    rows.step[k] = nest->levels > 0 ? line->strides[k] : 0;
    rows.leap[k] = 0;
  }
  rows.index = space->index;
  rows.index_step = nest->levels > 0 ? line->strides[INDEX] : 0;
  rows.index_leap = 0;
  kernel(&rows, working);
}

/* Runs the kernel tile by tile over the two inner levels, for each position of the outer ones. */
static void run_tiles(const struct loop_run *run, int64_t most)
{
  const struct nest *nest = &run->nest;
  int64_t at[CW_MAX_DIMENSIONS] = {0};
  ptrdiff_t outer[ALL] = {0};
  int l = 2;
  do {
    for (int64_t row = 0; row < nest->level[1].count; row += most)
      for (int64_t column = 0; column < nest->level[0].count; column += most)
        run_tile(run, outer, row, column, most);
    for (l = 2; l < nest->levels; l++) {
      const struct level *level = &nest->level[l];
      const bool more = ++at[l] < level->count;
      const int64_t steps = more ? 1 : 1 - level->count;
      for (int k = 0; k < nest->channels; k++)
        outer[k] += level->strides[k] * steps;
      outer[INDEX] += level->strides[INDEX] * steps;
      if (more)
        break;
      at[l] = 0;
    }
  } while (l < nest->levels);
}

void cwi_loop(const struct cwi_space *space, int channels, cwi_rows_kernel kernel,
              struct cwi_working *working)
{
  struct loop_run run;
  build(space, channels, &run.nest);
  if (run.nest.levels < 2) {
    run_line(space, &run.nest, kernel, working);
    return;
  }
  run.space = space;
  run.kernel = kernel;
  run.working = working;
  run_tiles(&run, needs_tiles(&run.nest) ? TILE : INT64_MAX / 2);
}
