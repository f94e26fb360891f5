/* Calls of causeway/array.h and typed.h: an 8 x 8 array of doubles, and a row of counters. */
#include "expect.h"

enum { N = 8 };

static cw_array make(cw_type type, int dimensions, cw_distribution distribution)
{
  const int64_t extents[2] = {N, N};
  cw_array array = NULL;
  CW_MUST(cw_array_create(cw_team_world(),
                          &(cw_array_options){.name = "a",
                                              .type = type,
                                              .dimensions = dimensions,
                                              .extents = extents,
                                              .distribution = distribution},
                          &array));
  return array;
}

/* The owners of elements, of blocks, and of a patch. */
static void owners(cw_array array)
{
  const int64_t index[2] = {N - 1, 0}, from[2] = {0, 0}, to[2] = {N - 1, N - 1};
  int64_t lo[2], hi[2];
  int rank = -1, owner = -1;
  cw_piece pieces[64];
  size_t count = 0;
  CW_MUST(cw_array_locate(array, index, &rank));
  CW_MUST(cw_array_part(array, rank, lo, hi));
  EXPECT(hi[0] == N - 1 && lo[1] == 0);
  CW_MUST(cw_array_block(array, 0, lo, hi, &owner));
  EXPECT(lo[0] == 0 && lo[1] == 0 && owner == 0);
  CW_MUST(cw_array_locate_patch(array, from, to, 64, pieces, &count));
  EXPECT(count >= 1 && count <= (size_t)cw_processes());
  int64_t global = -1;
  CW_MUST(cw_array_global_index(array, rank, 1, 0, &global));
  EXPECT(global == 0);

  cw_array twin = NULL;
  bool same = false;
  CW_MUST(cw_array_duplicate(array, "twin", &twin));
  CW_MUST(cw_array_same_distribution(array, twin, &same));
  EXPECT(same && cw_array_valid(twin));
  CW_MUST(cw_array_destroy(&twin));
}

/* The rows of a patch, and every second column. */
static void patches(cw_array array)
{
  const int64_t lo[2] = {0, 0}, hi[2] = {1, 1}, ld[1] = {2}, skip[2] = {1, 4}, end[2] = {0, N - 1};
  double block[4] = {1, 2, 3, 4}, row[2] = {0};
  if (cw_process() == 0)
    CW_MUST(CW_ARRAY_PUT(array, lo, hi, block, ld)); /* a float buffer would be an error */
  CW_MUST(cw_array_fence(array));
  CW_MUST(cw_array_sync(array));
  CW_MUST(CW_ARRAY_GET(array, lo, hi, block, ld));
  EXPECT(block[3] == 4);
  CW_MUST(cw_array_expect(array, CW_DOUBLE));

  const cw_patch get = {
      .operation = CW_GET, .lo = lo, .hi = end, .skip = skip, .buffer = row, .ld = ld};
  CW_MUST(cw_array_transfer(array, &get)); /* columns 0 and 4 of row 0 */
  EXPECT(row[0] == 1 && row[1] == 0);
  cw_handle handle = {0, 0};
  CW_MUST(cw_array_start(array, &get, &handle));
  CW_MUST(cw_wait(&handle));
}

static void elements(cw_array array)
{
  const int64_t indices[2][2] = {{5, 5}, {6, 6}};
  double values[2] = {50, 60};
  CW_MUST(cw_array_sync(array));
  if (cw_process() == 0)
    CW_MUST(cw_array_scatter(array, 2, &indices[0][0], values));
  CW_MUST(cw_array_sync(array));
  const double scale = 2;
  values[0] = values[1] = 1;
  CW_MUST(cw_array_scatter_accumulate(array, 2, &indices[0][0], values, &scale));
  CW_MUST(cw_array_sync(array));
  CW_MUST(cw_array_gather(array, 2, &indices[0][0], values));
  EXPECT(values[0] == 50 + 2 * cw_processes() && values[1] == 60 + 2 * cw_processes());
  const int64_t lo[2] = {5, 5}, hi[2] = {6, 6};
  CW_MUST(cw_array_print(array, lo, hi, stdout));
}

/* Loads and stores in my own block, and the ghost cells around it. */
static void access(void)
{
  const int64_t width[2] = {1, 1};
  cw_array array = make(CW_DOUBLE, 2, (cw_distribution){.ghosts = width});
  const double me = cw_process();
  int64_t lo[2], hi[2];
  cw_array_view view;
  CW_MUST(cw_array_part(array, cw_process(), lo, hi));
  const bool mine = lo[0] <= hi[0] && lo[1] <= hi[1];
  if (mine) {
    CW_MUST(cw_array_access(array, lo, hi, &view));
    for (int64_t i = 0; i < view.extents[0]; i++)
      for (int64_t j = 0; j < view.extents[1]; j++)
        *(double *)((char *)view.address + i * view.strides[0] + j * view.strides[1]) = me;
    CW_MUST(cw_array_release(array, &view));
  }
  CW_MUST(cw_array_update_ghosts(array, true));
  CW_MUST(cw_array_update_ghost_side(array, 0, -1, false)); /* only the rows above */

  int rank = -1;
  const int64_t first[2] = {0, 0};
  CW_MUST(cw_array_locate(array, first, &rank));
  if (rank == cw_process()) {
    CW_MUST(cw_array_access_block(array, 0, true, &view));
    EXPECT(view.lo[0] == -1); /* a row of ghost cells */
    CW_MUST(cw_array_release(array, &view));
    CW_MUST(cw_array_access_local(array, rank, &view));
    EXPECT(*(double *)view.address == me);
    CW_MUST(cw_array_release(array, &view));
  }
  CW_MUST(cw_array_destroy(&array));
}

static void increments(void)
{
  cw_array counters = make(CW_INT64, 1, (cw_distribution){.layout = CW_BLOCKS});
  const int64_t index = 3;
  int64_t before = -1;
  CW_MUST(cw_array_fill(counters, NULL, NULL, NULL));
  CW_MUST(cw_array_read_increment(counters, &index, 1, &before));
  EXPECT(before >= 0 && before < cw_processes());
  CW_MUST(cw_array_destroy(&counters));
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  cw_array array = make(CW_DOUBLE, 2, (cw_distribution){.layout = CW_BLOCKS});
  CW_MUST(CW_ARRAY_FILL(array, NULL, NULL, &(double){0}));
  owners(array);
  patches(array);
  elements(array);
  access();
  increments();
  CW_MUST(cw_array_destroy(&array));
  return stop();
}
