/* Completes the events of a process that has died, in its crash reporter: the calls and phases in
 * progress end now. */
#include "profile/profile_counters.h"

/* Adds an event for the clocked call in progress. Its class and start are known. */
static void settle_under_way(struct cwi_profiled_thread *thread)
{
  const struct cwi_call_site *site = thread->clocked_site;
  if (thread->clocked_since == 0 || site == NULL)
    return;
  const char *name = thread->touched != NULL ? thread->touched->name : NULL;
  if (site->call_class == CW_CALL_TASK)
    name = (const char *)site->address; /* NOLINT(performance-no-int-to-ptr) */
  cwi_timeline_add(thread, &(struct cwi_timeline_event){.began = thread->clocked_since,
                                                        .ended = cwi_nanoseconds(),
                                                        .name = name,
                                                        .site = site,
                                                        .target = CW_NO_TARGET,
                                                        .what = (int)site->call_class});
}

void cwi_timeline_settle(struct cwi_profiled_thread *thread)
{
  if (!cwi_timeline_is_persistent(thread->events))
    thread->events = NULL;
  const uint64_t count = thread->event_count;
  cwi_phases_keep_open(thread);
  settle_under_way(thread);
  if (thread->events == NULL || thread->event_count > count || count < thread->event_capacity)
    return;
  /* The process may have died while it was overwriting the oldest event. Nothing has been added in
   * the place of that event, so drop it. */
  const uint64_t hole = count % thread->event_capacity--;
  thread->events[hole] = thread->events[thread->event_capacity];
}
