/* Sorts the events of this process, collects their texts, and sends both to process 0. */
#include "output/source.h"
#include "team/world.h"
#include "timeline/timeline_writer.h"

#include <stdlib.h>
#include <string.h>

/* --- Texts ------------------------------------------------------------------------------------ */

/* Writes the name of a task's function. *has_source is true once cwi_source_begin is in force. */
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

static bool is_known(const struct cwi_timeline_texts *texts, const void *of)
{
  return of == NULL || cwi_hash_map_find(&texts->numbers, (uintptr_t)of) != NULL;
}

/* Adds the text that belongs to the key `of`. Without memory it is left out. */
static void texts_add(struct cwi_timeline_texts *texts, const void *of, const char *text)
{
  const size_t bytes = strlen(text) + 1;
  if (texts->length + bytes > texts->capacity) {
    const size_t capacity = 2 * texts->capacity + bytes;
    char *more = realloc(texts->bytes, capacity);
    if (more == NULL)
      return;
    texts->bytes = more;
    texts->capacity = capacity;
  }
  if (cwi_hash_map_insert(&texts->numbers, (uintptr_t)of, (void *)(texts->count + 1)) !=
      CW_OK) /* NOLINT(performance-no-int-to-ptr) */
    return;
  memcpy(texts->bytes + texts->length, text, bytes);
  texts->length += bytes;
  texts->count++;
}

/* Adds the names of the event's object, phase or task and of its call. */
static void event_texts_add(struct cwi_timeline_texts *texts,
                            const struct cwi_timeline_event *event, bool *has_source)
{
  char function[256], call[CWI_CALL_NAME];
  const bool is_task = event->what == CW_CALL_TASK;
  if (!is_known(texts, event->name)) {
    if (is_task)
      task_text(event->name, function, sizeof function, has_source);
    texts_add(texts, event->name, is_task ? function : event->name);
  }
  if (is_task || is_known(texts, event->site))
    return;
  cwi_call_site_name(event->site, call, has_source);
  if (call[0] != '\0')
    texts_add(texts, event->site, call);
}

void cwi_timeline_find_texts(struct cwi_timeline_texts *texts)
{
  bool has_source = false;
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread))
    for (uint64_t i = 0; i < cwi_timeline_kept(thread); i++)
      event_texts_add(texts, &thread->events[i], &has_source);
  if (has_source)
    cwi_source_end();
}

