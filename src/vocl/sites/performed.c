/* Performs the commands of programs: gives them to the executor of their queue's site, or keeps
 * them at home. */
#include "sites/site.h"

#include <stdlib.h>

/* Known at home, where nobody else can tell while the command waits. */
static cl_int check_formats(const struct cwi_command *c)
{
  const struct cwi_sited_memory *source = c->memory[0], *target = c->memory[1];
  return cwi_memory_is_image(source) && cwi_memory_is_image(target) &&
                 (source->format.image_channel_order != target->format.image_channel_order ||
                  source->format.image_channel_data_type != target->format.image_channel_data_type)
             ? CL_IMAGE_FORMAT_MISMATCH
             : CL_SUCCESS;
}

static cl_int command_prepare(struct cwi_command *c, size_t box[2][3])
{
  switch (c->sort) {
  case CWI_COMMAND_MAP:
  case CWI_COMMAND_MAP_IMAGE:
    return cwi_map_begin(c);
  case CWI_COMMAND_UNMAP:
    return cwi_map_end(c, box);
  case CWI_COMMAND_READ:
  case CWI_COMMAND_READ_RECT:
  case CWI_COMMAND_READ_IMAGE:
    return cwi_memory_check_host(c->memory[0], true, false);
  case CWI_COMMAND_WRITE:
  case CWI_COMMAND_WRITE_RECT:
  case CWI_COMMAND_WRITE_IMAGE:
    return cwi_memory_check_host(c->memory[0], false, true);
  case CWI_COMMAND_COPY_IMAGE:
    return check_formats(c);
  default:
    return CL_SUCCESS;
  }
}

/* A wait that failed at home: no executor can know of it. */
static bool has_failed_wait(const struct cwi_command *c, uint32_t site)
{
  for (cl_uint i = 0; i < c->wait_count; i++) {
    const struct cwi_sited_event *wait = c->waits[i];
    const bool is_there = wait->site == site && cwi_site_copy_known(wait, site) != NULL;
    if (!is_there && cwi_event_status(wait) < 0)
      return true;
  }
  return false;
}

/* What becomes of a command: it stays for what the program has it wait for, or for what it needs.
 */
enum fate { GOES, STAYS, IS_SUPPLIED, FAILS };

/* May it go at once? If so, `waits` are for it to wait for. With the lock. */
static enum fate command_decide(struct cwi_sited_event *event, const struct cwi_command *c,
                                struct cwi_waits *waits, struct cwi_use **over, cl_int *code)
{
  struct cwi_sited_context *context = event->sited.context;
  bool must_wait = cwi_command_must_wait(c), is_placed = false;
  *code = CL_OUT_OF_HOST_MEMORY;
  if (cwi_site_is_over(context, event->site)) {
    *code = CL_DEVICE_NOT_AVAILABLE;
    return FAILS;
  }
  if (!must_wait && context->site_count > 1) {
    if (!cwi_command_place(event, c, NULL, waits, over))
      return FAILS;
    is_placed = true;
    for (cl_uint i = 0; i < waits->count && !must_wait; i++)
      must_wait = !cwi_event_lets_go(waits->events[i], event->site);
  }
  if (!must_wait)
    return GOES;
  struct cwi_kept *kept =
      cwi_clerk_start(context, cwi_release_turn) ? cwi_command_keep(event, c, waits) : NULL;
  if (kept == NULL)
    return FAILS;
  kept->is_placed = is_placed;
  return is_placed ? IS_SUPPLIED : STAYS;
}

static enum fate command_fate(struct cwi_sited_event *event, const struct cwi_command *c,
                              struct cwi_waits *waits, cl_int *code)
{
  struct cwi_sited_context *context = event->sited.context;
  struct cwi_use *over = NULL;
  cwi_context_lock(context);
  const enum fate fate = command_decide(event, c, waits, &over, code);
  cwi_context_unlock(context);
  cwi_deliveries_free(NULL, over);
  if (fate == STAYS || fate == IS_SUPPLIED)
    cwi_clerk_wake(context);
  return fate;
}

