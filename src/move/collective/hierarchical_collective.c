/* Collectives between nodes. The members of a node use shared memory. The lowest rank of each node
 * is its leader, and the leaders use MPI. A team's hierarchy is created when it is first needed. */
#include "collective/hierarchical_collective.h"

#include "base/settings.h"
#include "collective/shared_collective.h"
#include "collective/vector_exchange.h"
#include "machine/copy.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/agreement.h"
#include "team/world.h"
#include "team_creation/team_creation.h"
#include "wait/wait_report.h"

#include <stdint.h>
#include <stdlib.h>

/* MPI's counts are of type int, and MPI may keep a copy of a message. So longer messages are sent
 * in pieces. */
static const size_t most_at_once = (size_t)4 << 20;

/* --- The hierarchy ---------------------------------------------------------------------------- */

/* Returns the node of a rank. With CW_ROUTE=rma processes share no memory, so each counts as a node
 * of its own. */
static inline int hierarchy_place_of(cw_team team, int rank)
{
  const int process = team->process[rank];
  return cwi_settings.route == CWI_ROUTE_RMA ? process : cwi_world.node_of[process];
}

/* Numbers the nodes by their lowest rank and lists the members node by node. `number` has space for
 * one int per node. */
static void number_nodes(cw_team team, struct cwi_hierarchy *hierarchy, int *number)
{
  for (int rank = 0; rank < team->size; rank++)
    number[hierarchy_place_of(team, rank)] = -1;
  for (int rank = 0; rank < team->size; rank++) {
    int *node = &number[hierarchy_place_of(team, rank)];
    if (*node < 0) {
      *node = hierarchy->nodes++;
      hierarchy->first[*node] = 0;
    }
    hierarchy->node_of[rank] = *node;
    hierarchy->first[*node]++; /* until the next loop, `first` counts the members of each node */
  }
  int before = 0;
  for (int node = 0; node <= hierarchy->nodes; node++) {
    const int members = node < hierarchy->nodes ? hierarchy->first[node] : 0;
    hierarchy->first[node] = before;
    before += members;
  }
  for (int rank = team->size - 1; rank >= 0; rank--)
    number[hierarchy_place_of(team, rank)] = hierarchy->first[hierarchy->node_of[rank]];
  for (int rank = 0; rank < team->size; rank++)
    hierarchy->packed[number[hierarchy_place_of(team, rank)]++] = rank;
}

/* Allocates the team's hierarchy and fills in its nodes. *made is set even after an error;
 * cwi_team_end_hierarchy frees it then. */
static cw_error hierarchy_describe(cw_team team, struct cwi_hierarchy **made)
{
  const size_t size = (size_t)team->size;
  struct cwi_hierarchy *hierarchy = calloc(1, sizeof *hierarchy + (3 * size + 1) * sizeof(int));
  /* There are at most as many nodes as processes. */
  int *number = calloc((size_t)cwi_world.processes, sizeof *number);
  *made = hierarchy;
  if (hierarchy == NULL || number == NULL) {
    free(number);
    return cwi_outside("no memory for the nodes of a team of %d processes", team->size);
  }
  hierarchy->node_of = (int *)(void *)(hierarchy + 1);
  hierarchy->packed = hierarchy->node_of + size;
  hierarchy->first = hierarchy->packed + size;
  number_nodes(team, hierarchy, number);
  free(number);
  return CW_OK;
}

/* Creates the team of my node's members and the team of the leaders. If each member is on a node of
 * its own, the team itself is the team of the leaders. */
static cw_error make_teams(cw_team team, struct cwi_hierarchy *hierarchy)
{
  CWI_ASSERT(hierarchy != NULL && hierarchy->node_of != NULL);
  const int mine = hierarchy->node_of[team->rank];
  if (hierarchy->nodes == team->size) {
    hierarchy->leaders = team;
    return CW_OK;
  }
  const bool alone = hierarchy->first[mine + 1] - hierarchy->first[mine] == 1;
  const bool leads = hierarchy->packed[hierarchy->first[mine]] == team->rank;
  CWI_TRY(cwi_team_agree_step(
      team, cwi_team_make_inner(team, alone ? MPI_UNDEFINED : mine, team->rank, &hierarchy->node)));
  return cwi_team_agree_step(
      team, cwi_team_make_inner(team, leads ? 0 : MPI_UNDEFINED, team->rank, &hierarchy->leaders));
}

/* Returns the team's hierarchy. The first call creates it. If a member fails, no member gets it.
 * The members first agree that all of them have the memory, so that no member waits for one that
 * has failed. */
