/* Memory handles that several processes use at once: sums are exact; memory of a released handle
 * is not accessed any more; access to memory that its owner has unmapped is an error; handles may
 * overlap.
 */
#include "view/handle_kit.h"

#include "base/settings.h"
#include "route/route.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- Sums ------------------------------------------------------------------------------------- */

/* All processes add to the memory of process 0, whose elements are unaligned and cross the ends of
 * the blocks that locks protect. */
static void add_together(int times)
{
  enum { LONGEST = 40000 };
  const size_t bytes = LONGEST * sizeof(double);
  char *whole = kit_alloc(bytes + 64, 1);
  char *memory = whole + (cwi_memory_handles_by_mpi() ? 0 : 3);
  double *ones = kit_alloc(LONGEST, sizeof *ones);
  handle_name handle, all[16];
  kit_about("sums");
  for (int i = 0; i < LONGEST; i++)
    ones[i] = 1;
  KIT_MUST(cw_memory_handle_create(memory, bytes, &handle));
  share_names(&handle, all);
  const struct cwi_memory_handle there = resolved(&all[0]);
  cw_transfer one = cw_contiguous(CW_ACCUMULATE, ones, there.address + 8, 16, 0);
  cw_transfer many = cw_contiguous(CW_ACCUMULATE, ones, there.address, bytes, 0);
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int i = 0; i < times; i++) {
    KIT_OK(run(&there, one));
    if (i % 100 == 0)
      KIT_OK(run(&there, many));
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  const int long_ones = (times + 99) / 100;
  const double rounds = (double)kit_processes() * long_ones;
  bool right = true;
  for (size_t i = 0; kit_me() == 0 && i < LONGEST; i++) {
    double got = 0;
    memcpy(&got, memory + i * sizeof got, sizeof got);
    const double want = rounds + (i == 1 || i == 2 ? (double)kit_processes() * times : 0);
    if (got != want && right)
      right = kit_check(false, "element %zu is %g, not %g", i, got, want);
  }
  kit_check(right, "sums");
  KIT_OK(cw_memory_handle_release(&handle));
  KIT_MUST(cw_barrier(cw_team_world()));
  free(whole);
  free(ones);
}

/* --- Fetching updates ------------------------------------------------------------------------- */

static struct cwi_update update_of(const struct cwi_memory_handle *memory, int operation,
                                   cw_type type, size_t at, size_t count)
{
  return (struct cwi_update){.operation = operation,
                             .type = type,
                             .locked = true,
                             .process = memory->owner,
                             .remote = memory->address + at,
                             .count = count};
}

/* Checks that the processes together fetched each number of a counter once. */
static void count_together(const struct cwi_memory_handle *there, int times)
{
  const size_t all = (size_t)kit_processes() * (size_t)times;
  int *seen = kit_alloc(all, sizeof *seen);
  bool right = true;
  for (int i = 0; i < times; i++) {
    int64_t before = -1;
    struct cwi_update update = update_of(there, CW_SUM, CW_INT64, 0, 1);
    update.operand.i64 = 1;
    update.before = &before;
    KIT_OK(cwi_memory_handle_update(there, &update, true, NULL));
    if (before >= 0 && (size_t)before < all)
      seen[before]++;
  }
  MPI_Allreduce(MPI_IN_PLACE, seen, (int)all, MPI_INT, MPI_SUM, kit_comm());
  for (size_t i = 0; i < all; i++)
    right = right && seen[i] == 1;
  kit_check(right, "each count was fetched once");
  free(seen);
}

/* Adds by compare-and-swap. */
static void swap_together(const struct cwi_memory_handle *there, int times)
{
  int64_t found = 0;
  for (int i = 0; i < times;) {
    const int64_t expected = found;
    struct cwi_update update = update_of(there, CWI_COMPARE_SWAP, CW_INT64, 8, 1);
    update.expected.i64 = expected;
    update.operand.i64 = expected + 1;
    update.before = &found;
    KIT_OK(cwi_memory_handle_update(there, &update, true, NULL));
    if (found == expected) {
      found++;
      i++;
    }
  }
}

