/* The table of commands; enqueues decoded commands and waits for them. */
#include "executor/executor.h"

/* Defines the function execute_NAME, which calls CALL with these arguments, followed by the last
 * three arguments of all enqueue calls. */
#define REST(c) (c)->wait_count, (const cl_event *)(c)->waits, (cl_event *)(c)->event
#define EXECUTE(name, call, ...)                                                                   \
  static cl_int execute_##name(const cl_icd_dispatch *calls, struct vocl_command *c)               \
  {                                                                                                \
    return calls->call(c->queue, __VA_ARGS__, REST(c));                                            \
  }

EXECUTE(read, clEnqueueReadBuffer, c->memory[0], c->blocking, c->offset[0], c->size, c->host)
EXECUTE(write, clEnqueueWriteBuffer, c->memory[0], c->blocking, c->offset[0], c->size, c->host)
EXECUTE(read_rect, clEnqueueReadBufferRect, c->memory[0], c->blocking, c->origin[0], c->origin[1],
        c->region, c->row_pitch[0], c->slice_pitch[0], c->row_pitch[1], c->slice_pitch[1], c->host)
EXECUTE(write_rect, clEnqueueWriteBufferRect, c->memory[0], c->blocking, c->origin[0], c->origin[1],
        c->region, c->row_pitch[0], c->slice_pitch[0], c->row_pitch[1], c->slice_pitch[1], c->host)
EXECUTE(copy, clEnqueueCopyBuffer, c->memory[0], c->memory[1], c->offset[0], c->offset[1], c->size)
EXECUTE(copy_rect, clEnqueueCopyBufferRect, c->memory[0], c->memory[1], c->origin[0], c->origin[1],
        c->region, c->row_pitch[0], c->slice_pitch[0], c->row_pitch[1], c->slice_pitch[1])
EXECUTE(fill, clEnqueueFillBuffer, c->memory[0], c->pattern, c->pattern_size, c->offset[0], c->size)
EXECUTE(read_image, clEnqueueReadImage, c->memory[0], c->blocking, c->origin[0], c->region,
        c->row_pitch[1], c->slice_pitch[1], c->host)
EXECUTE(write_image, clEnqueueWriteImage, c->memory[0], c->blocking, c->origin[0], c->region,
        c->row_pitch[1], c->slice_pitch[1], c->host)
EXECUTE(copy_image, clEnqueueCopyImage, c->memory[0], c->memory[1], c->origin[0], c->origin[1],
        c->region)
EXECUTE(fill_image, clEnqueueFillImage, c->memory[0], c->pattern, c->origin[0], c->region)
EXECUTE(image_to_buffer, clEnqueueCopyImageToBuffer, c->memory[0], c->memory[1], c->origin[0],
        c->region, c->offset[1])
EXECUTE(buffer_to_image, clEnqueueCopyBufferToImage, c->memory[0], c->memory[1], c->offset[0],
        c->origin[1], c->region)
EXECUTE(unmap, clEnqueueUnmapMemObject, c->memory[0], c->host)
EXECUTE(migrate, clEnqueueMigrateMemObjects, c->object_count, (const cl_mem *)c->objects, c->flags)
EXECUTE(launch, clEnqueueNDRangeKernel, c->kernel, c->count, c->global_offset, c->global_size,
        c->local_size)
EXECUTE(task, clEnqueueTask, c->kernel)

static cl_int execute_map(const cl_icd_dispatch *calls, struct vocl_command *c)
{
  cl_int code = CL_SUCCESS;
  c->host = calls->clEnqueueMapBuffer(c->queue, c->memory[0], c->blocking, c->flags, c->offset[0],
                                      c->size, REST(c), &code);
  return code;
}

static cl_int execute_map_image(const cl_icd_dispatch *calls, struct vocl_command *c)
{
  cl_int code = CL_SUCCESS;
  c->host = calls->clEnqueueMapImage(c->queue, c->memory[0], c->blocking, c->flags, c->origin[0],
                                     c->region, c->pitches[0], c->pitches[1], REST(c), &code);
  return code;
}

static cl_int execute_marker(const cl_icd_dispatch *calls, struct vocl_command *c)
{
  return calls->clEnqueueMarkerWithWaitList(c->queue, REST(c));
}

static cl_int execute_barrier(const cl_icd_dispatch *calls, struct vocl_command *c)
{
  return calls->clEnqueueBarrierWithWaitList(c->queue, REST(c));
}

