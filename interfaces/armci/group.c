/* ARMCI's groups: teams behind handles that a program may copy. */
#include "binding.h"

#include "base/reserve.h"
#include "inner_calls.h"
#include "mpi/mpi_progress.h"
#include "team/team.h"

#include <stdint.h>
#include <stdlib.h>

/* An ARMCI_Group lives in the program's memory, and the program copies it freely. It therefore
 * holds the number of the team's slot in this table and the generation of that slot. A later group
 * in the same slot has another generation, so a copy that outlives its group finds nothing. Slot 0
 * is the world, whose group stays valid when ARMCI is started again. */
struct entry {
  cw_team team; /* NULL if the slot is free */
  uint32_t generation;
  cw_team scopes[3]; /* team of each scope, created at its first use. NULL if it does not exist yet,
                        is the whole team, or does not include this process */
};

static struct entry *entries;
static size_t slots, capacity;
static ARMCI_Group default_group;

/* Fills *group. The slot and the generation are stored in grp_to_abs and abs_to_grp, which no code
 * uses as pointers. */
static void write_group(ARMCI_Group *group, size_t slot)
{
  const struct entry *entry = &entries[slot];
  *group = (ARMCI_Group){.comm = cw_team_comm(entry->team),
                         .noncoll_pgroup_comm = MPI_COMM_NULL,
                         .grp_to_abs = (int *)(uintptr_t)(slot + 1),
                         .abs_to_grp = (int *)(uintptr_t)entry->generation,
                         .rank = cw_team_rank(entry->team),
                         .size = cw_team_size(entry->team)};
}

static void clear_group(ARMCI_Group *group)
{
  *group = (ARMCI_Group){.comm = MPI_COMM_NULL, .noncoll_pgroup_comm = MPI_COMM_NULL, .rank = -1};
}

static struct entry *entry_of(const ARMCI_Group *group)
{
  const size_t slot = (uintptr_t)group->grp_to_abs - 1; /* SIZE_MAX if the group has no slot */
  if (slot >= slots || entries[slot].generation != (uintptr_t)group->abs_to_grp)
    return NULL;
  return entries[slot].team != NULL ? &entries[slot] : NULL;
}

static cw_error armci_group_add(cw_team team, ARMCI_Group *group)
{
  size_t slot = 0;
  while (slot < slots && entries[slot].team != NULL)
    slot++;
  if (slot == slots) {
    if (!CWI_RESERVE(entries, slots, capacity, 16))
      return cwi_outside("no memory for a table of %zu groups", slots + 1);
    entries[slots++] = (struct entry){0};
  }
  entries[slot].team = team;
  entries[slot].generation += slot > 0;
  write_group(group, slot);
  return CW_OK;
}

/* Makes *group the group of a new team. `made` is the result of the call that created the team.
 * `team` is NULL if this process is not a member. */
static cw_error armci_group_publish(cw_error made, cw_team team, ARMCI_Group *group)
{
  clear_group(group);
  if (made != CW_OK || team == NULL)
    return made;
  cwi_threads_lock();
  const cw_error error = armci_group_add(team, group);
  cwi_threads_unlock();
  return error;
}

/* Returns true if ARMCI's groups exist. Causeway may run without ARMCI. */
static bool groups_run(void)
{
  cwi_threads_lock();
  const bool run = slots > 0 && entries[0].team != NULL;
  cwi_threads_unlock();
  return run;
}

cw_team cwi_armci_team(const ARMCI_Group *group)
{
  if (group == NULL)
    return NULL;
  cwi_threads_lock();
  const struct entry *entry = entry_of(group);
  cw_team team = entry != NULL ? entry->team : NULL;
  cwi_threads_unlock();
  return team;
}

cw_error cwi_armci_member(const char *what, const ARMCI_Group *group, cw_team *team)
{
  CWI_TRY(cwi_check_not_null(what, group));
  *team = cwi_armci_team(group);
  if (*team != NULL)
    return CW_OK;
  if (!groups_run())
    return cwi_armci_not_running();
  return cwi_misuse(
      "%s is not a group of which this process is a member (it was never made, or was freed)",
      what);
}

ARMCI_Group cwi_armci_default_group(void)
{
  return default_group;
}

cw_error cwi_armci_groups_start(void)
{
  /* The groups may still exist from an earlier start. */
  if (!groups_run())
    return armci_group_publish(CW_OK, cw_team_world(), &default_group);
  write_group(&default_group, 0);
  return CW_OK;
}

