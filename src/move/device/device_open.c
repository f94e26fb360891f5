/* Opening and closing devices. */
#include "base/settings.h"
#include "base/stop_hooks.h"
#include "device/imported_slices.h"
#include "memory/arena.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"
#include "wait/wait_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The back ends, in the order in which CW_DEVICE_ANY tries them. */
static const struct cwi_backend *const backends[] = {&cwi_backend_cuda, &cwi_backend_opencl,
                                                     &cwi_backend_host};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

/* --- Choosing a device ------------------------------------------------------------------------ */

static cw_error check_kind(const char *name, cw_device_kind kind)
{
  return (unsigned)kind < CW_DEVICE_KINDS
             ? CW_OK
             : cwi_misuse("%s is %d; it may be CW_DEVICE_ANY (0) to CW_DEVICE_CUDA (3)", name,
                          (int)kind);
}

/* Checks options that name the program's own context. The kind must be that of the context, and the
 * context determines the device. */
static cw_error check_context(const cw_device_options *options)
{
  if (options->kind != CW_DEVICE_OPENCL && options->kind != CW_DEVICE_CUDA)
    return cwi_misuse("options->context is given, and options->kind is %d: a context is of OpenCL "
                      "(CW_DEVICE_OPENCL, 2) or CUDA (CW_DEVICE_CUDA, 3)",
                      (int)options->kind);
  return options->number == 0 ? CW_OK
                              : cwi_misuse("options->number is %d, and options->context is given, "
                                           "which selects the device: the number must be 0 then",
                                           options->number);
}

static bool has_context(const cw_device_options *options)
{
  return options != NULL && options->context != NULL;
}

/* Stores the kind that the program requests in *kind. If it requests none, stores that of
 * CW_DEVICE. */
static cw_error wanted_kind(const cw_device_options *options, cw_device_kind *kind)
{
  *kind = options != NULL ? options->kind : CW_DEVICE_ANY;
  CWI_TRY(check_kind("options->kind", *kind));
  if (options != NULL && options->number < 0)
    return cwi_misuse("options->number is %d; devices are counted from 1, and 0 leaves the choice "
                      "to Causeway",
                      options->number);
  if (cwi_settings.device == CWI_DEVICE_NONE)
    return cwi_outside("CW_DEVICE=none: this job uses no devices");
  if (has_context(options))
    return check_context(options);
  if (options != NULL && options->native != NULL)
    return cwi_misuse("options->native is %p, and options->context is NULL: it names a device of a "
                      "context of the program's",
                      options->native);
  if (*kind == CW_DEVICE_ANY)
    *kind = (cw_device_kind)cwi_settings.device;
  return CW_OK;
}

/* Returns the number of the default device. The devices are divided evenly between the processes of
 * a node. */
static int usual_number(int count)
{
  return 1 + cwi_world.node_rank % count;
}

static cw_error open_counted(const struct cwi_backend *backend, const cw_device_options *options,
                             int count, cw_device device)
{
  const int number = options != NULL ? options->number : 0;
  device->backend = backend;
  if (has_context(options))
    return backend->adopt(options->context, options->native, &device->opened, &device->facts);
  if (number > count)
    return cwi_outside("options->number is %d; %s has %d devices", number, backend->name, count);
  return backend->open(number > 0 ? number : usual_number(count), &device->opened, &device->facts);
}

/* Opens a device of one kind. Sets *found to true if there are devices of this kind. If there are
 * none, sets *found to false and appends the reason to `why`. */
static cw_error open_kind(const struct cwi_backend *backend, const cw_device_options *options,
                          cw_device device, char *why, size_t size, bool *found)
{
  char reason[400] = "";
  const int count = backend->count(reason, sizeof reason);
  const size_t used = strlen(why);
  *found = count > 0;
  if (count == 0)
    snprintf(why + used, size - used, "%s%s: %s", used > 0 ? "; " : "", backend->name, reason);
  return count > 0 ? open_counted(backend, options, count, device) : CW_OK;
}

static cw_error open_some(const cw_device_options *options, cw_device_kind kind, cw_device device)
{
  char why[1000] = "";
  bool found = false;
  for (size_t i = 0; i < BACKENDS && !found; i++)
    if (kind == CW_DEVICE_ANY || kind == backends[i]->kind)
      CWI_TRY(open_kind(backends[i], options, device, why, sizeof why, &found));
  return found ? CW_OK : cwi_outside("no device can be used (%s)", why);
}

static cw_error device_count(cw_device_kind kind, int *count, char *why, size_t size)
{
  char reason[400];
  CWI_TRY(cwi_check_not_null("count", count));
  *count = 0;
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(check_kind("kind", kind));
  if (why != NULL && size > 0)
    *why = '\0';
  for (size_t i = 0; i < BACKENDS; i++) {
    if (kind != CW_DEVICE_ANY && kind != backends[i]->kind)
      continue;
    const int found = backends[i]->count(reason, sizeof reason);
    *count += found;
    if (found == 0 && kind != CW_DEVICE_ANY && why != NULL)
      snprintf(why, size, "%s", reason);
  }
  return CW_OK;
}

cw_error cw_device_count(cw_device_kind kind, int *count, char *why, size_t size)
{
  cwi_threads_lock();
  const cw_error error = device_count(kind, count, why, size);
  cwi_threads_unlock();
  return cwi_in_call("cw_device_count", error);
}

/* --- Opening and closing ---------------------------------------------------------------------- */

static void drop_scratch(cw_device device, struct cwi_device_scratch *scratch)
{
  if (scratch->memory != NULL) {
    device->backend->release(device->opened, scratch->memory);
    cwi_device_unpin(device, scratch->host);
  }
  free(scratch->host);
  pthread_mutex_destroy(&scratch->lock);
}

