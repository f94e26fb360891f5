/* The communication of Hartree-Fock on many nodes in simulated time, with the tasks of
 * bench/tasks/proxy.c. Prints one line of CSV for each way.
 *
 *   proxy TASKS...        under smpirun, with CW_SERVER=rank: see run.sh. TASKS: of each process
 *
 * The result of each way is verified first. */
#include "../tasks/proxy_ways.h"
#include "must.h"
#include "simulated.h"

#include <stdio.h>
#include <stdlib.h>

static void measure(double each)
{
  const int64_t tasks = (int64_t)(each * cw_processes());
  for (int way = 0; way < PROXY_WAYS; way++) {
    must(cw_barrier(cw_team_world()));
    const double seconds = proxy_run((enum proxy_way)way, tasks < 1 ? 1 : tasks);
    if (cw_process() == 0)
      printf("%s,%d,%g,%.9g\n", proxy_names[way], cw_processes(), each, seconds);
    (void)fflush(stdout);
  }
}

int main(int argc, char **argv)
{
  const struct proxy proxy = {.tile = 64, .block = 1};
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
    return 1;
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() > 0) {
    proxy_begin(&proxy);
    for (int i = 1; i < argc; i++)
      measure(atof(argv[i]));
    proxy_end();
    if (cw_process() == 0)
      puts("verified");
  }
  must(cw_finalize());
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
