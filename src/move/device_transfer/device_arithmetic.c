/* Operations on this process's slices by the library's own kernels. They run in the same queue as
 * the program's kernels, after those that the program has started. */
#include "device_transfer/device_arithmetic.h"

#include "device/device.h"
#include "device/library_kernels.h"

#include <string.h>

bool cwi_device_has(const void *address)
{
  return cwi_device_slice_at(address) != NULL;
}

/* Finds the slice and the position of one side of a shape. */
static cw_error find_side(const char *name, const char *begin, const ptrdiff_t *strides,
                          const struct cwi_shape *shape, const struct cwi_device_slice **slice,
                          struct cwi_kernel_place *place)
{
  size_t bytes = shape->run;
  for (int level = 0; level < shape->levels; level++)
    bytes += (size_t)strides[level] * (shape->counts[level] - 1);
  CWI_TRY(cwi_device_slice_find(name, begin, bytes, slice));
  *place = (struct cwi_kernel_place){.memory = (*slice)->memory,
                                     .offset = (size_t)(begin - (*slice)->address),
                                     .strides = strides};
  return CW_OK;
}

/* Fills in the work of a launch. `reads` is true if the work reads shape->local. *device receives
 * the device of the slices. */
static cw_error find_work(const struct cwi_shape *shape, bool reads, struct cwi_kernel_work *work,
                          cw_device *device)
{
  const struct cwi_device_slice *to = NULL, *from = NULL;
  *work =
      (struct cwi_kernel_work){.run = shape->run, .levels = shape->levels, .counts = shape->counts};
  CWI_TRY(find_side("to", shape->remote, shape->remote_strides, shape, &to, &work->to));
  if (reads)
    CWI_TRY(find_side("from", shape->local, shape->local_strides, shape, &from, &work->from));
  if (reads && from->device != to->device)
    return cwi_misuse("from and to lie on different devices");
  work->processor = to->device->facts.processor;
  *device = to->device;
  return CW_OK;
}

/* Enqueues a call. The device is locked. */
static cw_error launch(cw_device device, struct cwi_kernel_call *call)
{
  CWI_TRY(cwi_device_own_kernel(device, call->kernel, &call->launch.kernel));
  return device->backend->launch(device->opened, CWI_QUEUE_WORK, &call->launch);
}

static void make_call(const struct cwi_device_work *work, const struct cwi_kernel_work *there,
                      struct cwi_kernel_call *call)
{
  switch (work->kind) {
  case CWI_DEVICE_FILL:
    cwi_launch_fill(there, work->element, work->a, call);
    return;
  case CWI_DEVICE_SCALE:
    cwi_launch_scale(there, work->type, work->a, call);
    return;
  case CWI_DEVICE_SCALED:
    cwi_launch_combine(there, work->type, work->a, NULL, call);
    return;
  case CWI_DEVICE_ADD:
    cwi_launch_accumulate(there, work->type, CW_SUM, work->a, call);
    return;
  case CWI_DEVICE_COMBINE:
    cwi_launch_combine(there, work->type, work->a, work->b, call);
    return;
  }
}

cw_error cwi_device_work(const struct cwi_device_work *work)
{
  const bool reads = work->kind != CWI_DEVICE_FILL && work->kind != CWI_DEVICE_SCALE;
  struct cwi_kernel_work there;
  struct cwi_kernel_call call;
  cw_device device = NULL;
  CWI_TRY(find_work(&work->shape, reads, &there, &device));
  make_call(work, &there, &call);
  pthread_mutex_lock(&device->lock);
  return cwi_device_pass(device, CWI_QUEUE_WORK, launch(device, &call));
}

/* Enqueues a dot product and the copy of its sums. The sums have a scratch buffer of their own: a
 * dot product waits for the program's kernels, and transfers must not wait for the dot product. The
 * device is locked. */
static cw_error start_dot(cw_device device, struct cwi_kernel_call *call, size_t bytes)
{
  const struct cwi_device_rows sums = {
      .run = bytes, .rows = 1, .host = device->sums.host, .memory = device->sums.memory};
  CWI_TRY(launch(device, call));
  return device->backend->read(device->opened, CWI_QUEUE_WORK, &sums);
}

cw_error cwi_device_dot(cw_type type, const struct cwi_shape *shape, uint64_t *whole,
                        double real[2])
{
  _Static_assert((int)CWI_DOT_BYTES <= (int)CWI_DEVICE_SCRATCH, "the sums fit");
  struct cwi_kernel_work there;
  struct cwi_kernel_call call;
  cw_device device = NULL;
  CWI_TRY(find_work(shape, true, &there, &device));
  pthread_mutex_lock(&device->sums.lock);
  cw_error error = cwi_device_scratch_make(device, &device->sums);
  if (error == CW_OK) {
    const size_t bytes = cwi_launch_dot(&there, type, device->sums.memory, 0, &call);
    pthread_mutex_lock(&device->lock);
    error = cwi_device_pass(device, CWI_QUEUE_WORK, start_dot(device, &call, bytes));
    if (error == CW_OK)
      cwi_launch_dot_add(type, device->sums.host, bytes, whole, real);
  }
  pthread_mutex_unlock(&device->sums.lock);
  return error;
}
