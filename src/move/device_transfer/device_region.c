/* Creates regions with slices on devices. */
#include "device_transfer/device_region.h"
#include "collective_call/collective_check.h"
#include "device/imported_slices.h"
#include "device_transfer/device_agent.h"
#include "memory/device_address.h"
#include "profile/profile.h"
#include "team/world.h"

/* Allocates all scratch buffers now, so that no transfer fails later for lack of memory. */
static cw_error make_scratches(cw_device device)
{
  struct cwi_device_scratch *const scratches[] = {&device->in, &device->out, &device->within,
                                                  &device->sums};
  cw_error error = CW_OK;
  for (int i = 0; i < 4 && error == CW_OK; i++) {
    pthread_mutex_lock(&scratches[i]->lock);
    error = cwi_device_scratch_make(device, scratches[i]);
    pthread_mutex_unlock(&scratches[i]->lock);
  }
  return error;
}

static cw_error open_agent(cw_device device)
{
  CWI_TRY(cwi_device_agent_open());
  cwi_device_pin_agent(device);
  return CW_OK;
}

/* Prepares this process's slice and the agents that other processes need to reach it. */
static cw_error prepare(cw_device device, size_t bytes, struct cwi_slice_placement *mine)
{
  CWI_TRY(cwi_check_device(device));
  if (device->facts.shared) {
    mine->use = cwi_device_share;
    mine->context = device;
    return cwi_device_fits(device, bytes);
  }
  if (cwi_world.processes > 1)
    CWI_TRY(open_agent(device));
  if (cwi_world.node_processes > 1 && device->backend->give != NULL)
    CWI_TRY(cwi_import_offer());
  if (bytes == 0)
    return CW_OK;
  CWI_TRY(make_scratches(device));
  cwi_device_stage_make(device);
  return cwi_device_slice_make(device, bytes, &mine->address);
}

/* Frees a slice. First makes all processes that have imported it close it. */
static void free_slice(char *address)
{
  struct cwi_device_slice *slice = cwi_device_slice_hide(address);
  if (slice == NULL)
    return;
  if (!slice->shared)
    cwi_import_recall(slice);
  cwi_device_slice_free(slice);
}

cw_error cwi_device_region_create(cw_team team, cw_device device, size_t bytes,
                                  const struct cwi_region_terms *terms, cw_region *region)
{
  struct cwi_slice_placement mine = {.address = NULL};
  struct cwi_region_terms prepared = *terms;
  if (device != NULL && terms->mine == CW_OK)
    prepared.mine = prepare(device, bytes, &mine);
  const cw_error error =
      cwi_region_create_placed(team, bytes, &prepared, &mine, free_slice, region);
  if (error != CW_OK && mine.address != NULL)
    free_slice(mine.address);
  return error;
}

cw_error cw_region_create_on(cw_team team, cw_device device, size_t bytes, cw_region *out,
                             void **addresses)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_region_create_on", cwi_check_team("team", team)));
  if (out == NULL)
    return cwi_in_call("cw_region_create_on", cwi_misuse("region is NULL; it receives the region"));
  cw_region region = NULL;
  const struct cwi_region_terms none = {.mine = CW_OK};
  const cw_error error =
      CWI_COLLECTIVELY("cw_region_create_on", team, cwi_argument_nothing(),
                       cwi_device_region_create(team, device, bytes, &none, &region));
  cwi_region_hand_out(team, region, out, addresses);
  return error;
}
