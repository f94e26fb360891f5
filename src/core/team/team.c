/* Creates, splits, duplicates and frees teams. */
#include "team/team.h"

#include "base/settings.h"
#include "base/size.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "team/collective_check.h"
#include "team/world.h"
#include "wait/object_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct cwi_team_hooks *hooks;
static struct cwi_objects teams = {CWI_OBJECTS_OF(struct cwi_team),
                                   .null_text = ", which is not a team",
                                   .dead_text = "not an existing team (was it freed?)"};

void cwi_team_set_hooks(const struct cwi_team_hooks *new_hooks)
{
  hooks = new_hooks;
}

cw_team cwi_team_next(cw_team team)
{
  return cwi_object_next(&teams, team);
}

/* Compares with the world first: most teams are the world, which lives as long as the library runs.
 */
bool cwi_is_team(const void *team)
{
  if (CWI_LIKELY(team != NULL && team == cwi_world.team))
    return true;
  return cwi_object_lives(&teams, team) && !((const struct cwi_team *)team)->freed;
}

cw_error cwi_check_team(const char *name, cw_team team)
{
  return CWI_LIKELY(cwi_is_team(team)) ? CW_OK : cwi_object_missing(&teams, name, team);
}

cw_team cw_team_world(void)
{
  return cwi_world.team;
}

int cw_team_rank(cw_team team)
{
  return cwi_is_team(team) ? team->rank : -1;
}

int cw_team_size(cw_team team)
{
  return cwi_is_team(team) ? team->size : 0;
}

MPI_Comm cw_team_comm(cw_team team)
{
  return cwi_is_team(team) ? team->comm : MPI_COMM_NULL;
}

int cw_team_process(cw_team team, int rank)
{
  return cwi_is_team(team) && rank >= 0 && rank < team->size ? team->process[rank] : -1;
}

static int by_process(const void *left, const void *right, void *process)
{
  const int *process_of = process;
  const int a = process_of[*(const int *)left], b = process_of[*(const int *)right];
  return (a > b) - (a < b);
}

static void sort_ranks(cw_team team)
{
  for (int rank = 0; rank < team->size; rank++)
    team->by_process[rank] = rank;
  qsort_r(team->by_process, (size_t)team->size, sizeof(int), by_process, team->process);
}

bool cwi_team_same_members(cw_team a, cw_team b)
{
  if (a->size != b->size)
    return false;
  for (int rank = 0; rank < a->size && a != b; rank++)
    if (a->process[rank] != b->process[rank])
      return false;
  return true;
}

bool cwi_team_holds(cw_team team, cw_team part)
{
  if (part->size > team->size)
    return false;
  for (int rank = 0; rank < part->size && part != team; rank++)
    if (cwi_team_rank_of(team, part->process[rank]) < 0)
      return false;
  return true;
}