/* Clears the table. Causeway frees the remaining teams when it stops. */
void cwi_armci_groups_stop(void)
{
  for (size_t slot = 0; slot < slots; slot++) {
    entries[slot].team = NULL;
    for (int scope = 0; scope < 3; scope++)
      entries[slot].scopes[scope] = NULL;
  }
}

static size_t armci_group_slot(cw_team team)
{
  size_t slot = 0;
  while (slot < slots && entries[slot].team != team)
    slot++;
  return slot;
}

cw_error cwi_armci_default_is(cw_team team)
{
  cwi_threads_lock();
  const size_t slot = armci_group_slot(team);
  cw_error error = CW_OK;
  if (slot < slots)
    write_group(&default_group, slot);
  else
    error = armci_group_add(team, &default_group);
  cwi_threads_unlock();
  return error;
}

cw_error cwi_armci_forget_team(cw_team team)
{
  cwi_threads_lock();
  const size_t slot = armci_group_slot(team);
  struct entry removed = {0};
  if (slot > 0 && slot < slots) {
    removed = entries[slot];
    entries[slot] = (struct entry){.generation = removed.generation};
    if (entry_of(&default_group) == NULL)
      write_group(&default_group, 0);
  }
  cwi_threads_unlock();
  for (int scope = SCOPE_NODE; scope <= SCOPE_MASTERS; scope++)
    if (removed.scopes[scope] != NULL)
      CWI_TRY(cw_team_free(&removed.scopes[scope]));
  return CW_OK;
}

/* Returns true if the scope covers this rank of the team. The masters are the lowest rank of each
 * domain. */
static bool covers(cw_team team, int scope, int rank)
{
  const int domain = cwi_armci_domain_of(team->process[rank]);
  if (scope == SCOPE_NODE)
    return domain == cwi_armci_domain_of(cw_process());
  for (int lower = 0; lower < rank; lower++)
    if (cwi_armci_domain_of(team->process[lower]) == domain)
      return false;
  return true;
}

/* Creates the team of a scope. Only its members call this. They make their collective calls in the
 * same order, so the team can be created when it is first needed. */
static cw_error make_scope(cw_team team, int scope, cw_team *made)
{
  int *ranks = calloc((size_t)team->size, sizeof *ranks);
  if (ranks == NULL)
    return cwi_outside("no memory for %d ranks", team->size);
  size_t count = 0;
  for (int rank = 0; rank < team->size; rank++)
    if (covers(team, scope, rank))
      ranks[count++] = rank;
  const cw_error error = cw_team_create(team, count, ranks, 0, made);
  free(ranks);
  return error;
}

/* Returns true if the scope covers the whole team, so that no other team is needed. If each domain
 * has one process, every process is a master. */
static bool is_whole(cw_team team, int scope)
{
  return scope == SCOPE_ALL || team->size == 1 ||
         (scope == SCOPE_MASTERS && cwi_armci_domain_size() == 1);
}

cw_error cwi_armci_scope(const ARMCI_Group *group, int scope, cw_team *team)
{
  *team = NULL;
  CWI_TRY(cwi_armci_check_scope(scope));
  if (!groups_run())
    return cwi_armci_not_running();
  ARMCI_Group world;
  write_group(&world, 0);
  const ARMCI_Group *whole = group != NULL ? group : &world;
  cw_team all = cwi_armci_team(whole);
  if (all == NULL)
    return cwi_misuse("this process is not a member of the group, or the group was freed");
  cwi_threads_lock();
  *team = is_whole(all, scope) ? all : entry_of(whole)->scopes[scope];
  cwi_threads_unlock();
  if (*team != NULL)
    return CW_OK;
  CWI_TRY(make_scope(all, scope, team));
  cwi_threads_lock();
  entry_of(whole)->scopes[scope] = *team;
  cwi_threads_unlock();
  return CW_OK;
}

/* Frees a group's teams. It clears the entry first, so that no copy of the group finds the entry
 * even if freeing a team fails. */
static cw_error remove_group(ARMCI_Group *group)
{
  struct entry *entry = entry_of(group);
  if (entry == NULL)
    return CW_OK;
  if (entry == entries)
    return cwi_misuse("the world group cannot be freed");
  struct entry removed = *entry;
  *entry = (struct entry){.generation = removed.generation};
  for (int scope = SCOPE_NODE; scope <= SCOPE_MASTERS; scope++)
    CWI_TRY(cw_team_free(&removed.scopes[scope]));
  return cw_team_free(&removed.team);
}

