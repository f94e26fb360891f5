/* Prints what cwi_launcher_ends_at_death returns, for launcher_ends.sh. No MPI: any launcher may
 * start it. */
#include "mpi/launcher.h"

#include <stdio.h>

int main(void)
{
  const char *advice = cwi_launcher_ends_at_death();
  printf("advice: %s\n", advice != NULL ? advice : "none");
  /* MPICH's mpiexec sends the end of its standard input to the process. If the process has ended by
   * then, SIGPIPE may end mpiexec. */
  while (getchar() != EOF)
    continue;
  return 0;
}
