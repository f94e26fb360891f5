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
#include "wait/thread.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

struct starter {
  pid_t pid;
  struct cwi_pid_namespace space;
};

static struct {
  bool runs;
  pthread_t thread;
  int events;     /* epoll: the ends of the other processes, and `end` */
  int end;        /* eventfd that ends the thread */
  int *processes; /* [count] pidfds; -1 for this process and those in other PID namespaces */
  int count;
} watch = {.events = -1, .end = -1};

static bool watch_add(int file, int number)
{
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)number};
  return file >= 0 && epoll_ctl(watch.events, EPOLL_CTL_ADD, file, &event) == 0;
}

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
    struct epoll_event event;
    const int count = epoll_wait(watch.events, &event, 1, time_left(began, reported));
    if (count == 1 && event.data.u32 == UINT32_MAX)
      return nothing;
    if (count == 1)
      cwi_abort_with(1,
                     "the process with rank %u has ended in cw_init; ending the job: "
                     "CW_FAILURES=survive holds only after cw_init",
                     event.data.u32);
    if (count == 0 && !reported && time_left(began, reported) == 0) {
      reported = true;
      cwi_log(CWI_LOG_WARNING,
              "cw_init has waited for %ld seconds (CW_WAIT_REPORT) for other processes. If one has "
              "died, end the job: CW_FAILURES=survive holds only after cw_init",
              cwi_settings.wait_report);
    }
  }
}

static void watch_close(void)
{
  for (int i = 0; i < watch.count; i++)
    if (watch.processes[i] >= 0)
      close(watch.processes[i]);
  free(watch.processes);
  watch.processes = NULL;
  watch.count = 0;
  if (watch.events >= 0)
    close(watch.events);
  if (watch.end >= 0)
    close(watch.end);
  watch.events = watch.end = -1;
}

void cwi_start_watch_begin(void)
{
  if (cwi_settings.failures == CWI_FAILURES_END)
    return;
  watch.events = epoll_create1(EPOLL_CLOEXEC);
  watch.end = eventfd(0, EFD_CLOEXEC);
  watch.runs = watch_add(watch.end, -1) && cwi_thread_start(&watch.thread, watch_run, NULL) == 0;
  if (!watch.runs)
    watch_close();
}

/* Watches the other processes, whose PIDs are `all`. It leaves out those that
 * cannot be watched. */
static void watch_processes(const struct starter *all, int count, int mine)
{
  watch.processes = malloc((size_t)count * sizeof *watch.processes);
  if (!watch.runs || watch.processes == NULL)
    return; /* a death is only reported, after CW_WAIT_REPORT */
  watch.count = count;
  for (int i = 0; i < count; i++) {
    const bool visible = i != mine && cwi_same_pid_namespace(&all[i].space, &all[mine].space);
    watch.processes[i] = visible ? (int)syscall(SYS_pidfd_open, all[i].pid, 0) : -1;
    watch_add(watch.processes[i], i);
  }
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
  if (watch.runs && eventfd_write(watch.end, 1) == 0)
    pthread_join(watch.thread, NULL);
  watch.runs = false;
  watch_close();
}
