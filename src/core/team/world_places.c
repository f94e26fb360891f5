/* Finds out where the processes of the world are: nodes, machines, servers. */
#include "base/log.h"
#include "base/settings.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/agreement.h"
#include "team/team.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Location of a rank, which it sends to all others. */
struct process_place {
  int machine; /* lowest rank of its machine */
  int node;    /* lowest rank of its node */
  int serves;
  int pid;
  struct cwi_machine_name name;
};

static bool wants_server_ranks(void)
{
  return cwi_settings.server == CWI_SERVER_RANK && cwi_settings.route != CWI_ROUTE_RMA;
}

/* Makes node_comm for virtual nodes of `width` consecutive ranks of a machine.
 * MPI_Comm_create_group involves only the ranks of one node; MPI_Comm_split would make all ranks of
 * the machine spin. */
static cw_error split_machine(long width)
{
  MPI_Group machine = MPI_GROUP_NULL, node = MPI_GROUP_NULL;
  int place = 0, size = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.machine_comm, &place)));
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.machine_comm, &size)));
  const int first = (int)(place / width * width);
  const int last = size - first < width ? size - 1 : (int)(first + width - 1);
  CWI_TRY(CWI_MPI(MPI_Comm_group(cwi_world.machine_comm, &machine)));
  CWI_TRY(CWI_MPI(MPI_Group_range_incl(machine, 1, (int[1][3]){{first, last, 1}}, &node)));
  const cw_error error =
      CWI_MPI(MPI_Comm_create_group(cwi_world.machine_comm, node, 0, &cwi_world.node_comm));
  CWI_TRY(CWI_MPI(MPI_Group_free(&node)));
  CWI_TRY(CWI_MPI(MPI_Group_free(&machine)));
  return error;
}

/* A node has CW_NODE_SIZE processes (and a server rank), or is a whole machine. */
static cw_error split_nodes(void)
{
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.all_comm, &rank)));
  CWI_TRY(CWI_MPI(MPI_Comm_split_type(cwi_world.all_comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,
                                      &cwi_world.machine_comm)));
  if (cwi_settings.node_size > 0)
    CWI_TRY(split_machine(cwi_settings.node_size + wants_server_ranks()));
  else
    CWI_TRY(cwi_mpi_duplicate(cwi_world.machine_comm, &cwi_world.node_comm));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.node_comm, &cwi_world.node_rank)));
  return CWI_MPI(MPI_Comm_size(cwi_world.node_comm, &cwi_world.node_ranks));
}

static cw_error learn_places(struct process_place *places, int rank)
{
  struct process_place mine = {0};
  mine.machine = mine.node = rank;
  if (gethostname(mine.name.text, sizeof mine.name.text - 1) != 0)
    snprintf(mine.name.text, sizeof mine.name.text, "without a name");
  mine.pid = (int)getpid();
  mine.serves = wants_server_ranks() && cwi_world.node_rank == cwi_world.node_ranks - 1;
  CWI_TRY(cwi_mpi_bcast(&mine.machine, 1, MPI_INT, 0, cwi_world.machine_comm));
  CWI_TRY(cwi_mpi_bcast(&mine.node, 1, MPI_INT, 0, cwi_world.node_comm));
  return cwi_mpi_allgather(&mine, sizeof mine, places, cwi_world.all_comm);
}

/* Server ranks are needed only if there are several nodes. Returns CW_MISUSE if a node has a server
 * rank but no process. */
static cw_error check_servers(struct process_place *places, int ranks)
{
  bool one_node = true;
  for (int rank = 1; rank < ranks; rank++)
    one_node = one_node && places[rank].node == places[0].node;
  for (int rank = 0; rank < ranks; rank++) {
    places[rank].serves = places[rank].serves && !one_node;
    if (places[rank].serves && places[rank].node == rank)
      return cwi_misuse(
          "CW_SERVER=rank sets the last rank of each node aside as its server, but rank %d is "
          "alone on its node: start one process more on each node than should compute there",
          rank);
  }
  return CW_OK;
}

static cw_error allocate_tables(int ranks)
{
  const size_t count = (size_t)ranks;
  cwi_world.machine_of = calloc(count, sizeof(int));
  cwi_world.node_of = calloc(count, sizeof(int));
  cwi_world.rank_of = calloc(count, sizeof(int));
  cwi_world.server_of = calloc(count, sizeof(int));
  cwi_world.machine_name_of = calloc(count, sizeof *cwi_world.machine_name_of);
  cwi_world.peers = calloc((size_t)cwi_world.node_ranks, sizeof(int));
  if (cwi_world.machine_of == NULL || cwi_world.node_of == NULL || cwi_world.rank_of == NULL ||
      cwi_world.server_of == NULL || cwi_world.machine_name_of == NULL || cwi_world.peers == NULL)
    return cwi_outside("no memory for the list of %d processes", ranks);
  return CW_OK;
}

