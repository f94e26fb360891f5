/* Start and stop of ARMCI. */
#include "binding.h"

#include "base/stop_hooks.h"
#include "base/unread_errors.h"
#include "inner_calls.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdint.h>

static int inits;   /* number of ARMCI_Init calls minus number of ARMCI_Finalize calls */
static int holders; /* number of running interfaces on top of ARMCI (GA, TCGMSG) */
static bool is_up;

/* Stops ARMCI, but not Causeway. */
static cw_error armci_end(void)
{
  if (!is_up)
    return CW_OK;
  is_up = false;
  cwi_armci_mutexes_stop();
  cwi_armci_groups_stop();
  return cwi_armci_messages_stop();
}

/* Stops ARMCI when Causeway stops: the program itself, or TCGMSG's pend, may stop Causeway
 * first. */
static void armci_forget(void)
{
  inits = holders = 0;
  if (armci_end() != CW_OK)
    cwi_abort(cwi_error_message(), 1);
}

static cw_error armci_begin(void)
{
  static struct cwi_stop_hook end = {.run = armci_forget};
  if (is_up)
    return CW_OK;
  cwi_armci_domains_start();
  CWI_TRY(cwi_armci_groups_start());
  CWI_TRY(cwi_armci_messages_start());
  is_up = true;
  cwi_stop_hook_add(&end);
  return CW_OK;
}

cw_error cwi_armci_hold(void)
{
  CWI_TRY(armci_begin());
  holders++;
  return CW_OK;
}

cw_error cwi_armci_release(void)
{
  holders -= holders > 0;
  return holders + inits == 0 ? armci_end() : CW_OK;
}

static cw_error check_level(int requested)
{
  int provided = 0;
  CWI_TRY(CWI_MPI(MPI_Query_thread(&provided)));
  if (provided < requested)
    return cwi_misuse("thread level %d was requested; MPI was started with level %d", requested,
                      provided);
  return CW_OK;
}

static cw_error armci_start(int requested, MPI_Comm comm)
{
  if (requested < MPI_THREAD_SINGLE || requested > MPI_THREAD_MULTIPLE)
    return cwi_misuse("the thread level is %d; it may be MPI_THREAD_SINGLE (%d) to "
                      "MPI_THREAD_MULTIPLE (%d)",
                      requested, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  cwi_failures_by_binding();
  CWI_TRY(cw_init(comm));
  CWI_TRY(check_level(requested));
  return armci_begin();
}

int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm)
{
  /* GA and TCGMSG may both start ARMCI. All starts after the first are only counted. */
  return inits++ > 0 ? 0 : CWI_ARMCI(armci_start(armci_requested, comm));
}

int PARMCI_Init_thread(int armci_requested)
{
  return PARMCI_Init_thread_comm(armci_requested, MPI_COMM_WORLD);
}

int PARMCI_Init(void)
{
  return PARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD);
}

int PARMCI_Init_args(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  return PARMCI_Init();
}

/* Returns 1 on success, because GA_Initialize_comm continues only `if (ret)`. */
int PARMCI_Init_mpi_comm(MPI_Comm comm)
{
  return PARMCI_Init_thread_comm(MPI_THREAD_SINGLE, comm) == 0;
}

int PARMCI_Initialized(void)
{
  return inits + holders > 0;
}

/* TCGMSG's function Error prints its message, calls ARMCI_Finalize on its process alone, and then
 * MPI_Abort. ARMCI_Finalize must not wait for the other processes in this case. In all other cases
 * they arrive eventually. The return address distinguishes the two cases. It lies in Error, because
 * Error calls finalize_nxtval, which reaches ARMCI_Finalize by a tail call. If a compiler makes an
 * ordinary call instead, ARMCI_Finalize waits, and reports this after a while. */
extern void Error(char *, long) __attribute__((weak));

static bool is_tcgmsg_error(const void *caller)
{
  enum { LONGEST = 256 };
  const uintptr_t begin = (uintptr_t)Error, at = (uintptr_t)caller;
  return begin != 0 && at > begin && at <= begin + LONGEST;
}

/* Stops ARMCI and Causeway. Collective. The processes may arrive at very different times. */
static cw_error armci_stop(void)
{
  CWI_TRY(cw_barrier(cw_team_world()));
  if (holders == 0)
    CWI_TRY(armci_end());
  return cw_finalize();
}

int PARMCI_Finalize(void)
{
  if (inits > 0 && CWI_ARMCI(cwi_world_may_stop()) != 0)
    return 1;
  if (inits == 0 || --inits > 0)
    return 0;
  return is_tcgmsg_error(__builtin_return_address(0)) ? 0 : CWI_ARMCI_WAITS(armci_stop());
}

CWI_TWIN(ARMCI_Init);
CWI_TWIN(ARMCI_Init_args);
CWI_TWIN(ARMCI_Init_thread);
CWI_TWIN(ARMCI_Init_thread_comm);
CWI_TWIN(ARMCI_Init_mpi_comm);
CWI_TWIN(ARMCI_Initialized);
CWI_TWIN(ARMCI_Finalize);
