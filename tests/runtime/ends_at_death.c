/* Prints what cwi_launcher_ends_at_death returns, for launcher_ends.sh. No MPI: any launcher may
 * start it. */
#include "mpi/launcher.h"

#include <stdio.h>

int main(void)
{
  const char *advice = cwi_launcher_ends_at_death();
  printf("advice: %s\n", advice != NULL ? advice : "none");
  return 0;
}
