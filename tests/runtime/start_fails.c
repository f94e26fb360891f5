/* A start that fails late leaves no receive behind, and a later one works as if there had been
 * none.
 */
#include "kit/native.h"

#include "memory/zone.h"

#include <mpi.h>
#include <stdlib.h>

static int awaited;       /* empty messages of myself, which nobody sends */
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

static bool fixed; /* the zone, at the first start */

static void check_works(int round)
{
  cw_region region = NULL;
  void **at = NULL;
  const int next = (kit_me() + 1) % kit_processes();
  const int64_t sent = 10 * round + kit_me();
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  kit_check(cwi_zone.fixed == fixed, "the zone is of another kind than at the first start");
  const int64_t *mine = kit_make_region(sizeof sent, &region, &at);
  KIT_OK(cw_put(&sent, at[next], sizeof sent, next));
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long((long)*mine, 10L * round + (kit_me() + 1) % 2, "what the other process has put");
  kit_free_region(&region, at);
  KIT_OK(cw_finalize());
  kit_check_long(awaited, 0, "receives that are left after an end");
}

/* Two nodes: direct is refused when nearly all has been started. */
int main(int argc, char **argv)
{
  enum { ROUNDS = 3 };
  int level = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "start_fails");
  kit_hang_guard();
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  fixed = cwi_zone.fixed;
  KIT_OK(cw_finalize());
  for (int round = 0; round < ROUNDS; round++) {
    kit_about("round %d", round);
    setenv("CW_ROUTE", "direct", 1);
    KIT_MISUSE("CW_ROUTE=direct|2 nodes", cw_init(MPI_COMM_WORLD));
    kit_check_long(awaited, 0, "receives that are left after a start that failed");
    kit_check(!cw_initialized(), "Causeway runs");
    unsetenv("CW_ROUTE");
    check_works(round);
  }
  return kit_finish();
}
