/* A long transfer of rows goes in many pieces, packed one by one. Pieces that have arrived hold no
 * memory, although the transfer has not been waited for. */
#include "kit/native.h"

#include <malloc.h>
#include <stdlib.h>

/* 64 pieces. All rows are the same memory, on either side. */
enum { ROW = 8192, ROWS = 4096, ALLOWED = 16 << 20 };

static double row[ROW / sizeof(double)];

static size_t allocated(void)
{
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

static void check(cw_operation operation, const char *name, void *there)
{
  const size_t rows = ROWS;
  const ptrdiff_t stride = 0;
  cw_handle handle = {0};
  cw_transfer transfer = cw_strided(operation, row, &stride, there, &stride, ROW, &rows, 1, 1);
  transfer.type = CW_DOUBLE;
  kit_about("%s", name);
  const size_t before = allocated();
  KIT_OK(cw_transfer_start(&transfer, &handle));
  const size_t after = allocated();
  kit_check(after < before + ALLOWED, "%zu bytes are held for %zu", after - before,
            (size_t)ROW * ROWS);
  KIT_OK(cw_wait(&handle));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **slices = NULL;
  kit_start_native(&argc, &argv, "held");
  const double *mine = kit_make_region(ROW, &region, &slices);
  for (size_t i = 0; i < ROW / sizeof(double); i++)
    row[i] = 1;
  if (kit_me() == 0) {
    check(CW_PUT, "put", slices[1]);
    check(CW_ACCUMULATE, "accumulate", slices[1]);
    check(CW_GET, "get", slices[1]);
    kit_check(row[0] == 1 + ROWS && row[ROW / sizeof(double) - 1] == 1 + ROWS, "what came back");
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() == 1)
    kit_check(mine[0] == 1 + ROWS && mine[ROW / sizeof(double) - 1] == 1 + ROWS, "the sums");
  kit_free_region(&region, slices);
  return kit_finish_native();
}
