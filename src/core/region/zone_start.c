/* Makes the zone, and watches the processes that share it. */
#include "base/log.h"
#include "base/settings.h"
#include "base/size.h"
#include "machine/machine.h"
#include "memory/numa_policy.h"
#include "memory/zone.h"
#include "memory/zone_file.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "region/fault.h"
#include "team/agreement.h"
#include "team/world.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* [node_ranks] PIDs; 0 for a process in another PID namespace */
static pid_t *pids;

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

/* Data that the other processes of the machine need to watch this process. */
struct face {
  pid_t pid;
  int process, node; /* process is -1 for the server rank of the node */
  struct cwi_pid_namespace space;
};

/* A process that this one watches. Each process watches those of all nodes of its machine, because
 * with virtual nodes it may have no node peer. */
struct peers {
  pid_t pid;   /* 0 if it is in another PID namespace */
  int process; /* -1 - node for the server rank of that node */
};
static struct peers *peers;
static int peer_count;

/* Returns the index in `pids` of a process of my node, or of its server rank. */
static int face_place(const struct face *face)
{
  return face->process >= 0 ? cwi_node_index(face->process) : cwi_world.node_processes;
}

static bool remember(const struct face *faces, const struct face *mine)
{
  bool all = true;
  for (int i = 0; i < peer_count; i++) {
    const struct face *face = &faces[i];
    const bool known = cwi_same_pid_namespace(&face->space, &mine->space);
    peers[i] =
        (struct peers){known ? face->pid : 0, face->process >= 0 ? face->process : -1 - face->node};
    if (face->node != cwi_world.node)
      continue;
    pids[face_place(face)] = peers[i].pid;
    all = all && known;
  }
  return all;
}

/* Exchanges the PIDs of the processes of the machine. A PID is valid only within one PID namespace.
 */
static cw_error exchange_faces(struct face *faces)
{
  struct face mine = {getpid(), cwi_world.process, cwi_world.node, {0}};
  cwi_machine_pid_namespace(&mine.space);
  CWI_TRY(cwi_mpi_allgather(&mine, sizeof mine, faces, cwi_world.machine_comm));
  if (!remember(faces, &mine))
    cwi_log(CWI_LOG_INFO,
            "the processes of node %d are not all in one PID namespace, so only MPI can notice "
            "when one of them dies",
            cwi_world.node);
  return CW_OK;
}

/* Prepares the zone. An error of one process is returned on all processes of the machine. */
static cw_error zone_prepare(void)
{
  cw_error mine = zone_lay_out();
  if (mine == CW_OK)
    mine = name_nodes();
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.machine_comm, &peer_count)));
  struct face *faces = calloc((size_t)peer_count, sizeof *faces);
  peers = calloc((size_t)peer_count, sizeof *peers);
  pids = calloc((size_t)cwi_world.node_ranks, sizeof *pids);
  if (mine == CW_OK && (pids == NULL || faces == NULL || peers == NULL))
    mine = cwi_outside("no memory for the PIDs of %d processes", peer_count);
  cw_error error = cwi_agree(cwi_world.machine_comm, mine, NULL);
  CWI_ASSERT(error != CW_OK || (faces != NULL && pids != NULL && peers != NULL));
  if (error == CW_OK)
    error = exchange_faces(faces);
  free(faces);
  return error;
}

static void forget_peers(void)
{
  free(pids);
  pids = NULL;
  free(peers);
  peers = NULL;
  peer_count = 0;
}

static cw_error zone_release(void)
{
  forget_peers();
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

cw_error cwi_zone_stop(void)
{
  CWI_TRY(cwi_mpi_barrier(cwi_world.node_comm));
  return zone_release();
}

void cwi_zone_forget(void)
{
  forget_peers();
  cwi_faults_leave();
  free(cwi_zone.bases);
  cwi_zone_file_forget();
  cwi_zone = (struct cwi_zone){0};
}

long cwi_zone_pid(int node_rank)
{
  return pids != NULL ? (long)pids[node_rank] : 0;
}

void cwi_zone_watch_peers(void)
{
  for (int i = 0; i < peer_count; i++) {
    const struct peers peer = peers[i];
    if (peer.pid == 0 || kill(peer.pid, 0) == 0 || errno != ESRCH)
      continue;
    const bool server = peer.process < 0;
    cwi_abort_with(1, "%s %d (pid %ld) has died; ending the job",
                   server ? "the server of node" : "process",
                   server ? -1 - peer.process : peer.process, (long)peer.pid);
  }
}