static cw_error hierarchy_of(cw_team team, struct cwi_hierarchy **hierarchy)
{
  *hierarchy = team->hierarchy;
  if (CWI_LIKELY(team->hierarchy != NULL))
    return CW_OK;
  cw_error error = hierarchy_describe(team, &team->hierarchy);
  error = cwi_team_agree(team, error);
  if (error == CW_OK)
    error = make_teams(team, team->hierarchy);
  if (error != CW_OK) {
    CWI_TRY(cwi_team_end_hierarchy(team));
    return error;
  }
  *hierarchy = team->hierarchy;
  return CW_OK;
}

/* --- Between leaders -------------------------------------------------------------------------- */

/* Sets the team for the report of long waits. */
static void await_answers(cw_team team)
{
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
}

static cw_error broadcast_by_mpi(cw_team team, int root, char *at, size_t bytes)
{
  await_answers(team);
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = bytes < most_at_once ? bytes : most_at_once;
    CWI_TRY(cwi_mpi_bcast(at, (int)part, MPI_BYTE, root, team->internal));
  }
  return CW_OK;
}

static cw_error reduce_piece(cw_team team, int root, const struct cwi_reduction *reduction,
                             char *at, int count)
{
  if (root < 0)
    return cwi_mpi_allreduce(at, count, cwi_mpi_type(reduction->type), cwi_reduction_op(reduction),
                             team->internal);
  MPI_Request request = MPI_REQUEST_NULL;
  const void *from = team->rank == root ? MPI_IN_PLACE : at;
  CWI_TRY(CWI_MPI(MPI_Ireduce(from, at, count, cwi_mpi_type(reduction->type),
                              cwi_reduction_op(reduction), root, team->internal, &request)));
  return cwi_mpi_wait(&request);
}

static cw_error reduce_by_mpi(cw_team team, int root, const struct cwi_reduction *reduction,
                              char *at, size_t bytes)
{
  await_answers(team);
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = bytes < most_at_once ? bytes : most_at_once;
    CWI_TRY(reduce_piece(team, root, reduction, at, (int)(part / reduction->element)));
  }
  return CW_OK;
}

/* Gathers one piece of each member. In `all`, a piece has `count` elements of `type`. In members
 * that get the result, their own piece is already in `all`. */
static cw_error gather_piece(cw_team team, int root, const char *mine, char *all, int count,
                             MPI_Datatype type, int bytes)
{
  MPI_Request request = MPI_REQUEST_NULL;
  const void *from = root < 0 || root == team->rank ? MPI_IN_PLACE : mine;
  await_answers(team);
  CWI_TRY(root < 0 ? CWI_MPI(MPI_Iallgather(from, bytes, MPI_BYTE, all, count, type, team->internal,
                                            &request))
                   : CWI_MPI(MPI_Igather(from, bytes, MPI_BYTE, all, count, type, root,
                                         team->internal, &request)));
  return cwi_mpi_wait(&request);
}

/* Gathers a part of longer pieces. The distance between the parts of two members in `all` is the
 * length of a whole piece. */
static cw_error gather_part(cw_team team, int root, const char *mine, char *all, int part,
                            size_t bytes)
{
  MPI_Datatype run = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  CWI_TRY(CWI_MPI(MPI_Type_contiguous(part, MPI_BYTE, &run)));
  cw_error error = CWI_MPI(MPI_Type_create_resized(run, 0, (MPI_Aint)bytes, &type));
  if (error == CW_OK)
    error = CWI_MPI(MPI_Type_commit(&type));
  if (error == CW_OK)
    error = gather_piece(team, root, mine, all, 1, type, part);
  if (type != MPI_DATATYPE_NULL)
    CWI_TRY(CWI_MPI(MPI_Type_free(&type)));
  CWI_TRY(CWI_MPI(MPI_Type_free(&run)));
  return error;
}

static cw_error gather_by_mpi(cw_team team, int root, const char *mine, size_t bytes, char *all)
{
  const bool gets = root < 0 || root == team->rank;
  if (gets)
    cwi_copy(all + (size_t)team->rank * bytes, mine, bytes);
  if (bytes <= most_at_once)
    return gather_piece(team, root, mine, all, (int)bytes, MPI_BYTE, (int)bytes);
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = bytes - done < most_at_once ? bytes - done : most_at_once;
    CWI_TRY(gather_part(team, root, mine + done, gets ? all + done : NULL, (int)part, bytes));
  }
  return CW_OK;
}

/* --- Within and between nodes ----------------------------------------------------------------- */

/* If the members of a node are in different calls, all of them get an error and leave the call. But
 * their leader first takes part in the step of the leaders, because the leaders of other nodes wait
 * for it. */

/* Passes the state of the leader to all members of its node, in the last byte of the leader's
 * bounce buffer. Returns an error on all members if the leader has failed. `mine` is the error of
 * this process so far. `bytes` is the length of the broadcast that follows, and must be the same on
 * all members. */