int cwi_team_rank_of(cw_team team, int process)
{
  int low = 0, high = team->size - 1;
  if ((unsigned)process < (unsigned)team->size && team->process[process] == process)
    return process; /* the usual case: most teams are the world */
  while (low <= high) {
    const int middle = (low + high) / 2;
    const int rank = team->by_process[middle];
    if (team->process[rank] == process)
      return rank;
    if (team->process[rank] < process)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

/* Called by rank 0 of a new team. Returns a number that no living team of this process has; the
 * process number in it makes it unique among all processes. */
static uint64_t pick_id(void)
{
  static uint64_t made;
  cwi_threads_lock();
  uint64_t number = 0;
  bool in_use = true;
  while (in_use) {
    number = (made++ & 0xffff) | (uint64_t)cwi_world.process << 16;
    in_use = false;
    for (cw_team team = cwi_team_next(NULL); team != NULL && !in_use; team = cwi_team_next(team))
      in_use = team->id == number;
  }
  cwi_threads_unlock();
  return number;
}

/* --- Creation --------------------------------------------------------------------------------- */

static void free_tables(cw_team team)
{
  free(team->process);
  free(team->by_process);
  free(team->entries);
}

static cw_error team_discard(cw_team team)
{
  MPI_Comm comm = team->comm, internal = team->internal;
  free_tables(team);
  if (comm != MPI_COMM_NULL)
    CWI_TRY(CWI_MPI(MPI_Comm_free(&comm)));
  return CWI_MPI(MPI_Comm_free(&internal));
}

/* Makes a communicator for the program, so that it cannot receive our messages. Allocates the
 * tables. */
static cw_error team_prepare(cw_team team)
{
  if (!team->inner)
    CWI_TRY(cwi_mpi_duplicate(team->internal, &team->comm));
  team->process = calloc((size_t)team->size + 1, sizeof(int));
  team->by_process = calloc((size_t)team->size + 1, sizeof(int));
  if (team->size > CWI_TEAM_SMALL)
    team->entries = calloc((size_t)team->size, sizeof *team->entries);
  if (team->process == NULL || team->by_process == NULL ||
      (team->size > CWI_TEAM_SMALL && team->entries == NULL))
    return cwi_outside("no memory for a team of %d processes", team->size);
  return CW_OK;
}

static cw_error team_describe(cw_team team)
{
  CWI_TRY(cwi_mpi_allgather(&cwi_world.process, sizeof(int), team->process, team->internal));
  sort_ranks(team);
  team->shared = cwi_settings.route != CWI_ROUTE_RMA;
  for (int rank = 0; rank < team->size; rank++)
    team->shared = team->shared && cwi_same_node(team->process[rank]);
  return CW_OK;
}

static cw_error find_own_rank(cw_team team)
{
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(team->internal, MPI_ERRORS_RETURN)));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(team->internal, &team->rank)));
  return CWI_MPI(MPI_Comm_size(team->internal, &team->size));
}

/* Makes a team of `internal`, and frees `internal` if it fails. A member that fails takes part in
 * all calls of MPI up to the agreement, for which the others would wait. */
static cw_error wrap(MPI_Comm internal, bool inner, cw_team *out)
{
  struct cwi_team new_team = {.internal = internal,
                              .comm = MPI_COMM_NULL,
                              .references = 1,
                              .freed = inner,
                              .inner = inner,
                              .awaits = -1};
  cw_team team = cwi_object_make(&teams);
  struct cwi_first_error first;
  cwi_first_begin(&first, find_own_rank(&new_team));
  cwi_first_note(&first, team_prepare(&new_team));
  if (team == NULL)
    cwi_first_note(&first, cwi_outside("no memory for a team"));
  cw_error error = cwi_first_return(&first);
  new_team.id = new_team.rank == 0 ? pick_id() : 0;
  error = cwi_agree(internal, error, &new_team.id);
  if (error == CW_OK)
    error = team_describe(&new_team);
  if (error != CW_OK || team == NULL) {
    if (team != NULL)
      cwi_object_end(&teams, team);
    CWI_TRY(team_discard(&new_team));
    return error;
  }
  cwi_threads_lock(); /* another thread may read all living teams, in pick_id */
  *team = new_team;
  cwi_threads_unlock();
  *out = team;
  return CW_OK;
}

cw_error cwi_team_wrap(MPI_Comm internal, cw_team *team)
{
  return wrap(internal, false, team);
}

cw_error cwi_team_begin(cw_team team)
{
  return hooks != NULL ? hooks->begin(team) : CW_OK;
}

/* Makes the program's communicator handle errors as that of its parent does. */
static cw_error inherit_handler(MPI_Comm from, MPI_Comm to)
{
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CWI_TRY(CWI_MPI(MPI_Comm_get_errhandler(from, &handler)));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(to, handler)));
  return CWI_MPI(MPI_Errhandler_free(&handler));
}

/* Makes a team of `internal`, which is MPI_COMM_NULL in processes that are not members. If `parent`
 * is NULL, it is an inner team. */
static cw_error team_make(cw_team parent, MPI_Comm internal, cw_team *out)
{
  cw_team team = NULL;
  if (internal == MPI_COMM_NULL)
    return CW_OK;
  CWI_TRY(wrap(internal, parent == NULL, &team));
  CWI_ASSERT(team != NULL);
  cw_error error = parent != NULL ? inherit_handler(parent->comm, team->comm) : CW_OK;
  if (error == CW_OK)
    error = cwi_team_begin(team);
  if (error != CW_OK) {
    CWI_TRY(cwi_team_release(team));
    return error;
  }
  *out = team;
  return CW_OK;
}

