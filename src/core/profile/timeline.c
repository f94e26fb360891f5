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

static bool is_lasting(const struct cwi_timeline_event *events)
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
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread)) {
    if (!is_lasting(thread->events))
      free(thread->events);
    thread->events = NULL;
  }
  if (lasting.events != NULL)
    munmap(lasting.events, lasting.rings * lasting.bytes);
  lasting.events = NULL;
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

/* Of the call that is under way it is known what it is and when it began. */
static void add_under_way(struct cwi_profiled_thread *thread)
{
  const struct cwi_call_site *site = thread->clocked_site;
  if (thread->clocked_since == 0 || site == NULL)
    return;
  const char *name = thread->touched != NULL ? thread->touched->name : NULL;
  if (site->call_class == CWI_CALL_TASK)
    name = (const char *)site->address; /* NOLINT(performance-no-int-to-ptr) */
  cwi_timeline_add(thread, &(struct cwi_timeline_event){.began = thread->clocked_since,
                                                        .ended = cwi_profiled_clock(),
                                                        .name = name,
                                                        .target = CWI_NO_TARGET,
                                                        .what = (int)site->call_class});
}

void cwi_timeline_settle(struct cwi_profiled_thread *thread)
{
  if (!is_lasting(thread->events))
    thread->events = NULL;
  const uint64_t count = thread->event_count;
  cwi_phases_keep_open(thread);
  add_under_way(thread);
  if (thread->events == NULL || thread->event_count > count || count < thread->event_room)
    return;
  /* The oldest one was being overwritten, perhaps, and none has taken its place now. */
  const uint64_t hole = count % thread->event_room--;
  thread->events[hole] = thread->events[thread->event_room];
}
