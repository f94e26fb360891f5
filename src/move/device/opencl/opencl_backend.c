/* The OpenCL back end. It drives the devices of all vendors that the machine's OpenCL library
 * finds. */
#include <stdio.h>
#include <stdlib.h>

#include "base/free_list.h"
#include "device/backend.h"
#include "device/opencl/opencl_library.h"
#include "device/opencl/opencl_program.h"
#include "device/opencl/opencl_queue.h"
#include "machine/machine.h"

struct opencl_device {
  const struct cwi_opencl_found *found;
  struct cwi_opencl_found
      lent;       /* description of a device in the program's context; `found` points to it */
  char name[192]; /* name of the device, at the beginning of messages */
  cl_context context;
  size_t most;      /* largest allocation, in bytes */
  size_t alignment; /* alignment of sub-buffers in bytes */
  struct cwi_opencl_queue queues[CWI_DEVICE_QUEUES];
  struct cwi_free_list *spare_events;
  struct cwi_opencl_program *programs;
};

/* An argument that begins inside a memory, not at its start, needs a sub-buffer. The last PARTS
 * sub-buffers of each memory are kept for reuse. */
enum { PARTS = 8 };

struct opencl_part {
  size_t offset; /* 0 if the entry is unused */
  cl_mem buffer;
};

struct opencl_memory {
  cl_mem buffer;
  size_t bytes;
  struct opencl_part parts[PARTS];
  unsigned next_part; /* index (modulo PARTS) of the entry that is replaced next */
};

static cl_command_queue opencl_native(const struct opencl_device *device,
                                      enum cwi_device_queue queue)
{
  return device->queues[queue].queue;
}

/* Handles the result of a call that enqueues a command. Returns its error, or adds the command's
 * event to the queue. */
static cw_error opencl_given(struct opencl_device *device, enum cwi_device_queue queue,
                             const char *call, cl_int code, cl_event event)
{
  if (CWI_UNLIKELY(code != CL_SUCCESS))
    return cwi_opencl_error(device->name, call, code);
  cwi_opencl_note(&device->queues[queue], event);
  return CW_OK;
}

/* --- devices --- */

static void opencl_close(void *opened)
{
  struct opencl_device *device = opened;
  cwi_opencl_programs_end(&device->programs);
  cwi_opencl_events_end(&device->spare_events);
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++)
    cwi_opencl_queue_end(&device->queues[i]);
  if (device->context != NULL)
    (void)cwi_opencl.clReleaseContext(device->context);
  free(device);
}

/* Queries a property of the device whose value is one number. */
static cw_error opencl_query(const struct opencl_device *device, cl_device_info what, void *answer,
                             size_t bytes)
{
  const cl_int code = cwi_opencl.clGetDeviceInfo(device->found->device, what, bytes, answer, NULL);
  return code == CL_SUCCESS ? CW_OK : cwi_opencl_error(device->name, "clGetDeviceInfo", code);
}

static cw_error opencl_make_context(struct opencl_device *device)
{
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              (cl_context_properties)device->found->platform, 0};
  cl_int code = CL_SUCCESS;
  device->context =
      cwi_opencl.clCreateContext(properties, 1, &device->found->device, NULL, NULL, &code);
  return device->context != NULL ? CW_OK : cwi_opencl_error(device->name, "clCreateContext", code);
}

/* Queries the device's properties and creates its queues. Also creates its context, unless the
 * program has given one. */
static cw_error opencl_begin(struct opencl_device *device, cw_device_facts *facts)
{
  cl_ulong memory = 0;
  cl_ulong most = 0;
  cl_uint bits = 0;
  CWI_TRY(opencl_query(device, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory));
  CWI_TRY(opencl_query(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &most, sizeof most));
  CWI_TRY(opencl_query(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, &bits, sizeof bits));
  device->most = most;
  device->alignment = bits >= 8 ? bits / 8 : 1;
  facts->memory = memory;
  facts->most = most;
  facts->alignment = device->alignment;
  facts->processor = device->found->is_processor;

  if (device->context == NULL)
    CWI_TRY(opencl_make_context(device));
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++) {
    device->queues[i].queue =
        cwi_opencl.clCreateCommandQueue(device->context, device->found->device, 0, &code);
    if (device->queues[i].queue == NULL)
      return cwi_opencl_error(device->name, "clCreateCommandQueue", code);
  }
  return CW_OK;
}

