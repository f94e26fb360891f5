/* A node is cut off that is perhaps no neighbour of the one that needs it, and nobody else waits:
 * the others compute. The last process stops for good; process 0 asks its server, or sends it more
 * than there are credits for (`credits`), or waits in cw_finalize for what it is to give back
 * (`end`). The job ends, and names the node. So does one of which a server has no thread
 * (`thread`).
 */
#include "kit/native.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 400, BYTES = 100, COMPUTES = 100 /* seconds */ };

static bool no_thread, stops; /* this process has none; at the end of its server */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

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

/* The error of a start goes no further than the process that has it. */
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

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "silent");
  const bool credits = argc > 1 && strcmp(argv[1], "credits") == 0;
  const int last = kit_processes() - 1;
  if (argc > 1 && strcmp(argv[1], "thread") == 0) {
    KIT_MUST(cw_finalize());
    start_without_thread();
  }
  kit_make_region(BYTES, &region, &at);
  kit_meet();
  if (argc > 1 && strcmp(argv[1], "end") == 0) {
    need(at[last], last, true);
    stops = kit_me() == last;
    KIT_OK(cw_finalize());
  }
  if (kit_me() == last)
    kill(getpid(), SIGSTOP);
  if (kit_me() == 0)
    need(at[last], last, credits);
  else
    sleep(COMPUTES);
  kit_check(false, "the job has not ended");
  return kit_finish_native();
}
