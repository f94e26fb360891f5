/* Reports a start that takes long, in a job that survives failures. Until cw_init has returned, no
 * process learns that another one has died, and the launcher's options keep it from ending the job.
 * So the processes would wait for the dead one in MPI, without a message. */
#include "base/log.h"
#include "base/settings.h"
#include "runtime/runtime.h"
#include "wait/thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct {
  bool runs;
  pthread_t thread;
  int end; /* eventfd that ends the thread */
} watch;

static void *watch_run(void *nothing)
{
  enum { MILLISECONDS = 1000, MOST = 1000000 };
  const long seconds = cwi_settings.wait_report < MOST ? cwi_settings.wait_report : MOST;
  struct pollfd end = {.fd = watch.end, .events = POLLIN};
  if (poll(&end, 1, (int)seconds * MILLISECONDS) == 0)
    cwi_log(CWI_LOG_WARNING,
            "cw_init has waited for %ld seconds (CW_WAIT_REPORT) for other processes. If one has "
            "died, end the job: CW_FAILURES=survive holds only after cw_init",
            seconds);
  return nothing;
}

void cwi_start_watch_begin(void)
{
  if (cwi_settings.failures == CWI_FAILURES_END || cwi_settings.wait_report == 0)
    return;
  watch.end = eventfd(0, EFD_CLOEXEC);
  if (watch.end < 0)
    return;
  watch.runs = cwi_thread_start(&watch.thread, watch_run, NULL) == 0;
  if (!watch.runs)
    close(watch.end);
}

void cwi_start_watch_end(void)
{
  if (!watch.runs)
    return;
  if (eventfd_write(watch.end, 1) == 0)
    pthread_join(watch.thread, NULL);
  close(watch.end);
  watch.runs = false;
}