/* Opens the queues of a device. Closes it after an error. */
static cw_error opencl_finish_open(struct opencl_device *device, int number, void **opened,
                                   cw_device_facts *facts)
{
  *facts = (cw_device_facts){.kind = CW_DEVICE_OPENCL, .number = number};
  snprintf(facts->name, sizeof facts->name, "%s", device->found->name);
  const cw_error error = opencl_begin(device, facts);
  if (error == CW_OK)
    *opened = device;
  else
    opencl_close(device);
  return error;
}

static cw_error opencl_open(int number, void **opened, cw_device_facts *facts)
{
  char why[512];
  const int count = cwi_opencl_count(why, sizeof why);
  const struct cwi_opencl_found *found = cwi_opencl_device(number);
  if (found == NULL)
    return cwi_outside("there is no OpenCL device %d: the number of usable devices is %d%s%s",
                       number, count, why[0] != '\0' ? "; " : "", why);
  struct opencl_device *device = calloc(1, sizeof *device);
  if (device == NULL)
    return cwi_outside("there is no memory for a device");
  device->found = found;
  snprintf(device->name, sizeof device->name, "OpenCL device %d (%s)", number, found->name);
  return opencl_finish_open(device, number, opened, facts);
}

/* --- contexts of the program's --- */

static cw_error opencl_dead_context(const void *context, cl_int code)
{
  return cwi_misuse("options->context is %p, which is not an existing OpenCL context: "
                    "clGetContextInfo returned %d %s",
                    context, code, cwi_opencl_error_name(code));
}

/* Selects one of the context's devices. */
static cw_error opencl_choose(const void *native, const cl_device_id *ids, size_t count,
                              cl_device_id *chosen)
{
  size_t place = 0;
  if (native == NULL && count != 1)
    return cwi_misuse("options->native is NULL, and options->context has %zu devices: it names one "
                      "of them",
                      count);
  while (native != NULL && place < count && ids[place] != native)
    place++;
  if (place == count)
    return cwi_misuse("options->native is %p, which is none of the %zu devices of "
                      "options->context",
                      native, count);
  *chosen = ids[place];
  return CW_OK;
}

/* Selects the device of the program's context. This is `native` or, if that is NULL, the only
 * device of the context. */
static cw_error opencl_check_host_memory(cl_context context, const void *native,
                                         cl_device_id *chosen)
{
  size_t bytes = 0;
  cl_int code = cwi_opencl.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
  if (code != CL_SUCCESS)
    return opencl_dead_context(context, code);
  cl_device_id *ids = malloc(bytes);
  if (ids == NULL)
    return cwi_outside("there is no memory for the devices of a context");
  code = cwi_opencl.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, ids, NULL);
  const cw_error error = code == CL_SUCCESS
                             ? opencl_choose(native, ids, bytes / sizeof(cl_device_id), chosen)
                             : opencl_dead_context(context, code);
  free(ids);
  return error;
}

/* Returns the number of a device, or 0 if the device is not counted, as for a sub-device. */
static int opencl_number_of(cl_device_id id)
{
  const struct cwi_opencl_found *found = NULL;
  for (int number = 1; (found = cwi_opencl_device(number)) != NULL; number++)
    if (found->device == id)
      return number;
  return 0;
}

static cw_error opencl_adopt(void *context, void *native, void **opened, cw_device_facts *facts)
{
  cl_device_id id = NULL;
  struct cwi_opencl_found lent;
  CWI_TRY(opencl_check_host_memory(context, native, &id));
  const char *why_unusable = cwi_opencl_describe(id, &lent);
  if (why_unusable != NULL)
    return cwi_outside("%s, in the program's OpenCL context, %s", lent.name, why_unusable);
  struct opencl_device *device = calloc(1, sizeof *device);
  if (device == NULL)
    return cwi_outside("there is no memory for a device");
  device->lent = lent;
  device->found = &device->lent;
  snprintf(device->name, sizeof device->name, "OpenCL device %s in the program's context",
           lent.name);
  const cl_int code = cwi_opencl.clRetainContext(context);
  if (code != CL_SUCCESS) {
    free(device);
    return cwi_opencl_error("OpenCL", "clRetainContext", code);
  }
  device->context = context;
  return opencl_finish_open(device, opencl_number_of(id), opened, facts);
}

/* --- memory --- */

static void opencl_release(void *opened, void *released)
{
  (void)opened;
  struct opencl_memory *memory = released;
  for (int i = 0; i < PARTS; i++)
    if (memory->parts[i].buffer != NULL)
      (void)cwi_opencl.clReleaseMemObject(memory->parts[i].buffer);
  (void)cwi_opencl.clReleaseMemObject(memory->buffer);
  free(memory);
}

