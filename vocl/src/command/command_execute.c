/* Executes commands of programs: submits them to the executor of their queue's location, or
 * defers them. */
#include "command/command_submit.h"

#include <stdlib.h>

/* Checks formats on the client side, because no executor sees the command while it is deferred. */
static cl_int check_formats(const struct vocl_command *c)
{
  const struct vocl_replicated_memory *source = c->memory[0], *target = c->memory[1];
  return vocl_memory_is_image(source) && vocl_memory_is_image(target) &&
                 (source->format.image_channel_order != target->format.image_channel_order ||
                  source->format.image_channel_data_type != target->format.image_channel_data_type)
             ? CL_IMAGE_FORMAT_MISMATCH
             : CL_SUCCESS;
}

static cl_int command_prepare(struct vocl_command *c, size_t box[2][3])
{
  const bool reads = vocl_command_reads(c), writes = vocl_command_writes(c);
  if (vocl_command_kind_of(c)->role == VOCL_MAPS)
    return vocl_map_begin(c);
  if (vocl_command_kind_of(c)->role == VOCL_UNMAPS)
    return vocl_map_end(c, box);
  if (reads || writes)
    return vocl_memory_check_host_access(c->memory[0], reads, writes);
  return c->sort == VOCL_COMMAND_COPY_IMAGE ? check_formats(c) : CL_SUCCESS;
}

/* Returns true if an event of the wait list has failed and the executor of the location does not
 * know that event. */
static bool has_failed_wait(const struct vocl_command *c, uint32_t location)
{
  for (cl_uint i = 0; i < c->wait_count; i++) {
    const struct vocl_replicated_event *wait = c->waits[i];
    const bool is_there =
        wait->location == location && vocl_replica_existing(wait, location) != NULL;
    if (!is_there && vocl_replicated_event_status(wait) < 0)
      return true;
  }
  return false;
}

/* Result of the decision about a command: it is submitted, deferred because of its wait list,
 * deferred until transfers of its operands are done, or fails. */
enum decision { SUBMIT, DEFER, DEFER_FOR_TRANSFERS, FAIL };

/* Decides whether the command can be submitted. Adds to `waits` the events that it must wait for
 * additionally. Called with the context's lock held. */
static enum decision command_decide(struct vocl_replicated_event *event,
                                    const struct vocl_command *c, struct vocl_wait_list *waits,
                                    struct vocl_memory_use **over, cl_int *code)
{
  struct vocl_replicated_context *context = event->replicated.context;
  bool must_wait = vocl_command_must_wait(c), is_placed = false;
  *code = CL_OUT_OF_HOST_MEMORY;
  if (vocl_location_is_lost(context, event->location)) {
    *code = CL_DEVICE_NOT_AVAILABLE;
    return FAIL;
  }
  if (!must_wait && context->location_count > 1) {
    if (!vocl_command_prepare(event, c, NULL, waits, over))
      return FAIL;
    is_placed = true;
    for (cl_uint i = 0; i < waits->count && !must_wait; i++)
      must_wait = !vocl_replicated_event_permits(waits->events[i], event->location);
  }
  if (!must_wait)
    return SUBMIT;
  struct vocl_deferred_command *deferred =
      vocl_context_worker_start(context, vocl_deferred_submit_pass)
          ? vocl_command_defer(event, c, waits)
          : NULL;
  if (deferred == NULL)
    return FAIL;
  deferred->is_placed = is_placed;
  return is_placed ? DEFER_FOR_TRANSFERS : DEFER;
}

static enum decision command_decision(struct vocl_replicated_event *event,
                                      const struct vocl_command *c, struct vocl_wait_list *waits,
                                      cl_int *code)
{
  struct vocl_replicated_context *context = event->replicated.context;
  struct vocl_memory_use *over = NULL;
  vocl_context_lock(context);
  const enum decision decision = command_decide(event, c, waits, &over, code);
  vocl_context_unlock(context);
  vocl_transfers_free(NULL, over);
  if (decision == DEFER || decision == DEFER_FOR_TRANSFERS)
    vocl_context_worker_wake(context);
  return decision;
}

/* Returns true if the context has one location and nothing is deferred that the command depends
 * on. It can then be submitted without taking the lock. */
