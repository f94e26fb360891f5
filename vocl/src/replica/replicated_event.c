/* Events: their status, waits, callbacks, and user events. */
#include "replica/replicated_event.h"

#include <stdlib.h>

/* Maximum sleep, in nanoseconds, before a thread checks its condition again. */
enum { POLL = 100000000 };

static void own_leave(struct vocl_replicated_event *event)
{
  struct vocl_replicated_context *context = event->replicated.context;
  vocl_context_lock(context);
  *(event->before_own != NULL ? &event->before_own->next_own : &context->own) = event->next_own;
  if (event->next_own != NULL)
    event->next_own->before_own = event->before_own;
  vocl_context_unlock(context);
}

static void event_end(struct vocl_replicated *replicated)
{
  struct vocl_replicated_event *event = (struct vocl_replicated_event *)replicated;
  while (event->callback != NULL) {
    struct vocl_event_callback *callback = event->callback;
    event->callback = callback->next;
    free(callback);
  }
  if (event->queue != NULL)
    vocl_replicated_unref(event->queue);
  else
    own_leave(event);
}

const struct vocl_replicated_kind vocl_replicated_event_kind = {
    .sort = VOCL_EVENT, .bytes = sizeof(struct vocl_replicated_event), .end = event_end};

struct vocl_replicated_event *vocl_replicated_event_new(struct vocl_replicated_queue *queue)
{
  struct vocl_replicated_event *event =
      vocl_replicated_new(&vocl_replicated_event_kind, queue->replicated.context);
  if (event == NULL)
    return NULL;
  event->queue = queue;
  vocl_replicated_ref(queue);
  event->location = queue->location;
  event->status = CL_QUEUED;
  return event;
}

static void *event_replica(const struct vocl_replicated_event *event)
{
  return vocl_replica_existing(event, vocl_replicated_event_location(event));
}

cl_int vocl_replicated_event_status(const struct vocl_replicated_event *event)
{
  cl_int status = __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
  void *replica = event_replica(event);
  if (replica == NULL)
    return status;
  const struct vocl_query query = {
      .about = VOCL_ABOUT_EVENT, .object = replica, .what = CL_EVENT_COMMAND_EXECUTION_STATUS};
  const cl_int code = vocl_replica_query(&query, sizeof status, &status, NULL);
  return code == CL_SUCCESS ? status : code;
}

/* --- callbacks --- */

static void callbacks_run(struct vocl_event_callback *callback, void *replica, cl_int status)
{
  while (callback != NULL) {
    struct vocl_event_callback *next = callback->next;
    if (replica == NULL)
      callback->function(NULL, status < 0 ? status : callback->status, callback->data);
    else if (vocl_replica_on_event(replica, callback->status, callback->function, callback->data) !=
             CL_SUCCESS)
      callback->function(NULL, CL_OUT_OF_HOST_MEMORY, callback->data);
    free(callback);
    callback = next;
  }
}

/* Removes the command from its queue. Called with the context's lock held. */
static void deferred_leave(struct vocl_deferred_command *deferred)
{
  struct vocl_replicated_queue *queue = deferred->event->queue;
  *(deferred->before != NULL ? &deferred->before->after : &queue->first) = deferred->after;
  *(deferred->after != NULL ? &deferred->after->before : &queue->last) = deferred->before;
  __atomic_fetch_sub(&queue->waiting, 1, __ATOMIC_RELEASE);
  queue->replicated.context->deferred--;
}

bool vocl_replicated_event_submitted(struct vocl_replicated_event *event,
                                     struct vocl_deferred_command *deferred, void *replica,
                                     cl_int status)
{
  struct vocl_replicated_context *context = event->replicated.context;
  vocl_context_lock(context);
  const bool is_first = vocl_replicated_event_is_deferred(event);
  struct vocl_event_callback *callback = is_first ? event->callback : NULL;
  if (is_first) {
    event->callback = NULL;
    if (replica != NULL)
      __atomic_store_n(&event->replicated.replicas[event->location], replica, __ATOMIC_RELEASE);
    else
      __atomic_store_n(&event->status, status, __ATOMIC_RELEASE);
  }
  if (deferred != NULL)
    deferred_leave(deferred);
  const bool is_awaited = context->deferred > 0;
  vocl_context_unlock(context);
  cwi_signal_advance(&context->released);
  if (is_awaited)
    vocl_context_worker_wake(context);
  callbacks_run(callback, replica, status);
  return is_first;
}