static cw_error receive_from_leader(cw_team node, cw_error mine, size_t bytes)
{
  if (node->rank == 0)
    cwi_team_my_bounce(node)[CWI_BOUNCE - 1] = mine != CW_OK;
  /* This number differs from the step numbers of all broadcasts. */
  CWI_TRY(cwi_team_share(node, UINT64_MAX - 1 - bytes));
  if (mine != CW_OK || cwi_team_bounce(node, 0)[CWI_BOUNCE - 1] == 0)
    return mine;
  return cwi_outside("process %d cannot do the node's part; its own message has the reason",
                     node->process[0]);
}

/* Copies the leader's buffer to all members of its node. This is the last step of a collective. */
static cw_error spread(cw_team node, cw_error mine, void *buffer, size_t bytes)
{
  if (node == NULL)
    return mine;
  CWI_TRY(receive_from_leader(node, mine, bytes));
  return cwi_shared_broadcast(node, 0, buffer, bytes);
}

cw_error cwi_hierarchical_broadcast(cw_team team, int root, void *buffer, size_t bytes)
{
  struct cwi_hierarchy *hierarchy = NULL;
  CWI_TRY(hierarchy_of(team, &hierarchy));
  const int from = hierarchy->node_of[root], mine = hierarchy->node_of[team->rank];
  struct cwi_first_error first;
  cw_error on_node = CW_OK;
  if (from == mine && hierarchy->node != NULL)
    on_node = cwi_shared_broadcast(
        hierarchy->node, cwi_team_rank_of(hierarchy->node, team->process[root]), buffer, bytes);
  cwi_first_begin(&first, on_node);
  if (hierarchy->leaders != NULL)
    cwi_first_note(&first, broadcast_by_mpi(hierarchy->leaders, from, buffer, bytes));
  const cw_error error = cwi_first_return(&first);
  return from == mine ? error : spread(hierarchy->node, error, buffer, bytes);
}

cw_error cwi_hierarchical_reduce(cw_team team, int root, const struct cwi_reduction *reduction,
                                 void *numbers, size_t count)
{
  struct cwi_hierarchy *hierarchy = NULL;
  CWI_TRY(hierarchy_of(team, &hierarchy));
  const size_t bytes = count * reduction->element;
  const int to = root < 0 ? -1 : hierarchy->node_of[root];
  struct cwi_first_error first;
  cw_error on_node = CW_OK;
  if (hierarchy->node != NULL)
    on_node = cwi_shared_reduce(hierarchy->node, 0, reduction, numbers, count);
  cwi_first_begin(&first, on_node);
  if (hierarchy->leaders != NULL)
    cwi_first_note(&first, reduce_by_mpi(hierarchy->leaders, to, reduction, numbers, bytes));
  const cw_error error = cwi_first_return(&first);
  const bool has_result = root < 0 || to == hierarchy->node_of[team->rank];
  if (on_node != CW_OK)
    return error;
  return spread(hierarchy->node, error, numbers, has_result ? bytes : 0);
}

/* Exchanges the packed pieces between the leaders. `capacity` is a buffer for the pieces of all
 * members, ordered by node. */
static cw_error gather_packed(const struct cwi_hierarchy *hierarchy, int to, char *capacity,
                              int bytes)
{
  cw_team leaders = hierarchy->leaders;
  int counts[CWI_BOUNCE],
      places[CWI_BOUNCE]; /* all pieces together are shorter than CWI_BOUNCE and none is empty, so
                             there are fewer members than this */
  MPI_Request request = MPI_REQUEST_NULL;
  for (int node = 0; node < hierarchy->nodes; node++) {
    places[node] = hierarchy->first[node] * bytes;
    counts[node] = hierarchy->first[node + 1] * bytes - places[node];
  }
  const char *own = capacity + places[leaders->rank];
  const void *from = to < 0 || to == leaders->rank ? MPI_IN_PLACE : own;
  await_answers(leaders);
  CWI_TRY(to < 0 ? CWI_MPI(MPI_Iallgatherv(from, counts[leaders->rank], MPI_BYTE, capacity, counts,
                                           places, MPI_BYTE, leaders->internal, &request))
                 : CWI_MPI(MPI_Igatherv(from, counts[leaders->rank], MPI_BYTE, capacity, counts,
                                        places, MPI_BYTE, to, leaders->internal, &request)));
  return cwi_mpi_wait(&request);
}

/* Gathers pieces that together leave at least one byte of a bounce buffer free. The leader of a
 * node packs the pieces into its own bounce buffer, where the other members read the result. */