/* Returns true if ranks[at] also occurs earlier in the list. `seen` has a flag for each rank. If
 * there is no memory for it, it is NULL, and the search takes longer. This member must not fail
 * alone while the others continue. */
static bool is_twice(const int *ranks, size_t at, char *seen)
{
  if (seen != NULL)
    return seen[ranks[at]]++ != 0;
  for (size_t i = 0; i < at; i++)
    if (ranks[i] == ranks[at])
      return true;
  return false;
}

static cw_error check_members(cw_team parent, size_t members, const int *ranks, bool *am_member)
{
  CWI_TRY(cwi_check_team("parent", parent));
  if (members > 0 && ranks == NULL)
    return cwi_misuse("ranks is NULL, but members is %zu", members);
  if (members > (size_t)parent->size)
    return cwi_misuse("members is %zu; parent has %d members", members, parent->size);
  char *seen = calloc((size_t)parent->size, 1);
  cw_error error = CW_OK;
  *am_member = false;
  for (size_t i = 0; i < members && error == CW_OK; i++) {
    if (ranks[i] < 0 || ranks[i] >= parent->size)
      error =
          cwi_misuse("ranks[%zu] is %d; parent has ranks 0 to %d", i, ranks[i], parent->size - 1);
    else if (is_twice(ranks, i, seen))
      error = cwi_misuse("ranks[%zu] is %d, which is in the list twice", i, ranks[i]);
    else
      *am_member = *am_member || ranks[i] == parent->rank;
  }
  free(seen);
  return error;
}

static cw_error check_tag(int tag)
{
  int highest = 0;
  CWI_TRY(cwi_mpi_highest_tag(&highest));
  highest -= CWI_TAG_TEAMS;
  return tag >= 0 && tag <= highest ? CW_OK
                                    : cwi_misuse("tag is %d; it may be 0 to %d", tag, highest);
}

static cw_error create_group(cw_team parent, size_t members, const int *ranks, int tag,
                             MPI_Comm *comm)
{
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  CWI_TRY(CWI_MPI(MPI_Comm_group(parent->internal, &all)));
  CWI_TRY(CWI_MPI(MPI_Group_incl(all, (int)members, ranks, &some)));
  const cw_error error =
      CWI_MPI(MPI_Comm_create_group(parent->internal, some, CWI_TAG_TEAMS + tag, comm));
  CWI_TRY(CWI_MPI(MPI_Group_free(&some)));
  CWI_TRY(CWI_MPI(MPI_Group_free(&all)));
  return error;
}

/* Merges my half of a block with the other half, whose first member is `other`. */
static cw_error merge_halves(cw_team parent, int other, bool upper, int tag, MPI_Comm *comm)
{
  MPI_Comm between = MPI_COMM_NULL, merged = MPI_COMM_NULL;
  CWI_TRY(CWI_MPI(
      MPI_Intercomm_create(*comm, 0, parent->internal, other, CWI_TAG_TEAMS + tag, &between)));
  const cw_error error = CWI_MPI(MPI_Intercomm_merge(between, upper, &merged));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&between)));
  CWI_TRY(error);
  CWI_TRY(CWI_MPI(MPI_Comm_free(comm)));
  *comm = merged;
  return CWI_MPI(MPI_Comm_set_errhandler(merged, MPI_ERRORS_RETURN));
}

/* Merges the members' own communicators pairwise, then the pairs, and so on. Only members take
 * part. */
