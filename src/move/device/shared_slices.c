/* Slices of devices that are the processor. These slices are in the zone, and the device uses that
 * memory as its own. Peers, the server and this process access them by loads and stores, like
 * slices of the host. Only kernels and calls that name device memory (cw_device_put,
 * cw_kernel_argument) look up slices here.
 *
 * OpenCL does not guarantee that the device and the host see each other's stores if the memory is
 * not mapped (clEnqueueMapBuffer). So a probe tests it. It uses copies between such memory and the
 * device's own memory, which need no compiler and run on the device as kernels do. */
#include "base/log.h"
#include "base/reserve.h"
#include "base/settings.h"
#include "device/device.h"
#include "memory/zone.h"

#include <stdlib.h>
#include <string.h>

/* --- The slices ------------------------------------------------------------------------------- */

/* The shared slices in ascending order of addresses. */
static struct {
  pthread_rwlock_t lock;
  struct cwi_device_slice **slices;
  size_t count, capacity; /* count may be read without the lock */
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* Returns the number of slices that begin at or below the address. */
static size_t up_to(const void *address)
{
  size_t first = 0, count = table.count;
  while (count > 0) {
    const size_t half = count / 2;
    const bool before = (uintptr_t)table.slices[first + half]->address <= (uintptr_t)address;
    first += before ? half + 1 : 0;
    count = before ? count - half - 1 : half;
  }
  return first;
}

const struct cwi_device_slice *cwi_device_shared_at(const void *address)
{
  if (__atomic_load_n(&table.count, __ATOMIC_RELAXED) == 0)
    return NULL;
  pthread_rwlock_rdlock(&table.lock);
  const size_t number = up_to(address);
  const struct cwi_device_slice *slice = number > 0 ? table.slices[number - 1] : NULL;
  pthread_rwlock_unlock(&table.lock);
  const bool holds = slice != NULL && (uintptr_t)address - (uintptr_t)slice->address < slice->bytes;
  return holds ? slice : NULL;
}

static void table_set_count(size_t count)
{
  __atomic_store_n(&table.count, count, __ATOMIC_RELAXED);
}

/* Inserts a slice. The caller holds the table's lock for writing. */
static cw_error table_insert(struct cwi_device_slice *slice)
{
  if (!CWI_RESERVE(table.slices, table.count, table.capacity, 16))
    return cwi_outside("no memory for a table of %zu device slices", table.count + 1);
  const size_t place = up_to(slice->address);
  memmove(table.slices + place + 1, table.slices + place, (table.count - place) * sizeof(void *));
  table.slices[place] = slice;
  table_set_count(table.count + 1);
  return CW_OK;
}

static cw_error wrap_memory(cw_device device, char *address, size_t bytes, void **memory)
{
  pthread_mutex_lock(&device->lock);
  const cw_error error = device->backend->wrap(device->opened, address, bytes, memory);
  pthread_mutex_unlock(&device->lock);
  return error;
}

cw_error cwi_device_share(void *context, char *address, size_t bytes)
{
  cw_device device = context;
  struct cwi_device_slice *slice = malloc(sizeof *slice);
  if (slice == NULL)
    return cwi_outside("no memory for the record of a device slice");
  *slice = (struct cwi_device_slice){
      .device = device, .address = address, .bytes = bytes, .shared = true};
  cw_error error = wrap_memory(device, address, bytes, &slice->memory);
  if (error != CW_OK) {
    free(slice);
    return error;
  }
  pthread_rwlock_wrlock(&table.lock);
  error = table_insert(slice);
  pthread_rwlock_unlock(&table.lock);
  if (error == CW_OK) {
    cwi_device_count_slices(device, 1);
    return CW_OK;
  }
  cwi_device_release(device, slice->memory);
  free(slice);
  return error;
}

void cwi_device_unshare(const struct cwi_device_slice *slice)
{
  pthread_rwlock_wrlock(&table.lock);
  const size_t place = up_to(slice->address) - 1;
  table_set_count(table.count - 1);
  memmove(table.slices + place, table.slices + place + 1, (table.count - place) * sizeof(void *));
  pthread_rwlock_unlock(&table.lock);
}

/* --- The probe -------------------------------------------------------------------------------- */

/* The probe uses several cache lines and several rounds, so that it detects stale data that a
 * device has cached in an earlier round. */
enum { PROBE_BYTES = CWI_SLAB_MOST + 1, PROBE_ROUNDS = 4 };

struct probe_memory {
  char *host; /* memory that host and device share; it begins at a granule of the zone, as slices do
               */
  void *wrapped, *own;
};

static void probe_fill(char *bytes, int pattern)
{
  for (size_t i = 0; i < PROBE_BYTES; i++)
    bytes[i] = (char)((int)(i * 7) + pattern * 31);
}

/* Enqueues the copies of one probe. If `brings` is true, copies the buffer to the device's own
 * memory and from there to the wrapped memory. Otherwise copies the wrapped memory to the device's
 * own memory and from there to the buffer. The device is locked. */
static cw_error probe_start(cw_device device, const struct probe_memory *memory, char *buffer,
                            bool brings)
{
  const struct cwi_backend *backend = device->backend;
  const struct cwi_device_rows rows = {
      .run = PROBE_BYTES, .rows = 1, .host = buffer, .memory = memory->own};
  const struct cwi_device_copy copy = {.run = PROBE_BYTES,
                                       .rows = 1,
                                       .from = brings ? memory->own : memory->wrapped,
                                       .to = brings ? memory->wrapped : memory->own};
  if (brings)
    CWI_TRY(backend->write(device->opened, CWI_QUEUE_WORK, &rows));
  CWI_TRY(backend->copy(device->opened, CWI_QUEUE_WORK, &copy));
  return brings ? CW_OK : backend->read(device->opened, CWI_QUEUE_WORK, &rows);
}

/* Tests one direction. If `brings` is true, tests that the host sees the device's stores; otherwise
 * tests that the device sees the host's stores. Sets *sees to false if the test fails. */
static cw_error probe_way(cw_device device, const struct probe_memory *memory, int pattern,
                          bool brings, bool *sees)
{
  char buffer[PROBE_BYTES] = {0};
  probe_fill(brings ? buffer : memory->host, pattern);
  pthread_mutex_lock(&device->lock);
  CWI_TRY(cwi_device_pass(device, CWI_QUEUE_WORK, probe_start(device, memory, buffer, brings)));
  *sees = *sees && memcmp(buffer, memory->host, PROBE_BYTES) == 0;
  return CW_OK;
}

static cw_error probe_rounds(cw_device device, const struct probe_memory *memory, bool *sees)
{
  for (int pattern = 0; *sees && pattern < 2 * PROBE_ROUNDS; pattern++)
    CWI_TRY(probe_way(device, memory, pattern, pattern % 2 == 1, sees));
  return CW_OK;
}

static cw_error probe_own(cw_device device, void **memory)
{
  pthread_mutex_lock(&device->lock);
  const cw_error error = device->backend->allocate(device->opened, PROBE_BYTES, memory);
  pthread_mutex_unlock(&device->lock);
  return error;
}

static cw_error probe_wrapped(cw_device device, struct probe_memory *memory, bool *sees)
{
  CWI_TRY(wrap_memory(device, memory->host, PROBE_BYTES, &memory->wrapped));
  cw_error error = probe_own(device, &memory->own);
  if (error == CW_OK) {
    error = probe_rounds(device, memory, sees);
    cwi_device_release(device, memory->own);
  }
  cwi_device_release(device, memory->wrapped);
  return error;
}

/* Returns true if the device and the host see each other's stores to shared memory. */
static bool probe_sees(cw_device device)
{
  struct probe_memory memory = {.host = cwi_heap_allocate(&cwi_zone.heap, PROBE_BYTES, 0)};
  bool sees = true;
  if (memory.host == NULL)
    return false;
  const cw_error error = probe_wrapped(device, &memory, &sees);
  cwi_heap_free(&cwi_zone.heap, memory.host);
  if (error != CW_OK || !sees)
    cwi_log(CWI_LOG_INFO, "%s is the processor, but its slices have memory of their own: %s",
            device->facts.name,
            error != CW_OK ? cw_error_message()
                           : "the probe of CW_DEVICE_SHARED=auto finds that the device and the "
                             "host do not see each other's stores");
  return error == CW_OK && sees;
}

/* Decides whether slices are shared. With CW_DEVICE_SHARED=auto, the slices of the host back end's
 * devices are not shared, because these devices exist to test devices with separate memory. */
void cwi_device_choose_memory(cw_device device)
{
  const bool could = device->backend->wrap != NULL && device->facts.processor;
  const bool probed = device->facts.kind != CW_DEVICE_HOST;
  device->facts.shared =
      could && cwi_settings.device_shared != CWI_SHARED_NEVER &&
      (cwi_settings.device_shared == CWI_SHARED_ALWAYS || (probed && probe_sees(device)));
}
