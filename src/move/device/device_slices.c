/* Slices on devices, and their addresses. */
#include "device/device.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Addresses are allocated in granules of 256 MiB. Each granule belongs to at most one slice. Freed
 * granules are reused as late as possible, so that accesses to freed addresses are detected. */
enum { GRANULE_SHIFT = 28, GRANULES = 1 << 16 };
_Static_assert((size_t)GRANULES << GRANULE_SHIFT == (size_t)1 << 44, "CWI_DEVICE_ADDRESS_BYTES");

static struct cwi_device_slice *granules[GRANULES]; /* stored with release, loaded with acquire */
static size_t next_granule;                         /* guarded by the threads' lock */

static size_t granules_of(size_t bytes)
{
  return (bytes >> GRANULE_SHIFT) + ((bytes & (((size_t)1 << GRANULE_SHIFT) - 1)) != 0);
}

/* --- Looking up ------------------------------------------------------------------------------- */

const struct cwi_device_slice *cwi_device_slice_at(const void *address)
{
  if (!cwi_is_device_address(address))
    return cwi_device_shared_at(address);
  const size_t offset = (uintptr_t)address - CWI_DEVICE_ADDRESS_FIRST;
  const struct cwi_device_slice *slice =
      __atomic_load_n(&granules[offset >> GRANULE_SHIFT], __ATOMIC_ACQUIRE);
  return slice != NULL && !__atomic_load_n(&slice->is_hidden, __ATOMIC_ACQUIRE) ? slice : NULL;
}

cw_error cwi_device_slice_find(const char *name, const void *address, size_t bytes,
                               const struct cwi_device_slice **slice)
{
  const struct cwi_device_slice *found = cwi_device_slice_at(address);
  if (found == NULL)
    return cwi_misuse("%s is %p, which lies in no device slice of process %d (%s)", name, address,
                      cwi_world.process,
                      cwi_is_device_address(address) ? "never allocated, or freed already"
                                                     : "it is an address of host memory");
  const size_t offset = (size_t)((const char *)address - found->address);
  if (offset >= found->bytes || bytes > found->bytes - offset)
    return cwi_misuse("%s is %p: %zu bytes there run past the end of the device slice of process "
                      "%d: they begin at offset %zu of its %zu bytes",
                      name, address, bytes, cwi_world.process, offset, found->bytes);
  *slice = found;
  return CW_OK;
}

cw_error cwi_device_slice_of(const char *name, struct cwi_extent extent,
                             const struct cwi_device_slice **slice)
{
  const char *begin = (const char *)extent.begin; /* NOLINT(performance-no-int-to-ptr) */
  return cwi_device_slice_find(name, begin, extent.end - extent.begin, slice);
}

/* --- Making and freeing ----------------------------------------------------------------------- */

static bool is_free(size_t first, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (granules[first + i] != NULL)
      return false;
  return true;
}

/* Returns true if memory that can be read or written is mapped in the range. Mappings without
 * access, which TSan keeps there, do not count. */
static bool is_accessible(uintptr_t begin, size_t bytes)
{
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[1024];
  bool found = maps == NULL;
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    unsigned long first = 0, end = 0;
    char access[5] = "";
    found = sscanf(line, "%lx-%lx %4s", &first, &end, access) == 3 && first < begin + bytes &&
            end > begin && strncmp(access, "---", 3) != 0;
  }
  if (maps != NULL)
    fclose(maps);
  return found;
}

/* Reserves the addresses of a slice, so that nothing else is mapped there. Returns false if
 * accessible memory is already mapped there. If a limit of the address space (ulimit -v) prevents
 * the reservation, the addresses are used without it, because nothing is mapped there. Uses raw
 * system calls, because TSan's mmap ignores the requested address. */
