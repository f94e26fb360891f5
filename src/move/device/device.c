/* Open devices: their list, their facts, freeing memory, waiting. */
#include "device/device.h"

#include "base/clock.h"
#include "base/log.h"
#include "memory/arena.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/agent.h"
#include "region/peers.h"
#include "team/world.h"
#include "wait/lock.h"
#include "wait/object_table.h"
#include "wait/wait_report.h"

#include <stdio.h>

static struct cwi_objects devices = {CWI_OBJECTS_OF(struct cwi_device), .name = "device",
                                     .null_text = "; cw_device_open returns one",
                                     .dead_text = "not an open device (was it closed?)"};

cw_device cwi_device_make(void)
{
  return cwi_object_make(&devices);
}

void cwi_device_end(cw_device device)
{
  cwi_object_end(&devices, device);
}

cw_device cwi_device_next(cw_device device)
{
  return cwi_object_next(&devices, device);
}

cw_error cwi_check_device(cw_device device)
{
  CWI_TRY(cwi_check_object(&devices, "device", device));
  return CWI_LIKELY(!__atomic_load_n(&device->closing, __ATOMIC_RELAXED))
             ? CW_OK
             : cwi_misuse("device is being closed by another thread");
}

cw_error cw_device_describe(cw_device device, cw_device_facts *facts)
{
  cw_error error = cwi_check_device(device);
  if (error == CW_OK)
    error = cwi_check_not_null("facts", facts);
  if (error == CW_OK)
    *facts = device->facts;
  return cwi_in_call("cw_device_describe", error);
}

/* --- Memory ---------------------------------------------------------------------------------- */

/* Waits in cwi_device_finish, without the lock and with CW_WAIT_REPORT, not inside the driver. The
 * result is ignored, because failed commands have also ended. The back end's `release` is called
 * without the lock, because a driver may wait there for commands that were enqueued meanwhile. */
void cwi_device_release(cw_device device, void *memory)
{
  const cw_error error = cwi_device_finish(device);
  (void)error;
  device->backend->release(device->opened, memory);
}

void cwi_device_pin(cw_device device, void *host, size_t bytes)
{
  if (device->backend->pin == NULL)
    return;
  pthread_mutex_lock(&device->lock);
  const cw_error error = device->backend->pin(device->opened, host, bytes);
  pthread_mutex_unlock(&device->lock);
  if (error != CW_OK)
    cwi_log(CWI_LOG_INFO,
            "%s: the %zu bytes of host memory could not be pinned, so copies to and from them are "
            "slower",
            cwi_error_message(), bytes);
}

void cwi_device_unpin(cw_device device, void *host)
{
  if (device->backend->unpin == NULL)
    return;
  pthread_mutex_lock(&device->lock);
  device->backend->unpin(device->opened, host);
  pthread_mutex_unlock(&device->lock);
}

void cwi_device_pin_agent(cw_device device)
{
  struct cwi_agent_memory memories[CWI_AGENT_MEMORIES];
  if (device->backend->pin == NULL ||
      __atomic_exchange_n(&device->agent_pinned, true, __ATOMIC_RELAXED))
    return;
  cwi_agent_memories(memories);
  for (int i = 0; i < CWI_AGENT_MEMORIES; i++)
    if (memories[i].bytes > 0)
      cwi_device_pin(device, memories[i].memory, memories[i].bytes);
}

void cwi_device_stage_make(cw_device device)
{
  struct cwi_device_stage *stage = &device->stage;
  if (device->backend->pin == NULL || __atomic_load_n(&stage->host, __ATOMIC_ACQUIRE) != NULL)
    return;
  char *made = cwi_heap_allocate(&cwi_zone.internal, CWI_DEVICE_STAGE, 0), *none = NULL;
  if (made == NULL)
    return;
  cwi_device_pin(device, made, CWI_DEVICE_STAGE);
  if (__atomic_compare_exchange_n(&stage->host, &none, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_RELAXED))
    return;
  cwi_device_unpin(device, made); /* another thread was faster */
  cwi_heap_free(&cwi_zone.internal, made);
}

char *cwi_device_stage_take(cw_device device)
{
  struct cwi_device_stage *stage = &device->stage;
  char *host = __atomic_load_n(&stage->host, __ATOMIC_ACQUIRE);
  return host != NULL && pthread_mutex_trylock(&stage->lock) == 0 ? host : NULL;
}

void cwi_device_stage_give(cw_device device)
{
  pthread_mutex_unlock(&device->stage.lock);
}

void cwi_device_count_slices(cw_device device, int more)
{
  cwi_threads_lock();
  device->slices += (size_t)more;
  cwi_threads_unlock();
}