/* Nothing of the context's waits at home, and all is valid everywhere: no need to look closer. */
static bool goes_certainly(const struct cwi_command *c)
{
  const struct cwi_sited_queue *queue = c->queue;
  if (queue->sited.context->site_count > 1 ||
      __atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) > 0)
    return false;
  for (cl_uint i = 0; i < c->wait_count; i++) {
    const struct cwi_sited_event *wait = c->waits[i];
    if (cwi_site_copy_known(wait, queue->site) == NULL &&
        __atomic_load_n(&wait->status, __ATOMIC_ACQUIRE) != CL_COMPLETE)
      return false;
  }
  return true;
}

/* What is refused never was, for those that wait for what it uses; and it has written nothing. */
static void event_refuse(struct cwi_sited_event *event)
{
  event->was_refused = true;
  cwi_event_leave(event, NULL, NULL, CL_COMPLETE);
}

/* Give it to its executor. */
static cl_int command_go(struct cwi_sited_event *event, struct cwi_command *c,
                         const struct cwi_waits *waits, bool wants_event)
{
  const struct cwi_sited_queue *queue = c->queue;
  void *copy = NULL;
  const cl_int code = cwi_command_issue(c, NULL, waits, queue->site, wants_event ? &copy : NULL);
  if (event != NULL && code == CL_SUCCESS)
    cwi_event_leave(event, NULL, copy, CL_COMPLETE);
  else if (event != NULL)
    event_refuse(event);
  return code;
}

/* A move need not wait for what waits at home. */
static cl_int wait_outside(struct cwi_sited_event *event, bool at_home)
{
  struct cwi_gate *gate = &event->sited.context->gate;
  cwi_gate_leave(gate);
  const cl_int code = at_home ? cwi_event_wait_at_home(event) : cwi_sited_event_wait(event);
  cwi_gate_enter(gate);
  return code;
}

/* The call has succeeded, or it waits for the verdict: nobody but us knows that the command waits.
 */
static cl_int command_is_supplied(const struct cwi_command *c, struct cwi_sited_event *event)
{
  if (!c->blocking && cwi_command_is_certain(c, event->site))
    return CL_SUCCESS;
  return wait_outside(event, !c->blocking);
}

static cl_int command_perform(struct cwi_command *c, struct cwi_sited_event *event)
{
  struct cwi_waits waits = {0};
  cl_int code = CL_SUCCESS;
  if (has_failed_wait(c, event->site)) {
    cwi_event_leave(event, NULL, NULL, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return c->blocking ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
  }
  const enum fate fate = command_fate(event, c, &waits, &code);
  if (fate == GOES)
    code = command_go(event, c, &waits, true);
  else if (fate == IS_SUPPLIED)
    code = command_is_supplied(c, event);
  else if (fate == STAYS)
    code = c->blocking ? wait_outside(event, false) : CL_SUCCESS;
  else
    event_refuse(event);
  cwi_waits_free(&waits);
  return code;
}

/* Without an event where nobody needs one. */
static cl_int command_execute(struct cwi_command *c, struct cwi_sited_event **event)
{
  const bool is_certain = goes_certainly(c);
  if (is_certain && c->event == NULL)
    return command_go(NULL, c, NULL, false);
  *event = cwi_event_new(c->queue);
  if (*event == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  return is_certain ? command_go(*event, c, NULL, true) : command_perform(c, *event);
}

cl_int cwi_sites_execute(struct cwi_command *given)
{
  struct cwi_command c = *given;
  struct cwi_sited_event *event = NULL;
  const bool maps = c.sort == CWI_COMMAND_MAP || c.sort == CWI_COMMAND_MAP_IMAGE;
  size_t box[2][3];
  cl_int code = command_prepare(&c, box);
  if (code != CL_SUCCESS)
    return code;
  given->host = c.host;
  code = command_execute(&c, &event);
  if (maps && code != CL_SUCCESS)
    cwi_map_undo(given->memory[0], given->host);
  if (code == CL_SUCCESS && given->event != NULL)
    *given->event = event;
  else
    cwi_sited_let_go(event);
  return code;
}
