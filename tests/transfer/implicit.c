/* A program that starts implicit operations and only fences does not use more and more memory. */
#include "kit/native.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Puts of 4096 bytes lose memory in Open MPI 5.0.7 (docs/reports/openmpi-put-memory.md). */
enum { WORDS = 448, ROWS = 8, EVERY = 10, KINDS = 4 };

struct slice {
  double words[WORDS], rows[WORDS], sums[WORDS];
  int64_t counter;
};

static struct slice *slices[16];
static int target;

/* Starts contiguous, long, strided and scaled operations, and a get, which have different kinds of
 * records. */
static void start_one(int kind)
{
  static double words[WORDS], rows[WORDS], ones[1] = {1}, got[WORDS];
  static const double two = 2;
  static const size_t count = ROWS;
  static const ptrdiff_t stride = 4 * sizeof(double);
  struct slice *there = slices[target];
  cw_transfer transfer = cw_contiguous(CW_PUT, words, there->words, sizeof words, target);
  if (kind == 1) {
    transfer = cw_contiguous(CW_PUT, rows, there->rows, sizeof(double), target);
    transfer.levels = 1;
    transfer.counts = &count;
    transfer.local_strides = transfer.remote_strides = &stride;
  } else if (kind == 2) {
    transfer = cw_contiguous(CW_ACCUMULATE, ones, there->sums, sizeof ones, target);
    transfer.type = CW_DOUBLE;
    transfer.scale = &two;
  } else if (kind == 3) {
    transfer = cw_contiguous(CW_GET, got, there->words, sizeof got, target);
  }
  KIT_MUST(cw_transfer_start(&transfer, NULL));
}

/* Completes the operations in a way other than cw_wait_all. */
static void complete(int way)
{
  if (way == 0)
    KIT_MUST(cw_fence(target));
  else if (way == 1)
    KIT_MUST(cw_fence_all());
  else if (way == 2)
    KIT_MUST(cw_barrier(cw_team_world()));
  else
    KIT_MUST(cw_notify(&slices[target]->counter, 1, target));
}

static void run(long operations, int way)
{
  for (long i = 0; i < operations; i++) {
    start_one((int)(i % KINDS));
    if (i % EVERY == EVERY - 1)
      complete(way);
  }
}

/* Returns the number of bytes that the program has allocated. */
static size_t allocated(void)
{
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

static void check_growth(long operations, int way, const char *name)
{
  kit_about("%ld implicit operations, completed by %s", operations, name);
  run(operations / 10, way);
  const size_t before = allocated();
  run(operations, way);
  const size_t after = allocated();
  /* The MPI libraries lose up to 68 bytes for each of these operations, blocking or not, and keep
   * some buffers. A record has 320 bytes or more. */
  const size_t allowed = 100 * (size_t)operations + ((size_t)256 << 10);
  kit_check(after < before + allowed, "the process has grown by %zu bytes", after - before);
}

int main(int argc, char **argv)
{
  const long operations = argc > 1 ? atol(argv[1]) : 100000;
  cw_region region = NULL;
  kit_start_native(&argc, &argv, "implicit");
  target = (kit_me() + 1) % kit_processes();
  KIT_MUST(cw_region_create(cw_team_world(), sizeof(struct slice), &region, (void **)slices));
  memset(slices[kit_me()], 0, sizeof(struct slice));
  KIT_MUST(cw_barrier(cw_team_world()));
  check_growth(operations, 0, "cw_fence");
  check_growth(operations / 10, 1, "cw_fence_all");
  check_growth(operations / 100, 2, "cw_barrier");
  check_growth(operations / 10, 3, "cw_notify");
  KIT_OK(cw_wait_all());
  KIT_OK(cw_barrier(cw_team_world()));
  kit_about("after all");
  const long started = operations + operations / 10 + 2 * (operations / 10 + operations / 100) +
                       operations / 100 + operations / 1000;
  kit_check_long((long)slices[kit_me()]->sums[0], 2 * (started / KINDS), "sum of the accumulates");
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}
