/* Commands that start kernels, and those that only wait for others. */
#include "client/enqueue.h"
#include "client/entries.h"

#define REST cl_uint wait_count, const cl_event *waits, cl_event *event
#define CALL (&(struct cwi_call){queue, wait_count, waits, event})

cl_int cwi_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_LAUNCH,
                                           .kernel = kernel,
                                           .count = dimensions,
                                           .global_offset = offset,
                                           .global_size = global,
                                           .local_size = local},
                     CALL);
}

cl_int cwi_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_TASK, .kernel = kernel}, CALL);
}

cl_int cwi_clEnqueueMarkerWithWaitList(cl_command_queue queue, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_MARKER}, CALL);
}

cl_int cwi_clEnqueueBarrierWithWaitList(cl_command_queue queue, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_BARRIER}, CALL);
}

cl_int cwi_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
  if (cwi_queue_find(queue) != NULL && event == NULL)
    return CL_INVALID_VALUE;
  return cwi_clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
}

cl_int cwi_clEnqueueBarrier(cl_command_queue queue)
{
  return cwi_clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
}

cl_int cwi_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *events)
{
  if (cwi_queue_find(queue) != NULL && (count == 0 || events == NULL))
    return CL_INVALID_VALUE;
  const cl_int code = cwi_clEnqueueBarrierWithWaitList(queue, count, events, NULL);
  return code == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : code;
}
