/* The node's allocator alone, used by all processes at once, compared with a list of live pieces.
 * */
#include "kit/native.h"

#include "memory/memory_account.h"
#include "memory/zone.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LIVING = 200, STEPS = 20000 };

struct piece {
  char *address;
  size_t bytes;
  char pattern;
};

static struct piece pieces[LIVING];

static size_t draw_bytes(void)
{
  static const int most[] = {8, 64, 65, 1000, 8192, 8193, 65536, 400000};
  return 1 + (size_t)kit_own(most[kit_own(8)]);
}

/* Marks the first, the last and some bytes between with process and piece. */
static void paint(const struct piece *piece)
{
  const size_t step = 1 + piece->bytes / 16;
  for (size_t at = 0; at < piece->bytes; at += step)
    piece->address[at] = piece->pattern;
  piece->address[piece->bytes - 1] = piece->pattern;
}

static void check_paint(const struct piece *piece)
{
  const size_t step = 1 + piece->bytes / 16;
  bool whole = piece->address[piece->bytes - 1] == piece->pattern;
  for (size_t at = 0; at < piece->bytes; at += step)
    whole = whole && piece->address[at] == piece->pattern;
  kit_check(whole, "%zu bytes at %p have been overwritten: they overlap another slice",
            piece->bytes, (void *)piece->address);
}

static void check_holds(const struct piece *piece)
{
  const char *address = piece->address;
  const size_t bytes = piece->bytes;
  kit_check((uintptr_t)address % (bytes >= CWI_GRANULE ? 4096 : 64) == 0,
            "%zu bytes at %p are not aligned", bytes, (const void *)address);
  kit_check(cwi_zone_holds(kit_me(), address, bytes), "the slice does not hold its bytes");
  kit_check(cwi_zone_holds(kit_me(), address + bytes - 1, 1), "the slice lacks its last byte");
  kit_check(!cwi_zone_holds(kit_me(), address, bytes + 1), "%zu bytes hold one more", bytes);
  struct cwi_zone_slice past;
  if (cwi_zone_find(address + bytes, &past))
    kit_check(past.base == address + bytes, "one past %zu bytes is inside a slice of %zu", bytes,
              past.bytes);
  kit_check(!cwi_zone_holds(kit_me(), address + 1, SIZE_MAX), "sizes wrap around");
  kit_check(!cwi_zone_holds(kit_me() + 1, address, 1), "a slice of mine is another process's");
}

static void step(struct piece *piece)
{
  if (piece->address == NULL) {
    piece->bytes = draw_bytes();
    piece->pattern = (char)(kit_own(60) * 4 + kit_me() % 4 + 1);
    piece->address = cwi_heap_allocate(&cwi_zone.heap, piece->bytes, 1);
    if (!kit_check(piece->address != NULL, "no memory for %zu bytes: %s", piece->bytes,
                   cw_error_message()))
      return;
    check_holds(piece);
    paint(piece);
    return;
  }
  check_paint(piece);
  cwi_heap_free(&cwi_zone.heap, piece->address);
  kit_check(!cwi_zone_holds(kit_me(), piece->address, 1), "a freed slice is still held");
  piece->address = NULL;
}

/* Checks that all memory is free: the granules are one free range again, except for a slab that is
 * kept for each class. */
static void check_all_free(uint64_t committed)
{
  const uint64_t now = __atomic_load_n(&cwi_zone.header->committed, __ATOMIC_RELAXED);
  const uint64_t kept = (uint64_t)kit_processes() * CWI_SLAB_CLASSES * CWI_GRANULE;
  kit_about("after all was freed");
  kit_check(now <= committed + kept, "%llu bytes of the node are taken; before it were %llu",
            (unsigned long long)now, (unsigned long long)committed);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "allocator");
  const uint64_t committed = __atomic_load_n(&cwi_zone.header->committed, __ATOMIC_RELAXED);
  kit_barrier();
  for (int i = 0; i < STEPS; i++) {
    kit_about("step %d", i);
    step(&pieces[kit_own(LIVING)]);
  }
  for (int i = 0; i < LIVING; i++)
    if (pieces[i].address != NULL)
      step(&pieces[i]);
  kit_barrier();
  check_all_free(committed);
  kit_barrier();
  return kit_finish_native();
}
