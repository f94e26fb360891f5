/* The world team and the numbers of its processes and nodes. */
#include "team/world.h"

#include "base/binary_search.h"
#include "base/log.h"
#include "base/single_runtime.h"
#include "mpi/mpi_progress.h"
#include "wait/failures.h"

#include <causeway/runtime.h>

#include <stdlib.h>

static const struct cwi_world NO_WORLD = {.process = -1,
                                          .all_comm = MPI_COMM_NULL,
                                          .node_comm = MPI_COMM_NULL,
                                          .machine_comm = MPI_COMM_NULL};

struct cwi_world cwi_world = {.process = -1,
                              .all_comm = MPI_COMM_NULL,
                              .node_comm = MPI_COMM_NULL,
                              .machine_comm = MPI_COMM_NULL};

int cw_process(void)
{
  return cwi_world.process;
}

int cw_processes(void)
{
  return cwi_world.processes;
}

int cw_process_node(int process)
{
  return cwi_is_process(process) ? cwi_world.node_of[process] : -1;
}

int cwi_first_of_node(int node)
{
  int process = 0;
  while (cwi_world.node_of[process] != node)
    process++;
  return process;
}

bool cwi_node_is_lost(int node)
{
  return cwi_failures_count() > 0 && cwi_has_failed(cwi_first_of_node(node));
}

cw_error cwi_node_lost(int node)
{
  cwi_failures_call_handler();
  return cwi_failure(CW_FAILED, "node %d is lost: process %d, which ran its server, has failed",
                     node, cwi_first_of_node(node));
}

int cwi_node_index(int process)
{
  return cwi_binary_search(cwi_world.peers, cwi_world.node_processes, process);
}

int cw_nodes(void)
{
  return cwi_world.nodes;
}

cw_error cwi_not_running(void)
{
  return cwi_single_runtime_required("Causeway is not running: call cw_init (or ARMCI_Init) first");
}

cw_error cwi_object_missing(const struct cwi_objects *objects, const char *name, const void *object)
{
  if (cwi_world.processes == 0)
    return cwi_not_running();
  if (object == NULL)
    return cwi_misuse("%s is NULL%s", name, objects->null_text);
  return cwi_misuse("%s is %p, which is %s", name, object, objects->dead_text);
}

cw_error cwi_world_may_stop(void)
{
  return __atomic_load_n(&cwi_world.phases, __ATOMIC_RELAXED) == 0
             ? CW_OK
             : cwi_misuse("this process is in a phase of a task pool");
}

cw_error cwi_check_process(int process)
{
  if (CWI_LIKELY(cwi_is_process(process)))
    return CW_OK;
  if (cwi_world.processes == 0)
    return cwi_not_running();
  return cwi_misuse("process is %d; the world has processes 0 to %d", process,
                    cwi_world.processes - 1);
}

void cwi_world_forget(void)
{
  free(cwi_world.node_of);
  free(cwi_world.machine_of);
  free(cwi_world.rank_of);
  free(cwi_world.server_of);
  free(cwi_world.machine_name_of);
  free(cwi_world.peers);
  cwi_world = NO_WORLD;
  cwi_log_process(-1);
  cwi_mpi_process(-1);
}