cl_int vocl_replicated_on_event(void *object, cl_int status, vocl_event_function function,
                                void *data)
{
  struct vocl_replicated_event *event = object;
  struct vocl_event_callback *callback = malloc(sizeof *callback);
  if (callback == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *callback = (struct vocl_event_callback){NULL, status, function, data};
  vocl_context_lock(event->replicated.context);
  const bool is_deferred = vocl_replicated_event_is_deferred(event) && event->status > status;
  const cl_int now = event->status;
  if (is_deferred)
    vocl_event_callback_add(&event->callback, callback);
  vocl_context_unlock(event->replicated.context);
  if (is_deferred)
    return CL_SUCCESS;
  free(callback);
  void *replica = event_replica(event);
  if (replica != NULL)
    return vocl_replica_on_event(replica, status, function, data);
  function(NULL, now < 0 ? now : status, data);
  return CL_SUCCESS;
}

/* --- waking the worker --- */

/* Wakes the worker, which releases the event. Called by a thread of a vendor or of a session. */
static void CL_CALLBACK watch_callbacks(cl_event replica, cl_int status, void *data)
{
  struct vocl_replicated_event *event = data;
  (void)replica;
  (void)status;
  vocl_context_worker_wake(event->replicated.context);
  __atomic_store_n(&event->was_called, true, __ATOMIC_RELEASE);
}

/* Registers the callback. Flushes the event's queue, so that its vendor starts the commands that
 * others wait for. */
void vocl_replicated_event_watch(struct vocl_replicated_event *event)
{
  void *queue = event->queue != NULL ? vocl_replica_existing(event->queue, event->location) : NULL;
  if (vocl_replica_on_event(event_replica(event), CL_COMPLETE, watch_callbacks, event) !=
      CL_SUCCESS)
    __atomic_store_n(&event->was_called, true, __ATOMIC_RELEASE);
  if (queue != NULL)
    vocl_replica_flush(queue);
}

/* --- waiting --- */

cl_int vocl_replicated_event_wait_submitted(const struct vocl_replicated_event *event)
{
  struct vocl_replicated_context *context = event->replicated.context;
  while (vocl_replicated_event_is_deferred(event)) {
    const uint32_t value = cwi_signal_value(&context->released);
    if (vocl_replicated_event_is_deferred(event))
      cwi_signal_nap(&context->released, value, POLL);
  }
  const cl_int status = __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
  return event_replica(event) == NULL && status < 0 ? status : CL_SUCCESS;
}

cl_int vocl_replicated_event_wait(struct vocl_replicated_event *event)
{
  const cl_int code = vocl_replicated_event_wait_submitted(event);
  void *replica = event_replica(event);
  return replica != NULL ? vocl_replica_wait(1, &replica) : code;
}

/* Gets the replicas of all events, if all have one at the same location: its executor can then
 * wait for all at once. */
static bool replicas_together(cl_uint count, void *const *events, void **replicas)
{
  const struct vocl_replicated_event *first = events[0];
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_replicated_event *event = events[i];
    replicas[i] = vocl_replicated_event_location(event) == vocl_replicated_event_location(first)
                      ? event_replica(event)
                      : NULL;
    if (replicas[i] == NULL)
      return false;
  }
  return true;
}

static cl_int wait_one_by_one(cl_uint count, void *const *events)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_replicated_event *event = events[i];
    if (event->queue == NULL)
      continue;
    vocl_freeze_enter(&event->replicated.context->freeze);
    vocl_replicated_flush(event->queue);
    vocl_freeze_leave(&event->replicated.context->freeze);
  }
  for (cl_uint i = 0; i < count; i++) {
    const cl_int status = vocl_replicated_event_wait(events[i]);
    if (status == CL_DEVICE_NOT_AVAILABLE)
      code = status;
    else if (status != CL_SUCCESS && code == CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return code;
}

cl_int vocl_replicated_wait(cl_uint count, void *const *events)
{
  enum { FEW = 8 };
  void *few[FEW];
  void **replicas = count <= FEW ? few : malloc(count * sizeof *replicas);
  if (replicas == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = replicas_together(count, events, replicas)
                          ? vocl_replica_wait(count, replicas)
                          : wait_one_by_one(count, events);
  if (replicas != few)
    free(replicas);
  return code;
}

/* --- user events --- */

cl_int vocl_replicated_user_event_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_context *context = making->parent;
  if (vocl_context_is_lost(context))
    return CL_DEVICE_NOT_AVAILABLE;
  struct vocl_replicated_event *event = vocl_replicated_new(&vocl_replicated_event_kind, context);
  if (event == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  event->status = CL_SUBMITTED;
  vocl_context_lock(context);
  event->next_own = context->own;
  if (context->own != NULL)
    context->own->before_own = event;
  context->own = event;
  vocl_context_unlock(context);
  *object = event;
  return CL_SUCCESS;
}

cl_int vocl_replicated_set_user_event(void *object, cl_int status)
{
  struct vocl_replicated_event *event = object;
  if (vocl_context_is_lost(event->replicated.context))
    return CL_DEVICE_NOT_AVAILABLE;
  return vocl_replicated_event_submitted(event, NULL, NULL, status) ? CL_SUCCESS
                                                                    : CL_INVALID_OPERATION;
}

/* --- queues --- */

cl_int vocl_replicated_flush(void *object)
{
  const struct vocl_replicated_queue *queue = object;
  return vocl_replica_flush(vocl_replica_existing(queue, queue->location));
}

/* Returns the position of the last command that was deferred in the queue. */
static uint64_t queue_place(struct vocl_replicated_queue *queue)
{
  vocl_context_lock(queue->replicated.context);
  const uint64_t place = queue->entered;
  vocl_context_unlock(queue->replicated.context);
  return place;
}

/* Returns true if a command up to this position is still deferred. */
static bool queue_waits(struct vocl_replicated_queue *queue, uint64_t place)
{
  vocl_context_lock(queue->replicated.context);
  const bool waits = queue->first != NULL && queue->first->place <= place;
  vocl_context_unlock(queue->replicated.context);
  return waits;
}

cl_int vocl_replicated_finish(void *object)
{
  struct vocl_replicated_queue *queue = object;
  struct vocl_replicated_context *context = queue->replicated.context;
  if (__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) > 0) {
    const uint64_t place = queue_place(queue);
    for (;;) {
      const uint32_t value = cwi_signal_value(&context->released);
      if (!queue_waits(queue, place))
        break;
      cwi_signal_nap(&context->released, value, POLL);
    }
  }
  vocl_freeze_enter(&context->freeze);
  const cl_int code = vocl_replica_finish(vocl_replica_existing(queue, queue->location));
  vocl_freeze_leave(&context->freeze);
  return code;
}
