/* A separate library that was linked with libarmci. */
#include <armci.h>

int middle_put(int *value, void *to, int process);

int middle_put(int *value, void *to, int process)
{
  return ARMCI_Put(value, to, sizeof *value, process);
}