static cw_error merge_members(cw_team parent, size_t members, const int *ranks, int tag,
                              MPI_Comm *comm)
{
  size_t mine = 0;
  while (ranks[mine] != parent->rank)
    mine++;
  CWI_TRY(create_group(parent, 1, &parent->rank, tag, comm));
  cw_error error = CWI_MPI(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
  for (size_t width = 1; width < members && error == CW_OK; width *= 2) {
    const size_t block = mine / width;
    const size_t other = block % 2 == 0 ? (block + 1) * width : (block - 1) * width;
    if (other < members)
      error = merge_halves(parent, ranks[other], block % 2 == 1, tag, comm);
  }
  if (error != CW_OK)
    CWI_TRY(CWI_MPI(MPI_Comm_free(comm)));
  return error;
}

/* Returns CW_MISUSE if this thread runs a task of a pool and all members of that pool would have to
 * make this call. They cannot, because they are in the pool's phase. */
static cw_error check_engaged(const struct cwi_team_creators *creators)
{
  for (const struct cwi_task_engagement *one = cwi_engaged; one != NULL; one = one->outer) {
    int members = 0;
    for (size_t i = 0; i < creators->members; i++)
      members += cwi_team_rank_of(one->team, creators->parent->process[creators->ranks[i]]) >= 0;
    if (members == one->team->size && members > 1)
      return cwi_misuse("this thread runs a task: making a team with all members of the pool's "
                        "team would wait for members that are in the task's phase");
  }
  return CW_OK;
}

static cw_error team_create(cw_team parent, size_t members, const int *ranks, int tag,
                            cw_team *team)
{
  MPI_Comm comm = MPI_COMM_NULL;
  const struct cwi_team_creators creators = {parent, members, ranks, tag};
  CWI_TRY(check_engaged(&creators));
  /* MPI would not report for which process it waits */
  CWI_TRY(cwi_collective_compare_creators(&creators));
  CWI_TRY(cwi_settings.team_method == CWI_TEAM_MERGE
              ? merge_members(parent, members, ranks, tag, &comm)
              : create_group(parent, members, ranks, tag, &comm));
  return team_make(parent, comm, team);
}

cw_error cw_team_create(cw_team parent, size_t members, const int *ranks, int tag, cw_team *team)
{
  CWI_PROFILED(CW_CALL_MAKE);
  bool am_member = false;
  if (team == NULL)
    return cwi_in_call("cw_team_create", cwi_misuse("team is NULL; it receives the team"));
  *team = NULL;
  cw_error error = check_members(parent, members, ranks, &am_member);
  if (error == CW_OK)
    error = check_tag(tag);
  if (error == CW_OK && am_member) {
    const struct cwi_waiting outer = cwi_waiting_begin("cw_team_create", NULL, NULL);
    error = team_create(parent, members, ranks, tag, team);
    cwi_waiting_end(&outer);
  }
  return cwi_in_call("cw_team_create", error);
}

/* A wrong colour on one member makes all members fail. Otherwise the others would wait for a member
 * that has returned. */
static cw_error check_colors(cw_team parent, int color)
{
  return cwi_team_agree(
      parent, color >= 0 || color == MPI_UNDEFINED
                  ? CW_OK
                  : cwi_misuse("color is %d; it may be 0 to %d, or MPI_UNDEFINED", color, INT_MAX));
}

cw_error cwi_team_make_inner(cw_team team, int color, int key, cw_team *part)
{
  MPI_Comm comm = MPI_COMM_NULL;
  *part = NULL;
  CWI_TRY(CWI_MPI(MPI_Comm_split(team->internal, color, key, &comm)));
  return team_make(NULL, comm, part);
}

static cw_error team_split(cw_team parent, int color, int key, cw_team *team)
{
  MPI_Comm comm = MPI_COMM_NULL;
  CWI_TRY(check_colors(parent, color));
  CWI_TRY(CWI_MPI(MPI_Comm_split(parent->internal, color, key, &comm)));
  return team_make(parent, comm, team);
}

cw_error cw_team_split(cw_team parent, int color, int key, cw_team *team)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (team == NULL)
    return cwi_in_call("cw_team_split", cwi_misuse("team is NULL; it receives the team"));
  *team = NULL;
  CWI_TRY(cwi_in_call("cw_team_split", cwi_check_team("parent", parent)));
  return CWI_COLLECTIVELY("cw_team_split", parent, cwi_argument_nothing(),
                          team_split(parent, color, key, team));
}

/* The agreement detects a member that is in another call. MPI would wait for that member for ever.
 */
static cw_error team_duplicate(cw_team team, cw_team *copy)
{
  MPI_Comm comm = MPI_COMM_NULL;
  CWI_TRY(cwi_team_agree(team, CW_OK));
  CWI_TRY(cwi_mpi_duplicate(team->internal, &comm));
  return team_make(team, comm, copy);
}

