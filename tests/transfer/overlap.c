/* A source that overlaps its target: each segment is read before it changes, as by memmove. Tries
 * puts, gets and accumulates (also lock-free ones) of every form, on memory of a region and on the
 * process's own memory through a memory handle. Checks how much memory a long transfer needs. */
#include "kit/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2, LONGEST = 300000, WORDS = ROWS * (LONGEST + 1000) + 2000, FORMS = 4 };
static const char *const forms[FORMS] = {"contiguous", "rows", "list", "rows, started"};

static long *before, *want;

/* Row r of `run` longs goes from from[r] to to[r]. */
struct rows {
  size_t run;
  long *from[ROWS], *to[ROWS];
};

/* The rows of the target lie 2 words further apart than those of the source: with some distances
 * one row is copied forwards and the other one backwards. */
static struct rows rows_of(long *memory, size_t run, int distance)
{
  struct rows rows = {.run = run};
  for (int r = 0; r < ROWS; r++) {
    rows.from[r] = memory + 900 + (size_t)r * (run + 950);
    rows.to[r] = rows.from[r] + distance + (ptrdiff_t)2 * r;
  }
  return rows;
}

static cw_transfer transfer_of(cw_operation operation, int form, const struct rows *rows)
{
  static size_t count;
  static ptrdiff_t mine, theirs;
  static void *local[ROWS], *remote[ROWS];
  static cw_vector vector;
  const bool gets = operation == CW_GET;
  long *const *here = gets ? rows->to : rows->from, *const *there = gets ? rows->from : rows->to;
  const size_t bytes = rows->run * sizeof(long);
  cw_transfer transfer = cw_contiguous(operation, here[0], there[0], bytes, kit_me());
  count = ROWS;
  mine = (here[1] - here[0]) * (ptrdiff_t)sizeof(long);
  theirs = (there[1] - there[0]) * (ptrdiff_t)sizeof(long);
  for (int r = 0; r < ROWS; r++) {
    local[r] = here[r];
    remote[r] = there[r];
  }
  vector = (cw_vector){local, remote, ROWS, bytes};
  if (form == 1 || form == 3)
    transfer = cw_strided(operation, here[0], &mine, there[0], &theirs, bytes, &count, 1, kit_me());
  if (form == 2)
    transfer = cw_vectors(operation, &vector, 1, kit_me());
  transfer.type = CW_LONG;
  return transfer;
}

static void expect(long *memory, const struct rows *rows, int form, cw_operation operation,
                   long scale)
{
  memcpy(want, before, WORDS * sizeof *want);
  for (int r = 0; r < (form == 0 ? 1 : ROWS); r++) {
    const long *from = before + (rows->from[r] - memory);
    long *to = want + (rows->to[r] - memory);
    for (size_t i = 0; i < rows->run; i++)
      to[i] = (operation == CW_ACCUMULATE ? to[i] : 0) + scale * from[i];
  }
}

static void move(cw_view view, long *memory, cw_transfer transfer, bool started)
{
  cw_handle handle = {0};
  memcpy(memory, before, WORDS * sizeof *memory);
  if (started)
    KIT_OK(cw_view_start(view, &transfer, &handle));
  else
    KIT_OK(cw_view_start(view, &transfer, NULL));
  KIT_OK(started ? cw_wait(&handle) : CW_OK);
  KIT_OK(cw_view_flush(view, kit_me()));
  kit_check_bytes(memory, want, WORDS * sizeof *memory, "words");
}

static void move_all_ways(cw_view view, long *memory, const char *what, size_t run, int distance)
{
  const struct rows rows = rows_of(memory, run, distance);
  const bool in_region = strcmp(what, "a region") == 0;
  for (int form = 0; form < FORMS; form++) {
    for (int operation = CW_PUT; operation <= CW_GET; operation++) {
      kit_about("%s onto itself in %s: %s, %zu words, %d behind",
                operation == CW_PUT ? "put" : "get", what, forms[form], run, distance);
      expect(memory, &rows, form, (cw_operation)operation, 1);
      move(view, memory, transfer_of((cw_operation)operation, form, &rows), form == 3);
    }
    for (long scale = 1; scale <= 3; scale += 2)
      for (int lock_free = 0; lock_free <= (in_region ? 1 : 0); lock_free++) {
        kit_about("accumulate onto itself in %s: %s, %zu words, %d behind, scale %ld%s", what,
                  forms[form], run, distance, scale, lock_free ? ", lock-free" : "");
        cw_transfer transfer = transfer_of(CW_ACCUMULATE, form, &rows);
        transfer.scale = &scale;
        transfer.lock_free = lock_free;
        expect(memory, &rows, form, CW_ACCUMULATE, scale);
        move(view, memory, transfer, form == 3);
      }
  }
}

static void move_all(cw_view view, long *memory, const char *what)
{
  static const size_t runs[] = {7, 600, 5000, LONGEST};
  static const int distances[] = {0, 1, -1, 5, -3, 600, -700};
  for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
      if (runs[r] < LONGEST || d % 2 == 1)
        move_all_ways(view, memory, what, runs[r], distances[d]);
}

/* Freed memory must be reusable at once; the address sanitizer would keep it for a while. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "quarantine_size_mb=1";
}

/* Returns the maximum memory of this process so far, in bytes, or 0 if the system does not report
 * it. */
static size_t most_memory(void)
{
  char line[200];
  size_t kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmHWM: %zu", &kilobytes) == 1)
      break;
  if (status != NULL)
    fclose(status);
  return kilobytes << 10;
}

/* An accumulate of a long source needs little additional memory. */
static void take_little(void)
{
  enum { BYTES = 48 << 20 };
  cw_region region = NULL;
  void **at = NULL;
  char *mine = kit_make_region(BYTES + 4096, &region, &at);
  const long scale = 3;
  for (int scaled = 0; scaled <= 1; scaled++) {
    kit_about("an accumulate of %d bytes onto itself, %s", BYTES, scaled ? "scaled" : "as it is");
    memset(mine, 1, BYTES + 4096);
    const size_t most = most_memory();
    KIT_OK(cw_accumulate(CW_LONG, scaled ? &scale : NULL, mine, mine + 4096, BYTES, kit_me()));
    KIT_OK(cw_fence(kit_me()));
    const size_t now = most_memory(), more = now > most ? now - most : 0; /* Linux rounds both */
    kit_check(more < BYTES / 2, "it took %zu bytes of memory", more);
  }
  kit_free_region(&region, at);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  cw_view view = NULL;
  void **at = NULL;
  char handle[CW_MEMORY_HANDLE_BYTES];
  kit_start_native(&argc, &argv, "overlap");
  take_little();
  long *own = kit_alloc(WORDS, sizeof *own);
  before = kit_alloc(WORDS, sizeof *before);
  want = kit_alloc(WORDS, sizeof *want);
  for (long i = 0; i < WORDS; i++)
    before[i] = 1 + i % 13;
  long *mine = kit_make_region(WORDS * sizeof *mine, &region, &at);
  KIT_MUST(cw_view_of(region, &view));
  move_all(view, mine, "a region");
  KIT_OK(cw_view_free(&view));
  KIT_MUST(cw_memory_handle_create(own, WORDS * sizeof *own, handle));
  KIT_MUST(cw_view_from_memory(handle, &view));
  move_all(view, own, "memory of a handle");
  KIT_OK(cw_view_free(&view));
  KIT_OK(cw_memory_handle_release(handle));
  kit_free_region(&region, at);
  free(own);
  free(before);
  free(want);
  return kit_finish_native();
}