static cw_error opencl_make(struct opencl_device *device, void *host, size_t bytes,
                            struct opencl_memory **memory)
{
  if (bytes > device->most)
    return cwi_outside("%s: %zu bytes are more than one allocation may have: its limit "
                       "(CL_DEVICE_MAX_MEM_ALLOC_SIZE) is %zu",
                       device->name, bytes, device->most);
  struct opencl_memory *new = calloc(1, sizeof *new);
  if (new == NULL)
    return cwi_outside("there is no memory for the record of a slice");
  cl_int code = CL_SUCCESS;
  new->bytes = bytes > 0 ? bytes : 1;
  new->buffer = cwi_opencl.clCreateBuffer(
      device->context, CL_MEM_READ_WRITE | (host != NULL ? CL_MEM_USE_HOST_PTR : 0), new->bytes,
      host, &code);
  if (new->buffer == NULL) {
    free(new);
    return cwi_opencl_error(device->name, "clCreateBuffer", code);
  }
  *memory = new;
  return CW_OK;
}

/* Makes the driver allocate the memory. Drivers allocate at the first use, so this function
 * enqueues a command that uses the memory. The system overcommits host memory, so the command
 * touches all of it if the device is a processor. */
static cw_error opencl_use(struct opencl_device *device, const struct opencl_memory *memory)
{
  const unsigned char zero = 0;
  const size_t bytes = device->found->is_processor ? memory->bytes : 1;
  cl_event event = NULL;
  cl_int code = cwi_opencl.clEnqueueFillBuffer(opencl_native(device, CWI_QUEUE_IN), memory->buffer,
                                               &zero, 1, 0, bytes, 0, NULL, &event);
  if (code != CL_SUCCESS)
    return cwi_opencl_error(device->name, "clEnqueueFillBuffer, for new memory,", code);
  code = cwi_opencl.clWaitForEvents(1, &event);
  (void)cwi_opencl.clReleaseEvent(event);
  return code == CL_SUCCESS
             ? CW_OK
             : cwi_opencl_error(device->name, "clWaitForEvents, for new memory,", code);
}

static cw_error opencl_allocate(void *opened, size_t bytes, void **allocated)
{
  struct opencl_device *device = opened;
  struct opencl_memory *memory = NULL;
  const size_t available = device->found->is_processor ? cwi_machine_available() : SIZE_MAX;
  if (bytes > available && bytes <= device->most)
    return cwi_outside("%s: there is no memory for %zu bytes: the machine has %zu left",
                       device->name, bytes, available);
  CWI_TRY(opencl_make(device, NULL, bytes, &memory));
  const cw_error error = opencl_use(device, memory);
  if (error != CW_OK)
    opencl_release(device, memory);
  else
    *allocated = memory;
  return error;
}

static cw_error opencl_wrap(void *opened, void *host, size_t bytes, void **wrapped)
{
  struct opencl_device *device = opened;
  if (!device->found->is_processor)
    return cwi_outside("%s: it has memory of its own and cannot use the host's", device->name);
  if ((uintptr_t)host % device->alignment != 0)
    return cwi_outside("%s: host memory for its use must begin at a multiple of %zu bytes",
                       device->name, device->alignment);
  struct opencl_memory *memory = NULL;
  CWI_TRY(opencl_make(device, host, bytes, &memory));
  *wrapped = memory;
  return CW_OK;
}

