/* A context's clerk: the thread that gives executors what has waited at home. It starts with the
 * first command that does. */
#include "sites/site.h"

#include "base/thread.h"

#include <stdlib.h>

/* Outlives whichever of both ends first. */
struct cwi_clerk_work {
  uint32_t users; /* the context, the clerk */
  struct cwi_signal gone;
  struct cwi_sited_context *context;
  long (*turn)(struct cwi_sited_context *context);
};

enum { LOOK = 100000000 }; /* nanoseconds */

static void work_leave(struct cwi_clerk_work *work)
{
  if (__atomic_sub_fetch(&work->users, 1, __ATOMIC_ACQ_REL) == 0)
    free(work);
}

/* While he works he holds the context: it may be let go by him. */
static void clerk_serve(const struct cwi_clerk_work *work)
{
  struct cwi_sited_context *context = work->context;
  for (;;) {
    const uint32_t bell = cwi_signal_value(&context->clerk.bell);
    if (!cwi_sited_try_hold(context))
      return;
    cwi_gate_enter(&context->gate);
    pthread_mutex_lock(&context->clerk.turns);
    const long nap = work->turn(context);
    pthread_mutex_unlock(&context->clerk.turns);
    cwi_gate_leave(&context->gate);
    if (cwi_sited_let_go(context))
      return;
    if (nap > 0)
      cwi_signal_nap(&context->clerk.bell, bell, nap);
  }
}

static void *clerk_run(void *argument)
{
  struct cwi_clerk_work *work = argument;
  clerk_serve(work);
  cwi_signal_advance(&work->gone);
  work_leave(work);
  return NULL;
}

/* He is detached: a child of fork has nobody to join. */
bool cwi_clerk_start(struct cwi_sited_context *context,
                     long (*turn)(struct cwi_sited_context *context))
{
  if (context->clerk.is_there)
    return true;
  struct cwi_clerk_work *work = calloc(1, sizeof *work);
  if (work == NULL)
    return false;
  work->users = 2;
  work->context = context;
  work->turn = turn;
  context->clerk.work = work;
  context->clerk.is_there = cwi_thread_start(&context->clerk.thread, clerk_run, work) == 0;
  if (context->clerk.is_there)
    pthread_detach(context->clerk.thread);
  else
    free(work);
  return context->clerk.is_there;
}

void cwi_clerk_stop(struct cwi_sited_context *context)
{
  struct cwi_clerk_work *work = context->clerk.work;
  if (!context->clerk.is_there)
    return;
  cwi_clerk_wake(context);
  while (!pthread_equal(context->clerk.thread, pthread_self()) &&
         cwi_signal_value(&work->gone) == 0)
    cwi_signal_nap(&work->gone, 0, LOOK);
  work_leave(work);
}
