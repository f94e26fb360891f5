/* Watches the start of a job that survives failures. Until cw_init has returned, a failure is not
 * survived, and the launcher's options keep it from ending the job. The other processes would wait
 * for the dead one in MPI. A thread ends the job instead, as soon as the processes know each
 * other's PIDs; before, it can only report that the start takes long. */
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "machine/machine.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "mpi/mpi_result.h"
#include "runtime/runtime.h"
#include "team/agreement.h"
#include "wait/process_watch.h"

#include <stdlib.h>
#include <unistd.h>

struct starter {
  pid_t pid;
  struct cwi_pid_namespace space;
};

static struct cwi_process_watch watch = CWI_PROCESS_WATCH_CLOSED;

/* Returns the time in milliseconds until the start has taken long, or -1 if it is not reported. */
static int time_left(double began, bool reported)
{
  enum { MOST = 1000000 };
  if (reported || cwi_settings.wait_report == 0)
    return -1;
  const double left = (double)cwi_settings.wait_report - (cwi_now() - began);
  return left <= 0 ? 0 : (int)(1000 * (left < MOST ? left : MOST)) + 1;
}

static void *watch_run(void *nothing)
{
  const double began = cwi_now();
  bool reported = false;
  while (true) {
    const int number = cwi_process_watch_next(&watch, time_left(began, reported));
    if (number == CWI_WATCH_STOPPED)
      return nothing;
    if (number != CWI_WATCH_NOTHING)
      cwi_abort_with(1,
                     "the process with rank %d has ended in cw_init; ending the job: "
                     "CW_FAILURES=survive holds only after cw_init",
                     number);
    if (!reported && time_left(began, reported) == 0) {
      reported = true;
      cwi_log(CWI_LOG_WARNING,
              "cw_init has waited for %ld seconds (CW_WAIT_REPORT) for other processes. If one has "
              "died, end the job: CW_FAILURES=survive holds only after cw_init",
              cwi_settings.wait_report);
    }
  }
}

void cwi_start_watch_begin(void)
{
  if (cwi_settings.failures == CWI_FAILURES_END)
    return;
  if (!cwi_process_watch_open(&watch) || cwi_process_watch_start(&watch, watch_run) != 0)
    cwi_process_watch_stop(&watch);
}

/* Watches the other processes, whose PIDs are `all`. It leaves out those that cannot be watched. */
static void watch_processes(const struct starter *all, int count, int mine)
{
  if (!watch.runs || !cwi_process_watch_reserve(&watch, count))
    return; /* a death is only reported, after CW_WAIT_REPORT */
  for (int i = 0; i < count; i++)
    if (i != mine && cwi_same_pid_namespace(&all[i].space, &all[mine].space))
      cwi_process_watch_add(&watch, i, all[i].pid);
}

cw_error cwi_start_watch_processes(MPI_Comm comm)
{
  int count = 0, rank = 0;
  if (cwi_settings.failures == CWI_FAILURES_END)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Comm_size(comm, &count)));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &rank)));
  struct starter mine = {.pid = getpid()}, *all = calloc((size_t)count, sizeof *all);
  cwi_machine_pid_namespace(&mine.space);
  cw_error error =
      all != NULL ? CW_OK : cwi_outside("no memory for the PIDs of %d processes", count);
  error = cwi_agree(comm, error, NULL);
  CWI_ASSERT(error != CW_OK || all != NULL);
  if (error == CW_OK)
    error = cwi_mpi_allgather(&mine, sizeof mine, all, comm);
  if (error == CW_OK)
    watch_processes(all, count, rank);
  free(all);
  return error;
}

void cwi_start_watch_end(void)
{
  cwi_process_watch_stop(&watch);
}
