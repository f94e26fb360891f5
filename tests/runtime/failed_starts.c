/* Failed starts and the starts after them: every rank gets the error, including server ranks, none
 * waits for others, and the next start is not affected by the last one.
 *
 *   failed_starts alone     one process fails, in the last step of its start
 *   failed_starts all       all processes fail
 *   failed_starts "refused" settings that this job cannot use */
#include "kit/native.h"

#include "memory/zone.h"
#include "profile/profile.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static bool fails;

/* Receives of messages from this process that are never sent: they let MPI progress. */
static int awaited;
static MPI_Request never; /* the last of them */

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  int rank = -1;
  if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS)
    abort();
  const int code = PMPI_Irecv(data, count, type, from, tag, comm, request);
  if (count == 0 && from == rank) {
    awaited++;
    never = *request;
  }
  return code;
}

int MPI_Cancel(MPI_Request *request)
{
  awaited -= *request == never;
  return PMPI_Cancel(request);
}

cw_error __real_cwi_profile_start(cwi_part_finder *find);
cw_error __wrap_cwi_profile_start(cwi_part_finder *find);

cw_error __wrap_cwi_profile_start(cwi_part_finder *find)
{
  return fails ? cwi_outside("no memory for what is counted") : __real_cwi_profile_start(find);
}

/* A process that does not fail reports which one does; so do server ranks. */
static void test_failure(bool alone)
{
  fails = !alone || kit_me() == 0;
  KIT_OUTSIDE(fails ? "cw_init: |no memory for what is counted" : "cw_init: |in rank 0|no memory",
              cw_init(MPI_COMM_WORLD));
  kit_check(!cw_initialized(), "Causeway runs after a start that failed");
  kit_check_long(cw_processes(), 0, "processes after a start that failed");
  kit_check(cwi_zone.base == NULL, "a start that failed has left its zone");
  fails = false;
}

static void test_failing_start(const char *name, const char *value, const char *words)
{
  const char *given = getenv(name);
  char *before = given != NULL ? strdup(given) : NULL;
  kit_about("%s=%s", name, value);
  setenv(name, value, 1);
  KIT_MISUSE(words, cw_init(MPI_COMM_WORLD));
  kit_check(!cw_initialized(), "Causeway runs after a refused cw_init");
  if (before != NULL)
    setenv(name, before, 1);
  else
    unsetenv(name);
  free(before);
}

/* Every process adds to the next one's counter, on another node. */
static void work(void)
{
  cw_region region = NULL;
  void **at = NULL;
  int64_t before = -1;
  const int next = (cw_process() + 1) % cw_processes();
  kit_check(cwi_zone.fixed, "the zone is no memory file");
  const int64_t *mine = kit_make_region(8, &region, &at);
  KIT_OK(cw_fetch_add_int64(at[next], 1, next, &before));
  kit_check_long((long)before, 0, "the next one's counter");
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long((long)*mine, 1, "my counter");
  kit_free_region(&region, at);
}

/* Server ranks keep the settings of the first start; later settings differ from theirs. */
static void test_failing_starts(void)
{
  static bool later;
  const char *server = getenv("CW_SERVER");
  const bool ranks = server != NULL && strcmp(server, "rank") == 0;
  test_failing_start("CW_ROUTE", "direct",
                     ranks && later ? "cw_init: |CW_ROUTE"
                                    : "cw_init: |CW_ROUTE=direct, but the job has");
  later = true;
  if (ranks)
    return;
  setenv("CW_ROUTE", "server", 1);
  test_failing_start("CW_SERVER", "none",
                     "cw_init: |CW_ROUTE=server, but no node can have a server");
  unsetenv("CW_ROUTE");
}

static void start_without_success(const char *how)
{
  kit_about("a start that fails: %s", how);
  if (strcmp(how, "refused") == 0)
    test_failing_starts();
  else
    test_failure(strcmp(how, "alone") == 0);
  kit_check_long(awaited, 0, "receives that a start that failed has left");
}

int main(int argc, char **argv)
{
  enum { ROUNDS = 3 };
  const char *how = argc > 1 ? argv[1] : "alone";
  int level = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "failed starts");
  kit_hang_guard();
  start_without_success(how);
  for (int round = 0; round < ROUNDS; round++) {
    start_without_success(how);
    kit_about("a start behind one that failed, round %d", round);
    KIT_MUST(cw_init(MPI_COMM_WORLD));
    work();
    if (round == ROUNDS - 1)
      kit_use_world(cw_team_comm(cw_team_world()));
    KIT_MUST(cw_finalize());
  }
  return kit_finish();
}
