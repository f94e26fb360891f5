/* Looking regions up, access epochs, access modes, private memory. */
#include "base/settings.h"
#include "memory/region.h"
#include "memory/remote.h"
#include "memory/zone.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

void *cw_region_address(cw_region region, int rank)
{
  if (!cwi_is_region(region) || rank < 0 || rank >= region->team->size)
    return NULL;
  return region->parts[rank].address;
}

size_t cw_region_bytes(cw_region region, int rank)
{
  if (!cwi_is_region(region) || rank < 0 || rank >= region->team->size)
    return 0;
  return region->parts[rank].bytes;
}

cw_team cw_region_team(cw_region region)
{
  return cwi_is_region(region) ? region->team : NULL;
}

/* What lies at (process, address), on my node or another. My node's zone knows all of it: no lock
 * is taken, so that the server may ask while a process that holds it waits for a server. */
static bool look_up(int process, const void *address, struct cwi_slice *slice)
{
  struct cwi_remote remote;
  if (cwi_same_node(process))
    return cwi_zone_find(address, slice) && slice->owner == process;
  if (!cwi_remote_at(process, address, &remote))
    return false;
  *slice =
      (struct cwi_slice){remote.part->address, remote.part->bytes, process, remote.region->key};
  return true;
}

cw_error cwi_address_misuse(int process, const void *address, size_t bytes)
{
  struct cwi_slice slice = {.owner = -1};
  if (address == NULL)
    return cwi_misuse("the address at process %d is NULL (a slice of 0 bytes?)", process);
  if (look_up(process, address, &slice))
    return cwi_misuse("%zu bytes at %p run past the end of the slice of process %d: offset %zu of "
                      "%zu bytes",
                      bytes, address, process, (size_t)((const char *)address - slice.base),
                      slice.bytes);
  if (cwi_same_node(process) && cwi_zone_find(address, &slice))
    return cwi_misuse("%p lies in a slice of process %d, not of process %d", address, slice.owner,
                      process);
  return cwi_misuse("%p lies in no slice of process %d (never allocated, or freed already)",
                    address, process);
}

cw_error cw_region_find(int process, const void *address, cw_region *region, size_t *offset)
{
  struct cwi_slice slice;
  if (region == NULL)
    return cwi_misuse("cw_region_find: region is NULL; it receives the region");
  *region = NULL;
  CWI_TRY(cwi_in_call("cw_region_find", cwi_check_process(process)));
  if (look_up(process, address, &slice))
    *region = cwi_region_keyed(slice.region);
  if (*region == NULL)
    return cwi_in_call("cw_region_find", cwi_address_misuse(process, address, 1));
  if (offset != NULL)
    *offset = (size_t)((const char *)address - slice.base);
  return CW_OK;
}

cw_error cw_region_set_mode(cw_region region, cw_access_mode mode)
{
  CWI_TRY(cwi_in_call("cw_region_set_mode", cwi_check_region(region)));
  if ((int)mode < CW_ACCESS_ANY || mode > CW_ACCESS_EXCLUSIVE)
    return cwi_misuse("cw_region_set_mode: mode is %d; it may be %d to %d", (int)mode,
                      CW_ACCESS_ANY, CW_ACCESS_EXCLUSIVE);
  region->mode = mode;
  return CW_OK;
}

cw_access_mode cw_region_mode(cw_region region)
{
  return cwi_is_region(region) ? region->mode : CW_ACCESS_ANY;
}

static cw_error own_region(const char *call, const void *address, cw_region *region)
{
  cw_error error = cwi_check_process(cwi_world.process);
  if (error == CW_OK)
    error = cw_region_find(cwi_world.process, address, region, NULL);
  if (error != CW_OK) {
    cwi_in_call(call, error);
    return error;
  }
  CWI_ASSERT(*region != NULL);
  return CW_OK;
}

/* Memory models are unified everywhere Causeway runs: a processor fence is all an epoch needs. */
cw_error cw_access_begin(const void *address)
{
  cw_region region = NULL;
  CWI_TRY(own_region("cw_access_begin", address, &region));
  __atomic_fetch_add(&region->epochs, 1, __ATOMIC_SEQ_CST);
  return CW_OK;
}

cw_error cw_access_end(const void *address)
{
  cw_region region = NULL;
  CWI_TRY(own_region("cw_access_end", address, &region));
  if (region->epochs == 0)
    return cwi_misuse("cw_access_end: no epoch is open on the region of %p", address);
  __atomic_fetch_sub(&region->epochs, 1, __ATOMIC_SEQ_CST);
  return CW_OK;
}

void *cw_local_alloc(size_t bytes)
{
  void *address = NULL;
  if (posix_memalign(&address, 64, bytes > 0 ? bytes : 1) != 0) {
    const cw_error recorded = cwi_outside("cw_local_alloc: no memory for %zu bytes", bytes);
    (void)recorded;
    return NULL;
  }
  if (cwi_settings.clear_memory)
    memset(address, 0, bytes);
  return address;
}

void cw_local_free(void *address)
{
  free(address);
}
