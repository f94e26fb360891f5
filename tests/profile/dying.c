/* A job that dies after all processes have put to the next one: dying.sh looks what its profile
 * has.
 *
 *   dying kill|segv|abort|mpi_abort|lost|merge    how process 1 ends; lost: nor is its part
 *   found; merge: when it should send what it has counted */
#include "kit/kit.h"

#include <causeway.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 4096, PUTS = 1000 };

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

static bool dies_in_merge;

/* Called by the library, too. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  if (dies_in_merge && to == 0)
    kill(getpid(), SIGKILL);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* What the witness of process 1 would write is a folder. */
static void lose_part(long first_pid)
{
  char name[4096];
  snprintf(name, sizeof name, "%s.%ld.parts", getenv("CW_PROFILE"), first_pid);
  kit_check(mkdir(name, 0777) == 0, "mkdir %s", name);
  strcat(name, "/1");
  kit_check(mkdir(name, 0777) == 0, "mkdir %s", name);
}

static void die(const char *how, long first_pid)
{
  if (strcmp(how, "lost") == 0)
    lose_part(first_pid);
  if (strcmp(how, "segv") == 0)
    signal(SIGSEGV, SIG_DFL); /* MPI may have taken it */
  if (strcmp(how, "abort") == 0)
    cw_abort("the test ends", 7);
  if (strcmp(how, "mpi_abort") == 0)
    MPI_Abort(MPI_COMM_WORLD, 7);
  kill(getpid(), strcmp(how, "segv") == 0 ? SIGSEGV : SIGKILL);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  kit_start(&argc, &argv, "dying");
  ok(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), next = (me + 1) % cw_processes();
  void **addresses = kit_alloc((size_t)cw_processes(), sizeof *addresses);
  long first_pid = getpid(); /* NOLINT(google-runtime-int) */
  const int64_t word = me;
  const char *how = argc > 1 ? argv[1] : "kill";
  MPI_Bcast(&first_pid, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (ok(cw_region_create(cw_team_world(), BYTES, &region, addresses))) {
    ok(cw_profile_begin("never ends"));
    for (int i = 0; i < PUTS; i++)
      ok(cw_put(&word, addresses[next], sizeof word, next)); /* site: put */
    ok(cw_barrier(cw_team_world()));
    dies_in_merge = me == 1 && strcmp(how, "merge") == 0;
    if (me == 1 && !dies_in_merge)
      die(how, first_pid);
    ok(strcmp(how, "merge") == 0 ? cw_finalize() : cw_barrier(cw_team_world()));
  }
  free(addresses);
  kit_check(false, "nobody has died");
  return kit_finish();
}
