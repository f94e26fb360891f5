/* Submits deferred commands: one pass of the worker. A command is submitted when it is next in its
 * queue and the client side need not wait for any event of its wait list. With several locations,
 * its operands are first transferred to its location, and it waits for these transfers too. */
#include "command/command_submit.h"

#include <stddef.h>

/* Longest sleep of the worker, in nanoseconds: `poll` while something is pending, because a vendor
 * may miss a callback, and otherwise `rest`. */
enum { MOST_WATCHED = 32 };
static const long poll = 100000000, rest = 10000000000;

enum readiness { NOT_YET, READY, FAILED };

static enum readiness deferred_readiness(const struct vocl_deferred_command *deferred)
{
  const struct vocl_replicated_context *context = deferred->event->replicated.context;
  enum readiness ready = READY;
  if (vocl_location_is_lost(context, deferred->event->location))
    return FAILED;
  for (cl_uint i = 0; i < deferred->waits.count; i++) {
    const struct vocl_replicated_event *wait = deferred->waits.events[i];
    if (!vocl_replicated_event_is_deferred(wait) && wait->location == deferred->event->location &&
        vocl_replica_existing(wait, wait->location) != NULL)
      continue; /* the executor will wait for it */
    const cl_int status = vocl_replicated_event_status(wait);
    if (status < 0)
      return FAILED;
    if (status > CL_COMPLETE)
      ready = NOT_YET;
  }
  return ready;
}

/* Returns the first command of the queue that can be submitted now or has failed. Returns NULL if
 * there is none. */
static struct vocl_deferred_command *queue_choose(struct vocl_replicated_queue *queue,
                                                  bool only_placed, enum readiness *ready)
{
  for (struct vocl_deferred_command *each = queue->first; each != NULL; each = each->after) {
    const bool is_blocked =
        (each->gathers && each != queue->first) || (only_placed && !each->is_placed);
    *ready = is_blocked ? NOT_YET : deferred_readiness(each);
    if (*ready != NOT_YET)
      return each;
    if (vocl_queue_is_in_order(queue) || each->command.sort == VOCL_COMMAND_BARRIER)
      return NULL;
  }
  return NULL;
}

static struct vocl_deferred_command *choose(struct vocl_replicated_context *context,
                                            bool only_placed, enum readiness *ready)
{
  for (struct vocl_replicated_queue *queue = context->queues; queue != NULL; queue = queue->next) {
    struct vocl_deferred_command *deferred =
        queue->first != NULL ? queue_choose(queue, only_placed, ready) : NULL;
    if (deferred != NULL)
      return deferred;
  }
  return NULL;
}

/* --- one command --- */

static void deferred_end(struct vocl_deferred_command *deferred, void *replica, cl_int status)
{
  vocl_replicated_event_submitted(deferred->event, deferred, replica, status);
  vocl_deferred_command_free(deferred);
}

/* Submits a command. Flushes its queue immediately, because the program may have called clFlush
 * before. */
static void deferred_submit(struct vocl_deferred_command *deferred)
{
  const struct vocl_replicated_queue *queue = deferred->event->queue;
  void *replica = NULL;
  const cl_int code = vocl_command_submit(&deferred->command, deferred->arguments, &deferred->waits,
                                          deferred->event->location, &replica);
  void *on = vocl_replica_existing(queue, queue->location);
  if (code == CL_SUCCESS)
    vocl_replica_flush(on);
  deferred_end(deferred, replica, code);
}

/* Returns the first command of the queue if its position is at most `place`, otherwise NULL. */
static struct vocl_deferred_command *queue_first(struct vocl_replicated_queue *queue,
                                                 uint64_t place)
{
  vocl_context_lock(queue->replicated.context);
  struct vocl_deferred_command *first = queue->first;
  vocl_context_unlock(queue->replicated.context);
  return first != NULL && first->place <= place ? first : NULL;
}

/* Fails a command that was not submitted. In an in-order queue the deferred commands after it fail,
 * too, but not those that the program enqueues after it has seen the failure. */
static void deferred_fail(struct vocl_deferred_command *deferred)
{
  struct vocl_replicated_queue *queue = deferred->event->queue;
  const bool keeps_order = vocl_queue_is_in_order(queue);
  const cl_int status = vocl_location_is_lost(queue->replicated.context, queue->location)
                            ? CL_DEVICE_NOT_AVAILABLE
                            : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  vocl_context_lock(queue->replicated.context);
  const uint64_t place = queue->entered;
  vocl_context_unlock(queue->replicated.context);
  vocl_replicated_ref(queue);
  while (deferred != NULL) {
    deferred_end(deferred, NULL, status);
    deferred = keeps_order ? queue_first(queue, place) : NULL;
  }
  vocl_replicated_unref(queue);
}

