/* One agent gets requests from its node's server and from its peers at once. Processes of all
 * nodes read memory of all processes, several reads at a time, while all add to the same words of
 * it under locks. A thread that waits for a lock collects its answers meanwhile, because the
 * holder may wait for their slots. */
#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>

enum { WORDS = 4096, READS = 4, UPDATES = 16, PROCESSES = 8 };

static cw_view views[PROCESSES];
static int64_t *theirs[PROCESSES];

static void make_views(int64_t *mine)
{
  unsigned char handle[CW_MEMORY_HANDLE_BYTES];
  unsigned char handles[PROCESSES][CW_MEMORY_HANDLE_BYTES];
  KIT_MUST(cw_memory_handle_create(mine, WORDS * sizeof(int64_t), handle));
  KIT_MUST(cw_allgather(cw_team_world(), handle, sizeof handle, handles));
  for (int process = 0; process < kit_processes(); process++) {
    void *base = NULL;
    size_t bytes = 0;
    KIT_MUST(cw_view_from_memory(handles[process], &views[process]));
    KIT_MUST(cw_view_address(views[process], process, &base, &bytes));
    theirs[process] = base;
  }
}

/* Gets words that do not change, several of them in flight while one is added to. */
static void read_and_add(int process, int round)
{
  static int64_t got[READS][WORDS / 2];
  cw_handle handles[READS] = {{0}};
  const int64_t one = 1;
  int64_t before = -1;
  for (int i = 0; i < READS; i++)
    KIT_OK(cw_view_rget(views[process], got[i], theirs[process] + WORDS / 2, sizeof got[i], process,
                        &handles[i]));
  for (int i = 0; i < UPDATES; i++)
    KIT_OK(cw_view_fetch_op(views[process], CW_INT64, CW_SUM, &one, theirs[process], process,
                            &before));
  KIT_OK(cw_view_flush(views[process], process));
  for (int i = 0; i < READS; i++) {
    KIT_OK(cw_wait(&handles[i]));
    kit_check_long(got[i][round % (WORDS / 2)], 1000 * process + round % (WORDS / 2), "word");
  }
}

/* All processes access the same process at a time. */
static int whose(int round)
{
  return round / 16 % kit_processes();
}

static int updates_of(int process, int rounds)
{
  int mine = 0;
  for (int round = 0; round < rounds; round++)
    mine += whose(round) == process ? UPDATES * kit_processes() : 0;
  return mine;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "agent_shared");
  kit_hang_guard();
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  int64_t *mine = calloc(WORDS, sizeof *mine);
  for (int i = 0; i < WORDS / 2; i++)
    mine[WORDS / 2 + i] = 1000 * kit_me() + i;
  make_views(mine);
  KIT_OK(cw_barrier(cw_team_world()));
  for (int round = 0; round < rounds; round++)
    read_and_add(whose(round), round);
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long(mine[0], updates_of(kit_me(), rounds), "updates of my word");
  for (int process = 0; process < kit_processes(); process++)
    KIT_OK(cw_view_free(&views[process]));
  KIT_OK(cw_barrier(cw_team_world()));
  free(mine);
  return kit_finish_native();
}
