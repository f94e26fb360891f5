/* Common parts of all enqueue calls: checks, events, and the call of the executor. */
#include "client/client_enqueue.h"

static cl_int enqueue_resolve_memory(struct vocl_command *command,
                                     const struct vocl_cl_queue *queue)
{
  const struct vocl_operand_kind *operands = vocl_command_kind_of(command)->operands;
  for (unsigned i = 0; i < 2 && operands[i].form != VOCL_NO_MEMORY; i++) {
    const struct vocl_cl_memory *memory = vocl_memory_find(command->memory[i]);
    if (memory == NULL)
      return CL_INVALID_MEM_OBJECT;
    if (memory->context != queue->context)
      return CL_INVALID_CONTEXT;
    command->memory[i] = memory->handle.object;
  }
  return CL_SUCCESS;
}

static cl_int enqueue_resolve_kernel(struct vocl_command *command,
                                     const struct vocl_cl_queue *queue)
{
  if ((vocl_command_kind_of(command)->has & VOCL_HAS_KERNEL) == 0)
    return CL_SUCCESS;
  const struct vocl_cl_kernel *kernel = vocl_kernel_find(command->kernel);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  command->kernel = kernel->handle.object;
  return kernel->context == queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int enqueue_resolve(struct vocl_command *command, struct vocl_cl_queue *queue,
                              const struct vocl_enqueue_arguments *call,
                              struct vocl_handle_list *waits)
{
  command->queue = queue->handle.object;
  cl_int code = enqueue_resolve_memory(command, queue);
  if (code == CL_SUCCESS)
    code = enqueue_resolve_kernel(command, queue);
  if (code == CL_SUCCESS && (vocl_command_kind_of(command)->has & ~vocl_command_has(command)) != 0)
    code = CL_INVALID_VALUE;
  if (code != CL_SUCCESS)
    return code;
  if ((call->wait_count == 0) != (call->waits == NULL))
    return CL_INVALID_EVENT_WAIT_LIST;
  code = vocl_handle_list_begin(waits, &vocl_kind_event, call->wait_count, call->waits);
  if (code != CL_SUCCESS)
    return code == CL_INVALID_EVENT ? CL_INVALID_EVENT_WAIT_LIST : code;
  for (cl_uint i = 0; i < call->wait_count; i++)
    if (vocl_event_find(call->waits[i])->context != queue->context) {
      vocl_handle_list_end(waits);
      return CL_INVALID_CONTEXT;
    }
  command->wait_count = waits->count;
  command->waits = waits->count > 0 ? waits->objects : NULL;
  return CL_SUCCESS;
}

/* Executes the command and makes the handle of its event. */
static cl_int enqueue_with_event(struct vocl_command *command, struct vocl_cl_queue *queue,
                                 cl_event *given)
{
  struct vocl_cl_event *event = vocl_handle_new(&vocl_kind_event, NULL);
  if (event == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  event->type = vocl_command_kind_of(command)->type;
  command->event = &event->handle.object;
  const cl_int code = vocl_executor_execute(command);
  if (code != CL_SUCCESS) {
    event->handle.object = NULL;
    vocl_handle_unref(&event->handle);
    return code;
  }
  vocl_handle_ref(&queue->handle);
  vocl_handle_ref(&queue->context->handle);
  event->queue = queue;
  event->context = queue->context;
  *given = (cl_event)(void *)event;
  return CL_SUCCESS;
}

cl_int vocl_enqueue(struct vocl_command *command, const struct vocl_enqueue_arguments *call)
{
  struct vocl_cl_queue *queue = vocl_queue_find(call->queue);
  struct vocl_handle_list waits;
  if (queue == NULL)
    return CL_INVALID_COMMAND_QUEUE;
  cl_int code = enqueue_resolve(command, queue, call, &waits);
  if (code != CL_SUCCESS)
    return code;
  code = call->event != NULL ? enqueue_with_event(command, queue, call->event)
                             : vocl_executor_execute(command);
  vocl_handle_list_end(&waits);
  return code;
}
