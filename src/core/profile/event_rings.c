/* The last events of each thread, for CW_TIMELINE. An event is added when it ends, so that only
 * whole events are dropped, the oldest first. The first rings lie in shared memory, where the crash
 * reporter finds them at the same addresses; further ones come from the heap. */
#include "profile/profile_counters.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Shared memory for `rings` rings. Only touched pages use memory. */
static struct {
  uint32_t lock;
  struct cwi_timeline_event *events;
  size_t rings, taken;
  size_t bytes; /* of each ring */
} events_memory;

bool cwi_timeline_is_persistent(const struct cwi_timeline_event *events)
{
  return events_memory.events != NULL && (uintptr_t)events >= (uintptr_t)events_memory.events &&
         (uintptr_t)events - (uintptr_t)events_memory.events <
             events_memory.rings * events_memory.bytes;
}

/* Maps memory for fewer rings if address space is limited or rings are large. */
static void rings_make(void)
{
  enum { RINGS = 64 };
  static const size_t MOST = (size_t)16 << 30;
  events_memory.bytes = (size_t)cwi_settings.timeline_events * sizeof *events_memory.events;
  for (events_memory.rings = RINGS; events_memory.rings > 0; events_memory.rings /= 2) {
    void *at = events_memory.rings == 1 || events_memory.rings * events_memory.bytes <= MOST
                   ? mmap(NULL, events_memory.rings * events_memory.bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED)
      continue;
    events_memory.events = at;
    events_memory.taken = 0;
    return;
  }
}

void cwi_timeline_start(void)
{
  if (cwi_settings.timeline == 0)
    return;
  rings_make();
  cwi_profile_state.listeners |= CWI_LISTENER_TIMELINE;
}

void cwi_timeline_stop(void)
{
  if (events_memory.events != NULL)
    munmap(events_memory.events, events_memory.rings * events_memory.bytes);
  events_memory.events = NULL;
}

void cwi_timeline_forget(struct cwi_profiled_thread *thread)
{
  if (!cwi_timeline_is_persistent(thread->events))
    free(thread->events);
  thread->events = NULL;
}

void cwi_timeline_seal(void)
{
  events_memory.taken = events_memory.rings;
}

/* Returns a ring in shared memory, or from the heap if all of these are taken, or NULL if there is
 * no memory. */
static struct cwi_timeline_event *ring_take(void)
{
  cwi_lock(&events_memory.lock);
  struct cwi_timeline_event *ring =
      events_memory.events != NULL && events_memory.taken < events_memory.rings
          ? events_memory.events + events_memory.taken++ * (size_t)cwi_settings.timeline_events
          : NULL;
  cwi_unlock(&events_memory.lock);
  return ring != NULL ? ring
                      : calloc((size_t)cwi_settings.timeline_events, sizeof *events_memory.events);
}

void cwi_timeline_add(struct cwi_profiled_thread *thread, const struct cwi_timeline_event *event)
{
  if (CWI_UNLIKELY(thread->event_count == 0)) {
    thread->event_capacity = (uint64_t)cwi_settings.timeline_events;
    thread->events = ring_take();
  }
  if (CWI_LIKELY(thread->events != NULL))
    thread->events[thread->event_count % thread->event_capacity] = *event;
  __atomic_store_n(&thread->event_count, thread->event_count + 1, __ATOMIC_RELEASE);
}

uint64_t cwi_timeline_kept(const struct cwi_profiled_thread *thread)
{
  if (thread->events == NULL)
    return 0;
  return thread->event_count < thread->event_capacity ? thread->event_count
                                                      : thread->event_capacity;
}
