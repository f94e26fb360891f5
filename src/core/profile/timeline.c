/* The last events of each thread, for CW_TIMELINE. An event is kept when it ends, so that what is
 * dropped is whole events, the oldest first. */
#include "profile/counters.h"

#include <stdlib.h>

unsigned cwi_heard;

void cwi_timeline_start(void)
{
  if (cwi_settings.timeline != 0)
    cwi_heard |= CWI_HEARD_BY_TIMELINE;
}

void cwi_timeline_add(struct cwi_profiled_thread *thread, const struct cwi_timeline_event *event)
{
  const uint64_t room = (uint64_t)cwi_settings.timeline_events;
  if (CWI_UNLIKELY(thread->event_count == 0))
    thread->events = calloc(room, sizeof *thread->events);
  if (CWI_LIKELY(thread->events != NULL))
    thread->events[thread->event_count % room] = *event;
  thread->event_count++;
}

uint64_t cwi_timeline_kept(const struct cwi_profiled_thread *thread)
{
  const uint64_t room = (uint64_t)cwi_settings.timeline_events;
  if (thread->events == NULL)
    return 0;
  return thread->event_count < room ? thread->event_count : room;
}