/* Returns the buffer that begins at the offset: the memory's own, or a sub-buffer. */
static cw_error opencl_part_at(struct opencl_device *device, struct opencl_memory *memory,
                               size_t offset, cl_mem *buffer)
{
  if (offset == 0) {
    *buffer = memory->buffer;
    return CW_OK;
  }
  for (int i = 0; i < PARTS; i++)
    if (memory->parts[i].offset == offset) {
      *buffer = memory->parts[i].buffer;
      return CW_OK;
    }
  if (offset % device->alignment != 0 || offset >= memory->bytes)
    return cwi_misuse(
        "%s: a memory argument begins %zu bytes after the start of its slice: this must be a "
        "multiple of %zu (cw_device_facts.alignment), below the slice's %zu bytes",
        device->name, offset, device->alignment, memory->bytes);
  cl_int code = CL_SUCCESS;
  const cl_buffer_region region = {offset, memory->bytes - offset};
  const cl_mem part = cwi_opencl.clCreateSubBuffer(memory->buffer, CL_MEM_READ_WRITE,
                                                   CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (part == NULL)
    return cwi_opencl_error(device->name, "clCreateSubBuffer", code);
  struct opencl_part *place = &memory->parts[memory->next_part++ % PARTS];
  if (place->buffer != NULL) /* commands in progress and a launch in preparation have retained it */
    (void)cwi_opencl.clReleaseMemObject(place->buffer);
  *place = (struct opencl_part){offset, part};
  *buffer = part;
  return CW_OK;
}

static void opencl_locate(void *opened, void *located, size_t offset, cw_device_location *location)
{
  (void)opened;
  const struct opencl_memory *memory = located;
  location->buffer = memory->buffer;
  location->offset = offset;
  location->address = 0;
}

/* --- transfers --- */

/* Returns true if the rows are contiguous on both sides. */
static bool opencl_is_run(size_t run, size_t rows, size_t a_stride, size_t b_stride)
{
  return rows == 1 || (a_stride == run && b_stride == run);
}

/* Enqueues the transfer of contiguous bytes to the device or from it. */
static cw_error opencl_cross_run(struct opencl_device *device, enum cwi_device_queue queue,
                                 const struct cwi_device_rows *rows, bool writes)
{
  const struct opencl_memory *memory = rows->memory;
  const size_t bytes = rows->run * rows->rows;
  cl_command_queue native = opencl_native(device, queue);
  cl_event event = NULL;
  const cl_int code =
      writes ? cwi_opencl.clEnqueueWriteBuffer(native, memory->buffer, CL_FALSE, rows->offset,
                                               bytes, rows->host, 0, NULL, &event)
             : cwi_opencl.clEnqueueReadBuffer(native, memory->buffer, CL_FALSE, rows->offset, bytes,
                                              rows->host, 0, NULL, &event);
  return opencl_given(device, queue, writes ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", code,
                      event);
}

static cw_error opencl_cross_rows(struct opencl_device *device, enum cwi_device_queue queue,
                                  const struct cwi_device_rows *rows, bool writes)
{
  const struct opencl_memory *memory = rows->memory;
  const size_t there[3] = {rows->offset, 0, 0};
  const size_t here[3] = {0, 0, 0};
  const size_t region[3] = {rows->run, rows->rows, 1};
  cl_command_queue native = opencl_native(device, queue);
  cl_event event = NULL;
  const cl_int code =
      writes ? cwi_opencl.clEnqueueWriteBufferRect(native, memory->buffer, CL_FALSE, there, here,
                                                   region, rows->stride, 0, rows->host_stride, 0,
                                                   rows->host, 0, NULL, &event)
             : cwi_opencl.clEnqueueReadBufferRect(native, memory->buffer, CL_FALSE, there, here,
                                                  region, rows->stride, 0, rows->host_stride, 0,
                                                  rows->host, 0, NULL, &event);
  return opencl_given(device, queue,
                      writes ? "clEnqueueWriteBufferRect" : "clEnqueueReadBufferRect", code, event);
}

static cw_error opencl_cross(struct opencl_device *device, enum cwi_device_queue queue,
                             const struct cwi_device_rows *rows, bool writes)
{
  if (rows->run == 0 || rows->rows == 0)
    return CW_OK;
  CWI_TRY(cwi_opencl_prepare(&device->queues[queue]));
  return opencl_is_run(rows->run, rows->rows, rows->host_stride, rows->stride)
             ? opencl_cross_run(device, queue, rows, writes)
             : opencl_cross_rows(device, queue, rows, writes);
}

static cw_error opencl_write(void *opened, enum cwi_device_queue queue,
                             const struct cwi_device_rows *rows)
{
  return opencl_cross(opened, queue, rows, true);
}

static cw_error opencl_read(void *opened, enum cwi_device_queue queue,
                            const struct cwi_device_rows *rows)
{
  return opencl_cross(opened, queue, rows, false);
}

static cw_error opencl_copy_run(struct opencl_device *device, enum cwi_device_queue queue,
                                const struct cwi_device_copy *copy, size_t row, size_t bytes)
{
  const struct opencl_memory *from = copy->from;
  const struct opencl_memory *to = copy->to;
  cl_event event = NULL;
  CWI_TRY(cwi_opencl_prepare(&device->queues[queue]));
  const cl_int code = cwi_opencl.clEnqueueCopyBuffer(
      opencl_native(device, queue), from->buffer, to->buffer,
      copy->from_offset + row * copy->from_stride, copy->to_offset + row * copy->to_stride, bytes,
      0, NULL, &event);
  return opencl_given(device, queue, "clEnqueueCopyBuffer", code, event);
}

/* Copies rows one by one. If the first row is enqueued and a later one is rejected, marks the queue
 * as failed. */
static cw_error opencl_copy_rows(struct opencl_device *device, enum cwi_device_queue queue,
                                 const struct cwi_device_copy *copy)
{
  CWI_TRY(opencl_copy_run(device, queue, copy, 0, copy->run));
  for (size_t row = 1; row < copy->rows; row++)
    if (opencl_copy_run(device, queue, copy, row, copy->run) != CW_OK) {
      cwi_opencl_fail(&device->queues[queue], CL_OUT_OF_RESOURCES);
      break;
    }
  return CW_OK;
}

static cw_error opencl_copy(void *opened, enum cwi_device_queue queue,
                            const struct cwi_device_copy *copy)
{
  struct opencl_device *device = opened;
  const struct opencl_memory *from = copy->from;
  const struct opencl_memory *to = copy->to;
  if (copy->run == 0 || copy->rows == 0)
    return CW_OK;
  if (opencl_is_run(copy->run, copy->rows, copy->from_stride, copy->to_stride))
    return opencl_copy_run(device, queue, copy, 0, copy->run * copy->rows);
  /* Within one buffer, OpenCL requires equal strides and rejects rows that only seem to overlap. A
   * sub-buffer as a second handle of the same memory is no alternative: PoCL 3.1 crashes. */
  if (from == to)
    return opencl_copy_rows(device, queue, copy);
  CWI_TRY(cwi_opencl_prepare(&device->queues[queue]));
  const size_t source_origin[3] = {copy->from_offset, 0, 0};
  const size_t target_origin[3] = {copy->to_offset, 0, 0};
  const size_t region[3] = {copy->run, copy->rows, 1};
  cl_event event = NULL;
  const cl_int code = cwi_opencl.clEnqueueCopyBufferRect(
      opencl_native(device, queue), from->buffer, to->buffer, source_origin, target_origin, region,
      copy->from_stride, 0, copy->to_stride, 0, 0, NULL, &event);
  return opencl_given(device, queue, "clEnqueueCopyBufferRect", code, event);
}

/* --- order and events --- */

static cw_error opencl_order(void *opened, enum cwi_device_queue later,
                             enum cwi_device_queue earlier)
{
  struct opencl_device *device = opened;
  return cwi_opencl_order(device->name, &device->queues[later], &device->queues[earlier], earlier);
}

static cw_error opencl_event(void *opened, enum cwi_device_queue queue, void **event)
{
  struct opencl_device *device = opened;
  struct cwi_opencl_event *made = NULL;
  CWI_TRY(cwi_opencl_event(device->name, &device->queues[queue], &device->spare_events, &made));
  *event = made;
  return CW_OK;
}

static cw_error opencl_passed(void *opened, void *event, bool *passed)
{
  (void)opened;
  return cwi_opencl_passed(event, passed);
}

static cw_error opencl_wait(void *opened, void *event)
{
  (void)opened;
  return cwi_opencl_wait(event);
}

static cw_error opencl_drain(void *opened, enum cwi_device_queue queue)
{
  struct opencl_device *device = opened;
  const cl_int code = cwi_opencl.clFinish(opencl_native(device, queue));
  return code == CL_SUCCESS ? CW_OK : cwi_opencl_error(device->name, "clFinish", code);
}

static void opencl_forget(void *opened, void *event)
{
  struct opencl_device *device = opened;
  cwi_opencl_forget(&device->spare_events, event);
}

/* --- kernels --- */

static cw_error opencl_build(void *opened, const cw_kernel_source *source, void **program)
{
  struct opencl_device *device = opened;
  struct cwi_opencl_program *built = NULL;
  CWI_TRY(cwi_opencl_build(device->name, device->context, device->found->device, &device->programs,
                           source, &built));
  *program = built;
  return CW_OK;
}

/* Does nothing, because the program is kept for the next equal source until the device is closed.
 */
static void opencl_drop(void *opened, void *program)
{
  (void)opened;
  (void)program;
}

static cw_error opencl_find(void *opened, void *program, const char *name, void **kernel)
{
  const struct opencl_device *device = opened;
  cl_kernel found = NULL;
  CWI_TRY(cwi_opencl_find(device->name, program, name, &found));
  *kernel = found;
  return CW_OK;
}

static void opencl_leave(void *opened, void *kernel)
{
  (void)opened;
  (void)cwi_opencl.clReleaseKernel(kernel);
}

/* The buffers of a launch. They are retained until the command is enqueued, because a kernel does
 * not retain its arguments. The enqueued command does. */
struct opencl_allocation {
  cl_mem buffers[CWI_LAUNCH_ARGUMENTS];
  int count;
};

static cw_error opencl_hold(struct opencl_device *device, cl_mem buffer,
                            struct opencl_allocation *allocation)
{
  const cl_int code = cwi_opencl.clRetainMemObject(buffer);
  if (code != CL_SUCCESS)
    return cwi_opencl_error(device->name, "clRetainMemObject", code);
  allocation->buffers[allocation->count++] = buffer;
  return CW_OK;
}

static void opencl_let_go(const struct opencl_allocation *allocation)
{
  for (int i = 0; i < allocation->count; i++)
    (void)cwi_opencl.clReleaseMemObject(allocation->buffers[i]);
}

static cw_error opencl_set(struct opencl_device *device, cl_kernel kernel, int index,
                           const struct cwi_device_argument *argument,
                           struct opencl_allocation *allocation)
{
  cl_mem buffer = NULL;
  size_t bytes = argument->bytes;
  const void *value = argument->scalar;
  if (argument->memory != NULL) {
    CWI_TRY(opencl_part_at(device, argument->memory, argument->offset, &buffer));
    CWI_TRY(opencl_hold(device, buffer, allocation));
    bytes = sizeof(cl_mem);
    value = &buffer;
  }
  const cl_int code = cwi_opencl.clSetKernelArg(kernel, (cl_uint)index, bytes, value);
  if (code == CL_SUCCESS)
    return CW_OK;
  char call[64];
  snprintf(call, sizeof call, "clSetKernelArg, for argument %d,", index);
  return cwi_opencl_error(device->name, call, code);
}

static cw_error opencl_enqueue(struct opencl_device *device, enum cwi_device_queue queue,
                               const struct cwi_device_launch *launch,
                               struct opencl_allocation *allocation)
{
  for (int i = 0; i < launch->count; i++)
    CWI_TRY(opencl_set(device, launch->kernel, i, &launch->arguments[i], allocation));
  cl_uint dimensions = 3;
  while (dimensions > 1 && launch->global[dimensions - 1] == 1)
    dimensions--;
  const size_t *local = launch->local[0] != 0 ? launch->local : NULL;
  cl_event event = NULL;
  const cl_int code =
      cwi_opencl.clEnqueueNDRangeKernel(opencl_native(device, queue), launch->kernel, dimensions,
                                        NULL, launch->global, local, 0, NULL, &event);
  return opencl_given(device, queue, "clEnqueueNDRangeKernel", code, event);
}

static cw_error opencl_launch(void *opened, enum cwi_device_queue queue,
                              const struct cwi_device_launch *launch)
{
  struct opencl_device *device = opened;
  struct opencl_allocation allocation;
  if (launch->count > CWI_LAUNCH_ARGUMENTS)
    return cwi_misuse("%s: the kernel has %d arguments; at most %d are possible", device->name,
                      launch->count, CWI_LAUNCH_ARGUMENTS);
  CWI_TRY(cwi_opencl_prepare(&device->queues[queue]));
  allocation.count = 0;
  const cw_error error = opencl_enqueue(device, queue, launch, &allocation);
  opencl_let_go(&allocation);
  CWI_TRY(error);
  /* Start the command now. An error is ignored, because the next event also flushes the queue and
   * returns the error. */
  (void)cwi_opencl.clFlush(opencl_native(device, queue));
  return CW_OK;
}

const struct cwi_backend cwi_backend_opencl = {
    .kind = CW_DEVICE_OPENCL,
    .name = "opencl",
    .count = cwi_opencl_count,
    .open = opencl_open,
    .adopt = opencl_adopt,
    .close = opencl_close,
    .allocate = opencl_allocate,
    .release = opencl_release,
    .wrap = opencl_wrap,
    .write = opencl_write,
    .read = opencl_read,
    .copy = opencl_copy,
    .order = opencl_order,
    .event = opencl_event,
    .passed = opencl_passed,
    .wait = opencl_wait,
    .forget = opencl_forget,
    .drain = opencl_drain,
    .build = opencl_build,
    .drop = opencl_drop,
    .find = opencl_find,
    .leave = opencl_leave,
    .launch = opencl_launch,
    .locate = opencl_locate,
};
