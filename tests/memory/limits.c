/* Memory that is exhausted, and memory that is returned. Run with CW_MEMORY_LIMIT=64M. */
#include "kit/native.h"

#include "memory/zone.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEGA = 1 << 20, LIMIT = 64 * MEGA };

/* Rounded up to whole granules or pages, these sizes overflow to small ones. */
static const size_t wrapping[] = {SIZE_MAX,         SIZE_MAX - 1,     SIZE_MAX - 4094,
                                  SIZE_MAX - 65534, SIZE_MAX - 65535, (size_t)1 << 63};

/* Checks that a transfer still works. */
static void check_works(void)
{
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  cw_region region = NULL;
  const int me = kit_me(), next = (me + 1) % kit_processes();
  int got = -1;
  KIT_MUST(cw_region_create(cw_team_world(), 1000, &region, addresses));
  KIT_OK(cw_put(&me, addresses[next], sizeof me, next));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(&got, addresses[me], sizeof got, me));
  kit_check_long(got, (me + kit_processes() - 1) % kit_processes(), "value put by my neighbour");
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(addresses);
}

/* One member requests more than is available: all members get an error with a message. */
static void test_one_member(int greedy, size_t bytes)
{
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  cw_region region = (cw_region)(void *)addresses;
  const size_t mine = kit_me() == greedy ? bytes : (size_t)kit_me() * 100;
  kit_about("process %d wants %zu bytes, I want %zu", greedy, bytes, mine);
  addresses[0] = addresses;
  KIT_OUTSIDE(kit_me() == greedy ? "cw_region_create: |bytes"
                                 : "cw_region_create: |in process |bytes",
              cw_region_create(cw_team_world(), mine, &region, addresses));
  kit_check(region == NULL, "the region is %p after the failure", (void *)region);
  for (int rank = 0; rank < kit_processes(); rank++)
    kit_check(addresses[rank] == NULL, "address %d is %p after the failure", rank, addresses[rank]);
  check_works();
  free(addresses);
}

static void test_until_full(void)
{
  cw_region regions[64];
  int count = 0;
  kit_about("regions of 4 MiB a process until there is no more");
  while (count < 64 &&
         cw_region_create(cw_team_world(), 4 * MEGA, &regions[count], NULL) == CW_OK) {
    memset(cw_region_address(regions[count], kit_me()), 1, 4 * MEGA);
    count++;
  }
  kit_check(count > 0 && count <= LIMIT / (4 * MEGA), "%d regions of 4 MiB fit into 64 MiB", count);
  check_works();
  for (int i = 0; i < count; i++)
    KIT_OK(cw_region_free(cw_team_world(), &regions[i]));
  KIT_OK(cw_barrier(cw_team_world()));
  check_works();
}

/* Many teams with a small region and a window each: memory that they do not use is not counted. */
static void test_many_teams(void)
{
  enum { TEAMS = 8 };
  cw_team teams[TEAMS];
  cw_region regions[TEAMS];
  for (int i = 0; i < TEAMS; i++) {
    kit_about("8 bytes on team %d of %d", i, TEAMS);
    KIT_MUST(cw_team_dup(cw_team_world(), &teams[i]));
    KIT_MUST(cw_region_create(teams[i], 8, &regions[i], NULL));
  }
  check_works();
  test_until_full();
  for (int i = 0; i < TEAMS; i++) {
    KIT_OK(cw_region_free(teams[i], &regions[i]));
    KIT_OK(cw_team_free(&teams[i]));
  }
}

/* Makes, writes and frees a region; returns the memory of the zone meanwhile. */
static size_t use_memory(void)
{
  cw_region region = NULL;
  KIT_MUST(cw_region_create(cw_team_world(), 12 * MEGA, &region, NULL));
  memset(cw_region_address(region, kit_me()), 1, 12 * MEGA);
  KIT_OK(cw_barrier(cw_team_world()));
  const size_t during = cwi_zone_resident();
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_barrier(cw_team_world()));
  return during;
}

/* In jobs of several nodes a network adapter may have registered the memory: it is kept and reused.
 * */
static void check_kept(size_t during)
{
  const size_t after = cwi_zone_resident(), again = use_memory();
  kit_check(after >= during, "the zone had %zu bytes, and has %zu after the region's end", during,
            after);
  kit_check(again <= during + MEGA, "the zone had %zu bytes, and %zu with the next region", during,
            again);
}

/* Large freed ranges are returned to the system. */
static void test_given_back(void)
{
  kit_about("memory that goes back");
  KIT_OK(cw_barrier(cw_team_world()));
  const size_t before = cwi_zone_resident();
  const size_t during = use_memory();
  if (during == 0) /* in MPI's zone, MPI determines the amount */
    return;
  kit_check(during >= 12 * MEGA, "12 MiB written, but the zone has %zu bytes", during);
  if (cw_nodes() > 1 && getenv("CW_PUNCH") == NULL) {
    check_kept(during);
    return;
  }
  const size_t after = cwi_zone_resident();
  kit_check(after + 11 * MEGA <= during && after <= before + MEGA,
            "the zone had %zu bytes before, %zu with the region, %zu after its end", before, during,
            after);
}

int main(int argc, char **argv)
{
  setenv("CW_MEMORY_LIMIT", "64M", 1);
  kit_start_native(&argc, &argv, "limits");
  check_works();
  for (int greedy = 0; greedy < kit_processes(); greedy++) {
    test_one_member(greedy, LIMIT + 1);
    test_one_member(greedy, (size_t)1 << 60);
    for (size_t i = 0; i < sizeof wrapping / sizeof wrapping[0]; i++)
      test_one_member(greedy, wrapping[i]);
  }
  test_given_back();
  test_until_full();
  test_many_teams();
  test_given_back();
  return kit_finish_native();
}
