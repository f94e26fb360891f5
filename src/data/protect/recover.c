/* Makes an array on the surviving members from the committed copies of an array. */
#include "protect/protect.h"

#include "array/array_arguments.h"
#include "array/array_walk.h"
#include "collective_call/collective_check.h"
#include "mpi/mpi_result.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "team/world.h"
#include "wait/failures.h"

#include <causeway/protect.h>
#include <causeway/sync.h>

#include <stdlib.h>

struct array_recovery {
  cw_array array;
  cw_team team;
  uint64_t commit;
  cw_array fresh;
  const struct cwi_argument *agreed;
};

/* Checks that the members of the team have the array. All that have it find the same, so no member
 * waits. */
static cw_error check_members(cw_array array, cw_team team)
{
  for (int rank = 0; rank < team->size; rank++)
    if (cwi_team_rank_of(array->team, team->process[rank]) < 0)
      return cwi_misuse("team has process %d, which is not in the team of array '%s'",
                        team->process[rank], array->name);
  return CW_OK;
}

/* Does the checks that may differ between members. */
static cw_error check(cw_array array, cw_array *recovered)
{
  CWI_TRY(cwi_check_not_null("recovered", recovered));
  return array->protection != NULL
             ? CW_OK
             : cwi_misuse(
                   "array '%s' is not protected: call cw_array_protect and cw_array_commit first",
                   array->name);
}

/* Finds the last commit that a member knows to be complete. A member that does not know it was in
 * that commit when a process failed. */
static cw_error agree_on_commit(struct array_recovery *recovery, cw_error mine)
{
  cw_team team = recovery->team;
  cw_array array = recovery->array;
  struct cwi_entry few[CWI_TEAM_SMALL], *all = cwi_team_entries(team, few);
  const uint64_t known = array->protection != NULL ? array->protection->commits : 0;
  const struct cwi_entry entry = {.key = array->region->key, .bytes = known};
  CWI_TRY(cwi_team_agree_on(team, mine, &entry, recovery->agreed, all));
  for (int rank = 0; rank < team->size; rank++)
    if (all[rank].bytes > recovery->commit)
      recovery->commit = all[rank].bytes;
  return recovery->commit > 0
             ? CW_OK
             : cwi_misuse("array '%s' has no committed contents: call cw_array_commit first",
                          array->name);
}

/* Returns the rank in the team of the member that restores the part of `part`: one that has a copy,
 * else one on the node of a copy. */
static int restorer(const struct array_recovery *recovery, int part)
{
  cw_team team = recovery->team;
  cw_array array = recovery->array;
  const struct cwi_keeper *keepers = cwi_part_keepers(array, part);
  for (int k = 0; k < array->protection->keepers; k++) {
    const int rank = cwi_team_rank_of(team, cwi_rank_process(array, keepers[k].rank));
    if (rank >= 0)
      return rank;
  }
  for (int k = 0; k < array->protection->keepers; k++) {
    const int node = cwi_world.node_of[cwi_rank_process(array, keepers[k].rank)];
    for (int rank = 0; rank < team->size; rank++)
      if (cwi_world.node_of[team->process[rank]] == node)
        return rank;
  }
  return part % team->size;
}

enum copy_reach { LOST, BY_MESSAGES, BY_LOADS, OWN };

/* Returns the keeper with the copy that this process reaches best, or NULL if there is none. */
static const struct cwi_keeper *best_keeper(cw_array array, int part, enum copy_reach *reach)
{
  const struct cwi_keeper *keepers = cwi_part_keepers(array, part), *best = NULL;
  *reach = LOST;
  for (int k = 0; k < array->protection->keepers; k++) {
    const int process = cwi_rank_process(array, keepers[k].rank);
    const enum copy_reach found = process == cwi_world.process        ? OWN
                                  : cwi_route_direct_reaches(process) ? BY_LOADS
                                  : !cwi_has_failed(process)          ? BY_MESSAGES
                                                                      : LOST;
    if (found <= *reach)
      continue;
    *reach = found;
    best = &keepers[k];
  }
  return best;
}

/* Puts the elements of a part to the fresh array. */
static cw_error put_part(const struct array_recovery *recovery, int part, char *copy)
{
  cw_array array = recovery->array;
  const int holder = cwi_rank_holder(array, part);
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], skip[CW_MAX_DIMENSIONS],
      strides[CW_MAX_DIMENSIONS];
  struct cwi_section section;
  struct cwi_walk walk;
  for (int d = 0; d < array->dimensions; d++)
    ranges[d] = (struct cwi_range){0, array->axes[d].extent, 1};
  cwi_walk_begin(&walk, array, ranges, CWI_WALK_SECTIONS, holder);
  while (cwi_walk_next_section(&walk, &section)) {
    for (int d = 0; d < array->dimensions; d++) {
      const struct cwi_range *range = &section.ranges[d];
      lo[d] = range->first;
      hi[d] = range->first + (range->count - 1) * range->step;
      skip[d] = range->count > 1 ? range->step : 1;
      strides[d] = section.strides[d] / (ptrdiff_t)array->element;
    }
    const cw_patch patch = {.operation = CW_PUT,
                            .lo = lo,
                            .hi = hi,
                            .skip = skip,
                            .buffer = copy + (section.address - cwi_holder_base(array, holder)),
                            .strides = strides};
    CWI_TRY(cwi_array_transfer(recovery->fresh, &patch));
  }
  return CW_OK;
}

