/* Making the zone, and watching the processes that share it. */
#include "base/log.h"
#include "base/machine.h"
#include "base/size.h"
#include "memory/backing.h"
#include "memory/numa.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "mpi/yield.h"
#include "team/agree.h"
#include "team/world.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* [node_ranks]; 0: a process whose number means another process here */
static pid_t *pids;

/* The node's first process: an MPI window's memory may be anything, a memory file is all zeros. */
static cw_error fill_front(uint32_t first, uint32_t granules)
{
  const size_t front = cwi_zone_front(cwi_zone.size);
  if (!cwi_zone.fixed)
    memset(cwi_zone.base, 0, front);
  cwi_zone.header->backed = cwi_backing_begin();
  return cwi_arena_start(&cwi_zone.header->arena, CWI_ARENA_NODE, first, granules);
}

static cw_error zone_lay_out(void)
{
  const size_t granules = cwi_zone.size >> CWI_GRANULE_SHIFT;
  const size_t header = cwi_round_up(sizeof(struct cwi_zone_header), CWI_GRANULE);
  const size_t first = cwi_zone_front(cwi_zone.size) >> CWI_GRANULE_SHIFT;
  if (granules > UINT32_MAX || first + 2 > granules)
    return cwi_misuse("the zone is %zu bytes (%s); it may be %zu to %zu", cwi_zone.size,
                      cwi_zone.limit, header + 4 * CWI_GRANULE,
                      (size_t)UINT32_MAX << CWI_GRANULE_SHIFT);
  cwi_zone.header = (struct cwi_zone_header *)(void *)cwi_zone.base;
  cwi_zone.granules = (struct cwi_granule *)(void *)(cwi_zone.base + header);
  struct cwi_arena *arena = &cwi_zone.header->arena;
  cwi_zone.heap = (struct cwi_heap){.arena = arena, .node = true, .owner = cwi_world.process};
  cwi_zone.internal = (struct cwi_heap){.arena = arena, .node = true, .owner = -1};
  return cwi_world.node_rank == 0 ? fill_front((uint32_t)first, (uint32_t)granules) : CW_OK;
}

/* How the other processes of the node may watch me. */
struct face {
  pid_t pid;
  struct cwi_pid_namespace space;
};

static bool remember(const struct face *faces, const struct face *mine)
{
  bool all = true;
  for (int peer = 0; peer < cwi_world.node_ranks; peer++) {
    const bool known = cwi_same_pid_namespace(&faces[peer].space, &mine->space);
    pids[peer] = known ? faces[peer].pid : 0;
    all = all && known;
  }
  return all;
}

static cw_error exchange_faces(struct face *faces)
{
  struct face mine = {.pid = getpid()};
  cwi_machine_pid_namespace(&mine.space);
  CWI_TRY(cwi_mpi_allgather(&mine, sizeof mine, faces, cwi_world.node_comm));
  if (!remember(faces, &mine))
    cwi_log(CWI_LOG_INFO,
            "the processes of node %d are not all in one PID namespace, so MPI must notice when "
            "one of the others dies",
            cwi_world.node);
  return CW_OK;
}

/* What one process cannot do, all learn of. */
static cw_error zone_prepare(void)
{
  cw_error mine = zone_lay_out();
  struct face *faces = calloc((size_t)cwi_world.node_ranks, sizeof *faces);
  pids = calloc((size_t)cwi_world.node_ranks, sizeof *pids);
  if (mine == CW_OK && (pids == NULL || faces == NULL))
    mine = cwi_outside("no memory for %d process numbers", cwi_world.node_ranks);
  cw_error error = cwi_agree(cwi_world.node_comm, mine, NULL);
  CWI_ASSERT(error != CW_OK || (faces != NULL && pids != NULL));
  if (error == CW_OK)
    error = exchange_faces(faces);
  free(faces);
  return error;
}

static cw_error zone_release(void)
{
  free(pids);
  pids = NULL;
  CWI_TRY(cwi_backing_stop());
  cwi_zone = (struct cwi_zone){0};
  return CW_OK;
}

cw_error cwi_zone_start(void)
{
  CWI_TRY(cwi_backing_start());
  cwi_numa_start();
  const cw_error error = zone_prepare();
  if (error == CW_OK)
    return cwi_mpi_barrier(cwi_world.node_comm);
  const cw_error released = zone_release();
  (void)released; /* the first sentence counts */
  return error;
}

cw_error cwi_zone_stop(void)
{
  CWI_TRY(cwi_mpi_barrier(cwi_world.node_comm));
  return zone_release();
}

void cwi_zone_forget(void)
{
  free(pids);
  pids = NULL;
  cwi_backing_forget();
  cwi_zone = (struct cwi_zone){0};
}

long cwi_zone_pid(int node_rank)
{
  return pids != NULL ? (long)pids[node_rank] : 0;
}

void cwi_zone_watch_peers(void)
{
  for (int peer = 0; pids != NULL && peer < cwi_world.node_ranks; peer++) {
    if (pids[peer] == 0 || kill(pids[peer], 0) == 0 || errno != ESRCH)
      continue;
    const bool server = peer == cwi_world.node_processes;
    cwi_abort_with(1, "%s %d (pid %ld) has died; ending the job",
                   server ? "the server of node" : "process",
                   server ? cwi_world.node : cwi_world.peers[peer], (long)pids[peer]);
  }
}