/* Long updates by maximum, and a read of them. */
static void raise_together(const struct cwi_memory_handle *there, size_t count)
{
  int64_t *mine = kit_alloc(count, sizeof *mine), *got = kit_alloc(count, sizeof *got);
  bool right = true;
  for (size_t i = 0; i < count; i++)
    mine[i] = (int64_t)((i * 7 + (size_t)kit_me() * 13) % 101);
  struct cwi_update update = update_of(there, CW_MAXIMUM, CW_INT64, 16, count);
  update.local = mine;
  update.before = got;
  KIT_OK(cwi_memory_handle_update(there, &update, true, NULL));
  KIT_MUST(cw_barrier(cw_team_world()));
  struct cwi_update fetch = update_of(there, CW_NO_OP, CW_INT64, 16, count);
  fetch.before = got;
  KIT_OK(cwi_memory_handle_update(there, &fetch, true, NULL));
  for (size_t i = 0; i < count; i++) {
    int64_t want = 0;
    for (size_t p = 0; p < (size_t)kit_processes(); p++)
      want = (int64_t)((i * 7 + p * 13) % 101) > want ? (int64_t)((i * 7 + p * 13) % 101) : want;
    right = right && got[i] == want;
  }
  kit_check(right, "the greatest of all");
  free(mine);
  free(got);
}

static void update_rejected(const struct cwi_memory_handle *there, size_t bytes)
{
  int64_t before = 0;
  struct cwi_update outside = update_of(there, CW_SUM, CW_INT64, bytes - 7, 1);
  outside.before = &before;
  KIT_MISUSE("not inside", cwi_memory_handle_update(there, &outside, true, NULL));
  if (cwi_memory_handles_by_mpi())
    return;
  struct cwi_update free_one = update_of(there, CW_SUM, CW_INT64, 0, 1);
  free_one.locked = false;
  const cw_error error = cwi_memory_handle_update(there, &free_one, true, NULL);
  kit_check(error != CW_OK && strstr(cw_error_message(), "never lock-free") != NULL,
            "a lock-free update gave %d: %s", (int)error, cw_error_message());
}

static void update_together(int times)
{
  enum { COUNT = 20000 };
  const size_t bytes = (size_t)(COUNT + 2) * 8;
  char *memory = kit_alloc(bytes, 1);
  handle_name handle, all[16];
  kit_about("fetching updates");
  KIT_MUST(cw_memory_handle_create(memory, bytes, &handle));
  share_names(&handle, all);
  const struct cwi_memory_handle there = resolved(&all[0]);
  count_together(&there, times);
  swap_together(&there, times / 2);
  raise_together(&there, COUNT);
  update_rejected(&there, bytes);
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    kit_check_long((long)((const int64_t *)(const void *)memory)[1],
                   (long)kit_processes() * (times / 2), "sum by compare-and-swap");
  KIT_OK(cw_memory_handle_release(&handle));
  KIT_MUST(cw_barrier(cw_team_world()));
  struct cwi_update late = update_of(&there, CW_NO_OP, CW_INT64, 0, 1);
  int64_t before = 0;
  late.before = &before;
  KIT_MISUSE("released", cwi_memory_handle_update(&there, &late, true, NULL));
  KIT_MUST(cw_barrier(cw_team_world()));
  free(memory);
}

/* --- Released while others try ---------------------------------------------------------------- */

/* The others put until a put is rejected. Data that arrives after the release is not theirs. */
static void release_meanwhile(int times)
{
  enum { BYTES = 20000, OURS = 0x5a, THEIRS = 0x11 };
  char *data = kit_alloc(BYTES, 1), *memory = kit_alloc(BYTES, 1);
  kit_about("released meanwhile");
  memset(data, THEIRS, BYTES);
  for (int i = 0; i < times; i++) {
    handle_name handle = {0}, all[16];
    bool clean = true;
    if (kit_me() == 0)
      KIT_MUST(cw_memory_handle_create(memory, BYTES, &handle));
    share_names(&handle, all);
    if (kit_me() == 0) {
      for (volatile int spin = kit_own(200000); spin > 0;)
        spin--;
      KIT_OK(cw_memory_handle_release(&handle));
      memset(memory, OURS, BYTES);
    } else {
      struct cwi_memory_handle there;
      cw_error error = cwi_memory_handle_resolve(&all[0], &there);
      while (error == CW_OK)
        error = complete(move(CW_PUT, &there, data, 0, BYTES), 0);
      KIT_MISUSE("released", error);
    }
    kit_barrier();
    for (size_t k = 0; kit_me() == 0 && k < BYTES; k++)
      clean = clean && memory[k] == OURS;
    kit_check(clean, "memory was changed after its release, round %d", i);
  }
  free(data);
  free(memory);
}

