/* The CUDA back end: devices, device memory and copies, events, the order of queues, and device
 * memory of other processes. An open device has one stream for each queue. */
#include "device/cuda/cuda_driver.h"

#include "base/free_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  HOST_SIDE = 1,
  DEVICE_SIDE = 2,
  NON_BLOCKING = 1,      /* CU_STREAM_NON_BLOCKING: independent of the program's default stream */
  SLEEP_UNTIMED = 1 | 2, /* CU_EVENT_BLOCKING_SYNC: a wait sleeps; CU_EVENT_DISABLE_TIMING */
  PORTABLE = 1,          /* CU_MEMHOSTREGISTER_PORTABLE */
  LAZY_PEER = 1,         /* CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS */
  ALIGNMENT = 16         /* the longest load of PTX */
};

struct cwi_cuda_pin {
  struct cwi_cuda_pin *next;
  void *host;
};

struct cuda_event {
  struct cwi_free_list spare;
  void *event;
};

static cw_error cuda_no_memory(const struct cwi_cuda_device *device)
{
  return cwi_outside("CUDA device %d (%s): the process has no memory for its record",
                     device->number, device->name);
}

/* --- Devices ---------------------------------------------------------------------------------- */

static cw_error cuda_make_queues(struct cwi_cuda_device *device)
{
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++) {
    CWI_TRY(CWI_CUDA(device, cuStreamCreate, &device->streams[i], NON_BLOCKING));
    CWI_TRY(CWI_CUDA(device, cuEventCreate, &device->ends[i], SLEEP_UNTIMED));
  }
  return CW_OK;
}

static void cuda_end_queues(struct cwi_cuda_device *device)
{
  struct cuda_event *event = NULL;
  while ((event = cwi_free_list_pop(&device->spare_events)) != NULL) {
    CWI_CUDA_END(device, cuEventDestroy_v2, event->event);
    free(event);
  }
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++) {
    if (device->ends[i] != NULL)
      CWI_CUDA_END(device, cuEventDestroy_v2, device->ends[i]);
    if (device->streams[i] != NULL)
      CWI_CUDA_END(device, cuStreamDestroy_v2, device->streams[i]);
  }
}

static cw_error cuda_describe(struct cwi_cuda_device *device, cw_device_facts *facts)
{
  CWI_TRY(CWI_CUDA(device, cuDeviceGet, &device->ordinal, device->number - 1));
  CWI_TRY(CWI_CUDA(device, cuDeviceGetName, device->name, sizeof device->name, device->ordinal));
  *facts =
      (cw_device_facts){.kind = CW_DEVICE_CUDA, .number = device->number, .alignment = ALIGNMENT};
  CWI_TRY(CWI_CUDA(device, cuDeviceTotalMem_v2, &device->memory, device->ordinal));
  snprintf(facts->name, sizeof facts->name, "%s", device->name);
  facts->memory = device->memory;
  facts->most = device->memory;
  return CW_OK;
}

/* Unpins all memory that is still pinned. */
static void cuda_end_pins(struct cwi_cuda_device *device)
{
  struct cwi_cuda_pin *pin = NULL;
  while ((pin = device->pins) != NULL) {
    device->pins = pin->next;
    CWI_CUDA_END(device, cuMemHostUnregister, pin->host);
    free(pin);
  }
}

static void cuda_close(void *opened)
{
  struct cwi_cuda_device *device = opened;
  const bool inside = cwi_cuda_enter_to_end(device);
  cuda_end_pins(device);
  cuda_end_queues(device);
  cwi_cuda_leave_at_end(device, inside);
  if (!device->lent)
    CWI_CUDA_END(device, cuDevicePrimaryCtxRelease_v2, device->ordinal);
  free(device);
}

static cw_error cuda_start(struct cwi_cuda_device *device, cw_device_facts *facts)
{
  CWI_TRY(cuda_describe(device, facts));
  if (!device->lent)
    CWI_TRY(CWI_CUDA(device, cuDevicePrimaryCtxRetain, &device->context, device->ordinal));
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, cuda_make_queues(device));
}

/* Opens a device. `context` is the program's own context, or NULL for the device's primary context.
 */
static cw_error cuda_make(int number, void *context, void **opened, cw_device_facts *facts)
{
  struct cwi_cuda_device *device = calloc(1, sizeof *device);
  if (device == NULL)
    return cwi_outside("CUDA device %d: the process has no memory for its record", number);
  device->number = number;
  device->context = context;
  device->lent = context != NULL;
  snprintf(device->name, sizeof device->name, "unknown");
  const cw_error error = cuda_start(device, facts);
  if (error == CW_OK)
    *opened = device;
  else if (device->context != NULL)
    cuda_close(device);
  else
    free(device);
  return error;
}

