/* Calls of causeway/memory.h, team.h, runtime.h and handle.h: teams, regions, and private memory
 * that others reach by a handle. */
#include "expect.h"

#include <string.h>

static void teams(void)
{
  const cw_team world = cw_team_world();
  const int first = 0, last = cw_processes() - 1;
  const int ranks[2] = {first, last};
  cw_team node = NULL, copy = NULL, ends = NULL;
  CW_MUST(cw_team_split_node(world, &node));
  CW_MUST(cw_team_dup(node, &copy));
  CW_MUST(cw_team_create(world, first == last ? 1 : 2, ranks, 0, &ends));
  EXPECT(cw_team_size(copy) == cw_team_size(node) && cw_nodes() >= 1);
  int rank = -1, answer = -1;
  CW_MUST(cw_team_translate(world, 1, &last, world, &rank));
  EXPECT(rank == last);
  MPI_Comm_rank(cw_team_comm(node), &answer); /* MPI's own calls on the team */
  EXPECT(answer == cw_team_rank(node));
  CW_MUST(cw_team_free(&ends));
  CW_MUST(cw_team_free(&copy));
  CW_MUST(cw_team_free(&node));
}

static void regions(void)
{
  const int me = cw_process(), next = (me + 1) % cw_processes();
  cw_region region = NULL, found = NULL;
  CW_MUST(cw_region_create(cw_team_world(), 1024, &region, NULL));
  EXPECT(cw_region_bytes(region, next) == 1024 && cw_region_team(region) == cw_team_world());
  CW_MUST(cw_region_set_mode(region, CW_ACCESS_EXCLUSIVE));
  EXPECT(cw_region_mode(region) == CW_ACCESS_EXCLUSIVE);

  char *mine = cw_region_address(region, me), *theirs = cw_region_address(region, next);
  CW_MUST(cw_access_begin(mine)); /* plain stores to my slice */
  memset(mine, me, 1024);
  CW_MUST(cw_access_end(mine));
  CW_MUST(cw_barrier(cw_team_world()));

  void *loaded = NULL;
  CW_MUST(cw_address_shared(next, theirs, 1, &loaded));
  EXPECT(loaded == NULL || *(char *)loaded == next); /* NULL if it is on another node */
  size_t offset = 0;
  CW_MUST(cw_region_find(next, theirs + 100, &found, &offset));
  EXPECT(found == region && offset == 100);
  CW_MUST(cw_region_free(cw_team_world(), &region));
}

/* Process 0 hands out a handle of private memory; the others put their number there. */
static void handles(void)
{
  const int me = cw_process();
  char handle[CW_MEMORY_HANDLE_BYTES];
  int *mine = cw_local_alloc((size_t)cw_processes() * sizeof *mine);
  if (me == 0)
    CW_MUST(cw_memory_handle_create(mine, (size_t)cw_processes() * sizeof *mine, handle));
  CW_MUST(cw_broadcast(cw_team_world(), 0, handle, sizeof handle));
  cw_view view = NULL;
  void *base = NULL;
  CW_MUST(cw_view_from_memory(handle, &view));
  CW_MUST(cw_view_address(view, 0, &base, NULL));
  CW_MUST(cw_view_put(view, &me, (int *)base + me, sizeof me, 0));
  CW_MUST(cw_view_free(&view)); /* flushes it */
  CW_MUST(cw_barrier(cw_team_world()));
  if (me == 0)
    CW_MUST(cw_memory_handle_release(handle));
  EXPECT(me != 0 || mine[cw_processes() - 1] == cw_processes() - 1);
  cw_local_free(mine);
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  char checks[8];
  CW_MUST(cw_setting("CW_CHECK", checks, sizeof checks));
  EXPECT(strcmp(checks, "0") == 0 || strcmp(checks, "1") == 0);
  EXPECT(cw_initialized() && strchr(cw_version(), '.') != NULL);
  if (cw_process() == 0)
    CW_MUST(cw_report(stdout, false));
  teams();
  regions();
  handles();
  return stop();
}