/* Numbers processes in the order of ranks, and nodes in the order of their lowest ranks. The loop
 * reaches the lowest rank of a node first, so the node has a number when the loop reaches its other
 * ranks. */
static void number(const struct process_place *places, int ranks, int me, int *node_at)
{
  int processes = 0, nodes = 0;
  for (int rank = 0; rank < ranks; rank++) {
    const struct process_place *place = &places[rank];
    if (place->node == rank) {
      cwi_world.server_of[nodes] = rank;
      cwi_world.machine_name_of[nodes] = place->name;
      node_at[rank] = nodes++;
    }
    const int node = node_at[place->node];
    if (place->serves) {
      cwi_world.server_of[node] = rank;
    } else {
      cwi_world.node_of[processes] = node;
      cwi_world.machine_of[processes] = place->machine;
      cwi_world.rank_of[processes] = rank;
      if (place->node == places[me].node)
        cwi_world.peers[cwi_world.node_processes++] = processes;
      if (rank == me)
        cwi_world.process = processes;
      if (processes == 0)
        cwi_world.job = place->pid;
      processes++;
    }
  }
  cwi_world.processes = processes;
  cwi_world.nodes = nodes;
  cwi_world.node = node_at[places[me].node];
  cwi_world.serves = places[me].serves;
  cwi_world.first_process = cwi_world.peers[0];
}

static cw_error learn_world(void)
{
  int ranks = 0, rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.all_comm, &ranks)));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.all_comm, &rank)));
  CWI_ASSERT(ranks > 0);
  struct process_place *places = calloc((size_t)ranks, sizeof *places);
  int *node_at = calloc((size_t)ranks, sizeof *node_at);
  cw_error error = places == NULL || node_at == NULL
                       ? cwi_outside("no memory for the list of %d processes", ranks)
                       : allocate_tables(ranks);
  error = cwi_agree(cwi_world.all_comm, error, NULL);
  CWI_ASSERT(error != CW_OK || (places != NULL && node_at != NULL));
  if (error == CW_OK)
    error = learn_places(places, rank);
  if (error == CW_OK)
    error = check_servers(places, ranks);
  if (error == CW_OK)
    number(places, ranks, rank, node_at);
  free(places);
  free(node_at);
  return error;
}

cw_error cwi_world_check(MPI_Comm given)
{
  int inter = 0;
  if (given == MPI_COMM_NULL)
    return cwi_misuse("comm is MPI_COMM_NULL; it must be the communicator of all processes that "
                      "take part, usually MPI_COMM_WORLD");
  CWI_TRY(CWI_MPI(MPI_Comm_test_inter(given, &inter)));
  return inter ? cwi_misuse("comm is an intercommunicator; merge its groups first "
                            "(MPI_Intercomm_merge)")
               : CW_OK;
}

/* Makes the communicator of the processes without server ranks. Most worlds have no server ranks
 * and use cwi_mpi_duplicate, which does not spin. */
static cw_error leave_servers_out(MPI_Comm *internal)
{
  int ranks = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.all_comm, &ranks)));
  if (ranks == cwi_world.processes)
    return cwi_mpi_duplicate(cwi_world.all_comm, internal);
  return CWI_MPI(MPI_Comm_split(cwi_world.all_comm, cwi_world.serves ? MPI_UNDEFINED : 0,
                                cwi_world.process, internal));
}

cw_error cwi_world_start(MPI_Comm given)
{
  MPI_Comm internal = MPI_COMM_NULL;
  CWI_TRY(cwi_mpi_duplicate(given, &cwi_world.all_comm));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(cwi_world.all_comm, MPI_ERRORS_RETURN)));
  CWI_TRY(split_nodes());
  CWI_TRY(learn_world());
  cwi_log_process(cwi_world.process);
  cwi_mpi_process(cwi_world.process);
  CWI_TRY(leave_servers_out(&internal));
  if (cwi_world.serves)
    return CW_OK;
  CWI_TRY(cwi_team_wrap(internal, false, &cwi_world.team));
  CWI_ASSERT(cwi_world.team != NULL);
  /* The program uses this communicator (GA, TCGMSG). Errors on it must not pass unnoticed, whatever
   * error handler the parent has. */
  return CWI_MPI(MPI_Comm_set_errhandler(cwi_world.team->comm, MPI_ERRORS_ARE_FATAL));
}

cw_error cwi_world_stop(void)
{
  cw_team team = cwi_world.team;
  cwi_world.team = NULL;
  if (team != NULL)
    CWI_TRY(cwi_team_release(team));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&cwi_world.node_comm)));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&cwi_world.machine_comm)));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&cwi_world.all_comm)));
  cwi_world_forget();
  return CW_OK;
}