static cw_error part_lost(cw_array array, int part)
{
  return cwi_failure(CW_FAILED,
                     "the part of rank %d of array '%s' is lost: all processes that had copies of "
                     "it have failed, first process %d",
                     part, array->name, cwi_rank_process(array, part));
}

static cw_error restore_part(const struct array_recovery *recovery, int part, size_t bytes)
{
  cw_array array = recovery->array;
  enum copy_reach reach = LOST;
  const struct cwi_keeper *keeper = best_keeper(array, part, &reach);
  if (keeper == NULL)
    return part_lost(array, part);
  char *copy = cwi_part_copy(array, part, keeper, recovery->commit);
  if (reach != BY_MESSAGES)
    return put_part(recovery, part, copy);
  char *buffer = malloc(bytes);
  if (buffer == NULL)
    return cwi_outside("no memory for %zu bytes to recover array '%s'", bytes, array->name);
  cw_error error = cw_get(buffer, copy, bytes, cwi_rank_process(array, keeper->rank));
  if (error == CW_OK)
    error = put_part(recovery, part, buffer);
  free(buffer);
  return error;
}

/* Restores the parts that are mine to restore. */
static cw_error restore(const struct array_recovery *recovery)
{
  for (int part = 0; part < recovery->array->team->size; part++) {
    const size_t bytes = cwi_rank_bytes(recovery->array, part);
    if (bytes > 0 && restorer(recovery, part) == recovery->team->rank)
      CWI_TRY(restore_part(recovery, part, bytes));
  }
  return cw_fence_all();
}

/* Creates the array and fills it. */
static cw_error make_fresh(struct array_recovery *recovery,
                           const struct cwi_survivor_distribution *distribution)
{
  cw_array array = recovery->array;
  const cw_array_options options = {.name = array->name,
                                    .type = array->type,
                                    .element_bytes = array->type == CW_OPAQUE ? array->element : 0,
                                    .dimensions = array->dimensions,
                                    .extents = distribution->extents,
                                    .distribution = distribution->what,
                                    .device = array->device};
  CWI_TRY(cw_array_create(recovery->team, &options, &recovery->fresh));
  recovery->fresh->long_doubles = array->long_doubles;
  return cwi_team_agree(recovery->team, restore(recovery));
}

/* Destroys the array that could not be filled, unless MPI has failed: then the other members may
 * not answer. */
static cw_error discard_fresh(struct array_recovery *recovery, cw_error error)
{
  struct cwi_first_error first;
  const bool from_mpi = cwi_error_is_from_mpi();
  cwi_first_begin(&first, error);
  if (!from_mpi)
    cwi_first_note(&first, cw_array_destroy(&recovery->fresh));
  return cwi_first_return(&first);
}

static cw_error recover(struct array_recovery *recovery, cw_array *recovered)
{
  struct cwi_survivor_distribution distribution = {.ranks = NULL};
  cw_error mine = check(recovery->array, recovered);
  if (mine == CW_OK)
    mine = cwi_survivor_distribution_make(recovery->array, recovery->team, &distribution);
  cw_error error = agree_on_commit(recovery, mine);
  if (error == CW_OK)
    error = make_fresh(recovery, &distribution);
  cwi_survivor_distribution_free(&distribution);
  if (error != CW_OK && recovery->fresh != NULL)
    return discard_fresh(recovery, error);
  if (error == CW_OK)
    *recovered = recovery->fresh;
  return error;
}

cw_error cw_array_recover(cw_array array, cw_team team, cw_array *recovered)
{
  CWI_PROFILED(CW_CALL_MAKE);
  static const char call[] = "cw_array_recover";
  CWI_TRY(cwi_in_call(call, cwi_check_array("array", array)));
  CWI_TRY(cwi_in_call(call, cwi_check_team("team", team)));
  CWI_TRY(cwi_in_call(call, check_members(array, team)));
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", array), CWI_ARGUMENTS_END};
  struct array_recovery recovery = {.array = array, .team = team, .agreed = agreed};
  return CWI_COLLECTIVELY(call, team, agreed, recover(&recovery, recovered));
}
