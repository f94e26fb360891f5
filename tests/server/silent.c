/* A node is cut off. It need not be a neighbour of the node of the process that waits for it, and
 * all other processes compute. The last process stops for good. Process 0 waits for the answer of
 * its server, or sends it more than there are credits for (`credits`), or waits in cw_finalize for
 * the credit that it should give back (`end`). The job ends with an error that names the node. It
 * also ends if a server's thread cannot be started (`thread`). */
#include "kit/native.h"

#include "execution/request_buffer.h"
#include "server/liveness_check.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 400, BYTES = 100, COMPUTES = 100 /* seconds */ };

static bool no_thread; /* starting a thread fails in this process */
static bool stops;     /* this process stops at the end of its server */
static bool unchecked; /* no liveness check is made */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);
void __real_cwi_liveness_allow(void);
void __wrap_cwi_liveness_allow(void);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument)
{
  return no_thread ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
  if (stops)
    kill(getpid(), SIGSTOP);
  return __real_pthread_join(thread, result);
}

void __wrap_cwi_liveness_allow(void)
{
  if (!unchecked)
    __real_cwi_liveness_allow();
}

/* Only the process without a thread gets the error of the start. */
static void start_without_thread(void)
{
  no_thread = kit_me() == kit_processes() - 1;
  KIT_OK(cw_init(MPI_COMM_WORLD));
  sleep(COMPUTES);
}

static void need(void *there, int process, bool credits)
{
  static char data[BYTES];
  for (int i = 0; credits && i < MESSAGES; i++)
    KIT_OK(cw_put(data, there, sizeof data, process));
  KIT_OK(cw_get(data, there, sizeof data, process));
}

/* Leaves one credit of process 0 with the last process, which stops before it gives the credit
 * back. A liveness check or several updates in a row would make it give the credit back earlier, so
 * there are none. */
static void end(void *there, int last)
{
  if (kit_me() == 0)
    need(there, last, false);
  kit_barrier();
  stops = kit_me() == last;
  if (stops)
    kit_check_long((long)cwi_served().messages, 1, "the number of messages received");
  KIT_OK(cw_finalize());
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  const bool ends = argc > 1 && strcmp(argv[1], "end") == 0;
  unchecked = ends;
  kit_start_native(&argc, &argv, "silent");
  const bool credits = argc > 1 && strcmp(argv[1], "credits") == 0;
  const int last = kit_processes() - 1;
  if (argc > 1 && strcmp(argv[1], "thread") == 0) {
    KIT_MUST(cw_finalize());
    start_without_thread();
  }
  kit_make_region(BYTES, &region, &at);
  kit_barrier();
  if (ends)
    end(at[last], last);
  if (kit_me() == last)
    kill(getpid(), SIGSTOP);
  if (kit_me() == 0)
    need(at[last], last, credits);
  else
    sleep(COMPUTES);
  kit_check(false, "the job has not ended");
  return kit_finish_native();
}
