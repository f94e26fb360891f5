/* The events of this process, in order and with their texts, as process 0 is to hear of them. */
#include "report/module.h"
#include "report/source.h"
#include "report/timeline.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* --- Texts ------------------------------------------------------------------------------------ */

/* A function of the program. has_source: cwi_source_begin is in force. */
static void task_text(const char *function, char *text, size_t size, bool *has_source)
{
  if (!*has_source)
    *has_source = cwi_source_begin();
  struct cwi_module_place place;
  struct cwi_source_place source = {.function = ""};
  cwi_module_find((uintptr_t)function, &place);
  const char *slash = strrchr(place.path, '/');
  if (place.path[0] != '\0' && cwi_source_find(place.path, place.offset, false, &source) &&
      source.function[0] != '\0')
    snprintf(text, size, "%s", source.function);
  else if (place.symbol[0] != '\0')
    snprintf(text, size, "%s", place.symbol);
  else
    snprintf(text, size, "%.128s+0x%llx", slash != NULL ? slash + 1 : place.path,
             (unsigned long long)place.offset);
}

/* Without memory it has no text. */
static void texts_add(struct cwi_timeline_texts *texts, const struct cwi_timeline_event *event,
                      bool *has_source)
{
  char own[256];
  const char *text = event->name;
  if (event->name == NULL || cwi_map_find(&texts->numbers, (uintptr_t)event->name) != NULL)
    return;
  if (event->what == CWI_CALL_TASK) {
    task_text(event->name, own, sizeof own, has_source);
    text = own;
  }
  const size_t bytes = strlen(text) + 1;
  if (texts->length + bytes > texts->capacity) {
    const size_t capacity = 2 * texts->capacity + bytes;
    char *more = realloc(texts->bytes, capacity);
    if (more == NULL)
      return;
    texts->bytes = more;
    texts->capacity = capacity;
  }
  if (cwi_map_insert(&texts->numbers, (uintptr_t)event->name, (void *)(texts->count + 1)) !=
      CW_OK) /* NOLINT(performance-no-int-to-ptr) */
    return;
  memcpy(texts->bytes + texts->length, text, bytes);
  texts->length += bytes;
  texts->count++;
}

void cwi_timeline_find_texts(struct cwi_timeline_texts *texts)
{
  bool has_source = false;
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread))
    for (uint64_t i = 0; i < cwi_timeline_kept(thread); i++)
      texts_add(texts, &thread->events[i], &has_source);
  if (has_source)
    cwi_source_end();
}

void cwi_timeline_free_texts(struct cwi_timeline_texts *texts)
{
  cwi_map_clear(&texts->numbers);
  free(texts->bytes);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* What lies in another one comes behind it. */
static int compare_events(const void *one, const void *other)
{
  const struct cwi_timeline_event *a = one, *b = other;
  if (a->began != b->began)
    return a->began < b->began ? -1 : 1;
  return (a->ended < b->ended) - (a->ended > b->ended);
}

/* A phase may end in another task than it began in: then it is cut off, or lasts as long as the
 * call in which it ends, so that events lie in each other. open: room for their numbers. */
static void nest(struct cwi_timeline_event *events, size_t count, size_t *open)
{
  size_t depth = 0;
  for (size_t i = 0; i < count; i++) {
    struct cwi_timeline_event *event = &events[i];
    while (depth > 0 && events[open[depth - 1]].ended <= event->began)
      depth--;
    if (event->what == CWI_PROGRAM_PHASE && depth > 0 &&
        events[open[depth - 1]].ended < event->ended)
      event->ended = events[open[depth - 1]].ended;
    for (size_t at = depth; at > 0 && events[open[at - 1]].ended < event->ended; at--)
      events[open[at - 1]].ended = event->ended;
    open[depth++] = i;
  }
}

/* False: there is no memory, or no event. */
static bool put_in_order(struct cwi_timeline_event *events, size_t count)
{
  size_t *open = count > 0 ? malloc(count * sizeof *open) : NULL;
  if (open == NULL)
    return false;
  qsort(events, count, sizeof *events, compare_events);
  nest(events, count, open);
  free(open);
  return true;
}

/* --- Telling ---------------------------------------------------------------------------------- */

static uint64_t told_time(const struct cwi_timeline_clock *clock, uint64_t time)
{
  const uint64_t aligned = cwi_clock_aligned(clock->looks, time);
  return aligned > clock->began ? aligned - clock->began : 0;
}

static struct cwi_told_event told_event(const struct cwi_timeline_event *event,
                                        const struct cwi_timeline_texts *texts,
                                        const struct cwi_timeline_clock *clock)
{
  const void *text =
      event->name != NULL ? cwi_map_find(&texts->numbers, (uintptr_t)event->name) : NULL;
  return (struct cwi_told_event){.began = told_time(clock, event->began),
                                 .ended = told_time(clock, event->ended),
                                 .bytes = event->bytes,
                                 .text = (uint32_t)(uintptr_t)text,
                                 .target = event->target,
                                 .what = event->what};
}

static cw_error tell_thread(const struct cwi_profiled_thread *thread, uint64_t number,
                            const struct cwi_timeline_texts *texts,
                            const struct cwi_timeline_clock *clock,
                            const struct cwi_timeline_ear *ear, void *given)
{
  static struct cwi_told_event told[CWI_TOLD_AT_ONCE];
  const uint64_t kept = cwi_timeline_kept(thread),
                 events = put_in_order(thread->events, kept) ? kept : 0;
  const struct cwi_told_thread head = {number, events, thread->event_count - events};
  size_t count = 0;
  CWI_TRY(ear->thread(given, &head));
  for (uint64_t i = 0; i < events; i++) {
    told[count++] = told_event(&thread->events[i], texts, clock);
    if (count == CWI_TOLD_AT_ONCE || i + 1 == events) {
      CWI_TRY(ear->events(given, told, count));
      count = 0;
    }
  }
  return CW_OK;
}

cw_error cwi_timeline_tell(const struct cwi_timeline_texts *texts,
                           const struct cwi_timeline_clock *clock,
                           const struct cwi_timeline_ear *ear, void *given)
{
  struct cwi_told_process head = {.process = cwi_world.process,
                                  .node = cwi_world.node,
                                  .texts = texts->count,
                                  .text_bytes = texts->length};
  struct cwi_profiled_thread *thread = NULL;
  uint64_t number = 0;
  while ((thread = cwi_profiled_next(thread)) != NULL)
    head.threads += thread->event_count > 0;
  CWI_TRY(ear->process(given, &head, texts->bytes));
  for (thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread), number++)
    if (thread->event_count > 0)
      CWI_TRY(tell_thread(thread, number, texts, clock, ear, given));
  return CW_OK;
}
