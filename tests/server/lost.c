/* MPI refuses to send a message to a server: the call says so, nothing is lost but the message, and
 * the job ends. */
#include "kit/native.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

static bool refuses;

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  const bool refused = refuses;
  refuses = false;
  return refused ? MPI_ERR_OTHER : PMPI_Send(data, count, type, to, tag, comm);
}

/* More often than there are credits. */
static void lose_puts(double *there)
{
  enum { TIMES = 40 };
  for (int i = 0; i < TIMES; i++) {
    const double sent = i;
    refuses = true;
    KIT_OUTSIDE("cw_put: MPI refused MPI_Send", cw_put(&sent, there, sizeof sent, 0));
    KIT_OK(cw_put(&sent, there + 1, sizeof sent, 0));
    KIT_OK(cw_fence(0));
  }
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void *slices[2] = {NULL, NULL};
  setenv("CW_ROUTE", "server", 1);
  kit_start_native(&argc, &argv, "lost");
  kit_hang_guard(60);
  KIT_MUST(cw_region_create(cw_team_world(), 64, &region, slices));
  if (kit_me() == 1)
    lose_puts(slices[0]);
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    kit_check(((double *)slices[0])[1] == 39, "the puts that were sent");
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}
