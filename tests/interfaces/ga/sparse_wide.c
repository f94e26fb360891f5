/* Sparse arrays with more rows and columns than 32 bits count. Compares the owner of each index
 * with 128-bit arithmetic; tests blocks, columns, copies and a file of an array with 2^40 columns.
 * Also checks that destroyed arrays leave no memory. */
#include "kit/kit.h"

#include "ga/sparse/sparse.h"

#include <ga.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Parts of an extent --- */

static int64_t draw(int64_t most)
{
  const uint64_t high = (uint64_t)kit_common(1 << 30), low = (uint64_t)kit_common(1 << 30);
  return 1 + (int64_t)((high << 32 | low << 2) % (uint64_t)most);
}

/* Returns the first index i with floor(i * parts / extent) = part. */
static int64_t start_of(int64_t extent, int parts, int part)
{
  return (int64_t)(((__int128)part * extent + parts - 1) / parts);
}

static void parts(void)
{
  static const int counts[] = {1, 2, 3, 64, 1000, 1 << 20};
  for (int i = 0; i < 20000; i++) {
    const int64_t extent = draw(i % 4 == 0 ? 100 : (int64_t)1 << (30 + i % 33));
    const int count = counts[kit_common(6)], part = kit_common(count);
    const int64_t index = draw(extent) - 1, start = cwi_sparse_start(extent, count, part);
    kit_about("%lld indices, %d parts", (long long)extent, count);
    kit_check(start == start_of(extent, count, part), "part %d begins at %lld", part,
              (long long)start);
    kit_check_long(cwi_sparse_owner(extent, count, index), (long)((__int128)index * count / extent),
                   "the part of an index");
  }
}

/* --- An array with many columns --- */

enum { ROWS = 6, EACH = 3 };
static const int64_t columns = (int64_t)1 << 40;
static int me, all;

static int64_t first_of(int part)
{
  return start_of(columns, all, part);
}

static double value_of(int row, int64_t column)
{
  return row + (double)column / 1024;
}

/* Returns the first column of a part, one in the middle, or the last one. */
static int64_t column_of(int part, int which)
{
  return which == 0   ? first_of(part)
         : which == 1 ? (first_of(part) + first_of(part + 1)) / 2
                      : first_of(part + 1) - 1;
}

static int make(void)
{
  const int s_a = NGA_Sprs_array_create64(ROWS, columns, C_DBL);
  for (int row = me; row < ROWS; row += all)
    for (int part = 0; part < all; part++)
      for (int which = 0; which < EACH; which++) {
        double value = value_of(row, column_of(part, which));
        NGA_Sprs_array_add_element64(s_a, row, column_of(part, which), &value);
      }
  kit_check_long(NGA_Sprs_array_assemble(s_a), 1, "assembling");
  return s_a;
}

static void check_block(int s_a, int row_block, int column_block, double scale)
{
  int64_t *idx = NULL, *jdx = NULL, limits[4] = {0};
  double *values = NULL;
  const int there = NGA_Sprs_array_get_block64(s_a, row_block, column_block, &idx, &jdx, &values,
                                               &limits[0], &limits[1], &limits[2], &limits[3]);
  const int64_t begin = start_of(ROWS, all, row_block), end = start_of(ROWS, all, row_block + 1);
  kit_check(limits[2] == first_of(column_block) && limits[3] == first_of(column_block + 1) - 1,
            "columns %lld to %lld", (long long)limits[2], (long long)limits[3]);
  kit_check_long(there != 0, end > begin, "a block with elements");
  for (int64_t row = begin; row < end && there != 0; row++) {
    kit_check_long(idx[row - begin], (row - begin) * EACH, "where a row begins");
    for (int which = 0; which < EACH; which++) {
      const int64_t at = (row - begin) * EACH + which;
      kit_check(jdx[at] == column_of(column_block, which), "column %lld", (long long)jdx[at]);
      kit_check(values[at] == scale * value_of((int)row, jdx[at]), "value %g", values[at]);
    }
  }
  free(idx);
  free(jdx);
  free(values);
}

static void check_column(int s_a)
{
  const int part = kit_common(all), g_v = NGA_Sprs_array_get_column64(s_a, column_of(part, 1));
  int lo = 0, hi = ROWS - 1;
  double values[ROWS];
  NGA_Get(g_v, &lo, &hi, values, NULL);
  for (int row = 0; row < ROWS; row++)
    kit_check(values[row] == value_of(row, column_of(part, 1)), "row %d of a column", row);
  GA_Destroy(g_v);
}

static void check_file(int s_a)
{
  char name[64], line[200];
  int job = (int)getpid();
  long long row = 0, column = 0, lines = 0;
  double value = 0;
  GA_Brdcst(&job, sizeof job, 0);
  snprintf(name, sizeof name, "/tmp/cwga_sparse_wide.%d", job);
  NGA_Sprs_array_export(s_a, name);
  FILE *file = me == 0 ? fopen(name, "r") : NULL;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (++lines > 2)
      kit_check(sscanf(line, "%lld %lld %lf", &row, &column, &value) == 3 &&
                    value == value_of((int)row - 1, column - 1),
                "the file says %s", line);
  if (file != NULL) {
    kit_check_long(lines, 2 + (long)ROWS * EACH * all, "lines of the file");
    fclose(file);
    remove(name);
  }
}

static void wide(void)
{
  double two = 2;
  int64_t lo = 0, hi = 0;
  const int s_a = make();
  for (int part = 0; part < all; part++) {
    NGA_Sprs_array_column_distribution64(s_a, part, &lo, &hi);
    kit_check(lo == first_of(part) && hi == first_of(part + 1) - 1, "columns of part %d", part);
  }
  check_column(s_a);
  check_file(s_a);
  const int copy = NGA_Sprs_array_duplicate(s_a);
  NGA_Sprs_array_scale(copy, &two);
  for (int row = 0; row < all; row++)
    for (int column = 0; column < all; column++) {
      check_block(s_a, row, column, 1);
      check_block(copy, row, column, 2);
    }
  NGA_Sprs_array_destroy(copy);
  NGA_Sprs_array_destroy(s_a);
}

/* --- Leaks -------- */

static size_t bytes_had(void)
{
  return mallinfo2().uordblks;
}

static void create_and_destroy(void)
{
  size_t before = 0;
  for (int i = 0; i < 200; i++) {
    const int s_a = make(), copy = NGA_Sprs_array_duplicate(s_a);
    if (i == 100)
      before = bytes_had();
    if (i % 2 == 0)
      NGA_Sprs_array_destroy(copy);
    NGA_Sprs_array_destroy(s_a);
    if (i % 2 != 0)
      NGA_Sprs_array_destroy(copy);
  }
  const size_t more = bytes_had() > before ? bytes_had() - before : 0;
  kit_check(more < 16384, "%zu bytes more after 100 arrays", more);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "cwga.sparse_wide");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  parts();
  wide();
  create_and_destroy();
  GA_Terminate();
  return kit_finish();
}
