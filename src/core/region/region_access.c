/* Looking regions up, access epochs, access modes, private memory. */
#include "base/settings.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "region/region.h"
#include "region/slice_index.h"
#include "team/world.h"

#include <causeway/failure.h>
#include <causeway/runtime.h>

#include <stdlib.h>
#include <string.h>

void *cw_region_address(cw_region region, int rank)
{
  if (!cwi_is_region(region) || rank < 0 || rank >= region->team->size)
    return NULL;
  return region->slices[rank].address;
}

size_t cw_region_bytes(cw_region region, int rank)
{
  if (!cwi_is_region(region) || rank < 0 || rank >= region->team->size)
    return 0;
  return region->slices[rank].bytes;
}

cw_team cw_region_team(cw_region region)
{
  return cwi_is_region(region) ? region->team : NULL;
}

static cw_error region_salvage(cw_region region, int process, void **address, size_t *bytes)
{
  CWI_TRY(cwi_check_region(region));
  CWI_TRY(cwi_check_process(process));
  CWI_TRY(cwi_check_not_null("address, which receives the address,", address));
  CWI_TRY(cwi_check_not_null("bytes, which receives the length,", bytes));
  const int rank = cwi_team_rank_of(region->team, process);
  if (rank < 0)
    return cwi_misuse("process %d is not a member of the region's team", process);
  if (region->slices[rank].on_device)
    return cwi_misuse("the slice of process %d is on a device, whose memory ends with the process",
                      process);
  if (!cwi_same_node(process))
    return cwi_misuse("process %d is on another node", process);
  *address = region->slices[rank].address;
  *bytes = region->slices[rank].bytes;
  return CW_OK;
}

cw_error cw_region_salvage(cw_region region, int process, void **address, size_t *bytes)
{
  return cwi_in_call("cw_region_salvage", region_salvage(region, process, address, bytes));
}

static cw_error address_shared(int process, const void *remote, size_t bytes, void **mine)
{
  CWI_TRY(cwi_check_not_null("mine, which receives the address,", mine));
  *mine = NULL;
  CWI_TRY(cwi_check_process(process));
  if (cwi_same_node(process) && cwi_zone_holds(process, remote, bytes))
    *mine = (void *)(uintptr_t)remote;
  return CW_OK;
}

cw_error cw_address_shared(int process, const void *remote, size_t bytes, void **mine)
{
  return cwi_in_call("cw_address_shared", address_shared(process, remote, bytes, mine));
}

/* Finds a slice on a device. If `busy` is NULL, waits for the bookkeeping lock. Otherwise does not
 * wait: if another thread holds the lock, sets *busy to true and returns false. */
static bool find_device_slice(int process, const void *address, struct cwi_zone_slice *found,
                              bool *busy)
{
  if (busy == NULL)
    cwi_threads_lock();
  else if ((*busy = !cwi_threads_trylock()))
    return false;
  const bool is = cwi_region_find_device_slice(process, address, found);
  cwi_threads_unlock();
  return is;
}

/* Finds the slice at (process, address), on my node or another. My node's host memory is found in
 * the zone without a lock. For device memory, `busy` avoids a wait for the lock. The server needs
 * this, because a thread that holds the lock may wait for a server. The look-up on other nodes
 * takes the lock. */
static bool find_slice(int process, const void *address, struct cwi_zone_slice *slice, bool *busy)
{
  struct cwi_location remote;
  if (cwi_is_device_address(address))
    return find_device_slice(process, address, slice, busy);
  if (cwi_same_node(process))
    return cwi_zone_find(address, slice) && slice->owner == process;
  if (!cwi_slice_index_at(process, address, &remote))
    return false;
  *slice = (struct cwi_zone_slice){remote.slice->address, remote.slice->bytes, process,
                                   remote.region->key};
  return true;
}

/* Returns the misuse of bytes that begin in the slice. */
static cw_error slice_misuse(const char *name, int process, const void *address, size_t bytes,
                             const struct cwi_zone_slice *slice)
{
  const size_t offset = (size_t)((const char *)address - slice->base);
  if (cwi_is_device_address(address) && bytes <= slice->bytes - offset)
    return cwi_misuse("%s is %p, device memory of process %d, which no load or store reaches: this "
                      "call needs host memory; cw_put, cw_get and cw_accumulate work on both",
                      name, address, process);
  return cwi_misuse("%s is %p: %zu bytes there run past the end of the slice of process %d: they "
                    "begin at offset %zu of its %zu bytes",
                    name, address, bytes, process, offset, slice->bytes);
}

bool cwi_find_owner(int process, const void *address, struct cwi_zone_slice *slice)
{
  const bool may = cwi_same_node(process) || cwi_zone.apart_bytes > 0;
  if (may && cwi_zone_find(address, slice))
    return true;
  if (!cwi_zone_is_others(address) || !cwi_threads_trylock())
    return false;
  const bool found = cwi_region_find_named(address, slice);
  cwi_threads_unlock();
  return found;
}

cw_error cwi_named_address_misuse(const char *name, int process, const void *address, size_t bytes)
{
  struct cwi_zone_slice slice = {.owner = -1};
  if (address == NULL)
    return cwi_misuse("%s is NULL: process %d has no memory there (a slice of 0 bytes?)", name,
                      process);
  bool busy = false;
  if (find_slice(process, address, &slice, &busy))
    return slice_misuse(name, process, address, bytes, &slice);
  if (busy)
    return cwi_misuse("%s is %p, an address of devices' memory: this call needs host memory, or "
                      "process %d has no memory there",
                      name, address, process);
  if (cwi_find_owner(process, address, &slice))
    return cwi_misuse("%s is %p, which lies in a slice of process %d, not of process %d", name,
                      address, slice.owner, process);
  return cwi_misuse("%s is %p, which lies in no slice of process %d (never allocated, or freed "
                    "already)",
                    name, address, process);
}

