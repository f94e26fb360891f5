/* The last process dies in cw_init, before a step of the start; the job must end with a message.
 *
 *   dies_in_start world|zone|servers|collectives */
#include "base/error.h"
#include "kit/kit.h"

#include <causeway.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *chosen;

static void take_step(const char *step)
{
  if (strcmp(step, chosen) == 0 && kit_me() == kit_processes() - 1)
    kill(getpid(), SIGKILL);
}

#define WRAPPED(function, step, parameters, arguments)                                             \
  cw_error __real_##function parameters; /* NOLINT(bugprone-reserved-identifier) */                \
  cw_error __wrap_##function parameters; /* NOLINT(bugprone-reserved-identifier) */                \
  cw_error __wrap_##function parameters  /* NOLINT(bugprone-reserved-identifier) */                \
  {                                                                                                \
    take_step(step);                                                                               \
    return __real_##function arguments;                                                            \
  }

WRAPPED(cwi_world_start, "world", (MPI_Comm comm), (comm))
WRAPPED(cwi_zone_start, "zone", (void), ())
WRAPPED(cwi_servers_start, "servers", (void), ())
WRAPPED(cwi_collectives_start, "collectives", (void), ())

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "dies_in_start");
  chosen = argv[1];
  const cw_error error = CW_MAY_FAIL(cw_init(MPI_COMM_WORLD));
  printf("process %d: cw_init returns %d: %s\n", kit_me(), (int)error, cw_error_message());
  fflush(stdout);
  cw_failure_end(1);
}