static cw_error cuda_open(int number, void **opened, cw_device_facts *facts)
{
  return cuda_make(number, NULL, opened, facts);
}

/* Returns the number of a device, or 0 if the device is not among those that the driver counts. */
static int cuda_number_of(int ordinal)
{
  char why[512];
  const int count = cwi_cuda_count(why, sizeof why);
  int other = -1;
  for (int number = 1; number <= count; number++)
    if (cwi_cuda.cuDeviceGet(&other, number - 1) == CWI_CUDA_SUCCESS && other == ordinal)
      return number;
  return 0;
}

/* Opens the device of the program's own context. */
static cw_error cuda_adopt(void *context, void *native, void **opened, cw_device_facts *facts)
{
  const struct cwi_cuda_device lent = {.context = context, .name = "options->context"};
  int ordinal = -1;
  if (native != NULL)
    return cwi_misuse("options->native is %p; it is for OpenCL: a CUDA context has one device",
                      native);
  const int entered = cwi_cuda.cuCtxPushCurrent_v2(context);
  if (entered != CWI_CUDA_SUCCESS)
    return cwi_misuse("options->context is %p, which is not an existing CUDA context: "
                      "cuCtxPushCurrent_v2 returned %d",
                      context, entered);
  CWI_TRY(cwi_cuda_leave(&lent, CWI_CUDA(&lent, cuCtxGetDevice, &ordinal)));
  return cuda_make(cuda_number_of(ordinal), context, opened, facts);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Returns the address of a memory, which is its handle. */
static cwi_cuda_address cuda_address(const void *memory)
{
  return (uintptr_t)memory;
}

static cw_error cuda_allocate_in(const struct cwi_cuda_device *device, size_t bytes, void **memory)
{
  cwi_cuda_address address = 0;
  const int result = cwi_cuda.cuMemAlloc_v2(&address, bytes > 0 ? bytes : 1);
  if (result == CWI_CUDA_SUCCESS) {
    *memory = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
    return CW_OK;
  }
  size_t unused = 0, all = 0;
  char more[160];
  if (cwi_cuda.cuMemGetInfo_v2(&unused, &all) != CWI_CUDA_SUCCESS)
    unused = 0;
  snprintf(more, sizeof more, ": %zu bytes were requested, %zu of its %zu bytes are free", bytes,
           unused, device->memory);
  return cwi_cuda_error(device, "cuMemAlloc_v2", result, more);
}

static cw_error cuda_allocate(void *opened, size_t bytes, void **memory)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, cuda_allocate_in(device, bytes, memory));
}

static void cuda_release(void *opened, void *memory)
{
  struct cwi_cuda_device *device = opened;
  const bool inside = cwi_cuda_enter_to_end(device);
  CWI_CUDA_END(device, cuMemFree_v2, cuda_address(memory));
  cwi_cuda_leave_at_end(device, inside);
}

static void cuda_locate(void *opened, void *memory, size_t offset, cw_device_location *location)
{
  (void)opened;
  location->address = cuda_address(memory) + offset;
}

/* Pins host memory. Memory that the program has already registered stays registered when the device
 * is closed. */
static cw_error cuda_pin(void *opened, void *host, size_t bytes)
{
  struct cwi_cuda_device *device = opened;
  struct cwi_cuda_pin *pin = malloc(sizeof *pin);
  if (pin == NULL)
    return cuda_no_memory(device);
  *pin = (struct cwi_cuda_pin){.next = device->pins, .host = host};
  int result = CWI_CUDA_SUCCESS;
  cw_error error = cwi_cuda_enter(device);
  if (error == CW_OK) {
    result = cwi_cuda.cuMemHostRegister_v2(host, bytes, PORTABLE);
    if (result != CWI_CUDA_ALREADY_PINNED)
      error = cwi_cuda_check(device, "cuMemHostRegister_v2", result);
    cwi_cuda_leave(device, error);
  }
  if (error == CW_OK && result == CWI_CUDA_SUCCESS)
    device->pins = pin;
  else
    free(pin);
  return error;
}

