/* Starting threads of ours. */
#include "base/thread.h"

#include <signal.h>

int cwi_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int code = pthread_create(thread, NULL, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}
