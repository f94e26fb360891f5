/* The limits of transfers to devices: direct calls of a device's back end. */
#include "../program.h"
#include "device.h"

#include "device/device.h"

static const struct cwi_device_slice *slice;
static void *packed; /* device memory for packed data */
enum { CHECKS = 1000 };

void limit_begin(const void *mine, size_t most)
{
  must(cwi_device_slice_find("mine", mine, most, &slice));
  pthread_mutex_lock(&slice->device->lock);
  must(slice->device->backend->allocate(slice->device->opened, most, &packed));
  pthread_mutex_unlock(&slice->device->lock);
}

void limit_end(void)
{
  pthread_mutex_lock(&slice->device->lock);
  slice->device->backend->release(slice->device->opened, packed);
  pthread_mutex_unlock(&slice->device->lock);
}

static const struct cwi_backend *take(void **opened)
{
  *opened = slice->device->opened;
  pthread_mutex_lock(&slice->device->lock);
  return slice->device->backend;
}

/* Polling is faster than the driver's wait, which ends by an interrupt; but not where the processor
 * is the device. */
static void wait_for(void *event)
{
  const struct cwi_device *device = slice->device;
  bool passed = false;
  for (int checks = 0; checks < CHECKS && !passed && !device->facts.processor; checks++)
    must(device->backend->passed(device->opened, event, &passed));
  if (!passed)
    must(device->backend->wait(device->opened, event));
}

/* Completes the queue. All limits end here. */
static void pass(enum cwi_device_queue queue)
{
  const struct cwi_backend *backend = slice->device->backend;
  void *event = NULL;
  must(backend->event(slice->device->opened, queue, &event));
  pthread_mutex_unlock(&slice->device->lock);
  wait_for(event);
  pthread_mutex_lock(&slice->device->lock);
  backend->forget(slice->device->opened, event);
  pthread_mutex_unlock(&slice->device->lock);
}

static enum cwi_device_queue queue_for(cw_operation operation)
{
  return operation == CW_GET ? CWI_QUEUE_OUT : CWI_QUEUE_IN;
}

static void start(cw_operation operation, const struct cwi_device_rows *rows)
{
  const struct cwi_backend *backend = slice->device->backend;
  must(operation == CW_GET ? backend->read(slice->device->opened, CWI_QUEUE_OUT, rows)
                           : backend->write(slice->device->opened, CWI_QUEUE_IN, rows));
}

void limit_rows(cw_operation operation, void *host, size_t run, size_t rows, size_t stride)
{
  void *opened = NULL;
  take(&opened);
  start(operation, &(struct cwi_device_rows){.run = run,
                                             .rows = rows,
                                             .host = host,
                                             .host_stride = run,
                                             .memory = slice->memory,
                                             .stride = stride});
  pass(queue_for(operation));
}

void limit_move(cw_operation operation, void *host, size_t bytes)
{
  limit_rows(operation, host, bytes, 1, bytes);
}

static void launch(struct cwi_kernel_call *call, enum cwi_device_queue queue)
{
  cw_device device = slice->device;
  must(cwi_device_own_kernel(device, call->kernel, &call->launch.kernel));
  must(device->backend->launch(device->opened, queue, &call->launch));
}

void limit_rows_by_kernel(cw_operation operation, void *host, size_t run, size_t rows,
                          size_t stride)
{
  const enum cwi_device_queue queue = queue_for(operation);
  const ptrdiff_t apart = (ptrdiff_t)stride;
  const struct cwi_kernel_place there = {.memory = slice->memory, .strides = &apart};
  const struct cwi_kernel_place here = {.memory = packed};
  const struct cwi_kernel_work work = {.run = run,
                                       .levels = 1,
                                       .counts = &rows,
                                       .to = operation == CW_GET ? here : there,
                                       .from = operation == CW_GET ? there : here,
                                       .processor = slice->device->facts.processor};
  const struct cwi_device_rows all = {.run = run * rows, .rows = 1, .host = host, .memory = packed};
  struct cwi_kernel_call call;
  void *opened = NULL;
  cwi_launch_move(&work, &call);
  take(&opened);
  if (operation == CW_GET)
    launch(&call, queue);
  start(operation, &all);
  if (operation != CW_GET)
    launch(&call, queue);
  pass(queue);
}

void limit_add(void *host, size_t bytes)
{
  const struct cwi_device_rows all = {.run = bytes, .rows = 1, .host = host, .memory = packed};
  const struct cwi_kernel_work work = {.run = bytes,
                                       .to = {.memory = slice->memory},
                                       .from = {.memory = packed},
                                       .processor = slice->device->facts.processor};
  struct cwi_kernel_call call;
  void *opened = NULL;
  cwi_launch_accumulate(&work, CW_DOUBLE, CW_SUM, NULL, &call);
  const struct cwi_backend *backend = take(&opened);
  start(CW_PUT, &all);
  must(backend->order(opened, CWI_QUEUE_WORK, CWI_QUEUE_IN));
  launch(&call, CWI_QUEUE_WORK);
  pass(CWI_QUEUE_WORK);
}
