/* The worker thread of a context, which submits deferred commands to executors. It starts with
 * the first deferred command. */
#include "replica/replicated.h"

#include "wait/thread.h"

#include <stdlib.h>

/* Shared by the context and its worker; freed by the one that ends last. */
struct vocl_context_work {
  uint32_t users; /* references by the context and the worker */
  struct cwi_signal ended;
  struct vocl_replicated_context *context;
  long (*pass)(struct vocl_replicated_context *context);
};

enum { POLL = 100000000 }; /* nanoseconds */

static void work_leave(struct vocl_context_work *work)
{
  if (__atomic_sub_fetch(&work->users, 1, __ATOMIC_ACQ_REL) == 0)
    free(work);
}

/* Runs passes until the context ends. The worker holds a reference during a pass, so the last
 * reference may be released here. */
static void worker_serve(const struct vocl_context_work *work)
{
  struct vocl_replicated_context *context = work->context;
  for (;;) {
    const uint32_t bell = cwi_signal_value(&context->worker.bell);
    if (!vocl_replicated_try_ref(context))
      return;
    vocl_freeze_enter(&context->freeze);
    pthread_mutex_lock(&context->worker.pass_lock);
    const long sleep = work->pass(context);
    pthread_mutex_unlock(&context->worker.pass_lock);
    vocl_freeze_leave(&context->freeze);
    if (vocl_replicated_unref(context))
      return;
    if (sleep > 0)
      cwi_signal_nap(&context->worker.bell, bell, sleep);
  }
}

static void *worker_run(void *argument)
{
  struct vocl_context_work *work = argument;
  worker_serve(work);
  cwi_signal_advance(&work->ended);
  work_leave(work);
  return NULL;
}

/* Starts the worker. Its thread is detached, because a child of fork has no thread to join. */
bool vocl_context_worker_start(struct vocl_replicated_context *context,
                               long (*pass)(struct vocl_replicated_context *context))
{
  if (context->worker.is_there)
    return true;
  struct vocl_context_work *work = calloc(1, sizeof *work);
  if (work == NULL)
    return false;
  work->users = 2;
  work->context = context;
  work->pass = pass;
  context->worker.work = work;
  context->worker.is_there = cwi_thread_start(&context->worker.thread, worker_run, work) == 0;
  if (context->worker.is_there)
    pthread_detach(context->worker.thread);
  else
    free(work);
  return context->worker.is_there;
}

void vocl_context_worker_stop(struct vocl_replicated_context *context)
{
  struct vocl_context_work *work = context->worker.work;
  if (!context->worker.is_there)
    return;
  vocl_context_worker_wake(context);
  while (!pthread_equal(context->worker.thread, pthread_self()) &&
         cwi_signal_value(&work->ended) == 0)
    cwi_signal_nap(&work->ended, 0, POLL);
  work_leave(work);
}
