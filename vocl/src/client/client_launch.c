/* Commands that start kernels, and those that only wait for others. */
#include "client/client_enqueue.h"
#include "client/client_entries.h"

#define REST cl_uint wait_count, const cl_event *waits, cl_event *event
#define CALL (&(struct vocl_enqueue_arguments){queue, wait_count, waits, event})

cl_int vocl_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                   const size_t *offset, const size_t *global, const size_t *local,
                                   REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_LAUNCH,
                                             .kernel = kernel,
                                             .count = dimensions,
                                             .global_offset = offset,
                                             .global_size = global,
                                             .local_size = local},
                      CALL);
}

cl_int vocl_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_TASK, .kernel = kernel}, CALL);
}

cl_int vocl_clEnqueueMarkerWithWaitList(cl_command_queue queue, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_MARKER}, CALL);
}

cl_int vocl_clEnqueueBarrierWithWaitList(cl_command_queue queue, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_BARRIER}, CALL);
}

cl_int vocl_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
  if (vocl_queue_find(queue) != NULL && event == NULL)
    return CL_INVALID_VALUE;
  return vocl_clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
}

cl_int vocl_clEnqueueBarrier(cl_command_queue queue)
{
  return vocl_clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
}

cl_int vocl_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *events)
{
  if (vocl_queue_find(queue) != NULL && (count == 0 || events == NULL))
    return CL_INVALID_VALUE;
  const cl_int code = vocl_clEnqueueBarrierWithWaitList(queue, count, events, NULL);
  return code == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : code;
}