static void drop_stage(cw_device device)
{
  struct cwi_device_stage *stage = &device->stage;
  if (pthread_mutex_trylock(&stage->lock) != 0)
    return; /* a transfer of an erroneous program still uses the stage; the stage is freed with the
               zone */
  if (stage->host != NULL) {
    cwi_device_unpin(device, stage->host);
    cwi_heap_free(&cwi_zone.internal, stage->host);
  }
  pthread_mutex_unlock(&stage->lock);
  pthread_mutex_destroy(&stage->lock);
}

/* Pins the agent's buffers again for the devices that are still open. Memory is pinned once for all
 * devices, so it is no longer pinned after one of them has been closed. */
static void pin_agent_again(void)
{
  for (cw_device device = NULL; (device = cwi_device_next(device)) != NULL;)
    if (__atomic_exchange_n(&device->agent_pinned, false, __ATOMIC_RELAXED))
      cwi_device_pin_agent(device);
}

/* Closes a device that has no slices or kernels and no pending commands. */
static void close_now(cw_device closed)
{
  const bool has_pinned = __atomic_load_n(&closed->agent_pinned, __ATOMIC_RELAXED);
  cwi_import_end(closed);
  cwi_device_programs_drop(closed);
  drop_scratch(closed, &closed->in);
  drop_scratch(closed, &closed->out);
  drop_scratch(closed, &closed->within);
  drop_scratch(closed, &closed->sums);
  drop_stage(closed);
  closed->backend->close(closed->opened);
  pthread_mutex_destroy(&closed->lock);
  cwi_device_end(closed);
  if (has_pinned)
    pin_agent_again();
}

/* Closes all devices when Causeway stops. Their slices have been freed with the regions. */
static void close_all(void)
{
  cwi_device_kernels_end();
  for (cw_device device; (device = cwi_device_next(NULL)) != NULL;) {
    const cw_error error = cwi_device_finish(device);
    (void)error;
    close_now(device);
  }
}

static cw_error device_open(const cw_device_options *options, cw_device *device)
{
  static struct cwi_stop_hook end = {.run = close_all};
  cw_device_kind kind = CW_DEVICE_ANY;
  CWI_TRY(cwi_check_not_null("device", device));
  *device = NULL;
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(wanted_kind(options, &kind));
  cw_device made = cwi_device_make();
  if (made == NULL)
    return cwi_outside("no memory for a device");
  const cw_error error = open_some(options, kind, made);
  if (error != CW_OK) {
    cwi_device_end(made);
    return error;
  }
  pthread_mutex_init(&made->lock, NULL);
  pthread_mutex_init(&made->in.lock, NULL);
  pthread_mutex_init(&made->out.lock, NULL);
  pthread_mutex_init(&made->within.lock, NULL);
  pthread_mutex_init(&made->sums.lock, NULL);
  pthread_mutex_init(&made->stage.lock, NULL);
  cwi_device_choose_memory(made);
  cwi_stop_hook_add(&end);
  cwi_import_begin(made);
  *device = made;
  return CW_OK;
}

cw_error cw_device_open(const cw_device_options *options, cw_device *device)
{
  cwi_threads_lock();
  const cw_error error = device_open(options, device);
  cwi_threads_unlock();
  return cwi_in_call("cw_device_open", error);
}

/* Checks that the device has no slices and kernels. The caller holds the threads' lock. */
static cw_error check_unused(cw_device device)
{
  return device->slices == 0 && device->kernels == 0
             ? CW_OK
             : cwi_misuse("device still has %zu slices of regions or memories of task pools, and "
                          "%zu kernels; free them first",
                          device->slices, device->kernels);
}

/* Marks the device as closing. From then on, calls of other threads with this device are rejected.
 */
static cw_error close_begin(cw_device *device)
{
  CWI_TRY(cwi_check_not_null("device", device));
  if (*device == NULL)
    return CW_OK;
  CWI_TRY(cwi_check_device(*device));
  CWI_TRY(check_unused(*device));
  __atomic_store_n(&(*device)->closing, true, __ATOMIC_RELAXED);
  return CW_OK;
}

/* Closes the device if it is still unused. A thread that began to use the device earlier may have
 * allocated something meanwhile. In that case the device stays open, and an error is returned. */
static cw_error close_end(cw_device *device)
{
  const cw_error error = check_unused(*device);
  if (error != CW_OK) {
    __atomic_store_n(&(*device)->closing, false, __ATOMIC_RELAXED);
    cwi_import_begin(*device);
    return error;
  }
  close_now(*device);
  *device = NULL;
  return CW_OK;
}

static cw_error finish_for_close(cw_device device)
{
  const struct cwi_waiting outer = cwi_waiting_begin("cw_device_close", NULL, NULL);
  const cw_error error = cwi_device_finish(device);
  cwi_waiting_end(&outer);
  return error;
}

/* Closes a device, even if it is lost. The threads' lock is not held while this thread waits for
 * the device or for transfers of other threads. */
static cw_error device_close(cw_device *device)
{
  cwi_threads_lock();
  const cw_error begun = close_begin(device);
  cwi_threads_unlock();
  if (begun != CW_OK || *device == NULL)
    return begun;
  struct cwi_first_error first;
  cwi_first_begin(&first, finish_for_close(*device));
  cwi_import_end(*device);
  cwi_threads_lock();
  cwi_first_note(&first, close_end(device));
  cwi_threads_unlock();
  return cwi_first_return(&first);
}

cw_error cw_device_close(cw_device *device)
{
  return cwi_in_call("cw_device_close", device_close(device));
}
