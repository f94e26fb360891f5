/* The native side of libcwga for arrays.c: cyclic arrays, and the addresses of elements. */
#include "arrays.h"

#include "../program.h"

#include <cwga.h>

static cw_array arrays[ARRAYS_ARRAYS];

void arrays_native_parts(const int *handles)
{
  for (int i = 0; i < ARRAYS_BLOCKS; i++)
    arrays[i] = cw_array_from_ga(handles[i]);
}

static void make_cyclic(enum arrays_array which, int rows, int columns, int64_t block)
{
  const int grid[] = {rows, columns};
  const int64_t blocks[] = {block, block}, extents[] = {ARRAYS_EXTENT, ARRAYS_EXTENT};
  const cw_array_options options = {
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = CW_CYCLIC, .grid = grid, .block = blocks}};
  must(cw_array_create(cw_team_world(), &options, &arrays[which]));
}

void arrays_native_start(void)
{
  make_cyclic(ARRAYS_ELEMENT_ROWS, 2, 1, 1);
  make_cyclic(ARRAYS_ELEMENT_COLUMNS, 1, 2, 1);
  make_cyclic(ARRAYS_BLOCK_COLUMNS, 1, 2, ARRAYS_CYCLIC_BLOCK);
}

void arrays_native_stop(void)
{
  for (int i = ARRAYS_BLOCKS; i < ARRAYS_ARRAYS; i++)
    must(cw_array_destroy(&arrays[i]));
}

void arrays_cyclic_put(const struct arrays_work *work, size_t times)
{
  const int64_t lo[] = {work->lo[0], work->lo[1]}, hi[] = {work->hi[0], work->hi[1]};
  for (size_t i = 0; i < times; i++)
    must(cw_array_put(arrays[work->array], lo, hi, work->local, NULL));
}

void arrays_cyclic_get(const struct arrays_work *work, size_t times)
{
  const int64_t lo[] = {work->lo[0], work->lo[1]}, hi[] = {work->hi[0], work->hi[1]};
  for (size_t i = 0; i < times; i++)
    must(cw_array_get(arrays[work->array], lo, hi, work->local, NULL));
}

static void part(enum arrays_array array, int process, struct arrays_part *part)
{
  cw_array_view view;
  int64_t lo[2] = {0}, hi[2] = {0};
  must(cw_array_access_local(arrays[array], process, &view));
  must(cw_array_part(arrays[array], process, lo, hi));
  const int last = array == ARRAYS_ONE_LINE || array == ARRAYS_COUNTERS ? 0 : 1;
  *part = (struct arrays_part){.base = view.address,
                               .row = view.strides[0] / (ptrdiff_t)sizeof(double)};
  for (int d = 0; d <= last; d++) {
    part->lo[d + 1 - last] = (int)lo[d];
    part->hi[d + 1 - last] = (int)hi[d];
  }
}

static void barrier(void)
{
  must(cw_barrier(cw_team_world()));
}

const struct arrays_memory arrays_memory = {part, barrier};