static bool can_be_submitted(const struct vocl_command *c)
{
  const struct vocl_replicated_queue *queue = c->queue;
  if (queue->replicated.context->location_count > 1 ||
      __atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) > 0)
    return false;
  for (cl_uint i = 0; i < c->wait_count; i++) {
    const struct vocl_replicated_event *wait = c->waits[i];
    if (vocl_replica_existing(wait, queue->location) == NULL &&
        __atomic_load_n(&wait->status, __ATOMIC_ACQUIRE) != CL_COMPLETE)
      return false;
  }
  return true;
}

/* Completes the event of a rejected command. The command counts as never enqueued: it has
 * written nothing, and events that wait for it do not fail. */
static void event_reject(struct vocl_replicated_event *event)
{
  event->was_rejected = true;
  vocl_replicated_event_submitted(event, NULL, NULL, CL_COMPLETE);
}

/* Submits the command to its executor. */
static cl_int command_submit_now(struct vocl_replicated_event *event, struct vocl_command *c,
                                 const struct vocl_wait_list *waits, bool wants_event)
{
  const struct vocl_replicated_queue *queue = c->queue;
  void *replica = NULL;
  const cl_int code =
      vocl_command_submit(c, NULL, waits, queue->location, wants_event ? &replica : NULL);
  if (event != NULL && code == CL_SUCCESS)
    vocl_replicated_event_submitted(event, NULL, replica, CL_COMPLETE);
  else if (event != NULL)
    event_reject(event);
  return code;
}

/* Waits outside the freeze lock, so that a move need not wait for deferred commands. */
static cl_int wait_outside(struct vocl_replicated_event *event, bool until_submitted)
{
  struct vocl_freeze *freeze = &event->replicated.context->freeze;
  vocl_freeze_leave(freeze);
  const cl_int code = until_submitted ? vocl_replicated_event_wait_submitted(event)
                                      : vocl_replicated_event_wait(event);
  vocl_freeze_enter(freeze);
  return code;
}

/* Returns the result of a command that was deferred only for transfers. The program does not know
 * that the command was deferred. The call therefore waits for the executor's result, unless the
 * command certainly succeeds. */
static cl_int deferred_result(const struct vocl_command *c, struct vocl_replicated_event *event)
{
  if (!c->blocking && vocl_command_cannot_fail(c, event->location))
    return CL_SUCCESS;
  return wait_outside(event, !c->blocking);
}

static cl_int command_perform(struct vocl_command *c, struct vocl_replicated_event *event)
{
  struct vocl_wait_list waits = {0};
  cl_int code = CL_SUCCESS;
  if (has_failed_wait(c, event->location)) {
    vocl_replicated_event_submitted(event, NULL, NULL,
                                    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return c->blocking ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
  }
  const enum decision decision = command_decision(event, c, &waits, &code);
  if (decision == SUBMIT)
    code = command_submit_now(event, c, &waits, true);
  else if (decision == DEFER_FOR_TRANSFERS)
    code = deferred_result(c, event);
  else if (decision == DEFER)
    code = c->blocking ? wait_outside(event, false) : CL_SUCCESS;
  else
    event_reject(event);
  vocl_wait_list_free(&waits);
  return code;
}

/* Executes a command; makes no event if neither the program nor the client side needs one. */
static cl_int command_execute(struct vocl_command *c, struct vocl_replicated_event **event)
{
  const bool is_certain = can_be_submitted(c);
  if (is_certain && c->event == NULL)
    return command_submit_now(NULL, c, NULL, false);
  *event = vocl_replicated_event_new(c->queue);
  if (*event == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  return is_certain ? command_submit_now(*event, c, NULL, true) : command_perform(c, *event);
}

cl_int vocl_replicated_execute(struct vocl_command *c)
{
  const bool maps = vocl_command_kind_of(c)->role == VOCL_MAPS;
  struct vocl_replicated_memory *memory = c->memory[0];
  struct vocl_replicated_event *event = NULL;
  size_t box[2][3];
  cl_int code = command_prepare(c, box);
  if (code != CL_SUCCESS)
    return code;
  code = command_execute(c, &event);
  if (maps && code != CL_SUCCESS)
    vocl_map_undo(memory, c->host);
  if (code == CL_SUCCESS && c->event != NULL)
    *c->event = event;
  else
    vocl_replicated_unref(event);
  return code;
}
