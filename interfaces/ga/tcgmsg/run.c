/* Start and end of TCGMSG. */
#include "ga/tcgmsg/run.h"

#include "armci/inner_calls.h"
#include "base/stop_hooks.h"
#include "base/unread_errors.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include "tcgmsg.h"

#include <stdlib.h>

/* Stops TCGMSG's messages when Causeway stops. This may be after pend, if GA still uses Causeway.
 * It may also be before pend, if the program itself calls cw_finalize. */
static void tcg_forget(void)
{
  if (cwi_tcg_messages_stop() != CW_OK)
    cwi_abort(cwi_error_message(), 1);
  cwi_tcg_set_runs(false);
}

cw_error cwi_tcg_start(void)
{
  static struct cwi_stop_hook end = {.run = tcg_forget};
  int up = 0;
  if (cwi_tcg_runs())
    return cwi_misuse("TCGMSG runs already: this call may be made only once");
  CWI_TRY(CWI_MPI(MPI_Initialized(&up)));
  if (!up)
    CWI_TRY(CWI_MPI(MPI_Init(NULL, NULL)));
  cwi_failures_by_binding();
  CWI_TRY(cw_init(MPI_COMM_WORLD));
  cwi_stop_hook_add(&end);
  CWI_TRY(cwi_armci_hold());
  CWI_TRY(cwi_tcg_messages_start());
  CWI_TRY(cwi_tcg_counter_start());
  cwi_tcg_set_runs(true);
  return CW_OK;
}

/* Stops TCGMSG, Causeway and MPI. GA stops, too, if the program has not stopped it. */
cw_error cwi_tcg_stop(void)
{
  CWI_TRY(cwi_tcg_running());
  CWI_TRY(cwi_world_may_stop());
  CWI_TRY(cwi_tcg_wait());
  CWI_TRY(cw_barrier(cw_team_world()));
  CWI_TRY(cwi_tcg_counter_stop());
  while (cw_initialized())
    CWI_TRY(cw_finalize());
  return CWI_MPI(MPI_Finalize());
}

/* --- The calls in C --- */

void tcg_pbeginf(void)
{
  (void)CWI_TCG(__func__, cwi_tcg_start());
}

void tcg_pbginf(void)
{
  (void)CWI_TCG(__func__, cwi_tcg_start());
}

void tcg_pbegin(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  (void)CWI_TCG(__func__, cwi_tcg_start());
}

void tcg_alt_pbegin(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  (void)CWI_TCG(__func__, cwi_tcg_start());
}

void tcg_pend(void)
{
  (void)CWI_TCG(__func__, cwi_tcg_stop());
  exit(0);
}

long tcg_nnodes(void)
{
  return CWI_TCG(__func__, cwi_tcg_running()) == 0 ? cw_processes() : 0;
}

long tcg_nodeid(void)
{
  return CWI_TCG(__func__, cwi_tcg_running()) == 0 ? cw_process() : -1;
}

long tcg_ready(void)
{
  return cwi_tcg_runs();
}
