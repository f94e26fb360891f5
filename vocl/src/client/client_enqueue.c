/* Common parts of all enqueue calls: checks, events, and the call of the executor. */
#include "client/client_enqueue.h"

/* Parameters that a command must have. */
enum { HOST = 1, SOURCE = 2, TARGET = 4, REGION = 8, PATTERN = 16, KERNEL = 32 };

static const struct {
  cl_command_type type;
  unsigned memories; /* number of memory objects; a single one has index 0 */
  unsigned needs;
} sorts[VOCL_COMMAND_COUNT] = {
    [VOCL_COMMAND_READ] = {CL_COMMAND_READ_BUFFER, 1, HOST},
    [VOCL_COMMAND_WRITE] = {CL_COMMAND_WRITE_BUFFER, 1, HOST},
    [VOCL_COMMAND_READ_RECT] = {CL_COMMAND_READ_BUFFER_RECT, 1, HOST | SOURCE | TARGET | REGION},
    [VOCL_COMMAND_WRITE_RECT] = {CL_COMMAND_WRITE_BUFFER_RECT, 1, HOST | SOURCE | TARGET | REGION},
    [VOCL_COMMAND_COPY] = {CL_COMMAND_COPY_BUFFER, 2, 0},
    [VOCL_COMMAND_COPY_RECT] = {CL_COMMAND_COPY_BUFFER_RECT, 2, SOURCE | TARGET | REGION},
    [VOCL_COMMAND_FILL] = {CL_COMMAND_FILL_BUFFER, 1, PATTERN},
    [VOCL_COMMAND_READ_IMAGE] = {CL_COMMAND_READ_IMAGE, 1, HOST | SOURCE | REGION},
    [VOCL_COMMAND_WRITE_IMAGE] = {CL_COMMAND_WRITE_IMAGE, 1, HOST | SOURCE | REGION},
    [VOCL_COMMAND_COPY_IMAGE] = {CL_COMMAND_COPY_IMAGE, 2, SOURCE | TARGET | REGION},
    [VOCL_COMMAND_FILL_IMAGE] = {CL_COMMAND_FILL_IMAGE, 1, PATTERN | SOURCE | REGION},
    [VOCL_COMMAND_IMAGE_TO_BUFFER] = {CL_COMMAND_COPY_IMAGE_TO_BUFFER, 2, SOURCE | REGION},
    [VOCL_COMMAND_BUFFER_TO_IMAGE] = {CL_COMMAND_COPY_BUFFER_TO_IMAGE, 2, TARGET | REGION},
    [VOCL_COMMAND_MAP] = {CL_COMMAND_MAP_BUFFER, 1, 0},
    [VOCL_COMMAND_MAP_IMAGE] = {CL_COMMAND_MAP_IMAGE, 1, SOURCE | REGION},
    [VOCL_COMMAND_UNMAP] = {CL_COMMAND_UNMAP_MEM_OBJECT, 1, HOST},
    [VOCL_COMMAND_MIGRATE] = {CL_COMMAND_MIGRATE_MEM_OBJECTS, 0, 0},
    [VOCL_COMMAND_LAUNCH] = {CL_COMMAND_NDRANGE_KERNEL, 0, KERNEL},
    [VOCL_COMMAND_TASK] = {CL_COMMAND_TASK, 0, KERNEL},
    [VOCL_COMMAND_MARKER] = {CL_COMMAND_MARKER, 0, 0},
    [VOCL_COMMAND_BARRIER] = {CL_COMMAND_BARRIER, 0, 0},
};

static cl_int enqueue_resolve_memory(struct vocl_command *command,
                                     const struct vocl_cl_queue *queue)
{
  for (unsigned i = 0; i < sorts[command->sort].memories; i++) {
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
  if ((sorts[command->sort].needs & KERNEL) == 0)
    return CL_SUCCESS;
  const struct vocl_cl_kernel *kernel = vocl_kernel_find(command->kernel);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  command->kernel = kernel->handle.object;
  return kernel->context == queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int enqueue_check_pointers(const struct vocl_command *command)
{
  const unsigned needs = sorts[command->sort].needs;
  const unsigned given =
      (command->host != NULL ? HOST : 0) | (command->origin[0] != NULL ? SOURCE : 0) |
      (command->origin[1] != NULL ? TARGET : 0) | (command->region != NULL ? REGION : 0) |
      (command->pattern != NULL ? PATTERN : 0) | KERNEL;
  return (needs & ~given) == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int enqueue_resolve(struct vocl_command *command, struct vocl_cl_queue *queue,
                              const struct vocl_enqueue_arguments *call,
                              struct vocl_handle_list *waits)
{
  command->queue = queue->handle.object;
  cl_int code = enqueue_resolve_memory(command, queue);
  if (code == CL_SUCCESS)
    code = enqueue_resolve_kernel(command, queue);
  if (code == CL_SUCCESS)
    code = enqueue_check_pointers(command);
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
  event->type = sorts[command->sort].type;
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
