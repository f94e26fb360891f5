/* Regions of random sizes, made and freed in random order, compared with a list of live ones. */
#include "kit/native.h"

#include "region/region.h"
#include "route/region_calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LIVING = 24, GRANULE = 65536 };

struct living {
  cw_team team;
  cw_region region;
  void **addresses; /* [team] */
  size_t *bytes;    /* [team] */
  unsigned char pattern;
};

static struct living living[LIVING];
static size_t made;

static size_t draw_bytes(void)
{
  static const int most[] = {1, 9, 64, 200, 8193, 70000, 300000};
  return (size_t)kit_common(most[kit_common(7)]);
}

/* Returns true if slices of the process share this process's address range, because it is on the
 * same node. */
static bool comparable(int process)
{
  return cw_process_node(process) == cw_process_node(kit_me());
}

static void check_apart(const struct living *entry, int rank)
{
  const char *begin = entry->addresses[rank], *end = begin + entry->bytes[rank];
  for (int i = 0; i < LIVING; i++)
    for (int other = 0; living[i].region != NULL && other < cw_team_size(living[i].team); other++) {
      const char *from = living[i].addresses[other];
      if (from == NULL || (&living[i] == entry && other == rank) ||
          !comparable(cw_team_process(living[i].team, other)))
        continue;
      kit_check(end <= from || from + living[i].bytes[other] <= begin,
                "slice %p + %zu overlaps slice %p + %zu of process %d", (const void *)begin,
                entry->bytes[rank], (const void *)from, living[i].bytes[other],
                cw_team_process(living[i].team, other));
    }
}

static void check_found(const struct living *entry, int rank, size_t at)
{
  cw_region region = NULL;
  size_t offset = 0;
  const int process = cw_team_process(entry->team, rank);
  KIT_OK(cw_region_find(process, (char *)entry->addresses[rank] + at, &region, &offset));
  kit_check(region == entry->region, "byte %zu of process %d belongs to another region", at,
            process);
  kit_check(offset == at, "byte %zu of process %d is found at offset %zu", at, process, offset);
}

/* Checks every byte of small slices, and the first, the last and some bytes between of large ones.
 * The address after the end may belong to a neighbour, but not to this region. */
static void check_find(const struct living *entry, int rank)
{
  const size_t bytes = entry->bytes[rank];
  const size_t step = bytes <= 256 ? 1 : 1 + bytes / 61;
  cw_region region = NULL;
  size_t offset = 0;
  for (size_t at = 0; at < bytes; at += step)
    check_found(entry, rank, at);
  check_found(entry, rank, bytes - 1);
  const int process = cw_team_process(entry->team, rank);
  const char *past = (char *)entry->addresses[rank] + bytes;
  if (cw_region_find(process, past, &region, &offset) == CW_OK)
    kit_check(offset == 0, "one past a slice of process %d is inside a slice, at %zu", process,
              offset);
}

static void check_slice(const struct living *entry, int rank)
{
  const size_t bytes = entry->bytes[rank];
  const uintptr_t address = (uintptr_t)entry->addresses[rank];
  kit_check(cw_region_bytes(entry->region, rank) == bytes, "slice %d has %zu bytes, not %zu", rank,
            cw_region_bytes(entry->region, rank), bytes);
  kit_check(cw_region_address(entry->region, rank) == entry->addresses[rank],
            "slice %d has two addresses", rank);
  kit_check((address == 0) == (bytes == 0), "slice %d of %zu bytes is at %p", rank, bytes,
            entry->addresses[rank]);
  if (bytes == 0)
    return;
  kit_check(address % (bytes >= GRANULE ? 4096 : 64) == 0, "slice %d of %zu bytes is at %p", rank,
            bytes, entry->addresses[rank]);
  check_find(entry, rank);
  if (comparable(cw_team_process(entry->team, rank)))
    check_apart(entry, rank);
}

static void forget(struct living *entry)
{
  entry->region = NULL;
  free(entry->addresses);
  free(entry->bytes);
}

/* All processes draw alike, so that they know each other's sizes; a third of them has no bytes. */
static void make(struct living *entry, cw_team team)
{
  const int members = cw_team_size(team);
  size_t sum = 0;
  *entry = (struct living){.team = team, .pattern = (unsigned char)(1 + made++ % 250)};
  entry->addresses = kit_alloc((size_t)members, sizeof *entry->addresses);
  entry->bytes = kit_alloc((size_t)members, sizeof *entry->bytes);
  for (int rank = 0; rank < members; rank++) {
    entry->bytes[rank] = kit_common(3) == 0 ? 0 : draw_bytes();
    sum += entry->bytes[rank];
  }
  const int mine = cw_team_rank(team);
  kit_about("region %zu, my slice %zu bytes, all slices %zu", made, entry->bytes[mine], sum);
  KIT_MUST(cw_region_create(team, entry->bytes[mine], &entry->region, entry->addresses));
  kit_check((entry->region == NULL) == (sum == 0), "a region of %zu bytes is %s", sum,
            entry->region == NULL ? "NULL" : "not NULL");
  for (int rank = 0; rank < members && entry->region != NULL; rank++)
    check_slice(entry, rank);
  if (entry->bytes[mine] > 0)
    memset(entry->addresses[mine], entry->pattern, entry->bytes[mine]);
  if (entry->region == NULL)
    forget(entry);
}

static void check_contents(const struct living *entry)
{
  const int mine = cw_team_rank(entry->team);
  const unsigned char *slice = entry->addresses[mine];
  for (size_t at = 0; at < entry->bytes[mine]; at++)
    if (!kit_check(slice[at] == entry->pattern, "byte %zu of my slice is %d; I wrote %d", at,
                   slice[at], entry->pattern))
      break;
}

/* Frees by handle, or by address as ARMCI does, where a process without bytes passes NULL. */
static void drop(struct living *entry)
{
  const int mine = cw_team_rank(entry->team), members = cw_team_size(entry->team);
  kit_about("free of a region of %d slices, mine %zu bytes", members, entry->bytes[mine]);
  check_contents(entry);
  if (kit_common(2) == 0)
    KIT_OK(cw_region_free(entry->team, &entry->region));
  else
    KIT_OK(cwi_region_free_address(entry->team, entry->addresses[mine]));
  KIT_OK(cw_barrier(entry->team));
  for (int rank = 0; rank < members; rank++) {
    cw_region found = NULL;
    if (entry->bytes[rank] > 0)
      KIT_MISUSE("cw_region_find|no slice", cw_region_find(cw_team_process(entry->team, rank),
                                                           entry->addresses[rank], &found, NULL));
  }
  forget(entry);
  KIT_OK(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "regions");
  const int steps = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 300);
  cw_team reversed = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), 0, -kit_me(), &reversed));
  const size_t before = cwi_regions_alive();
  for (int step = 0; step < steps; step++) {
    struct living *entry = &living[kit_common(LIVING)];
    if (entry->region != NULL)
      drop(entry);
    else
      make(entry, kit_common(3) == 0 ? reversed : cw_team_world());
  }
  for (int i = 0; i < LIVING; i++)
    if (living[i].region != NULL)
      drop(&living[i]);
  kit_about("at the end");
  kit_check_long((long)cwi_regions_alive(), (long)before, "number of living regions");
  KIT_OK(cw_team_free(&reversed));
  return kit_finish_native();
}