static void cuda_unpin(void *opened, void *host)
{
  struct cwi_cuda_device *device = opened;
  struct cwi_cuda_pin **link = &device->pins;
  while (*link != NULL && (*link)->host != host)
    link = &(*link)->next;
  struct cwi_cuda_pin *pin = *link;
  if (pin == NULL)
    return;
  const bool inside = cwi_cuda_enter_to_end(device);
  CWI_CUDA_END(device, cuMemHostUnregister, host);
  cwi_cuda_leave_at_end(device, inside);
  *link = pin->next;
  free(pin);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static struct cwi_cuda_side cuda_host_side(char *host, size_t stride)
{
  return (struct cwi_cuda_side){.kind = HOST_SIDE, .host = host, .pitch = stride};
}

static struct cwi_cuda_side cuda_device_side(const void *memory, size_t offset, size_t stride)
{
  return (struct cwi_cuda_side){
      .kind = DEVICE_SIDE, .address = cuda_address(memory) + offset, .pitch = stride};
}

static cw_error cuda_move_run(const struct cwi_cuda_device *device, void *stream,
                              const struct cwi_cuda_side *from, const struct cwi_cuda_side *to,
                              size_t bytes)
{
  if (from->kind == HOST_SIDE)
    return CWI_CUDA(device, cuMemcpyHtoDAsync_v2, to->address, from->host, bytes, stream);
  if (to->kind == HOST_SIDE)
    return CWI_CUDA(device, cuMemcpyDtoHAsync_v2, to->host, from->address, bytes, stream);
  return CWI_CUDA(device, cuMemcpyDtoDAsync_v2, to->address, from->address, bytes, stream);
}

static void cuda_next_row(struct cwi_cuda_side *side)
{
  if (side->kind == HOST_SIDE)
    side->host = (char *)side->host + side->pitch;
  else
    side->address += side->pitch;
}

/* Moves rows one by one. If a row fails, waits until the rows enqueued before it have been moved,
 * and then returns the error. */
static cw_error cuda_move_singly(const struct cwi_cuda_device *device, void *stream,
                                 const struct cwi_cuda_rows *rows)
{
  struct cwi_cuda_side from = rows->from, to = rows->to;
  for (size_t row = 0; row < rows->height; row++) {
    const cw_error error = cuda_move_run(device, stream, &from, &to, rows->width);
    if (error != CW_OK) {
      CWI_CUDA_END(device, cuStreamSynchronize, stream);
      return error;
    }
    cuda_next_row(&from);
    cuda_next_row(&to);
  }
  return CW_OK;
}

/* Moves rows. The driver rejects strides of more than 2 GiB, and may also reject smaller ones
 * within a device. In that case it returns "invalid value" and has enqueued nothing, so the rows
 * are moved one by one. */
static cw_error cuda_move_in(const struct cwi_cuda_device *device, void *stream,
                             const struct cwi_cuda_rows *rows)
{
  if (rows->from.pitch == rows->width && rows->to.pitch == rows->width)
    return cuda_move_run(device, stream, &rows->from, &rows->to, rows->width * rows->height);
  if (rows->height == 1)
    return cuda_move_run(device, stream, &rows->from, &rows->to, rows->width);
  const int result = cwi_cuda.cuMemcpy2DAsync_v2(rows, stream);
  return result == CWI_CUDA_INVALID_VALUE ? cuda_move_singly(device, stream, rows)
                                          : cwi_cuda_check(device, "cuMemcpy2DAsync_v2", result);
}

static cw_error cuda_move(const struct cwi_cuda_device *device, enum cwi_device_queue queue,
                          const struct cwi_cuda_rows *rows)
{
  if (rows->width == 0 || rows->height == 0)
    return CW_OK;
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, cuda_move_in(device, device->streams[queue], rows));
}

static cw_error cuda_write(void *opened, enum cwi_device_queue queue,
                           const struct cwi_device_rows *rows)
{
  return cuda_move(
      opened, queue,
      &(struct cwi_cuda_rows){.from = cuda_host_side(rows->host, rows->host_stride),
                              .to = cuda_device_side(rows->memory, rows->offset, rows->stride),
                              .width = rows->run,
                              .height = rows->rows});
}

static cw_error cuda_read(void *opened, enum cwi_device_queue queue,
                          const struct cwi_device_rows *rows)
{
  return cuda_move(
      opened, queue,
      &(struct cwi_cuda_rows){.from = cuda_device_side(rows->memory, rows->offset, rows->stride),
                              .to = cuda_host_side(rows->host, rows->host_stride),
                              .width = rows->run,
                              .height = rows->rows});
}

