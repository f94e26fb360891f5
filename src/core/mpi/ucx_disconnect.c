/* Replaces UCX's ucp_disconnect_nb. MPICH calls it in MPI_Finalize to close its connections. With
 * UCX 1.13 over TCP, that hangs in about every second job of four hosts.
 *
 * Each process flushes and closes its endpoints and waits for completion. A process that has
 * finished enters a barrier of the process manager, in which it makes no UCX progress. A peer whose
 * connection is not closed yet then waits for that process for ever. With this function no process
 * waits: open endpoints are destroyed with UCX's worker, after that barrier.
 *
 * The dynamic linker binds libmpich's reference to the first definition. That is in our shared
 * library, or in an executable with our static library. The executable exports it, because libmpich
 * refers to it. The symbol is weak, so that a program with UCX's static library keeps UCX's own
 * function. */
#include "mpi/ucx_disconnect.h"

#include "base/settings.h"
#include "mpi/mpi_library.h"
#include "mpi/workaround.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ucp_disconnect_nb(void *endpoint) __attribute__((weak, visibility("default")));

static bool leaving;

void cwi_disconnect_start(void)
{
  leaving = cwi_settings.leave_connections == CWI_LEAVE_ALWAYS ||
            (cwi_settings.leave_connections == CWI_LEAVE_AUTO &&
             cwi_workaround_applies(CWI_MPICH_FINALIZE));
}

/* UCX describes the transports of an endpoint in text only: "lane[0]:  2:tcp/eth0.0 md[1] ...". */
static bool uses_tcp(void *endpoint)
{
  void (*print)(void *, FILE *) = NULL;
  *(void **)(void *)&print = cwi_mpi_ucx("ucp_ep_print_info");
  char *text = NULL;
  size_t length = 0;
  FILE *stream = print != NULL ? open_memstream(&text, &length) : NULL;
  if (stream == NULL)
    return false;
  print(endpoint, stream);
  const bool tcp = fclose(stream) == 0 && text != NULL && strstr(text, ":tcp/") != NULL;
  free(text);
  return tcp;
}

/* Returns NULL if there is nothing to wait for: the connection is left open, or has already been
 * closed. */
void *ucp_disconnect_nb(void *endpoint)
{
  void *(*close)(void *) = NULL;
  if (leaving && uses_tcp(endpoint))
    return NULL;
  *(void **)(void *)&close = cwi_mpi_ucx("ucp_disconnect_nb");
  return close != NULL ? close(endpoint) : NULL;
}
