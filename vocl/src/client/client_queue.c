/* Queues of commands. */
#include "client/client_entries.h"
#include "client/client_objects.h"

#include <stdlib.h>

/* Flushes the queue at the program's last release, as native OpenCL does. Events may keep the
 * queue itself for longer. */
static void queue_left(struct vocl_handle *handle)
{
  vocl_executor_flush(handle->object);
}

static void queue_end(struct vocl_handle *handle)
{
  struct vocl_cl_queue *queue = (struct vocl_cl_queue *)handle;
  vocl_handle_unref(&queue->context->handle);
  free(queue->properties.bytes);
}

static struct cwi_objects queue_objects = CWI_OBJECTS(struct vocl_cl_queue);
const struct vocl_kind vocl_kind_queue = {&queue_objects, VOCL_QUEUE, CL_INVALID_COMMAND_QUEUE,
                                          queue_left, queue_end};

static cl_int queue_make(cl_context in, cl_device_id on, cl_command_queue_properties flags,
                         struct vocl_cl_queue **queue)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_cl_device *device = vocl_device_find(on);
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  if (device == NULL || !vocl_context_has(context, device))
    return CL_INVALID_DEVICE;
  void *const devices[] = {device->handle.object};
  const struct vocl_making making = {
      .sort = VOCL_QUEUE, .parent = context->handle.object, .devices = devices, .flags = flags};
  cl_int code = CL_SUCCESS;
  *queue = vocl_handle_make(&vocl_kind_queue, &making, &code);
  if (*queue == NULL)
    return code;
  vocl_handle_ref(&context->handle);
  (*queue)->context = context;
  (*queue)->device = device;
  (*queue)->flags = flags;
  return CL_SUCCESS;
}

cl_command_queue vocl_clCreateCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue_properties flags, cl_int *errcode_ret)
{
  struct vocl_cl_queue *queue = NULL;
  const cl_int code = queue_make(context, device, flags, &queue);
  return vocl_return_created(queue, code, errcode_ret);
}

/* Reads the properties. Queues on devices are not virtualised. */
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

cl_command_queue vocl_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                         const cl_queue_properties *properties,
                                                         cl_int *errcode_ret)
{
  struct vocl_cl_queue *queue = NULL;
  cl_command_queue_properties flags = 0;
  size_t words = 0;
  cl_int code = vocl_context_find(context) == NULL ? CL_INVALID_CONTEXT
                : vocl_device_find(device) == NULL ? CL_INVALID_DEVICE
                                                   : queue_read(properties, &flags, &words);
  if (code == CL_SUCCESS)
    code = queue_make(context, device, flags, &queue);
  if (code == CL_SUCCESS &&
      !vocl_blob_copy(&queue->properties, properties, words * sizeof *properties)) {
    vocl_handle_unref(&queue->handle);
    code = CL_OUT_OF_HOST_MEMORY;
  }
  return vocl_return_created(queue, code, errcode_ret);
}

cl_int vocl_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t size,
                                  void *value, size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_FIELD(CL_QUEUE_CONTEXT, vocl_cl_queue, context),
      VOCL_ANSWER_FIELD(CL_QUEUE_DEVICE, vocl_cl_queue, device),
      VOCL_ANSWER_COUNT(CL_QUEUE_REFERENCE_COUNT),
      VOCL_ANSWER_FIELD(CL_QUEUE_PROPERTIES, vocl_cl_queue, flags),
      VOCL_ANSWER_BLOB(CL_QUEUE_PROPERTIES_ARRAY, vocl_cl_queue, properties),
      VOCL_ANSWER_FIELD(CL_QUEUE_DEVICE_DEFAULT, vocl_cl_queue, none),
  };
  static const struct vocl_query_table answers = {&vocl_kind_queue, 0, sizeof rows / sizeof *rows,
                                                  rows};
  if (what == CL_QUEUE_SIZE && vocl_queue_find(queue) != NULL)
    return CL_INVALID_COMMAND_QUEUE; /* only queues on devices have a size */
  return vocl_query_answer(&answers, queue, what,
                           &(struct vocl_query_result){size, value, size_ret});
}

cl_int vocl_clFlush(cl_command_queue handle)
{
  struct vocl_cl_queue *queue = vocl_queue_find(handle);
  return queue != NULL ? vocl_executor_flush(queue->handle.object) : CL_INVALID_COMMAND_QUEUE;
}

cl_int vocl_clFinish(cl_command_queue handle)
{
  struct vocl_cl_queue *queue = vocl_queue_find(handle);
  return queue != NULL ? vocl_executor_finish(queue->handle.object) : CL_INVALID_COMMAND_QUEUE;
}