static cw_error armci_group_create(const char *what, const ARMCI_Group *of, int size,
                                   const int *ranks, ARMCI_Group *group)
{
  cw_team parent = NULL, team = NULL;
  CWI_TRY(cwi_check_not_null("group_out", group));
  CWI_TRY(cwi_armci_member(what, of, &parent));
  CWI_TRY(cwi_check_not_negative("grp_size", size));
  if (size > 0)
    CWI_TRY(cwi_check_not_null("pid_list", ranks));
  clear_group(group);
  const cw_error error = cw_team_create(parent, (size_t)size, ranks, 0, &team);
  return armci_group_publish(
      cwi_armci_known_as(error, "members is grp_size, ranks is pid_list, parent is the group"),
      team, group);
}

void ARMCI_Group_create(int grp_size, int *pid_list, ARMCI_Group *group_out)
{
  (void)CWI_ARMCI_WAITS(
      armci_group_create("the default group", &default_group, grp_size, pid_list, group_out));
}

void ARMCI_Group_create_child(int grp_size, int *pid_list, ARMCI_Group *group_out,
                              ARMCI_Group *group_parent)
{
  (void)CWI_ARMCI_WAITS(
      armci_group_create("group_parent", group_parent, grp_size, pid_list, group_out));
}

static cw_error armci_group_split(const ARMCI_Group *of, int color, int key, ARMCI_Group *group)
{
  cw_team parent = NULL, team = NULL;
  CWI_TRY(cwi_check_not_null("new_group", group));
  CWI_TRY(cwi_armci_member("parent", of, &parent));
  const cw_error error = cw_team_split(parent, color, key, &team);
  return armci_group_publish(error, team, group);
}

int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group)
{
  return CWI_ARMCI_WAITS(armci_group_split(parent, color, key, new_group));
}

static cw_error armci_group_duplicate(const ARMCI_Group *of, ARMCI_Group *group)
{
  cw_team parent = NULL, team = NULL;
  CWI_TRY(cwi_check_not_null("new_group", group));
  CWI_TRY(cwi_armci_member("parent", of, &parent));
  const cw_error error = cw_team_dup(parent, &team);
  return armci_group_publish(error, team, group);
}

int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group)
{
  return CWI_ARMCI_WAITS(armci_group_duplicate(parent, new_group));
}

static cw_error free_group(ARMCI_Group *group)
{
  CWI_TRY(cwi_check_not_null("group", group));
  cwi_threads_lock();
  const cw_error error = remove_group(group);
  cwi_threads_unlock();
  clear_group(group);
  return error;
}

void ARMCI_Group_free(ARMCI_Group *group)
{
  (void)CWI_ARMCI(free_group(group));
}

/* Processes that are not members also call this. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank)
{
  if (CWI_ARMCI(cwi_check_not_null("group", group)) != 0 ||
      CWI_ARMCI(cwi_check_not_null("rank", rank)) != 0)
    return 1;
  *rank = cw_team_rank(cwi_armci_team(group));
  return *rank < 0;
}

void ARMCI_Group_size(ARMCI_Group *group, int *size)
{
  if (CWI_ARMCI(cwi_check_not_null("group", group)) == 0 &&
      CWI_ARMCI(cwi_check_not_null("size", size)) == 0)
    *size = cw_team_size(cwi_armci_team(group));
}

void ARMCI_Group_set_default(ARMCI_Group *group)
{
  cw_team team = NULL;
  if (CWI_ARMCI(cwi_armci_member("group", group, &team)) == 0)
    default_group = *group;
}

void ARMCI_Group_get_default(ARMCI_Group *group_out)
{
  if (CWI_ARMCI(cwi_check_not_null("group_out", group_out)) == 0)
    *group_out = default_group;
}

void ARMCI_Group_get_world(ARMCI_Group *group_out)
{
  if (CWI_ARMCI(cwi_check_not_null("group_out", group_out)) != 0)
    return;
  clear_group(group_out);
  if (groups_run())
    write_group(group_out, 0);
}

static cw_error check_rank(cw_team team, int rank)
{
  if (team == NULL || (rank >= 0 && rank < cw_team_size(team)))
    return CW_OK;
  return cwi_misuse("group_rank is %d; the group has ranks 0 to %d", rank, cw_team_size(team) - 1);
}

/* Returns -1 if the group was freed, because GA calls this function even then. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank)
{
  cw_team team = cwi_armci_team(group);
  if (CWI_ARMCI(cwi_check_not_null("group", group)) != 0)
    return -1;
  return CWI_ARMCI(check_rank(team, group_rank)) == 0 ? cw_team_process(team, group_rank) : -1;
}