/* Short names for the table. */
enum {
  SOURCE = VOCL_HAS_ORIGIN_0,
  TARGET = VOCL_HAS_ORIGIN_1,
  REGION = VOCL_HAS_REGION,
  HOST = VOCL_HAS_HOST,
  PATTERN = VOCL_HAS_PATTERN,
  KERNEL = VOCL_HAS_KERNEL
};
#define NONE VOCL_NO_MEMORY, false
#define READS(form) VOCL_##form, false
#define WRITES(form) VOCL_##form, true
/* The columns: sort, OpenCL's type, what the command must have, its memory, role, and function. */
#define KIND(sort, type, has, one, other, role, execute)                                           \
  [VOCL_COMMAND_##sort] = {CL_COMMAND_##type, has, {{one}, {other}}, VOCL_##role, execute_##execute}
const struct vocl_command_kind vocl_command_kinds[VOCL_COMMAND_COUNT] = {
    KIND(READ, READ_BUFFER, HOST, READS(RANGE), NONE, READS_DATA, read),
    KIND(WRITE, WRITE_BUFFER, HOST, WRITES(RANGE), NONE, WRITES_DATA, write),
    KIND(READ_RECT, READ_BUFFER_RECT, HOST | SOURCE | TARGET | REGION, READS(BOX), NONE, READS_DATA,
         read_rect),
    KIND(WRITE_RECT, WRITE_BUFFER_RECT, HOST | SOURCE | TARGET | REGION, WRITES(BOX), NONE,
         WRITES_DATA, write_rect),
    KIND(COPY, COPY_BUFFER, 0, READS(RANGE), WRITES(RANGE), ON_DEVICE, copy),
    KIND(COPY_RECT, COPY_BUFFER_RECT, SOURCE | TARGET | REGION, READS(BOX), WRITES(BOX), ON_DEVICE,
         copy_rect),
    KIND(FILL, FILL_BUFFER, PATTERN, WRITES(RANGE), NONE, ON_DEVICE, fill),
    KIND(READ_IMAGE, READ_IMAGE, HOST | SOURCE | REGION, READS(PIXELS), NONE, READS_DATA,
         read_image),
    KIND(WRITE_IMAGE, WRITE_IMAGE, HOST | SOURCE | REGION, WRITES(PIXELS), NONE, WRITES_DATA,
         write_image),
    KIND(COPY_IMAGE, COPY_IMAGE, SOURCE | TARGET | REGION, READS(PIXELS), WRITES(PIXELS), ON_DEVICE,
         copy_image),
    KIND(FILL_IMAGE, FILL_IMAGE, PATTERN | SOURCE | REGION, WRITES(PIXELS), NONE, ON_DEVICE,
         fill_image),
    KIND(IMAGE_TO_BUFFER, COPY_IMAGE_TO_BUFFER, SOURCE | REGION, READS(PIXELS), WRITES(PACKED),
         ON_DEVICE, image_to_buffer),
    KIND(BUFFER_TO_IMAGE, COPY_BUFFER_TO_IMAGE, TARGET | REGION, READS(PACKED), WRITES(PIXELS),
         ON_DEVICE, buffer_to_image),
    KIND(MAP, MAP_BUFFER, 0, READS(RANGE), NONE, MAPS, map),
    KIND(MAP_IMAGE, MAP_IMAGE, SOURCE | REGION, READS(PIXELS), NONE, MAPS, map_image),
    KIND(UNMAP, UNMAP_MEM_OBJECT, HOST, WRITES(MAPPED), NONE, UNMAPS, unmap),
    KIND(MIGRATE, MIGRATE_MEM_OBJECTS, 0, NONE, NONE, ON_DEVICE, migrate),
    KIND(LAUNCH, NDRANGE_KERNEL, KERNEL, NONE, NONE, ON_DEVICE, launch),
    KIND(TASK, TASK, KERNEL, NONE, NONE, ON_DEVICE, task),
    KIND(MARKER, MARKER, 0, NONE, NONE, GATHERS, marker),
    KIND(BARRIER, BARRIER, 0, NONE, NONE, GATHERS, barrier),
};

cl_int vocl_native_execute(struct vocl_command *c)
{
  return vocl_command_kind_of(c)->execute(vocl_vendor_calls(c->queue), c);
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
