/* MPI asks the driver for a name that Causeway defines for it (src/core/mpi/ucx_disconnect.c), and
 * Causeway is in a module, which is loaded too late for that: pass it on. */
#include "side.h"

#include <stddef.h>

void *(*bench_disconnect)(void *endpoint);

void *ucp_disconnect_nb(void *endpoint);

void *ucp_disconnect_nb(void *endpoint)
{
  return bench_disconnect != NULL ? bench_disconnect(endpoint) : NULL;
}
