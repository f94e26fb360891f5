/* The longest waits of each thread: calls whose purpose is to wait, and other calls that waited so
 * long that the waiting loop reported what they waited for. */
#include "base/text.h"
#include "profile/profile_counters.h"
#include "wait/wait_report.h"

#include <string.h>

/* Called by a thread's waiting loop, which reports what the thread waits for. */
static void waits_observe(const char *whom)
{
  struct cwi_profiled_thread *thread = cwi_profiled;
  if (thread == NULL || thread->clocked_since == 0)
    return;
  /* If a call inside a task is not clocked, the clocked site is that of the task. The wait is then
   * not recorded. */
  if (thread->outermost == NULL || thread->outermost->began == 0)
    return;
  const size_t length = cwi_text_fitting(whom, sizeof thread->whom - 1);
  memcpy(thread->whom, whom, length);
  thread->whom[length] = '\0';
  thread->whom_updated = cwi_nanoseconds();
}

void cwi_waits_start(void)
{
  cwi_waiting_set_observer(waits_observe);
}

void cwi_waits_stop(void)
{
  cwi_waiting_set_observer(NULL);
}

/* Returns a free entry, or that of the shortest wait. */
static struct cwi_kept_wait *waits_place(struct cwi_profiled_thread *thread)
{
  struct cwi_kept_wait *shortest = &thread->waits[0];
  if (thread->wait_count < CWI_KEPT_WAITS)
    return &thread->waits[thread->wait_count++];
  for (int i = 1; i < CWI_KEPT_WAITS; i++)
    if (thread->waits[i].nanoseconds < shortest->nanoseconds)
      shortest = &thread->waits[i];
  return shortest;
}

/* Returns the shortest kept wait, or 0 while there is space for more. */
static uint64_t waits_least(const struct cwi_profiled_thread *thread)
{
  uint64_t least = UINT64_MAX;
  if (thread->wait_count < CWI_KEPT_WAITS)
    return 0;
  for (int i = 0; i < CWI_KEPT_WAITS; i++)
    if (thread->waits[i].nanoseconds < least)
      least = thread->waits[i].nanoseconds;
  return least;
}

bool cwi_wait_describe(const struct cwi_profiled_thread *thread, const struct cwi_call_site *site,
                       uint64_t began, uint64_t nanoseconds, struct cwi_kept_wait *wait)
{
  const bool is_notified = thread->whom_updated >= began;
  if (site->call_class == CW_CALL_TASK) /* a task computes; only the calls in it wait */
    return false;
  if (!is_notified && !cwi_is_wait(site->call_class) && !cwi_awaits_processes(site->call_class))
    return false;
  *wait = (struct cwi_kept_wait){
      .began = began, .nanoseconds = nanoseconds, .site = site, .phase = cwi_phases_path(thread)};
  if (is_notified)
    memcpy(wait->whom, thread->whom, sizeof wait->whom);
  return true;
}

void cwi_wait_keep(struct cwi_profiled_thread *thread, const struct cwi_call_site *site,
                   uint64_t began, uint64_t nanoseconds)
{
  struct cwi_kept_wait wait;
  if (!cwi_wait_describe(thread, site, began, nanoseconds, &wait))
    return;
  *waits_place(thread) = wait;
  thread->least_wait = waits_least(thread);
}
