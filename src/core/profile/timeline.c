/* The last events of each thread, for CW_TIMELINE. An event is kept when it ends, so that what is
 * dropped is whole events, the oldest first. Rings lie in memory that a witness of the process
 * finds at the same addresses, as long as there is some. */
#include "base/lock.h"
#include "profile/counters.h"

#include <stdlib.h>
#include <sys/mman.h>

unsigned cwi_heard;

/* Memory for so many rings, of which only touched pages are taken. */
static struct {
  uint32_t lock;
  struct cwi_timeline_event *events;
  size_t rings, taken;
  size_t bytes; /* of each */
} lasting;

bool cwi_timeline_is_lasting(const struct cwi_timeline_event *events)
{
  return lasting.events != NULL && (uintptr_t)events >= (uintptr_t)lasting.events &&
         (uintptr_t)events - (uintptr_t)lasting.events < lasting.rings * lasting.bytes;
}

/* Fewer rings where addresses are limited, or rings are large. */
static void rings_make(void)
{
  enum { RINGS = 64 };
  static const size_t MOST = (size_t)16 << 30;
  lasting.bytes = (size_t)cwi_settings.timeline_events * sizeof *lasting.events;
  for (lasting.rings = RINGS; lasting.rings > 0; lasting.rings /= 2) {
    void *at = lasting.rings == 1 || lasting.rings * lasting.bytes <= MOST
                   ? mmap(NULL, lasting.rings * lasting.bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED)
      continue;
    lasting.events = at;
    lasting.taken = 0;
    return;
  }
}

void cwi_timeline_start(void)
{
  if (cwi_settings.timeline == 0)
    return;
  rings_make();
  cwi_heard |= CWI_HEARD_BY_TIMELINE;
}

void cwi_timeline_stop(void)
{
  if (lasting.events != NULL)
    munmap(lasting.events, lasting.rings * lasting.bytes);
  lasting.events = NULL;
}

void cwi_timeline_forget(struct cwi_profiled_thread *thread)
{
  if (!cwi_timeline_is_lasting(thread->events))
    free(thread->events);
  thread->events = NULL;
}

void cwi_timeline_seal(void)
{
  lasting.taken = lasting.rings;
}

static struct cwi_timeline_event *ring_take(void)
{
  cwi_lock(&lasting.lock);
  struct cwi_timeline_event *ring =
      lasting.events != NULL && lasting.taken < lasting.rings
          ? lasting.events + lasting.taken++ * (size_t)cwi_settings.timeline_events
          : NULL;
  cwi_unlock(&lasting.lock);
  return ring != NULL ? ring : calloc((size_t)cwi_settings.timeline_events, sizeof *lasting.events);
}

void cwi_timeline_add(struct cwi_profiled_thread *thread, const struct cwi_timeline_event *event)
{
  if (CWI_UNLIKELY(thread->event_count == 0)) {
    thread->event_room = (uint64_t)cwi_settings.timeline_events;
    thread->events = ring_take();
  }
  if (CWI_LIKELY(thread->events != NULL))
    thread->events[thread->event_count % thread->event_room] = *event;
  __atomic_store_n(&thread->event_count, thread->event_count + 1, __ATOMIC_RELEASE);
}

uint64_t cwi_timeline_kept(const struct cwi_profiled_thread *thread)
{
  if (thread->events == NULL)
    return 0;
  return thread->event_count < thread->event_room ? thread->event_count : thread->event_room;
}