static cw_error cuda_copy(void *opened, enum cwi_device_queue queue,
                          const struct cwi_device_copy *copy)
{
  return cuda_move(opened, queue,
                   &(struct cwi_cuda_rows){
                       .from = cuda_device_side(copy->from, copy->from_offset, copy->from_stride),
                       .to = cuda_device_side(copy->to, copy->to_offset, copy->to_stride),
                       .width = copy->run,
                       .height = copy->rows});
}

/* --- Order and events ------------------------------------------------------------------------- */

static cw_error cuda_order(void *opened, enum cwi_device_queue later, enum cwi_device_queue earlier)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  cw_error error = CWI_CUDA(device, cuEventRecord, device->ends[earlier], device->streams[earlier]);
  if (error == CW_OK)
    error = CWI_CUDA(device, cuStreamWaitEvent, device->streams[later], device->ends[earlier], 0);
  return cwi_cuda_leave(device, error);
}

static cw_error cuda_record(struct cwi_cuda_device *device, enum cwi_device_queue queue,
                            struct cuda_event *event)
{
  if (event->event == NULL)
    CWI_TRY(CWI_CUDA(device, cuEventCreate, &event->event, SLEEP_UNTIMED));
  return CWI_CUDA(device, cuEventRecord, event->event, device->streams[queue]);
}

static cw_error cuda_event(void *opened, enum cwi_device_queue queue, void **event)
{
  struct cwi_cuda_device *device = opened;
  struct cuda_event *made = cwi_free_list_take(&device->spare_events, sizeof *made);
  if (made == NULL)
    return cuda_no_memory(device);
  cw_error error = cwi_cuda_enter(device);
  if (error == CW_OK)
    error = cwi_cuda_leave(device, cuda_record(device, queue, made));
  if (error == CW_OK)
    *event = made;
  else if (made->event != NULL)
    cwi_free_list_give(&device->spare_events, made);
  else
    free(made);
  return error;
}

static cw_error cuda_passed(void *opened, void *event, bool *passed)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  const int result = cwi_cuda.cuEventQuery(((struct cuda_event *)event)->event);
  *passed = result != CWI_CUDA_NOT_READY;
  return cwi_cuda_leave(device, *passed ? cwi_cuda_check(device, "cuEventQuery", result) : CW_OK);
}

static cw_error cuda_wait(void *opened, void *event)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device,
                        CWI_CUDA(device, cuEventSynchronize, ((struct cuda_event *)event)->event));
}

static void cuda_forget(void *opened, void *event)
{
  struct cwi_cuda_device *device = opened;
  cwi_free_list_give(&device->spare_events, event);
}

static cw_error cuda_drain(void *opened, enum cwi_device_queue queue)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, CWI_CUDA(device, cuStreamSynchronize, device->streams[queue]));
}

/* --- Memory of other processes ---------------------------------------------------------------- */

static cw_error cuda_give(void *opened, void *memory, struct cwi_device_export *name)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, CWI_CUDA(device, cuIpcGetMemHandle, name, cuda_address(memory)));
}

static cw_error cuda_take(void *opened, const struct cwi_device_export *name, size_t bytes,
                          void **memory)
{
  struct cwi_cuda_device *device = opened;
  cwi_cuda_address address = 0;
  (void)bytes;
  CWI_TRY(cwi_cuda_enter(device));
  CWI_TRY(
      cwi_cuda_leave(device, CWI_CUDA(device, cuIpcOpenMemHandle_v2, &address, *name, LAZY_PEER)));
  *memory = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
  return CW_OK;
}

static void cuda_back(void *opened, void *memory)
{
  struct cwi_cuda_device *device = opened;
  const bool inside = cwi_cuda_enter_to_end(device);
  CWI_CUDA_END(device, cuIpcCloseMemHandle, cuda_address(memory));
  cwi_cuda_leave_at_end(device, inside);
}

const struct cwi_backend cwi_backend_cuda = {
    .kind = CW_DEVICE_CUDA,
    .name = "cuda",
    .count = cwi_cuda_count,
    .open = cuda_open,
    .adopt = cuda_adopt,
    .close = cuda_close,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .order = cuda_order,
    .event = cuda_event,
    .passed = cuda_passed,
    .wait = cuda_wait,
    .forget = cuda_forget,
    .drain = cuda_drain,
    .build = cwi_cuda_build,
    .drop = cwi_cuda_drop,
    .find = cwi_cuda_find,
    .leave = cwi_cuda_leave_kernel,
    .launch = cwi_cuda_launch,
    .give = cuda_give,
    .take = cuda_take,
    .back = cuda_back,
    .locate = cuda_locate,
};
