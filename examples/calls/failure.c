/* causeway/failure.h: the calls that survivors.c does not make. No process fails here; with
 * CW_FAILURES=survive the program also sets a handler. */
#include <causeway.h>
#include <stdio.h>

static void failed(int process, void *context)
{
  fprintf(stderr, "%s: process %d has failed\n", (const char *)context, process);
}

int main(int argc, char **argv)
{
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process();
  cw_region region = NULL;
  CW_MUST(cw_region_create(cw_team_world(), sizeof me, &region, NULL));
  *(int *)cw_region_address(region, me) = 100 + me;

  if (cw_survives()) /* the job continues when a process fails */
    CW_MUST(cw_failure_handler(failed, "calls/failure"));

  /* All members receive the same set of failed members, here an empty one. It is also a barrier. */
  size_t count = 0;
  CW_MUST(cw_team_agree_failed(cw_team_world(), 0, NULL, &count));

  /* The slice of a process of my node, which may have failed. */
  void *address = NULL;
  size_t bytes = 0;
  CW_MUST(cw_region_salvage(region, me, &address, &bytes));
  const bool right = count == 0 && bytes == sizeof me && *(int *)address == 100 + me;
  if (!right)
    cw_abort("calls/failure: a wrong result", 1);

  CW_MUST(cw_region_free(cw_team_world(), &region));
  CW_MUST(cw_finalize());
  return MPI_Finalize();
}