static bool keep_addresses(struct cwi_device_slice *slice, size_t first, size_t count)
{
  const uintptr_t wanted = CWI_DEVICE_ADDRESS_FIRST + (first << GRANULE_SHIFT);
  const size_t bytes = count << GRANULE_SHIFT;
  const long got =
      syscall(SYS_mmap, wanted, bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
  slice->kept = (uintptr_t)got == wanted;
  if (got != -1 && !slice->kept)
    syscall(SYS_munmap, got, bytes); /* kernels before Linux 4.17 ignore MAP_FIXED_NOREPLACE */
  return slice->kept || !is_accessible(wanted, bytes);
}

/* Takes a free range of addresses for the slice. Returns its address, or NULL if there is none. */
static char *take_addresses(struct cwi_device_slice *slice)
{
  const size_t count = granules_of(slice->bytes);
  for (size_t tried = 0; count <= GRANULES && tried < GRANULES; tried++) {
    const size_t first = next_granule + count <= GRANULES ? next_granule : 0;
    next_granule = first + 1;
    if (!is_free(first, count) || !keep_addresses(slice, first, count))
      continue;
    slice->address = (char *)(CWI_DEVICE_ADDRESS_FIRST + (first << GRANULE_SHIFT)); /* NOLINT */
    for (size_t i = 0; i < count; i++)
      __atomic_store_n(&granules[first + i], slice, __ATOMIC_RELEASE);
    next_granule = first + count;
    return slice->address;
  }
  return NULL;
}

static void give_addresses(const struct cwi_device_slice *slice)
{
  const size_t first = ((uintptr_t)slice->address - CWI_DEVICE_ADDRESS_FIRST) >> GRANULE_SHIFT;
  for (size_t i = 0; i < granules_of(slice->bytes); i++)
    __atomic_store_n(&granules[first + i], NULL, __ATOMIC_RELEASE);
  if (slice->kept)
    syscall(SYS_munmap, slice->address, granules_of(slice->bytes) << GRANULE_SHIFT);
}

cw_error cwi_device_fits(cw_device device, size_t bytes)
{
  return bytes <= device->facts.most
             ? CW_OK
             : cwi_outside("%zu bytes are more than a slice on this device may have: %zu (%s, %zu "
                           "bytes of memory)",
                           bytes, device->facts.most, device->facts.name, device->facts.memory);
}

static cw_error slice_allocate(cw_device device, size_t bytes, void **memory)
{
  CWI_TRY(cwi_device_fits(device, bytes));
  pthread_mutex_lock(&device->lock);
  const cw_error error = device->backend->allocate(device->opened, bytes, memory);
  pthread_mutex_unlock(&device->lock);
  return error;
}

cw_error cwi_device_memory_take(cw_device device, size_t bytes, void **memory)
{
  CWI_TRY(slice_allocate(device, bytes, memory));
  cwi_device_count_slices(device, 1);
  return CW_OK;
}

void cwi_device_memory_give(cw_device device, void *memory)
{
  cwi_device_release(device, memory);
  cwi_device_count_slices(device, -1);
}

cw_error cwi_device_slice_make(cw_device device, size_t bytes, char **address)
{
  struct cwi_device_slice *slice = calloc(1, sizeof *slice + (size_t)cwi_world.node_processes);
  if (slice == NULL)
    return cwi_outside("no memory for a slice");
  *slice = (struct cwi_device_slice){
      .device = device, .bytes = bytes, .may_import = (unsigned char *)(slice + 1)};
  cw_error error = slice_allocate(device, bytes, &slice->memory);
  if (error != CW_OK) {
    free(slice);
    return error;
  }
  cwi_threads_lock();
  *address = take_addresses(slice);
  device->slices += *address != NULL;
  __atomic_store_n(&cwi_zone.header->on_device, 1, __ATOMIC_RELEASE);
  cwi_threads_unlock();
  if (*address != NULL)
    return CW_OK;
  cwi_device_release(device, slice->memory);
  free(slice);
  return cwi_outside("no address range is left for %zu bytes of device memory: each device slice "
                     "takes a multiple of %zu bytes, and a process has %d of these",
                     bytes, (size_t)1 << GRANULE_SHIFT, GRANULES);
}

struct cwi_device_slice *cwi_device_slice_hide(const char *address)
{
  struct cwi_device_slice *slice =
      (struct cwi_device_slice *)(uintptr_t)cwi_device_slice_at(address);
  if (slice == NULL)
    return NULL;
  if (slice->shared)
    cwi_device_unshare(slice);
  cwi_device_use_up(slice);
  return slice;
}

/* Frees the addresses of a slice that is not shared. (Shared slices have addresses in the zone.) */
static void slice_end_addresses(const struct cwi_device_slice *slice)
{
  cwi_threads_lock();
  give_addresses(slice);
  cwi_threads_unlock();
}

void cwi_device_slice_free(struct cwi_device_slice *slice)
{
  if (!slice->shared)
    slice_end_addresses(slice);
  cwi_device_memory_give(slice->device, slice->memory);
  free(slice);
}

/* --- Public query ----------------------------------------------------------------------------- */

static cw_error device_locate(const void *mine, cw_device_location *location)
{
  const struct cwi_device_slice *slice = NULL;
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(cwi_check_not_null("location", location));
  CWI_TRY(cwi_device_slice_find("mine", mine, 1, &slice));
  *location = (cw_device_location){.device = slice->device};
  slice->device->backend->locate(slice->device->opened, slice->memory,
                                 (size_t)((const char *)mine - slice->address), location);
  location->device = slice->device;
  return CW_OK;
}

cw_error cw_device_locate(const void *mine, cw_device_location *location)
{
  return cwi_in_call("cw_device_locate", device_locate(mine, location));
}
