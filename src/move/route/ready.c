/* Which processes are reached directly, without further questions. */
#include "route/ready.h"

#include "team/world.h"

#include <stdlib.h>

uint8_t *cwi_ready;
bool cwi_direct_atomics;

cw_error cwi_ready_start(bool direct, bool atomics)
{
  cwi_ready = calloc((size_t)cwi_world.processes, sizeof *cwi_ready);
  if (cwi_ready == NULL)
    return cwi_outside("no memory for the routes to %d processes", cwi_world.processes);
  for (int process = 0; process < cwi_world.processes; process++)
    cwi_ready[process] = direct && cwi_same_node(process);
  cwi_direct_atomics = atomics;
  return CW_OK;
}

void cwi_ready_stop(void)
{
  cwi_direct_atomics = false;
  free(cwi_ready);
  cwi_ready = NULL;
}

void cwi_ready_not(int process)
{
  __atomic_store_n(&cwi_ready[process], 0, __ATOMIC_RELAXED);
}
