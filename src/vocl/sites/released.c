/* Lets kept commands leave home: a clerk's turn. A command leaves when its events need not be
 * waited for at home and it is its turn in the queue; where there are several sites its operands
 * are brought to its site first, by deliveries that it then waits for, too. */
#include "sites/site.h"

#include <stddef.h>

/* Until when the clerk looks again although nobody wakes him, in nanoseconds: for ever but for
 * what vendors forget to tell, and for a while. */
enum { MOST_WATCHED = 32 };
static const long look = 100000000, rest = 10000000000;

enum readiness { NOT_YET, READY, FAILED };

static enum readiness kept_readiness(const struct cwi_kept *kept)
{
  const struct cwi_sited_context *context = kept->event->sited.context;
  enum readiness ready = READY;
  if (cwi_site_is_over(context, kept->event->site))
    return FAILED;
  for (cl_uint i = 0; i < kept->waits.count; i++) {
    const struct cwi_sited_event *wait = kept->waits.events[i];
    if (!cwi_event_is_home(wait) && wait->site == kept->event->site &&
        cwi_site_copy_known(wait, wait->site) != NULL)
      continue; /* its executor waits for it */
    const cl_int status = cwi_event_status(wait);
    if (status < 0)
      return FAILED;
    if (status > CL_COMPLETE)
      ready = NOT_YET;
  }
  return ready;
}

/* The first of the queue's that leaves now. */
static struct cwi_kept *queue_choose(struct cwi_sited_queue *queue, bool only_placed,
                                     enum readiness *ready)
{
  for (struct cwi_kept *each = queue->first; each != NULL; each = each->after) {
    const bool must_stay =
        (each->gathers && each != queue->first) || (only_placed && !each->is_placed);
    *ready = must_stay ? NOT_YET : kept_readiness(each);
    if (*ready != NOT_YET)
      return each;
    if (cwi_queue_keeps_order(queue) || each->command.sort == CWI_COMMAND_BARRIER)
      return NULL;
  }
  return NULL;
}

static struct cwi_kept *choose(struct cwi_sited_context *context, bool only_placed,
                               enum readiness *ready)
{
  for (struct cwi_sited_queue *queue = context->queues; queue != NULL; queue = queue->next) {
    struct cwi_kept *kept = queue->first != NULL ? queue_choose(queue, only_placed, ready) : NULL;
    if (kept != NULL)
      return kept;
  }
  return NULL;
}

/* --- one command --- */

static void kept_end(struct cwi_kept *kept, void *copy, cl_int status)
{
  cwi_event_leave(kept->event, kept, copy, status);
  cwi_kept_free(kept);
}

/* Its queue begins at once: whoever would have flushed it may have done so before. */
static void kept_issue(struct cwi_kept *kept)
{
  const struct cwi_sited_queue *queue = kept->event->queue;
  void *copy = NULL;
  const cl_int code =
      cwi_command_issue(&kept->command, kept->arguments, &kept->waits, kept->event->site, &copy);
  void *on = cwi_site_copy_known(queue, queue->site);
  if (code == CL_SUCCESS)
    cwi_copy_flush(on);
  kept_end(kept, copy, code);
}

/* Of those up to a place, the one that is first in the queue. */
static struct cwi_kept *queue_first(struct cwi_sited_queue *queue, uint64_t place)
{
  cwi_context_lock(queue->sited.context);
  struct cwi_kept *first = queue->first;
  cwi_context_unlock(queue->sited.context);
  return first != NULL && first->place <= place ? first : NULL;
}

/* It failed before it began, and in a queue that keeps order what waits behind it, too; but not
 * what the program puts there when it has seen that. */
static void kept_fail(struct cwi_kept *kept)
{
  struct cwi_sited_queue *queue = kept->event->queue;
  const bool keeps_order = cwi_queue_keeps_order(queue);
  const cl_int status = cwi_site_is_over(queue->sited.context, queue->site)
                            ? CL_DEVICE_NOT_AVAILABLE
                            : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  cwi_context_lock(queue->sited.context);
  const uint64_t place = queue->entered;
  cwi_context_unlock(queue->sited.context);
  cwi_sited_hold(queue);
  while (kept != NULL) {
    kept_end(kept, NULL, status);
    kept = keeps_order ? queue_first(queue, place) : NULL;
  }
  cwi_sited_let_go(queue);
}