/* --- Unmapped --------------------------------------------------------------------------------- */

static void try_unmapped(void)
{
  enum { PAGE = 4096, PAGES = 3 * PAGE };
  char data[PAGES] = {0};
  handle_name handle, all[16];
  kit_about("unmapped");
  char *memory = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  KIT_MUST(cw_memory_handle_create(memory, PAGES, &handle));
  share_names(&handle, all);
  munmap(memory + PAGE, PAGE);
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() != 0) {
    const struct cwi_memory_handle there = resolved(&all[0]);
    KIT_OK(complete(move(CW_PUT, &there, data, 0, PAGE), 0));
    KIT_MISUSE("has unmapped", complete(move(CW_PUT, &there, data, PAGE, 8), 0));
    KIT_MISUSE("has unmapped", complete(move(CW_PUT, &there, data, 0, PAGES), 0));
    KIT_MISUSE("has unmapped", complete(move(CW_GET, &there, data, 0, PAGES), 0));
    KIT_MISUSE("has unmapped", complete(move(CW_ACCUMULATE, &there, data, PAGE, 8), 0));
    KIT_OK(complete(move(CW_GET, &there, data, (size_t)2 * PAGE, PAGE), 0));
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_memory_handle_release(&handle));
  munmap(memory, PAGES);
}

/* --- Overlap ---------------------------------------------------------------------------------- */

/* The second handle's memory is inside that of the first, which is released earlier. */
static void try_overlap(void)
{
  int64_t memory[64] = {0}, seven = 7, got = 0;
  handle_name outer, inner, all[16], others[16];
  kit_about("overlap");
  KIT_MUST(cw_memory_handle_create(memory, sizeof memory, &outer));
  KIT_MUST(cw_memory_handle_create(memory + 8, 64, &inner));
  share_names(&outer, all);
  share_names(&inner, others);
  const int target = (kit_me() + 1) % kit_processes();
  const struct cwi_memory_handle one = resolved(&all[target]), other = resolved(&others[target]);
  KIT_OK(complete(move(CW_PUT, &one, &seven, 72, 8), target));
  KIT_OK(move(CW_GET, &other, &got, 8, 8));
  kit_check(got == 7, "both are one memory");
  cw_transfer add = cw_contiguous(CW_ACCUMULATE, &seven, other.address + 8, 8, 0);
  add.type = CW_LONG;
  KIT_OK(complete(run(&other, add), target));
  KIT_OK(move(CW_GET, &one, &got, 72, 8));
  kit_check(got == 14, "both are one memory");
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_memory_handle_release(&outer));
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_MISUSE("released", complete(move(CW_PUT, &one, &got, 72, 8), target));
  KIT_OK(complete(move(CW_PUT, &other, &seven, 8, 8), target));
  KIT_MUST(cw_barrier(cw_team_world()));
  kit_check(memory[9] == 7, "the inner one lives on");
  KIT_OK(cw_memory_handle_release(&inner));
  /* Tests adjacent and overlapping memory. */
  KIT_MUST(cw_memory_handle_create(memory, 64, &outer));
  const cw_error error = cw_memory_handle_create(memory + 4, 64, &inner);
  if (cwi_memory_handles_by_mpi() && kit_processes() > 1)
    kit_check(error == CW_OUTSIDE, "MPI's windows do not overlap");
  else if (kit_call_ok("cw_memory_handle_create", error))
    KIT_OK(cw_memory_handle_release(&inner));
  KIT_OK(cw_memory_handle_create(memory + 8, 64, &inner));
  KIT_OK(cw_memory_handle_release(&inner));
  KIT_OK(cw_memory_handle_release(&outer));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "handles_shared");
  add_together(argc > 1 ? atoi(argv[1]) : 2000);
  update_together(argc > 1 ? atoi(argv[1]) / 10 : 200);
  try_overlap();
  if (!cwi_memory_handles_by_mpi()) { /* MPI checks neither the owner's table nor its pages */
    release_meanwhile(30);
    try_unmapped();
  }
  return kit_finish_native();
}