cw_error cw_team_split_node(cw_team parent, cw_team *team)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (team == NULL)
    return cwi_in_call("cw_team_split_node", cwi_misuse("team is NULL; it receives the team"));
  *team = NULL;
  CWI_TRY(cwi_in_call("cw_team_split_node", cwi_check_team("parent", parent)));
  return CWI_COLLECTIVELY("cw_team_split_node", parent, cwi_argument_nothing(),
                          team_split(parent, cwi_world.node, 0, team));
}

cw_error cw_team_dup(cw_team team, cw_team *copy)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (copy == NULL)
    return cwi_in_call("cw_team_dup", cwi_misuse("copy is NULL; it receives the team"));
  *copy = NULL;
  CWI_TRY(cwi_in_call("cw_team_dup", cwi_check_team("team", team)));
  return CWI_COLLECTIVELY("cw_team_dup", team, cwi_argument_nothing(), team_duplicate(team, copy));
}

void cwi_team_keep(cw_team team)
{
  __atomic_fetch_add(&team->references, 1, __ATOMIC_RELAXED);
}

/* Frees a team whose hierarchy has been freed. */
static cw_error team_end(cw_team team)
{
  if (hooks != NULL)
    hooks->end(team);
  const cw_error error = team_discard(team);
  cwi_object_end(&teams, team);
  return error;
}

cw_error cwi_team_end_hierarchy(cw_team team)
{
  struct cwi_hierarchy *hierarchy = team->hierarchy;
  if (hierarchy == NULL)
    return CW_OK;
  cw_team node = hierarchy->node, leaders = hierarchy->leaders;
  team->hierarchy = NULL;
  free(hierarchy);
  if (node != NULL)
    CWI_TRY(team_end(node));
  return leaders != NULL && leaders != team ? team_end(leaders) : CW_OK;
}

cw_error cwi_team_release(cw_team team)
{
  if (__atomic_sub_fetch(&team->references, 1, __ATOMIC_ACQ_REL) > 0)
    return CW_OK;
  CWI_TRY(cwi_team_end_hierarchy(team));
  return team_end(team);
}

void cwi_teams_forget(void)
{
  for (cw_team team = cwi_team_next(NULL); team != NULL; team = cwi_team_next(NULL)) {
    free_tables(team);
    cwi_object_end(&teams, team);
  }
}

cw_error cw_team_free(cw_team *team)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (team == NULL)
    return cwi_in_call("cw_team_free", cwi_misuse("the address of the team's handle is NULL"));
  cw_team freed = *team;
  if (freed == NULL)
    return CW_OK;
  CWI_TRY(cwi_in_call("cw_team_free", cwi_check_team("team", freed)));
  if (freed == cwi_world.team)
    return cwi_in_call("cw_team_free", cwi_misuse("the world cannot be freed"));
  *team = NULL;
  freed->freed = true;
  return cwi_in_call("cw_team_free", cwi_team_release(freed));
}

cw_error cw_team_translate(cw_team from, size_t count, const int *ranks, cw_team to,
                           int *translated)
{
  CWI_TRY(cwi_in_call("cw_team_translate", cwi_check_team("from", from)));
  CWI_TRY(cwi_in_call("cw_team_translate", cwi_check_team("to", to)));
  if (count > 0 && (ranks == NULL || translated == NULL))
    return cwi_in_call(
        "cw_team_translate",
        cwi_misuse("%s is NULL, but count is %zu", ranks == NULL ? "ranks" : "translated", count));
  if (!cwi_is_possible(count, sizeof *ranks))
    return cwi_in_call("cw_team_translate",
                       cwi_misuse("count is %zu; memory cannot hold that many ranks", count));
  for (size_t i = 0; i < count; i++)
    if (ranks[i] < 0 || ranks[i] >= from->size)
      return cwi_in_call(
          "cw_team_translate",
          cwi_misuse("ranks[%zu] is %d; the team has ranks 0 to %d", i, ranks[i], from->size - 1));
  for (size_t i = 0; i < count; i++)
    translated[i] = cwi_team_rank_of(to, from->process[ranks[i]]);
  return CW_OK;
}
