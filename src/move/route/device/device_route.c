/* The device route: slices on devices of processes of my node. */
#include "route/device/device_route.h"
#include "base/operation_counts.h"
#include "device/imported_slices.h"
#include "device_transfer/device_agent.h"
#include "memory/device_address.h"
#include "region/agent.h"
#include "team/world.h"

/* Rejects devices of other nodes. Servers reach those devices; this route is chosen for them only
 * if there are no servers. */
static cw_error check_node(int process, const void *address)
{
  return cwi_same_node(process)
             ? CW_OK
             : cwi_outside("remote is %p, device memory of process %d on another node, which only "
                           "a server reaches; this job has none (see CW_SERVER)",
                           address, process);
}

/* Moves bytes to or from a peer's slice. If my own device reaches the slice, it moves them without
 * waiting for the owner. Otherwise the owner's agent moves them. */
static cw_error move_peers(const struct cwi_transfer *transfer)
{
  const struct cwi_device_slice *slice = NULL;
  const bool reaches = cwi_import_use(transfer, NULL, &slice);
  cwi_count_by_device(reaches ? CWI_MYSELF : CWI_BY_AGENT, transfer->shape.bytes);
  if (!reaches)
    return cwi_device_agent_transfer(transfer);
  struct cwi_transfer mine = *transfer;
  mine.place.imported = slice;
  cwi_route_progress_sometimes();
  const cw_error error = cwi_device_transfer_run(&mine);
  cwi_import_release(slice);
  return error;
}

static cw_error device_route_start(const struct cwi_transfer *transfer, bool blocking,
                                   cw_handle *handle)
{
  (void)blocking, (void)handle; /* complete on return */
  CWI_TRY(check_node(transfer->process, transfer->shape.remote));
  return transfer->process == cwi_world.process ? cwi_device_transfer_run(transfer)
                                                : move_peers(transfer);
}

/* Checks that the bytes lie in a device slice of the process. Queries the owner if necessary. */
static cw_error device_route_locate_now(int process, const void *address, size_t bytes,
                                        struct cwi_location *place)
{
  (void)place;
  const struct cwi_device_slice *slice = NULL;
  CWI_TRY(check_node(process, address));
  if (process == cwi_world.process)
    return cwi_device_slice_find("remote", address, bytes, &slice);
  return cwi_import_holds(process, address, bytes)
             ? CW_OK
             : cwi_device_agent_check(process, address, bytes);
}

static bool is_all_on_device(const struct cwi_shape *shape)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane))
    if (!cwi_is_device_address(plane.remote))
      return false;
  return true;
}

cw_error cwi_device_check_list_later(int process, const struct cwi_shape *shape)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  if (!cwi_same_node(process) || process == cwi_world.process)
    return CW_OK;
  if (is_all_on_device(shape))
    return cwi_device_agent_check_list(process, shape);
  while (cwi_planes_next(&planes, &plane))
    if (cwi_is_device_address(plane.remote))
      CWI_TRY(cwi_device_agent_check(process, plane.remote, plane.run));
  return CW_OK;
}

/* Checks the bytes, unless a later step does. An agent checks everything that one request moves
 * before it moves anything, and device_route_start rejects other nodes. */
static cw_error device_route_locate(int process, const void *address, size_t bytes,
                                    struct cwi_location *place)
{
  const bool later =
      !cwi_same_node(process) || (process != cwi_world.process && bytes <= CWI_AGENT_BUFFER);
  return later ? CW_OK : device_route_locate_now(process, address, bytes, place);
}

/* Servers move bytes to and from devices of other nodes. Without servers, check_node rejects such
 * transfers. */
static enum cwi_route_reach device_route_reaches(int process, enum cwi_route_use use)
{
  (void)process;
  return use == CWI_DEVICE_TRANSFER ? CWI_REACH_ALL : CWI_REACH_NONE;
}

const struct cwi_route cwi_route_device = {.name = "device",
                                           .where = CWI_PEER,
                                           .reaches = device_route_reaches,
                                           .locate = device_route_locate,
                                           .locate_now = device_route_locate_now,
                                           .start = device_route_start};

static enum cwi_route_reach device_updates_reach(int process, enum cwi_route_use use)
{
  (void)process;
  return use == CWI_DEVICE_UPDATE ? CWI_REACH_ALL : CWI_REACH_NONE;
}

static cw_error reject_update(int process, const void *address, size_t bytes,
                              struct cwi_location *place)
{
  (void)bytes, (void)place;
  return cwi_misuse("remote is %p, device memory of process %d: atomic updates, locks and "
                    "notifications need host memory; cw_accumulate works on both",
                    address, process);
}

const struct cwi_route cwi_route_device_updates = {
    .name = "device", .where = CWI_PEER, .reaches = device_updates_reach, .locate = reject_update};
