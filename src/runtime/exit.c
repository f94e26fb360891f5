/* Reports which process has called exit while Causeway runs. Launchers end a job if a process exits
 * without MPI_Finalize, some by killing all processes before another one notices. */
#include "runtime/runtime.h"

#include "base/hash.h"
#include "base/single_runtime.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t process; /* PID of this process, to recognise a child that it has forked */

/* Reports the exit. If all processes exit, only one of a node reports it. A world of one process
 * needs no report, because no other process waits for it. An exit during cw_abort is not reported,
 * because MPI_Abort may call exit itself. */
static void on_process_exit(int status, void *unused)
{
  char message[200];
  (void)unused;
  if (!cwi_single_runtime_runs() || cwi_world.processes <= 1 || getpid() != process ||
      cwi_mpi_aborts() || !cwi_zone_is_new(cwi_hash_text(CWI_HASH_EMPTY, "a process exits")))
    return;
  snprintf(message, sizeof message,
           "process %d has called exit(%d) before cw_finalize (ARMCI_Finalize, GA_Terminate)",
           cwi_world.process, status);
  cwi_mpi_report(message);
}

void cwi_exit_watch(void)
{
  static bool watches;
  process = getpid();
  if (!watches)
    watches = on_exit(on_process_exit, NULL) == 0;
}