/* --- Waiting ---------------------------------------------------------------------------------- */

static void device_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_device *device = what;
  snprintf(text, size, "device %d of process %d (%s)", device->facts.number, cwi_world.process,
           device->facts.name);
}

/* The length of a nap is a small fraction of the time already waited. Naps are in nanoseconds. */
enum { SHORTEST_NAP = 5000, LONGEST_NAP = 1000000 };
#define NAP_SHARE (1.0 / 32)
#define AGENT_POLL_SECONDS 50e-6

/* Waits for an event after `passed` has failed. Otherwise the device might still use memory that
 * the caller frees next. */
static cw_error await_end(cw_device device, void *event, cw_error error)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  cwi_first_note(&first, device->backend->wait(device->opened, event));
  return cwi_first_return(&first);
}

/* Waits for an event by polling. We do not use the driver's own wait, because peers may need this
 * thread's MPI progress and long waits must be reported. Agent requests are not executed in this
 * thread meanwhile: they may wait for a lock that this thread holds. */
static cw_error await_event(cw_device device, void *event)
{
  struct cwi_wait wait = {.sleeps = true};
  double since = 0;
  bool passed = false;
  while (true) {
    const cw_error error = device->backend->passed(device->opened, event, &passed);
    if (error != CW_OK)
      return await_end(device, event, error);
    if (passed)
      return CW_OK;
    if (cwi_wait_passively(&wait))
      continue;
    since = since == 0 ? cwi_now() : since;
    cwi_nap(cwi_nap_share(cwi_now() - since, NAP_SHARE, SHORTEST_NAP, LONGEST_NAP));
    cwi_peers_watch();
    cwi_mpi_progress();
  }
}

/* Waits in an agent. The driver's own wait ends by an interrupt, which takes longer than short
 * copies, so we first poll for a while. We do not poll if the device is the processor, because
 * polling would take processor time from it. */
static cw_error await_as_agent(cw_device device, void *event)
{
  const double until = cwi_now() + AGENT_POLL_SECONDS;
  bool passed = false;
  while (!device->facts.processor && cwi_now() < until) {
    if (device->backend->passed(device->opened, event, &passed) != CW_OK)
      break; /* the wait below returns the error */
    if (passed)
      return CW_OK;
    cwi_pause();
  }
  return device->backend->wait(device->opened, event);
}

static cw_error device_wait(cw_device device, void *event)
{
  if (cwi_is_agent())
    return await_as_agent(device, event);
  const struct cwi_waiting outer = cwi_waiting_begin(cwi_waiting.call, device_awaited, device);
  const cw_error error = await_event(device, event);
  cwi_waiting_end(&outer);
  return error;
}

cw_error cwi_device_leave(cw_device device, enum cwi_device_queue queue, cw_error error,
                          struct cwi_device_crossing *crossing)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  const cw_error marked = device->backend->event(device->opened, queue, &crossing->event);
  pthread_mutex_unlock(&device->lock);
  cwi_first_note(&first, marked);
  if (marked != CW_OK)
    cwi_first_note(&first, device->backend->drain(device->opened, queue));
  crossing->device = marked == CW_OK ? device : NULL;
  return cwi_first_return(&first);
}

cw_error cwi_device_arrive(struct cwi_device_crossing *crossing)
{
  cw_device device = crossing->device;
  if (device == NULL)
    return CW_OK;
  crossing->device = NULL;
  const cw_error error = device_wait(device, crossing->event);
  pthread_mutex_lock(&device->lock);
  device->backend->forget(device->opened, crossing->event);
  pthread_mutex_unlock(&device->lock);
  return error;
}

cw_error cwi_device_pass(cw_device device, enum cwi_device_queue queue, cw_error error)
{
  struct cwi_device_crossing crossing;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_device_leave(device, queue, error, &crossing));
  cwi_first_note(&first, cwi_device_arrive(&crossing));
  return cwi_first_return(&first);
}

cw_error cwi_device_finish(cw_device device)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int queue = 0; queue < CWI_DEVICE_QUEUES; queue++) {
    pthread_mutex_lock(&device->lock);
    cwi_first_note(&first, cwi_device_pass(device, (enum cwi_device_queue)queue, CW_OK));
  }
  return cwi_first_return(&first);
}

static cw_error device_finish(cw_device device)
{
  CWI_TRY(cwi_check_device(device));
  const struct cwi_waiting outer = cwi_waiting_begin("cw_device_finish", NULL, NULL);
  const cw_error error = cwi_device_finish(device);
  cwi_waiting_end(&outer);
  return error;
}

cw_error cw_device_finish(cw_device device)
{
  return cwi_in_call("cw_device_finish", device_finish(device));
}
