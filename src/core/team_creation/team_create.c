/* The calls that create teams. With MPI they make communicators; in a job that survives failures
 * they use shared memory (team_in_memory.c). */
#include "base/settings.h"
#include "collective_call/collective_check.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "team/world.h"
#include "team_creation/team_creation.h"
#include "wait/failures.h"

#include <limits.h>
#include <stdlib.h>

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
  CWI_TRY(cwi_team_wrap(internal, parent == NULL, &team));
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
  if (cwi_survives())
    return cwi_team_create_in_memory(parent, members, ranks, tag, team);
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
  if (cwi_survives())
    return cwi_team_split_in_memory(parent, color, key, team);
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
  if (cwi_survives())
    return cwi_team_split_in_memory(team, 0, team->rank, copy);
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