/* Returns whether something has left home, or may do so now. */
static bool release_one(struct cwi_sited_context *context, bool only_placed)
{
  enum readiness ready = NOT_YET;
  struct cwi_use *over = NULL;
  bool is_placed = true, was_placed = true;
  cwi_context_lock(context);
  struct cwi_kept *kept = choose(context, only_placed, &ready);
  if (kept != NULL && ready == READY) {
    was_placed = kept->is_placed || context->site_count == 1;
    if (!was_placed)
      is_placed =
          cwi_command_place(kept->event, &kept->command, kept->arguments, &kept->waits, &over);
    kept->is_placed = true;
    if (is_placed && !was_placed)
      ready = kept_readiness(kept);
  }
  cwi_context_unlock(context);
  cwi_deliveries_free(NULL, over);
  if (kept == NULL)
    return false;
  if (!is_placed)
    kept_end(kept, NULL, CL_OUT_OF_HOST_MEMORY);
  else if (ready == FAILED)
    kept_fail(kept);
  else if (ready == READY)
    kept_issue(kept);
  return true;
}

/* --- being woken --- */

struct watching {
  struct cwi_sited_event *events[MOST_WATCHED];
  size_t count;
};

/* Only what has left home can be watched. */
static void watch_add(struct cwi_sited_context *context, struct watching *watching,
                      struct cwi_sited_event *event)
{
  if (event == NULL || event->is_watched || watching->count == MOST_WATCHED ||
      cwi_site_copy_known(event, event->site) == NULL)
    return;
  event->is_watched = true;
  cwi_sited_hold(event);
  event->next_watched = context->watched;
  context->watched = event;
  watching->events[watching->count++] = event;
}

static void watch_choose(struct cwi_sited_context *context, struct watching *watching)
{
  for (struct cwi_sited_queue *queue = context->queues; queue != NULL; queue = queue->next)
    for (struct cwi_kept *kept = queue->first; kept != NULL; kept = kept->after)
      for (cl_uint i = 0; i < kept->waits.count; i++)
        if (kept->waits.events[i]->site != queue->site)
          watch_add(context, watching, kept->waits.events[i]);
  for (struct cwi_delivery *delivery = context->deliveries; delivery != NULL;
       delivery = delivery->next)
    watch_add(context, watching, delivery->write != NULL ? delivery->write : delivery->read);
}

/* Those of which the clerk was told, linked. */
static struct cwi_sited_event *watched_told(struct cwi_sited_context *context)
{
  struct cwi_sited_event *told = NULL;
  for (struct cwi_sited_event **place = &context->watched; *place != NULL;) {
    struct cwi_sited_event *event = *place;
    if (!__atomic_load_n(&event->is_told, __ATOMIC_ACQUIRE)) {
      place = &event->next_watched;
      continue;
    }
    *place = event->next_watched;
    event->next_watched = told;
    told = event;
  }
  return told;
}

static void told_let_go(struct cwi_sited_event *told)
{
  while (told != NULL) {
    struct cwi_sited_event *next = told->next_watched;
    cwi_sited_let_go(told);
    told = next;
  }
}

/* --- turns --- */

static uint32_t count_placed(const struct cwi_sited_context *context)
{
  uint32_t count = 0;
  for (const struct cwi_sited_queue *queue = context->queues; queue != NULL; queue = queue->next)
    for (const struct cwi_kept *kept = queue->first; kept != NULL; kept = kept->after)
      count += kept->is_placed;
  for (const struct cwi_delivery *each = context->deliveries; each != NULL; each = each->next)
    count++;
  return count;
}

/* What is left when all that may leave home now has left it. */
struct turn_end {
  bool is_idle, is_much;
  uint32_t placed;
  cl_int code; /* of deliveries that are done */
};

static struct turn_end turn_do(struct cwi_sited_context *context, bool only_placed)
{
  struct watching watching = {.count = 0};
  struct cwi_use *over = NULL;
  struct turn_end end = {.code = CL_SUCCESS};
  while (release_one(context, only_placed))
    ;
  cwi_context_lock(context);
  struct cwi_delivery *deliveries = cwi_deliveries_sweep(context, &over);
  if (!only_placed)
    watch_choose(context, &watching);
  struct cwi_sited_event *told = watched_told(context);
  end.is_idle = context->kept == 0 && context->deliveries == NULL && context->watched == NULL;
  end.placed = only_placed ? count_placed(context) : 0;
  cwi_context_unlock(context);
  end.is_much = watching.count == MOST_WATCHED;
  for (size_t i = 0; i < watching.count; i++)
    cwi_event_watch(watching.events[i]);
  for (const struct cwi_delivery *each = deliveries; each != NULL; each = each->next)
    end.code = end.code != CL_SUCCESS ? end.code : cwi_delivery_verdict(each);
  cwi_deliveries_free(deliveries, over);
  told_let_go(told);
  return end;
}

long cwi_release_turn(struct cwi_sited_context *context)
{
  const struct turn_end end = turn_do(context, false);
  return end.is_much ? 0 : end.is_idle ? rest : look;
}

cl_int cwi_release_placed(struct cwi_sited_context *context, uint32_t *left)
{
  const struct turn_end end = turn_do(context, true);
  *left = end.placed;
  return end.code;
}
