#include "binding.h"

#include "base/clock.h"
#include "mpi/call.h"

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static int inits; /* that wait for their Finalize */

static cw_error check_level(int requested)
{
  int provided = 0;
  CWI_TRY(CWI_MPI(MPI_Query_thread(&provided)));
  if (provided < requested)
    return cwi_misuse("thread level %d was asked for; MPI was started with level %d", requested,
                      provided);
  return CW_OK;
}

static cw_error start(int requested, MPI_Comm comm)
{
  if (requested < MPI_THREAD_SINGLE || requested > MPI_THREAD_MULTIPLE)
    return cwi_misuse("the thread level is %d; it may be MPI_THREAD_SINGLE (%d) to "
                      "MPI_THREAD_MULTIPLE (%d)",
                      requested, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  CWI_TRY(cw_init(comm));
  CWI_TRY(check_level(requested));
  cwi_armci_domains_start();
  CWI_TRY(cwi_armci_groups_start());
  return cwi_armci_messages_start();
}

int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm)
{
  /* GA and TCGMSG both start ARMCI: the later ones, of whatever kind, only count. */
  return inits++ > 0 ? 0 : CWI_ARMCI(start(armci_requested, comm));
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

/* 1 is success here: GA_Initialize_comm goes on only `if (ret)`. */
int PARMCI_Init_mpi_comm(MPI_Comm comm)
{
  return PARMCI_Init_thread_comm(MPI_THREAD_SINGLE, comm) == 0;
}

int PARMCI_Initialized(void)
{
  return inits > 0;
}

/* TCGMSG's error path calls Finalize on one process alone. So the processes first agree, within a
 * bounded time, that all have come; if not, they leave everything as it is, and MPI_Abort or
 * MPI_Finalize, whichever comes next, ends the job. All see the same arrival times and come to the
 * same decision; who gives up has waited GRACE longer than the rule allows. */
enum { PATIENCE = 10, GRACE = 2, MICROSECONDS = 1000000 };

static int64_t clock_of_the_day(void)
{
  struct timeval now;
  gettimeofday(&now, NULL);
  return (int64_t)now.tv_sec * MICROSECONDS + now.tv_usec;
}

static cw_error all_have_come(bool *all)
{
  const int64_t now = clock_of_the_day();
  const double give_up = cwi_now() + PATIENCE + GRACE;
  static int64_t mine[2], most[2]; /* MPI may still use them after we gave up */
  mine[0] = now;
  mine[1] = -now;
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(CWI_MPI(MPI_Iallreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, cwi_armci_comm, &request)));
  int complete = 0;
  while (!complete && cwi_now() < give_up) {
    CWI_TRY(CWI_MPI(MPI_Test(&request, &complete, MPI_STATUS_IGNORE)));
    if (!complete)
      nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  const int64_t earliest = -most[1], latest = most[0];
  *all = complete && latest - earliest <= (int64_t)PATIENCE * MICROSECONDS;
  return CW_OK;
}

static cw_error stop(void)
{
  bool all = false;
  CWI_TRY(cw_fence_all());
  CWI_TRY(all_have_come(&all));
  if (!all)
    return CW_OK;
  cwi_armci_mutexes_stop();
  cwi_armci_groups_stop();
  CWI_TRY(cwi_armci_messages_stop());
  return cw_finalize();
}

int PARMCI_Finalize(void)
{
  if (inits == 0 || --inits > 0)
    return 0;
  return CWI_ARMCI(stop());
}

CWI_TWIN(ARMCI_Init);
CWI_TWIN(ARMCI_Init_args);
CWI_TWIN(ARMCI_Init_thread);
CWI_TWIN(ARMCI_Init_thread_comm);
CWI_TWIN(ARMCI_Init_mpi_comm);
CWI_TWIN(ARMCI_Initialized);
CWI_TWIN(ARMCI_Finalize);
