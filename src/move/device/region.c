/* Regions of which slices lie on devices. */
#include "device/ask.h"
#include "device/device.h"
#include "device/regions.h"
#include "memory/elsewhere.h"
#include "team/agree.h"
#include "team/collective.h"
#include "team/world.h"

/* My slice, and whoever others need to reach it. */
static cw_error prepare(cw_device device, size_t bytes, char **address)
{
  CWI_TRY(cwi_check_device(device));
  if (cwi_world.processes > 1)
    CWI_TRY(cwi_device_agent_open());
  return bytes > 0 ? cwi_device_slice_make(device, bytes, address) : CW_OK;
}

cw_error cwi_device_region_create(cw_team team, cw_device device, size_t bytes, cw_region *region)
{
  struct cwi_elsewhere mine = {NULL, CW_OK};
  if (device != NULL)
    mine.error = prepare(device, bytes, &mine.address);
  const cw_error error =
      cwi_region_create_elsewhere(team, bytes, &mine, cwi_device_slice_free, region);
  if (error != CW_OK && mine.address != NULL)
    cwi_device_slice_free(mine.address);
  return error;
}

cw_error cw_region_create_on(cw_team team, cw_device device, size_t bytes, cw_region *out,
                             void **addresses)
{
  CWI_TRY(cwi_in_call("cw_region_create_on", cwi_check_team("team", team)));
  if (out == NULL)
    return cwi_in_call("cw_region_create_on", cwi_misuse("region is NULL; it receives the region"));
  cw_region region = NULL;
  const cw_error error = CWI_COLLECTIVELY("cw_region_create_on", team, cwi_agreed_nothing(),
                                          cwi_device_region_create(team, device, bytes, &region));
  cwi_region_hand_out(team, region, out, addresses);
  return error;
}
