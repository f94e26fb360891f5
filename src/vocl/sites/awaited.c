/* Events: what is known of them at home, waiting for them, being told, and the program's own. */
#include "sites/site.h"

#include <stdlib.h>

/* How long a thread sleeps before it looks again, in nanoseconds. */
enum { LOOK = 100000000 };

static void own_leave(struct cwi_sited_event *event)
{
  struct cwi_sited_context *context = event->sited.context;
  cwi_context_lock(context);
  *(event->before_own != NULL ? &event->before_own->next_own : &context->own) = event->next_own;
  if (event->next_own != NULL)
    event->next_own->before_own = event->before_own;
  cwi_context_unlock(context);
}

static void event_end(struct cwi_sited *sited)
{
  struct cwi_sited_event *event = (struct cwi_sited_event *)sited;
  while (event->told != NULL) {
    struct cwi_told *told = event->told;
    event->told = told->next;
    free(told);
  }
  if (event->queue != NULL)
    cwi_sited_let_go(event->queue);
  else
    own_leave(event);
}

const struct cwi_sited_kind cwi_sited_events = {
    .sort = CWI_EVENT, .bytes = sizeof(struct cwi_sited_event), .end = event_end};

struct cwi_sited_event *cwi_event_new(struct cwi_sited_queue *queue)
{
  struct cwi_sited_event *event = cwi_sited_new(&cwi_sited_events, queue->sited.context);
  if (event == NULL)
    return NULL;
  event->queue = queue;
  cwi_sited_hold(queue);
  event->site = queue->site;
  event->status = CL_QUEUED;
  return event;
}

static void *event_copy(const struct cwi_sited_event *event)
{
  return cwi_site_copy_known(event, cwi_event_site(event));
}

cl_int cwi_event_status(const struct cwi_sited_event *event)
{
  cl_int status = __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
  void *copy = event_copy(event);
  if (copy == NULL)
    return status;
  const struct cwi_native_question question = {
      .about = CWI_ABOUT_EVENT, .object = copy, .what = CL_EVENT_COMMAND_EXECUTION_STATUS};
  const cl_int code = cwi_copy_ask(&question, sizeof status, &status, NULL);
  return code == CL_SUCCESS ? status : code;
}

/* --- telling --- */

static void told_tell(struct cwi_told *told, void *copy, cl_int status)
{
  while (told != NULL) {
    struct cwi_told *next = told->next;
    if (copy == NULL)
      told->function(NULL, status < 0 ? status : told->status, told->data);
    else if (cwi_copy_tell_event(copy, told->status, told->function, told->data) != CL_SUCCESS)
      told->function(NULL, CL_OUT_OF_HOST_MEMORY, told->data);
    free(told);
    told = next;
  }
}

/* It waits no more in its queue. With the lock. */
static void kept_leave(struct cwi_kept *kept)
{
  struct cwi_sited_queue *queue = kept->event->queue;
  *(kept->before != NULL ? &kept->before->after : &queue->first) = kept->after;
  *(kept->after != NULL ? &kept->after->before : &queue->last) = kept->before;
  __atomic_fetch_sub(&queue->waiting, 1, __ATOMIC_RELEASE);
  queue->sited.context->kept--;
}

bool cwi_event_leave(struct cwi_sited_event *event, struct cwi_kept *kept, void *copy,
                     cl_int status)
{
  struct cwi_sited_context *context = event->sited.context;
  cwi_context_lock(context);
  const bool is_first = cwi_event_is_home(event);
  struct cwi_told *told = is_first ? event->told : NULL;
  if (is_first) {
    event->told = NULL;
    if (copy != NULL)
      __atomic_store_n(&event->sited.copies[event->site], copy, __ATOMIC_RELEASE);
    else
      __atomic_store_n(&event->status, status, __ATOMIC_RELEASE);
  }
  if (kept != NULL)
    kept_leave(kept);
  const bool is_awaited = context->kept > 0;
  cwi_context_unlock(context);
  cwi_signal_advance(&context->released);
  if (is_awaited)
    cwi_clerk_wake(context);
  told_tell(told, copy, status);
  return is_first;
}