static cw_error gather_small(cw_team team, const struct cwi_hierarchy *hierarchy, int root,
                             const char *mine, int bytes, char *all)
{
  char own[CWI_BOUNCE], *capacity = own;
  cw_team node = hierarchy->node;
  const int at = hierarchy->first[hierarchy->node_of[team->rank]] * bytes;
  const int to = root < 0 ? -1 : hierarchy->node_of[root];
  struct cwi_first_error first;
  cw_error on_node = CW_OK;
  if (node != NULL) {
    cwi_copy(cwi_team_my_bounce(node), mine, (size_t)bytes);
    on_node = cwi_team_share(node, (uint64_t)(root + 1) << 32 | (unsigned)bytes);
    capacity = cwi_team_my_bounce(node);
    for (int rank = 0; rank < node->size && node->rank == 0; rank++)
      cwi_copy(capacity + at + rank * bytes, cwi_team_bounce(node, rank), (size_t)bytes);
  } else {
    cwi_copy(capacity + at, mine, (size_t)bytes);
  }
  cwi_first_begin(&first, on_node);
  if (hierarchy->leaders != NULL)
    cwi_first_note(&first, gather_packed(hierarchy, to, capacity, bytes));
  cw_error error = cwi_first_return(&first);
  if (node != NULL && on_node == CW_OK) {
    error = receive_from_leader(node, error, 0);
    capacity = (char *)(uintptr_t)cwi_team_bounce(node, 0);
  }
  CWI_TRY(error);
  for (int place = 0; place < team->size && (root < 0 || root == team->rank); place++)
    cwi_copy(all + (size_t)hierarchy->packed[place] * (size_t)bytes, capacity + place * bytes,
             (size_t)bytes);
  return CW_OK;
}

/* Gathers the pieces. If they do not fit into a bounce buffer, MPI alone is as fast. */
cw_error cwi_hierarchical_gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  struct cwi_hierarchy *hierarchy = NULL;
  CWI_TRY(hierarchy_of(team, &hierarchy));
  if (hierarchy->leaders == team || bytes * (size_t)team->size >= CWI_BOUNCE)
    return gather_by_mpi(team, root, mine, bytes, all);
  return gather_small(team, hierarchy, root, mine, (int)bytes, all);
}

/* --- Collectives that MPI does as well for all members ---------------------------------------- */

cw_error cwi_hierarchical_scan(cw_team team, const struct cwi_reduction *reduction, bool exclusive,
                               void *numbers, size_t count)
{
  const size_t most = most_at_once / reduction->element;
  char *at = numbers;
  await_answers(team);
  for (size_t part = 0; count > 0; count -= part, at += part * reduction->element) {
    MPI_Request request = MPI_REQUEST_NULL;
    part = count < most ? count : most;
    CWI_TRY(exclusive
                ? CWI_MPI(MPI_Iexscan(MPI_IN_PLACE, at, (int)part, cwi_mpi_type(reduction->type),
                                      cwi_reduction_op(reduction), team->internal, &request))
                : CWI_MPI(MPI_Iscan(MPI_IN_PLACE, at, (int)part, cwi_mpi_type(reduction->type),
                                    cwi_reduction_op(reduction), team->internal, &request)));
    CWI_TRY(cwi_mpi_wait(&request));
  }
  return CW_OK;
}

static struct cwi_run run_of(const void *base, int rank, size_t bytes)
{
  return (struct cwi_run){(char *)(uintptr_t)base + (size_t)rank * bytes, bytes};
}

static cw_error hierarchy_exchange(struct cwi_runs *runs)
{
  const cw_error error = cwi_runs_exchange(runs);
  cwi_runs_free(runs);
  return error;
}

cw_error cwi_hierarchical_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine)
{
  const bool sends = root == team->rank;
  if (bytes <= most_at_once) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (sends)
      cwi_copy(mine, (const char *)all + (size_t)root * bytes, bytes);
    await_answers(team);
    CWI_TRY(CWI_MPI(MPI_Iscatter(all, (int)bytes, MPI_BYTE, sends ? MPI_IN_PLACE : mine, (int)bytes,
                                 MPI_BYTE, root, team->internal, &request)));
    return cwi_mpi_wait(&request);
  }
  struct cwi_runs runs;
  cwi_runs_make(team, &runs);
  for (int rank = 0; sends && rank < team->size; rank++)
    runs.out[rank] = run_of(all, rank, bytes);
  runs.in[root] = (struct cwi_run){mine, bytes};
  return hierarchy_exchange(&runs);
}

cw_error cwi_hierarchical_alltoall(cw_team team, const void *mine, size_t bytes, void *all)
{
  if (bytes <= most_at_once) {
    MPI_Request request = MPI_REQUEST_NULL;
    await_answers(team);
    CWI_TRY(CWI_MPI(MPI_Ialltoall(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                                  team->internal, &request)));
    return cwi_mpi_wait(&request);
  }
  struct cwi_runs runs;
  cwi_runs_make(team, &runs);
  for (int rank = 0; rank < team->size; rank++) {
    runs.out[rank] = run_of(mine, rank, bytes);
    runs.in[rank] = run_of(all, rank, bytes);
  }
  return hierarchy_exchange(&runs);
}