/* Prepares, submits or fails one command. Returns false if no command is ready for that. */
static bool release_one(struct vocl_replicated_context *context, bool only_placed)
{
  enum readiness ready = NOT_YET;
  struct vocl_memory_use *over = NULL;
  bool is_placed = true, was_placed = true;
  vocl_context_lock(context);
  struct vocl_deferred_command *deferred = choose(context, only_placed, &ready);
  if (deferred != NULL && ready == READY) {
    was_placed = deferred->is_placed || context->location_count == 1;
    if (!was_placed)
      is_placed = vocl_command_prepare(deferred->event, &deferred->command, deferred->arguments,
                                       &deferred->waits, &over);
    deferred->is_placed = true;
    if (is_placed && !was_placed)
      ready = deferred_readiness(deferred);
  }
  vocl_context_unlock(context);
  vocl_transfers_free(NULL, over);
  if (deferred == NULL)
    return false;
  if (!is_placed)
    deferred_end(deferred, NULL, CL_OUT_OF_HOST_MEMORY);
  else if (ready == FAILED)
    deferred_fail(deferred);
  else if (ready == READY)
    deferred_submit(deferred);
  return true;
}

/* --- waking the worker --- */

struct watching {
  struct vocl_replicated_event *events[MOST_WATCHED];
  size_t count;
};

/* Adds an event to be watched. Only submitted events can be watched. */
static void watch_add(struct vocl_replicated_context *context, struct watching *watching,
                      struct vocl_replicated_event *event)
{
  if (event == NULL || event->is_watched || watching->count == MOST_WATCHED ||
      vocl_replica_existing(event, event->location) == NULL)
    return;
  event->is_watched = true;
  vocl_replicated_ref(event);
  event->next_watched = context->watched;
  context->watched = event;
  watching->events[watching->count++] = event;
}

static void watch_choose(struct vocl_replicated_context *context, struct watching *watching)
{
  for (struct vocl_replicated_queue *queue = context->queues; queue != NULL; queue = queue->next)
    for (struct vocl_deferred_command *deferred = queue->first; deferred != NULL;
         deferred = deferred->after)
      for (cl_uint i = 0; i < deferred->waits.count; i++)
        if (deferred->waits.events[i]->location != queue->location)
          watch_add(context, watching, deferred->waits.events[i]);
  for (struct vocl_transfer *transfer = context->transfers; transfer != NULL;
       transfer = transfer->next)
    watch_add(context, watching, transfer->write != NULL ? transfer->write : transfer->read);
}

/* Removes and returns the watched events whose callback was made. */
static struct vocl_replicated_event *watched_report(struct vocl_replicated_context *context)
{
  struct vocl_replicated_event *callback = NULL;
  for (struct vocl_replicated_event **place = &context->watched; *place != NULL;) {
    struct vocl_replicated_event *event = *place;
    if (!__atomic_load_n(&event->was_called, __ATOMIC_ACQUIRE)) {
      place = &event->next_watched;
      continue;
    }
    *place = event->next_watched;
    event->next_watched = callback;
    callback = event;
  }
  return callback;
}

static void watched_unref(struct vocl_replicated_event *callback)
{
  while (callback != NULL) {
    struct vocl_replicated_event *next = callback->next_watched;
    vocl_replicated_unref(callback);
    callback = next;
  }
}

/* --- passes --- */

static uint32_t count_placed(const struct vocl_replicated_context *context)
{
  uint32_t count = 0;
  for (const struct vocl_replicated_queue *queue = context->queues; queue != NULL;
       queue = queue->next)
    for (const struct vocl_deferred_command *deferred = queue->first; deferred != NULL;
         deferred = deferred->after)
      count += deferred->is_placed;
  for (const struct vocl_transfer *each = context->transfers; each != NULL; each = each->next)
    count++;
  return count;
}

/* State after a pass. */
struct pass_result {
  bool is_idle, is_full;
  uint32_t placed;
  cl_int code; /* first error of the transfers that are done */
};

static struct pass_result pass_do(struct vocl_replicated_context *context, bool only_placed)
{
  struct watching watching = {.count = 0};
  struct vocl_memory_use *over = NULL;
  struct pass_result end = {.code = CL_SUCCESS};
  while (release_one(context, only_placed))
    ;
  vocl_context_lock(context);
  struct vocl_transfer *transfers = vocl_transfers_collect(context, &over);
  if (!only_placed)
    watch_choose(context, &watching);
  struct vocl_replicated_event *callback = watched_report(context);
  end.is_idle = context->deferred == 0 && context->transfers == NULL && context->watched == NULL;
  end.placed = only_placed ? count_placed(context) : 0;
  vocl_context_unlock(context);
  end.is_full = watching.count == MOST_WATCHED;
  for (size_t i = 0; i < watching.count; i++)
    vocl_replicated_event_watch(watching.events[i]);
  for (const struct vocl_transfer *each = transfers; each != NULL; each = each->next)
    end.code = end.code != CL_SUCCESS ? end.code : vocl_transfer_status(each);
  vocl_transfers_free(transfers, over);
  watched_unref(callback);
  return end;
}

long vocl_deferred_submit_pass(struct vocl_replicated_context *context)
{
  const struct pass_result end = pass_do(context, false);
  return end.is_full ? 0 : end.is_idle ? rest : poll;
}

cl_int vocl_deferred_submit_prepared(struct vocl_replicated_context *context, uint32_t *left)
{
  const struct pass_result end = pass_do(context, true);
  *left = end.placed;
  return end.code;
}
