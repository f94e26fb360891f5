/* cw_abort after a failure ends all processes: rank 2 kills itself, rank 0 aborts, and the others
 * compute. */
#include <causeway.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  CW_MUST(cw_barrier(cw_team_world()));
  if (cw_process() == 2)
    kill(getpid(), SIGKILL);
  if (cw_process() == 0 && CW_MAY_FAIL(cw_barrier(cw_team_world())) == CW_FAILED)
    cw_abort("a test of cw_abort", 3);
  while (true)
    sleep(1);
}
