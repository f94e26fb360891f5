#include "team/world.h"

#include "base/log.h"
#include "base/settings.h"
#include "mpi/call.h"

#include <causeway/runtime.h>

#include <stdlib.h>

struct cwi_world cwi_world = {
    .process = -1, .node_comm = MPI_COMM_NULL, .machine_comm = MPI_COMM_NULL};

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

int cw_nodes(void)
{
  return cwi_world.nodes;
}

cw_error cwi_check_process(int process)
{
  if (CWI_LIKELY(cwi_is_process(process)))
    return CW_OK;
  if (cwi_world.processes == 0)
    return cwi_misuse("Causeway is not running: call cw_init (or ARMCI_Init) first");
  return cwi_misuse("process is %d; the world has processes 0 to %d", process,
                    cwi_world.processes - 1);
}

/* Virtual nodes: consecutive processes of one machine, CW_NODE_SIZE at a time. */
static cw_error split_nodes(MPI_Comm comm)
{
  int process = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &process)));
  CWI_TRY(CWI_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, process, MPI_INFO_NULL,
                                      &cwi_world.machine_comm)));
  int place = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.machine_comm, &place)));
  const int color = cwi_settings.node_size > 0 ? place / (int)cwi_settings.node_size : 0;
  CWI_TRY(CWI_MPI(MPI_Comm_split(cwi_world.machine_comm, color, place, &cwi_world.node_comm)));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.node_comm, &cwi_world.node_rank)));
  return CWI_MPI(MPI_Comm_size(cwi_world.node_comm, &cwi_world.node_processes));
}

static cw_error learn_machines(MPI_Comm comm)
{
  int lowest = cwi_world.process;
  cwi_world.machine_of = calloc((size_t)cwi_world.processes, sizeof(int));
  if (cwi_world.machine_of == NULL)
    return cwi_outside("no memory for the list of %d processes", cwi_world.processes);
  CWI_TRY(CWI_MPI(MPI_Bcast(&lowest, 1, MPI_INT, 0, cwi_world.machine_comm)));
  return CWI_MPI(MPI_Allgather(&lowest, 1, MPI_INT, cwi_world.machine_of, 1, MPI_INT, comm));
}

/* Nodes are numbered by their lowest process. */
static cw_error number_nodes(MPI_Comm comm)
{
  const int processes = cwi_world.processes;
  int lowest = cwi_world.process;
  CWI_TRY(CWI_MPI(MPI_Bcast(&lowest, 1, MPI_INT, 0, cwi_world.node_comm)));
  cwi_world.node_of = calloc((size_t)processes, sizeof(int));
  cwi_world.peers = calloc((size_t)cwi_world.node_processes, sizeof(int));
  if (cwi_world.node_of == NULL || cwi_world.peers == NULL)
    return cwi_outside("no memory for the list of %d processes", processes);
  CWI_TRY(CWI_MPI(MPI_Allgather(&lowest, 1, MPI_INT, cwi_world.node_of, 1, MPI_INT, comm)));
  int peers = 0;
  for (int p = 0; p < processes; p++)
    if (cwi_world.node_of[p] == lowest)
      cwi_world.peers[peers++] = p;
  /* A node's lowest process comes before its others: its number is known when they are reached. */
  cwi_world.nodes = 0;
  for (int p = 0; p < processes; p++)
    cwi_world.node_of[p] =
        cwi_world.node_of[p] == p ? cwi_world.nodes++ : cwi_world.node_of[cwi_world.node_of[p]];
  cwi_world.node = cwi_world.node_of[cwi_world.process];
  return CW_OK;
}

cw_error cwi_world_start(MPI_Comm given)
{
  MPI_Comm comm = MPI_COMM_NULL;
  CWI_TRY(CWI_MPI(MPI_Comm_dup(given, &comm)));
  /* The program sees this communicator (GA, TCGMSG): a failure on it must not pass unseen, whatever
   * handler the parent had. */
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL)));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &cwi_world.process)));
  CWI_TRY(CWI_MPI(MPI_Comm_size(comm, &cwi_world.processes)));
  cwi_log_process(cwi_world.process);
  CWI_TRY(split_nodes(comm));
  CWI_TRY(learn_machines(comm));
  CWI_TRY(number_nodes(comm));
  return cwi_team_wrap(comm, &cwi_world.team);
}

cw_error cwi_world_stop(void)
{
  cw_team team = cwi_world.team;
  cwi_mpi_progress_on(MPI_COMM_NULL);
  cwi_world.team = NULL;
  CWI_TRY(cwi_team_release(team));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&cwi_world.node_comm)));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&cwi_world.machine_comm)));
  free(cwi_world.node_of);
  free(cwi_world.machine_of);
  free(cwi_world.peers);
  cwi_world =
      (struct cwi_world){.process = -1, .node_comm = MPI_COMM_NULL, .machine_comm = MPI_COMM_NULL};
  cwi_log_process(-1);
  return CW_OK;
}
