/* Queues of commands. */
#include "client/entries.h"
#include "client/kinds.h"

#include <stdlib.h>

/* Natively the last release sends on what is queued; events may keep our queue for longer. */
static void queue_left(struct cwi_handle *handle)
{
  cwi_executor_flush(handle->object);
}

static void queue_end(struct cwi_handle *handle)
{
  struct cwi_cl_queue *queue = (struct cwi_cl_queue *)handle;
  cwi_handle_let_go(&queue->context->handle);
  free(queue->properties.bytes);
}

static struct cwi_objects queue_objects = CWI_OBJECTS(struct cwi_cl_queue);
const struct cwi_kind cwi_kind_queue = {&queue_objects, CWI_QUEUE, CL_INVALID_COMMAND_QUEUE,
                                        queue_left, queue_end};

static cl_int queue_make(cl_context in, cl_device_id on, cl_command_queue_properties flags,
                         struct cwi_cl_queue **queue)
{
  struct cwi_cl_context *context = cwi_context_find(in);
  struct cwi_cl_device *device = cwi_device_find(on);
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  if (device == NULL || !cwi_context_has(context, device))
    return CL_INVALID_DEVICE;
  void *const devices[] = {device->handle.object};
  const struct cwi_making making = {
      .sort = CWI_QUEUE, .parent = context->handle.object, .devices = devices, .flags = flags};
  cl_int code = CL_SUCCESS;
  *queue = cwi_handle_make(&cwi_kind_queue, &making, &code);
  if (*queue == NULL)
    return code;
  cwi_handle_hold(&context->handle);
  (*queue)->context = context;
  (*queue)->device = device;
  (*queue)->flags = flags;
  return CL_SUCCESS;
}

cl_command_queue cwi_clCreateCommandQueue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties flags, cl_int *errcode_ret)
{
  struct cwi_cl_queue *queue = NULL;
  const cl_int code = queue_make(context, device, flags, &queue);
  return cwi_created(queue, code, errcode_ret);
}

/* Queues on the device are not virtualised. */
static cl_int queue_read(const cl_queue_properties *properties, cl_command_queue_properties *flags,
                         size_t *words)
{
  *flags = 0;
  *words = 0;
  if (properties == NULL)
    return CL_SUCCESS;
  for (; properties[*words] != 0; *words += 2) {
    if (properties[*words] != CL_QUEUE_PROPERTIES || *words > 0)
      return properties[*words] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
    *flags = properties[*words + 1];
  }
  (*words)++;
  return (*flags & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)) != 0
             ? CL_INVALID_QUEUE_PROPERTIES
             : CL_SUCCESS;
}

cl_command_queue cwi_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                        const cl_queue_properties *properties,
                                                        cl_int *errcode_ret)
{
  struct cwi_cl_queue *queue = NULL;
  cl_command_queue_properties flags = 0;
  size_t words = 0;
  cl_int code = cwi_context_find(context) == NULL ? CL_INVALID_CONTEXT
                : cwi_device_find(device) == NULL ? CL_INVALID_DEVICE
                                                  : queue_read(properties, &flags, &words);
  if (code == CL_SUCCESS)
    code = queue_make(context, device, flags, &queue);
  if (code == CL_SUCCESS &&
      !cwi_blob_copy(&queue->properties, properties, words * sizeof *properties)) {
    cwi_handle_let_go(&queue->handle);
    code = CL_OUT_OF_HOST_MEMORY;
  }
  return cwi_created(queue, code, errcode_ret);
}

cl_int cwi_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t size,
                                 void *value, size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_FIELD(CL_QUEUE_CONTEXT, cwi_cl_queue, context),
      CWI_ANSWER_FIELD(CL_QUEUE_DEVICE, cwi_cl_queue, device),
      CWI_ANSWER_COUNT(CL_QUEUE_REFERENCE_COUNT),
      CWI_ANSWER_FIELD(CL_QUEUE_PROPERTIES, cwi_cl_queue, flags),
      CWI_ANSWER_BLOB(CL_QUEUE_PROPERTIES_ARRAY, cwi_cl_queue, properties),
      CWI_ANSWER_FIELD(CL_QUEUE_DEVICE_DEFAULT, cwi_cl_queue, none),
  };
  static const struct cwi_query_table answers = {&cwi_kind_queue, 0, sizeof rows / sizeof *rows,
                                                 rows};
  if (what == CL_QUEUE_SIZE && cwi_queue_find(queue) != NULL)
    return CL_INVALID_COMMAND_QUEUE; /* only queues on devices have one */
  return cwi_query_answer(&answers, queue, what, &(struct cwi_asker){size, value, size_ret});
}

cl_int cwi_clFlush(cl_command_queue handle)
{
  struct cwi_cl_queue *queue = cwi_queue_find(handle);
  return queue != NULL ? cwi_executor_flush(queue->handle.object) : CL_INVALID_COMMAND_QUEUE;
}

cl_int cwi_clFinish(cl_command_queue handle)
{
  struct cwi_cl_queue *queue = cwi_queue_find(handle);
  return queue != NULL ? cwi_executor_finish(queue->handle.object) : CL_INVALID_COMMAND_QUEUE;
}
