/* Enqueues decoded commands and waits for them. */
#include "executor/executor.h"

/* The last arguments of all enqueue calls. */
#define REST(c) (c)->wait_count, (const cl_event *)(c)->waits, (cl_event *)(c)->event

static cl_int execute_buffers(const cl_icd_dispatch *calls, const struct vocl_command *c)
{
  switch (c->sort) {
  case VOCL_COMMAND_READ:
    return calls->clEnqueueReadBuffer(c->queue, c->memory[0], c->blocking, c->offset[0], c->size,
                                      c->host, REST(c));
  case VOCL_COMMAND_WRITE:
    return calls->clEnqueueWriteBuffer(c->queue, c->memory[0], c->blocking, c->offset[0], c->size,
                                       c->host, REST(c));
  case VOCL_COMMAND_READ_RECT:
    return calls->clEnqueueReadBufferRect(
        c->queue, c->memory[0], c->blocking, c->origin[0], c->origin[1], c->region, c->row_pitch[0],
        c->slice_pitch[0], c->row_pitch[1], c->slice_pitch[1], c->host, REST(c));
  case VOCL_COMMAND_WRITE_RECT:
    return calls->clEnqueueWriteBufferRect(
        c->queue, c->memory[0], c->blocking, c->origin[0], c->origin[1], c->region, c->row_pitch[0],
        c->slice_pitch[0], c->row_pitch[1], c->slice_pitch[1], c->host, REST(c));
  case VOCL_COMMAND_COPY:
    return calls->clEnqueueCopyBuffer(c->queue, c->memory[0], c->memory[1], c->offset[0],
                                      c->offset[1], c->size, REST(c));
  case VOCL_COMMAND_COPY_RECT:
    return calls->clEnqueueCopyBufferRect(
        c->queue, c->memory[0], c->memory[1], c->origin[0], c->origin[1], c->region,
        c->row_pitch[0], c->slice_pitch[0], c->row_pitch[1], c->slice_pitch[1], REST(c));
  default:
    return calls->clEnqueueFillBuffer(c->queue, c->memory[0], c->pattern, c->pattern_size,
                                      c->offset[0], c->size, REST(c));
  }
}

static cl_int execute_images(const cl_icd_dispatch *calls, const struct vocl_command *c)
{
  switch (c->sort) {
  case VOCL_COMMAND_READ_IMAGE:
    return calls->clEnqueueReadImage(c->queue, c->memory[0], c->blocking, c->origin[0], c->region,
                                     c->row_pitch[1], c->slice_pitch[1], c->host, REST(c));
  case VOCL_COMMAND_WRITE_IMAGE:
    return calls->clEnqueueWriteImage(c->queue, c->memory[0], c->blocking, c->origin[0], c->region,
                                      c->row_pitch[1], c->slice_pitch[1], c->host, REST(c));
  case VOCL_COMMAND_COPY_IMAGE:
    return calls->clEnqueueCopyImage(c->queue, c->memory[0], c->memory[1], c->origin[0],
                                     c->origin[1], c->region, REST(c));
  case VOCL_COMMAND_FILL_IMAGE:
    return calls->clEnqueueFillImage(c->queue, c->memory[0], c->pattern, c->origin[0], c->region,
                                     REST(c));
  case VOCL_COMMAND_IMAGE_TO_BUFFER:
    return calls->clEnqueueCopyImageToBuffer(c->queue, c->memory[0], c->memory[1], c->origin[0],
                                             c->region, c->offset[1], REST(c));
  default:
    return calls->clEnqueueCopyBufferToImage(c->queue, c->memory[0], c->memory[1], c->offset[0],
                                             c->origin[1], c->region, REST(c));
  }
}

static cl_int execute_maps(const cl_icd_dispatch *calls, struct vocl_command *c)
{
  cl_int code = CL_SUCCESS;
  switch (c->sort) {
  case VOCL_COMMAND_MAP:
    c->host = calls->clEnqueueMapBuffer(c->queue, c->memory[0], c->blocking, c->flags, c->offset[0],
                                        c->size, REST(c), &code);
    return code;
  case VOCL_COMMAND_MAP_IMAGE:
    c->host = calls->clEnqueueMapImage(c->queue, c->memory[0], c->blocking, c->flags, c->origin[0],
                                       c->region, c->pitches[0], c->pitches[1], REST(c), &code);
    return code;
  case VOCL_COMMAND_UNMAP:
    return calls->clEnqueueUnmapMemObject(c->queue, c->memory[0], c->host, REST(c));
  default:
    return calls->clEnqueueMigrateMemObjects(c->queue, c->count, (const cl_mem *)c->objects,
                                             c->flags, REST(c));
  }
}

cl_int vocl_native_execute(struct vocl_command *c)
{
  const cl_icd_dispatch *calls = vocl_vendor_calls(c->queue);
  if (c->sort <= VOCL_COMMAND_FILL)
    return execute_buffers(calls, c);
  if (c->sort <= VOCL_COMMAND_BUFFER_TO_IMAGE)
    return execute_images(calls, c);
  if (c->sort <= VOCL_COMMAND_MIGRATE)
    return execute_maps(calls, c);
  switch (c->sort) {
  case VOCL_COMMAND_LAUNCH:
    return calls->clEnqueueNDRangeKernel(c->queue, c->kernel, c->count, c->global_offset,
                                         c->global_size, c->local_size, REST(c));
  case VOCL_COMMAND_TASK:
    return calls->clEnqueueTask(c->queue, c->kernel, REST(c));
  case VOCL_COMMAND_MARKER:
    return calls->clEnqueueMarkerWithWaitList(c->queue, REST(c));
  default:
    return calls->clEnqueueBarrierWithWaitList(c->queue, REST(c));
  }
}

cl_int vocl_native_set_argument(void *kernel, cl_uint index, size_t size, const void *value)
{
  return vocl_vendor_calls(kernel)->clSetKernelArg(kernel, index, size, value);
}

cl_int vocl_native_flush(void *queue)
{
  return vocl_vendor_calls(queue)->clFlush(queue);
}

cl_int vocl_native_finish(void *queue)
{
  return vocl_vendor_calls(queue)->clFinish(queue);
}

cl_int vocl_native_wait(cl_uint count, void *const *events)
{
  return vocl_vendor_calls(events[0])->clWaitForEvents(count, (const cl_event *)events);
}

cl_int vocl_native_set_user_event(void *event, cl_int status)
{
  return vocl_vendor_calls(event)->clSetUserEventStatus(event, status);
}

cl_int vocl_native_on_event(void *event, cl_int status, vocl_event_function function, void *data)
{
  return vocl_vendor_calls(event)->clSetEventCallback(event, status, function, data);
}