bool cwi_is_loadable(const void *address)
{
  return !cwi_is_device_address(address) && !cwi_zone_is_others(address);
}

static cw_error buffer_misuse(const char *name, const void *address)
{
  struct cwi_zone_slice slice;
  if (cwi_is_device_address(address))
    return cwi_misuse(
        "%s is %p, device memory, which no load or store reaches: the buffer has to be "
        "host memory (cw_device_put, cw_device_get and cw_transfer.local_device take "
        "device memory)",
        name, address);
  if (cwi_find_owner(cwi_world.process, address, &slice))
    return cwi_misuse("%s is %p, which lies in a slice of process %d, on node %d: no load or store "
                      "of process %d, on node %d, reaches it",
                      name, address, slice.owner, cwi_world.node_of[slice.owner], cwi_world.process,
                      cwi_world.node);
  return cwi_misuse("%s is %p, memory of another node, which no load or store reaches", name,
                    address);
}

cw_error cwi_check_host_buffer(const char *name, const void *address)
{
  return CWI_LIKELY(cwi_is_loadable(address)) ? CW_OK : buffer_misuse(name, address);
}

cw_error cwi_address_misuse(int process, const void *address, size_t bytes)
{
  return cwi_named_address_misuse("remote", process, address, bytes);
}

/* Does not wait for a lock if the memory is my node's or a device's. */
bool cwi_region_part(int process, const void *address, struct cwi_profiled_part *part)
{
  struct cwi_zone_slice slice;
  bool busy = false;
  if (!find_slice(process, address, &slice, &busy))
    return false;
  *part = (struct cwi_profiled_part){slice.base, slice.bytes, slice.region};
  return true;
}

static cw_error access_find(int process, const void *address, cw_region *region, size_t *offset)
{
  struct cwi_zone_slice slice;
  CWI_TRY(cwi_check_process(process));
  if (find_slice(process, address, &slice, NULL))
    *region = cwi_region_keyed(slice.region);
  if (*region == NULL)
    return cwi_named_address_misuse("address", process, address, 1);
  if (offset != NULL)
    *offset = (size_t)((const char *)address - slice.base);
  return CW_OK;
}

cw_error cw_region_find(int process, const void *address, cw_region *region, size_t *offset)
{
  if (region == NULL)
    return cwi_in_call("cw_region_find", cwi_misuse("region is NULL; it receives the region"));
  *region = NULL;
  return cwi_in_call("cw_region_find", access_find(process, address, region, offset));
}

cw_error cw_region_set_mode(cw_region region, cw_access_mode mode)
{
  CWI_TRY(cwi_in_call("cw_region_set_mode", cwi_check_region(region)));
  if ((int)mode < CW_ACCESS_ANY || mode > CW_ACCESS_EXCLUSIVE)
    return cwi_in_call("cw_region_set_mode", cwi_misuse("mode is %d; it may be %d to %d", (int)mode,
                                                        CW_ACCESS_ANY, CW_ACCESS_EXCLUSIVE));
  region->mode = mode;
  return CW_OK;
}

cw_access_mode cw_region_mode(cw_region region)
{
  return cwi_is_region(region) ? region->mode : CW_ACCESS_ANY;
}

static cw_error own_region(const void *address, cw_region *region)
{
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(access_find(cwi_world.process, address, region, NULL));
  if (cwi_is_device_address(address))
    return cwi_named_address_misuse("address", cwi_world.process, address, 1);
  CWI_ASSERT(*region != NULL);
  return CW_OK;
}

/* Causeway runs only where MPI's memory model is unified, so an epoch needs no more than a fence of
 * the processor. */
cw_error cw_access_begin(const void *address)
{
  cw_region region = NULL;
  const cw_error error = own_region(address, &region);
  if (error != CW_OK)
    return cwi_in_call("cw_access_begin", error);
  __atomic_fetch_add(&region->epochs, 1, __ATOMIC_SEQ_CST);
  return CW_OK;
}

cw_error cw_access_end(const void *address)
{
  cw_region region = NULL;
  const cw_error error = own_region(address, &region);
  if (error != CW_OK)
    return cwi_in_call("cw_access_end", error);
  if (region->epochs == 0)
    return cwi_in_call("cw_access_end",
                       cwi_misuse("no access epoch is open on the region of %p", address));
  __atomic_fetch_sub(&region->epochs, 1, __ATOMIC_SEQ_CST);
  return CW_OK;
}

enum { LOCAL_ALIGNMENT = 64 };

void *cw_local_alloc(size_t bytes)
{
  void *address = NULL;
  if (posix_memalign(&address, LOCAL_ALIGNMENT, bytes > 0 ? bytes : 1) != 0) {
    const cw_error recorded = cwi_outside("cw_local_alloc: no memory for %zu bytes", bytes);
    (void)recorded;
    return NULL;
  }
  if (cwi_settings.clear_memory)
    memset(address, 0, bytes);
  return address;
}

cw_error cwi_check_local(const void *address)
{
  const bool in_zone = cwi_zone_has(address) || cwi_zone_is_others(address);
  if (!in_zone && (uintptr_t)address % LOCAL_ALIGNMENT == 0)
    return CW_OK;
  return cwi_misuse(
      "address is %p, which is not private memory that was allocated in this process%s", address,
      in_zone ? ": it is memory of regions" : "");
}

void cw_local_free(void *address)
{
  if (cwi_in_call("cw_local_free", cwi_check_local(address)) == CW_OK)
    free(address);
  else
    cw_abort(cwi_error_message(), 1);
}
