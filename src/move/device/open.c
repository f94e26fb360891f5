/* Opening and closing devices. */
#include "base/ends.h"
#include "base/settings.h"
#include "device/device.h"
#include "mpi/call.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which CW_DEVICE_ANY tries them. */
static const struct cwi_backend *const backends[] = {&cwi_backend_cuda, &cwi_backend_opencl,
                                                     &cwi_backend_host};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

/* --- Which one -------------------------------------------------------------------------------- */

static cw_error check_kind(const char *name, cw_device_kind kind)
{
  return (unsigned)kind < CW_DEVICE_KINDS
             ? CW_OK
             : cwi_misuse("%s is %d; it may be CW_DEVICE_ANY (0) to CW_DEVICE_CUDA (3)", name,
                          (int)kind);
}

/* What the program asks for; else what CW_DEVICE says. */
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
  if (*kind == CW_DEVICE_ANY)
    *kind = (cw_device_kind)cwi_settings.device;
  return CW_OK;
}

/* Processes of a node share its devices evenly. */
static int usual_number(int count)
{
  return 1 + cwi_world.node_rank % count;
}

/* One kind. *found: it has devices. why: receives why not, behind what is there. */
static cw_error open_kind(const struct cwi_backend *backend, int number, cw_device device,
                          char *why, size_t size, bool *found)
{
  char reason[400] = "";
  const int count = backend->count(reason, sizeof reason);
  const size_t used = strlen(why);
  *found = count > 0;
  if (count == 0)
    snprintf(why + used, size - used, "%s%s: %s", used > 0 ? "; " : "", backend->name, reason);
  if (count == 0)
    return CW_OK;
  if (number > count)
    return cwi_outside("options->number is %d; %s has %d devices", number, backend->name, count);
  device->backend = backend;
  return backend->open(number > 0 ? number : usual_number(count), &device->opened, &device->facts);
}

static cw_error open_some(const cw_device_options *options, cw_device_kind kind, cw_device device)
{
  char why[1000] = "";
  bool found = false;
  for (size_t i = 0; i < BACKENDS && !found; i++)
    if (kind == CW_DEVICE_ANY || kind == backends[i]->kind)
      CWI_TRY(open_kind(backends[i], options != NULL ? options->number : 0, device, why, sizeof why,
                        &found));
  return found ? CW_OK : cwi_outside("no device can be used (%s)", why);
}

static cw_error device_count(cw_device_kind kind, int *count, char *why, size_t size)
{
  char reason[400];
  CWI_TRY(cwi_given("count", count));
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
    if (device->backend->unpin != NULL)
      device->backend->unpin(device->opened, scratch->host);
  }
  free(scratch->host);
  pthread_mutex_destroy(&scratch->lock);
}

/* Nothing of it lives. A device that is lost is closed all the same. */
static cw_error close_now(cw_device closed)
{
  const cw_error error = cw_device_finish(closed);
  cwi_device_programs_drop(closed);
  drop_scratch(closed, &closed->in);
  drop_scratch(closed, &closed->out);
  closed->backend->close(closed->opened);
  pthread_mutex_destroy(&closed->lock);
  cwi_device_end(closed);
  return error;
}

/* When Causeway stops: slices have gone with their regions. */
static void close_all(void)
{
  cwi_device_kernels_end();
  for (cw_device device; (device = cwi_device_next(NULL)) != NULL;) {
    const cw_error error = close_now(device);
    (void)error;
  }
}

static cw_error device_open(const cw_device_options *options, cw_device *device)
{
  static struct cwi_end end = {.run = close_all};
  cw_device_kind kind = CW_DEVICE_ANY;
  CWI_TRY(cwi_given("device", device));
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
  cwi_at_end(&end);
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

static cw_error device_close(cw_device *device)
{
  CWI_TRY(cwi_given("device", device));
  if (*device == NULL)
    return CW_OK;
  CWI_TRY(cwi_check_device(*device));
  cw_device closed = *device;
  if (closed->slices > 0 || closed->kernels > 0)
    return cwi_misuse("device still has %zu slices of regions or memories of task pools, and %zu "
                      "kernels; free them first",
                      closed->slices, closed->kernels);
  *device = NULL;
  return close_now(closed);
}

cw_error cw_device_close(cw_device *device)
{
  cwi_threads_lock();
  const cw_error error = device_close(device);
  cwi_threads_unlock();
  return cwi_in_call("cw_device_close", error);
}