void cwi_timeline_free_texts(struct cwi_timeline_texts *texts)
{
  cwi_hash_map_clear(&texts->numbers);
  free(texts->bytes);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* Orders events by the time at which they began. An event that contains another one comes first. */
static int compare_events(const void *one, const void *other)
{
  const struct cwi_timeline_event *a = *(struct cwi_timeline_event *const *)one,
                                  *b = *(struct cwi_timeline_event *const *)other;
  if (a->began != b->began)
    return a->began < b->began ? -1 : 1;
  return (a->ended < b->ended) - (a->ended > b->ended);
}

/* Changes phases so that all events nest. A phase may begin in one task and end in another. It is
 * then cut at the end of the event in which it began, or lasts as long as the call in which it
 * ends. `open` has space for `count` events. */
static void nest(struct cwi_timeline_event **events, size_t count, struct cwi_timeline_event **open)
{
  size_t depth = 0;
  for (size_t i = 0; i < count; i++) {
    struct cwi_timeline_event *event = events[i];
    while (depth > 0 && open[depth - 1]->ended <= event->began)
      depth--;
    if (event->what == CW_CALL_PROGRAM_PHASE && depth > 0 && open[depth - 1]->ended < event->ended)
      event->ended = open[depth - 1]->ended;
    for (size_t at = depth; at > 0 && open[at - 1]->ended < event->ended; at--)
      open[at - 1]->ended = event->ended;
    open[depth++] = event;
  }
}

/* Returns pointers to the events in order, which the caller frees, or NULL if there are no events
 * or no memory. The events themselves are not moved: if this process dies meanwhile, its crash
 * reporter needs them all. */
static struct cwi_timeline_event **put_in_order(struct cwi_timeline_event *events, size_t count)
{
  struct cwi_timeline_event **order =
      count > 0 ? malloc(2 * count * sizeof(struct cwi_timeline_event *)) : NULL;
  for (size_t i = 0; i < count && order != NULL; i++)
    order[i] = &events[i];
  if (order == NULL)
    return NULL;
  qsort(order, count, sizeof(struct cwi_timeline_event *), compare_events);
  nest(order, count, order + count);
  return order;
}

/* --- Sending ---------------------------------------------------------------------------------- */

/* Converts a time to nanoseconds since the run began, on the clock of process 0. */
static uint64_t aligned_time(const struct cwi_timeline_clock *clock, uint64_t time)
{
  const uint64_t aligned = cwi_clock_aligned(clock->samples, time);
  return aligned > clock->began ? aligned - clock->began : 0;
}

static uint32_t text_number_of(const struct cwi_timeline_texts *texts, const void *of)
{
  return of != NULL ? (uint32_t)(uintptr_t)cwi_hash_map_find(&texts->numbers, (uintptr_t)of) : 0;
}

static struct cwi_packed_event packed_event(const struct cwi_timeline_event *event,
                                            const struct cwi_timeline_texts *texts,
                                            const struct cwi_timeline_clock *clock)
{
  return (struct cwi_packed_event){.began = aligned_time(clock, event->began),
                                   .ended = aligned_time(clock, event->ended),
                                   .bytes = event->bytes,
                                   .text = text_number_of(texts, event->name),
                                   .call = text_number_of(texts, event->site),
                                   .target = event->target,
                                   .what = event->what};
}

static cw_error send_timeline_events(struct cwi_timeline_event *const *order, uint64_t events,
                                     const struct cwi_timeline_texts *texts,
                                     const struct cwi_timeline_clock *clock,
                                     const struct cwi_timeline_receiver *receiver, void *given)
{
  static struct cwi_packed_event packed[CWI_PACKED_EVENTS];
  size_t count = 0;
  for (uint64_t i = 0; i < events; i++) {
    packed[count++] = packed_event(order[i], texts, clock);
    if (count == CWI_PACKED_EVENTS || i + 1 == events) {
      CWI_TRY(receiver->events(given, packed, count));
      count = 0;
    }
  }
  return CW_OK;
}

/* Sends the events of one thread. Events for which there was no memory count as dropped. */
static cw_error send_timeline_thread(const struct cwi_profiled_thread *thread, uint64_t number,
                                     const struct cwi_timeline_texts *texts,
                                     const struct cwi_timeline_clock *clock,
                                     const struct cwi_timeline_receiver *receiver, void *given)
{
  const uint64_t kept = cwi_timeline_kept(thread);
  struct cwi_timeline_event **order = put_in_order(thread->events, kept);
  const uint64_t events = order != NULL ? kept : 0;
  const struct cwi_packed_thread head = {number, events, thread->event_count - events};
  cw_error error = receiver->thread(given, &head);
  if (error == CW_OK)
    error = send_timeline_events(order, events, texts, clock, receiver, given);
  free(order);
  return error;
}

cw_error cwi_timeline_send(const struct cwi_timeline_texts *texts,
                           const struct cwi_timeline_clock *clock,
                           const struct cwi_timeline_receiver *receiver, void *given)
{
  struct cwi_packed_process head = {.process = cwi_world.process,
                                    .node = cwi_world.node,
                                    .texts = texts->count,
                                    .text_bytes = texts->length};
  struct cwi_profiled_thread *thread = NULL;
  uint64_t number = 0;
  while ((thread = cwi_profiled_next(thread)) != NULL)
    head.threads += thread->event_count > 0;
  CWI_TRY(receiver->process(given, &head, texts->bytes));
  for (thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread), number++)
    if (thread->event_count > 0)
      CWI_TRY(send_timeline_thread(thread, number, texts, clock, receiver, given));
  return CW_OK;
}
