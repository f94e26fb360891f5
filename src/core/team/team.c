/* The table of teams; makes and frees them. */
#include "team/team.h"

#include "base/settings.h"
#include "base/size.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "team/home.h"
#include "team/world.h"
#include "wait/failures.h"
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
  free(team->survivor_entries);
  free(team->survivor_flags);
  free(team->home_piece);
}

static cw_error team_discard(cw_team team)
{
  MPI_Comm comm = team->comm, internal = team->internal;
  free_tables(team);
  if (cwi_failures_count() > 0)
    return CW_OK; /* MPI keeps them: it may wait for a failed member */
  if (comm != MPI_COMM_NULL)
    CWI_TRY(CWI_MPI(MPI_Comm_free(&comm)));
  return internal != MPI_COMM_NULL ? CWI_MPI(MPI_Comm_free(&internal)) : CW_OK;
}

static cw_error allocate_tables(cw_team team)
{
  team->process = calloc((size_t)team->size + 1, sizeof(int));
  team->by_process = calloc((size_t)team->size + 1, sizeof(int));
  bool has_all = team->process != NULL && team->by_process != NULL;
  if (team->size > CWI_TEAM_SMALL) {
    team->entries = calloc((size_t)team->size, sizeof *team->entries);
    has_all = has_all && team->entries != NULL;
  }
  if (cwi_settings.failures == CWI_FAILURES_SURVIVE) {
    team->survivor_entries = calloc((size_t)team->size, sizeof *team->survivor_entries);
    team->survivor_flags = calloc((size_t)team->size, 1);
    has_all = has_all && team->survivor_entries != NULL && team->survivor_flags != NULL;
  }
  return has_all ? CW_OK : cwi_outside("no memory for a team of %d processes", team->size);
}

/* Makes a communicator for the program, so that it cannot receive our messages. Allocates the
 * tables. */
static cw_error team_prepare(cw_team team)
{
  if (!team->inner)
    CWI_TRY(cwi_mpi_duplicate(team->internal, &team->comm));
  return allocate_tables(team);
}

static void find_shared(cw_team team)
{
  team->shared = cwi_settings.route != CWI_ROUTE_RMA;
  for (int rank = 0; rank < team->size; rank++)
    team->shared = team->shared && cwi_same_node(team->process[rank]);
}

static cw_error team_describe(cw_team team)
{
  CWI_TRY(cwi_mpi_allgather(&cwi_world.process, sizeof(int), team->process, team->internal));
  sort_ranks(team);
  find_shared(team);
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
cw_error cwi_team_wrap(MPI_Comm internal, bool inner, cw_team *out)
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

cw_error cwi_team_begin(cw_team team)
{
  return hooks != NULL ? hooks->begin(team) : CW_OK;
}

static cw_error team_draft(const int *processes, int count, cw_team *out)
{
  struct cwi_team draft = {.internal = MPI_COMM_NULL,
                           .comm = MPI_COMM_NULL,
                           .size = count,
                           .references = 1,
                           .awaits = -1};
  cw_error error = allocate_tables(&draft);
  cw_team team = error == CW_OK ? cwi_object_make(&teams) : NULL;
  if (error == CW_OK && team == NULL)
    error = cwi_outside("no memory for a team");
  if (error != CW_OK) {
    free_tables(&draft);
    return error;
  }
  memcpy(draft.process, processes, (size_t)count * sizeof *processes);
  sort_ranks(&draft);
  find_shared(&draft);
  draft.rank = cwi_team_rank_of(&draft, cwi_world.process);
  cwi_threads_lock();
  *team = draft;
  cwi_threads_unlock();
  *out = team;
  return CW_OK;
}

cw_error cwi_team_found(const int *processes, int count, cw_team *team, struct cwi_entry *made)
{
  CWI_TRY(team_draft(processes, count, team));
  if (processes[0] != cwi_world.process)
    return CW_OK;
  made->key = pick_id();
  made->address = (*team)->shared ? hooks->allocate(processes, count)
                                  : cwi_home_take(processes, count, made->key);
  return made->address != 0 ? CW_OK : CW_OUTSIDE;
}

void cwi_team_complete(cw_team team, uint64_t id, uint64_t offset)
{
  cwi_threads_lock();
  team->id = id;
  cwi_threads_unlock();
  if (cwi_is_home_place(offset))
    team->home = offset;
  else
    hooks->attach(team, offset);
}

void cwi_team_drop(cw_team team)
{
  if (team == NULL)
    return;
  hooks->end(team);
  if (team->home != 0)
    cwi_home_leave(team);
  free_tables(team);
  cwi_object_end(&teams, team);
}

void cwi_team_deallocate(uint64_t offset)
{
  if (cwi_is_home_place(offset))
    cwi_home_give(offset);
  else if (offset != 0)
    hooks->release(offset);
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
  if (team->home != 0)
    cwi_home_leave(team);
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
