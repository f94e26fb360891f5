/* Passes on MPI's call of a function that Causeway overrides (src/core/mpi/ucx_disconnect.c).
 * Causeway is in a module that is loaded too late to override it, so the driver defines the name.
 */
#include "side.h"

#include <stddef.h>

void *(*bench_disconnect)(void *endpoint);

void *ucp_disconnect_nb(void *endpoint);

void *ucp_disconnect_nb(void *endpoint)
{
  return bench_disconnect != NULL ? bench_disconnect(endpoint) : NULL;
}
