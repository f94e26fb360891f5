/* Makes the zone. */
#include "base/log.h"
#include "base/settings.h"
#include "base/size.h"
#include "memory/numa_policy.h"
#include "memory/zone.h"
#include "memory/zone_file.h"
#include "mpi/collective_yield.h"
#include "region/fault.h"
#include "region/peers.h"
#include "team/world.h"
#include "wait/failures.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Initialises the header and the table, in the node's first process. A memory file is all zeros,
 * but the memory of an MPI window may contain anything. */
static cw_error fill_front(uint32_t first, uint32_t granules)
{
  const size_t front = cwi_zone_front(cwi_zone.size);
  if (!cwi_zone.fixed)
    memset(cwi_zone.base, 0, front);
  cwi_zone.header->backed = cwi_zone_file_begin();
  return cwi_arena_start(&cwi_zone.header->arena, CWI_ARENA_NODE, first, granules);
}

static cw_error zone_lay_out(void)
{
  const size_t granules = cwi_zone.size >> CWI_GRANULE_SHIFT;
  const size_t header = cwi_round_up(sizeof(struct cwi_zone_header), CWI_GRANULE);
  const size_t first = cwi_zone_front(cwi_zone.size) >> CWI_GRANULE_SHIFT;
  if (granules > UINT32_MAX || first + 2 > granules)
    return cwi_misuse("the zone has %zu bytes, because of %s; it may have %zu to %zu",
                      cwi_zone.size, cwi_zone.limit, header + 4 * CWI_GRANULE,
                      (size_t)UINT32_MAX << CWI_GRANULE_SHIFT);
  cwi_zone.header = (struct cwi_zone_header *)(void *)cwi_zone.base;
  cwi_zone.granules = (struct cwi_granule *)(void *)(cwi_zone.base + header);
  struct cwi_arena *arena = &cwi_zone.header->arena;
  cwi_zone.heap = (struct cwi_heap){.arena = arena, .node = true, .owner = cwi_world.process};
  cwi_zone.internal = (struct cwi_heap){.arena = arena, .node = true, .owner = -1};
  return cwi_world.node_rank == 0 ? fill_front((uint32_t)first, (uint32_t)granules) : CW_OK;
}

/* Sets the addresses of the zones of all nodes as this process names them. If they are apart, a
 * fault handler reports accesses to other nodes' memory. */
static cw_error name_nodes(void)
{
  cwi_zone.apart_bytes = cwi_zone_file_apart(&cwi_zone.apart);
  cwi_settings_watch_buffers(cwi_zone.apart_bytes > 0);
  if (cwi_zone.apart_bytes > 0)
    cwi_faults_watch();
  cwi_zone.bases = calloc((size_t)cwi_world.nodes, sizeof *cwi_zone.bases);
  if (cwi_zone.bases == NULL)
    return cwi_outside("no memory for the addresses of %d nodes", cwi_world.nodes);
  for (int node = 0; node < cwi_world.nodes; node++)
    cwi_zone.bases[node] = cwi_zone_file_base(node);
  return CW_OK;
}

/* Prepares the zone. An error of one process is returned on all processes of the machine. */
static cw_error zone_prepare(void)
{
  cw_error mine = zone_lay_out();
  if (mine == CW_OK)
    mine = name_nodes();
  return cwi_peers_start(mine);
}

static cw_error zone_release(void)
{
  cwi_peers_stop();
  cwi_faults_leave();
  free(cwi_zone.bases);
  cwi_zone.bases = NULL;
  CWI_TRY(cwi_zone_file_stop());
  cwi_zone = (struct cwi_zone){0};
  return CW_OK;
}

cw_error cwi_zone_start(void)
{
  CWI_TRY(cwi_zone_file_start());
  cwi_numa_start();
  const cw_error error = zone_prepare();
  if (error == CW_OK)
    return cwi_mpi_barrier(cwi_world.node_comm);
  const cw_error released = zone_release();
  (void)released; /* the first error is returned */
  return error;
}

/* A job that survives failures has no barrier of MPI here, which would wait for a process that has
 * failed since the team's last barrier. */
cw_error cwi_zone_stop(void)
{
  if (!cwi_survives())
    CWI_TRY(cwi_mpi_barrier(cwi_world.node_comm));
  return zone_release();
}

void cwi_zone_forget(void)
{
  cwi_peers_stop();
  cwi_faults_leave();
  free(cwi_zone.bases);
  cwi_zone_file_forget();
  cwi_zone = (struct cwi_zone){0};
}