cl_int cwi_sites_tell_event(void *object, cl_int status, cwi_event_notice function, void *data)
{
  struct cwi_sited_event *event = object;
  struct cwi_told *told = malloc(sizeof *told);
  if (told == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *told = (struct cwi_told){NULL, status, function, data};
  cwi_context_lock(event->sited.context);
  const bool is_home = cwi_event_is_home(event) && event->status > status;
  const cl_int now = event->status;
  if (is_home)
    cwi_told_add(&event->told, told);
  cwi_context_unlock(event->sited.context);
  if (is_home)
    return CL_SUCCESS;
  free(told);
  void *copy = event_copy(event);
  if (copy != NULL)
    return cwi_copy_tell_event(copy, status, function, data);
  function(NULL, now < 0 ? now : status, data);
  return CL_SUCCESS;
}

/* --- the clerk is told --- */

/* In a thread of the vendor's or of a session: it only wakes the clerk, who lets the event go. */
static void CL_CALLBACK watch_told(cl_event copy, cl_int status, void *data)
{
  struct cwi_sited_event *event = data;
  (void)copy;
  (void)status;
  cwi_clerk_wake(event->sited.context);
  __atomic_store_n(&event->is_told, true, __ATOMIC_RELEASE);
}

/* What waits for another queue has that one's vendor begin. */
void cwi_event_watch(struct cwi_sited_event *event)
{
  void *queue = event->queue != NULL ? cwi_site_copy_known(event->queue, event->site) : NULL;
  if (cwi_copy_tell_event(event_copy(event), CL_COMPLETE, watch_told, event) != CL_SUCCESS)
    __atomic_store_n(&event->is_told, true, __ATOMIC_RELEASE);
  if (queue != NULL)
    cwi_copy_flush(queue);
}

/* --- waiting --- */

cl_int cwi_event_wait_at_home(const struct cwi_sited_event *event)
{
  struct cwi_sited_context *context = event->sited.context;
  while (cwi_event_is_home(event)) {
    const uint32_t value = cwi_signal_value(&context->released);
    if (cwi_event_is_home(event))
      cwi_signal_nap(&context->released, value, LOOK);
  }
  const cl_int status = __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
  return event_copy(event) == NULL && status < 0 ? status : CL_SUCCESS;
}

cl_int cwi_sited_event_wait(struct cwi_sited_event *event)
{
  const cl_int code = cwi_event_wait_at_home(event);
  void *copy = event_copy(event);
  return copy != NULL ? cwi_copy_wait(1, &copy) : code;
}

/* All of one site, none at home: its executor waits for them at once. */
static bool copies_together(cl_uint count, void *const *events, void **copies)
{
  const struct cwi_sited_event *first = events[0];
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_sited_event *event = events[i];
    copies[i] = cwi_event_site(event) == cwi_event_site(first) ? event_copy(event) : NULL;
    if (copies[i] == NULL)
      return false;
  }
  return true;
}

static cl_int wait_in_turn(cl_uint count, void *const *events)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_sited_event *event = events[i];
    if (event->queue == NULL)
      continue;
    cwi_gate_enter(&event->sited.context->gate);
    cwi_sites_flush(event->queue);
    cwi_gate_leave(&event->sited.context->gate);
  }
  for (cl_uint i = 0; i < count; i++) {
    const cl_int status = cwi_sited_event_wait(events[i]);
    if (status == CL_DEVICE_NOT_AVAILABLE)
      code = status;
    else if (status != CL_SUCCESS && code == CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return code;
}

cl_int cwi_sites_wait(cl_uint count, void *const *events)
{
  enum { FEW = 8 };
  void *few[FEW];
  void **copies = count <= FEW ? few : malloc(count * sizeof *copies);
  if (copies == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = copies_together(count, events, copies) ? cwi_copy_wait(count, copies)
                                                             : wait_in_turn(count, events);
  if (copies != few)
    free(copies);
  return code;
}

/* --- the program's own --- */

cl_int cwi_user_event_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_context *context = making->parent;
  if (cwi_context_is_over(context))
    return CL_DEVICE_NOT_AVAILABLE;
  struct cwi_sited_event *event = cwi_sited_new(&cwi_sited_events, context);
  if (event == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  event->status = CL_SUBMITTED;
  cwi_context_lock(context);
  event->next_own = context->own;
  if (context->own != NULL)
    context->own->before_own = event;
  context->own = event;
  cwi_context_unlock(context);
  *object = event;
  return CL_SUCCESS;
}

cl_int cwi_sites_set_user_event(void *object, cl_int status)
{
  struct cwi_sited_event *event = object;
  if (cwi_context_is_over(event->sited.context))
    return CL_DEVICE_NOT_AVAILABLE;
  return cwi_event_leave(event, NULL, NULL, status) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* --- queues --- */

cl_int cwi_sites_flush(void *object)
{
  const struct cwi_sited_queue *queue = object;
  return cwi_copy_flush(cwi_site_copy_known(queue, queue->site));
}

/* The last place that the queue has given away. */
static uint64_t queue_place(struct cwi_sited_queue *queue)
{
  cwi_context_lock(queue->sited.context);
  const uint64_t place = queue->entered;
  cwi_context_unlock(queue->sited.context);
  return place;
}

/* Does a command that was there at this place still wait at home? */
static bool queue_waits(struct cwi_sited_queue *queue, uint64_t place)
{
  cwi_context_lock(queue->sited.context);
  const bool waits = queue->first != NULL && queue->first->place <= place;
  cwi_context_unlock(queue->sited.context);
  return waits;
}

cl_int cwi_sites_finish(void *object)
{
  struct cwi_sited_queue *queue = object;
  struct cwi_sited_context *context = queue->sited.context;
  if (__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) > 0) {
    const uint64_t place = queue_place(queue);
    for (;;) {
      const uint32_t value = cwi_signal_value(&context->released);
      if (!queue_waits(queue, place))
        break;
      cwi_signal_nap(&context->released, value, LOOK);
    }
  }
  cwi_gate_enter(&context->gate);
  const cl_int code = cwi_copy_finish(cwi_site_copy_known(queue, queue->site));
  cwi_gate_leave(&context->gate);
  return code;
}
