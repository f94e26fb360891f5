/* Starts Causeway's own threads, and makes sleeps exact. */
#include "wait/thread.h"

#include <signal.h>
#include <sys/prctl.h>

int cwi_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int code = pthread_create(thread, NULL, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

int cwi_slack_narrow(void)
{
  enum { NANOSECONDS = 1000 };
  const int before = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, (unsigned long)NANOSECONDS);
  return before;
}

void cwi_slack_restore(int slack)
{
  if (slack > 0)
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
}
