/* The table of processes that loads and stores reach without further checks. */
#include "route/direct_reach.h"

#include "team/world.h"

#include <stdlib.h>

struct cwi_ready cwi_ready;

cw_error cwi_ready_start(bool direct, bool served)
{
  cwi_ready.is = calloc((size_t)cwi_world.processes, sizeof *cwi_ready.is);
  if (cwi_ready.is == NULL)
    return cwi_outside("no memory for the routes to %d processes", cwi_world.processes);
  for (int process = 0; process < cwi_world.processes; process++)
    cwi_ready.is[process] = direct && cwi_same_node(process);
  cwi_ready.atomics = true;
  cwi_ready.served = served;
  return CW_OK;
}

void cwi_ready_stop(void)
{
  free(cwi_ready.is);
  cwi_ready = (struct cwi_ready){0};
}

void cwi_ready_not(int process)
{
  __atomic_store_n(&cwi_ready.is[process], 0, __ATOMIC_RELAXED);
}
