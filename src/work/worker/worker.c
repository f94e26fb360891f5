/* Binds threads to workers, and handles full queues. Used by phases and by the calls that add
 * tasks. */
#include "worker/pool.h"

__thread __attribute__((tls_model("initial-exec"))) struct cwi_worker *cwi_worker_innermost;

/* `classes` can be cached because no class can be registered during a phase. */
void cwi_worker_enter(struct cwi_worker *worker)
{
  worker->classes = worker->pool->classes.all;
  worker->outer = cwi_worker_innermost;
  cwi_worker_innermost = worker;
  worker->engagement = (struct cwi_task_engagement){worker->pool->team, cwi_engaged};
  cwi_engaged = &worker->engagement;
}

void cwi_worker_leave(struct cwi_worker *worker)
{
  cwi_worker_innermost = worker->outer;
  cwi_engaged = worker->engagement.outer;
}

void cwi_worker_release(struct cwi_worker *worker, uint64_t count)
{
  bool published = false;
  cwi_task_must(cwi_queue_release(&worker->queue, count, worker->pool->phase, &published));
  worker->counts.releases += published;
}

bool cwi_worker_keep(struct cwi_worker *worker, struct cwi_slot_head head, const void *body)
{
  if (cwi_queue_push(&worker->queue, head, body))
    return true;
  const bool kept = cwi_overflow_push(&worker->overflow, worker->queue.slot_bytes, head, body);
  worker->counts.deferred += kept;
  return kept;
}

/* First offers tasks to thieves: a task that adds many others ends late, and until then the other
 * workers need tasks. The slots of stolen tasks become free. The worker that drives a device keeps
 * the task as long as there is memory: if it ran the task, the device would be idle. */
void cwi_worker_overflow(struct cwi_worker *worker, struct cwi_slot_head head, const void *body)
{
  enum { DEEP = 32 }; /* largest number of nested tasks, each of which has a stack frame */
  cwi_worker_offer(worker);
  if (worker->depth >= DEEP || cwi_worker_drives(worker)
          ? cwi_worker_keep(worker, head, body)
          : cwi_queue_push(&worker->queue, head, body))
    return;
  if (++worker->counts.inlined % CWI_TASKS_PER_POLL == 0)
    cwi_worker_poll(worker);
  worker->depth++;
  cwi_worker_run(worker, head, body);
  worker->depth--;
}
