/* Copies of the parts of an array at several members: makes and frees them, and commits the
 * array's contents. */
#include "protect/protect.h"

#include "array/array_arguments.h"
#include "base/hash.h"
#include "base/size.h"
#include "collective_call/collective_check.h"
#include "device_transfer/device_region.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "team/world.h"

#include <causeway/protect.h>
#include <causeway/sync.h>

#include <stdlib.h>

/* A commit copies its part in pieces that fit into a cache: the first copy of a piece is the source
 * of the others. */
enum { ALIGNMENT = 64, PIECE = 256 << 10, MOST_ARRAYS = 1 << 20 };

/* Returns the distance between the two copies of a part. */
static size_t copy_stride(cw_array array, int rank)
{
  return cwi_round_up(cwi_rank_bytes(array, rank), ALIGNMENT);
}

char *cwi_part_copy(cw_array array, int rank, const struct cwi_keeper *keeper, uint64_t commit)
{
  char *slice = array->protection->region->slices[keeper->rank].address;
  return slice + keeper->offset + commit % 2 * copy_stride(array, rank);
}

/* --- Choice of the keepers -------------------------------------------------------------------- */

/* Lists the members in an order in which neighbours are on different nodes as far as possible: the
 * first member of each node, then the second of each, and so on. turns: [size] space. */
static void list_members(cw_team team, int *turns, int *order)
{
  int listed = 0;
  for (int rank = 0; rank < team->size; rank++) {
    turns[rank] = 0;
    for (int lower = rank - 1; lower >= 0 && turns[rank] == 0; lower--)
      if (cwi_world.node_of[team->process[lower]] == cwi_world.node_of[team->process[rank]])
        turns[rank] = turns[lower] + 1;
  }
  for (int turn = 0; listed < team->size; turn++)
    for (int rank = 0; rank < team->size; rank++)
      if (turns[rank] == turn)
        order[listed++] = rank;
}

/* Returns how many of `count` keepers are on the node of `rank`, or `count` + 1 if `rank` is a
 * keeper. */
static int keepers_on_node(cw_team team, const struct cwi_keeper *keepers, int count, int rank)
{
  const int node = cwi_world.node_of[team->process[rank]];
  int same = 0;
  for (int k = 0; k < count; k++) {
    if (keepers[k].rank == rank)
      return count + 1;
    same += cwi_world.node_of[team->process[keepers[k].rank]] == node;
  }
  return same;
}

/* Chooses the keepers of the part of the member at `place` of the order. Each further one is the
 * next member in the order on a node that has the fewest keepers so far. So each member keeps the
 * copies of as many parts as another one, if the nodes are alike. */
static void choose_keepers(cw_team team, const int *order, int place, int count,
                           struct cwi_keeper *keepers)
{
  keepers[0].rank = order[place];
  for (int k = 1; k < count; k++) {
    int fewest = k + 1;
    for (int step = 1; step < team->size && fewest > 0; step++) {
      const int rank = order[(place + step) % team->size];
      const int same = keepers_on_node(team, keepers, k, rank);
      if (same >= fewest)
        continue;
      fewest = same;
      keepers[k].rank = rank;
    }
  }
}

/* Chooses all keepers and gives each copy a place. *bytes receives the size of my slice. space: [3
 * * team size]. */
static void place_copies(cw_array array, struct cwi_protection *protection, size_t *space,
                         size_t *bytes)
{
  cw_team team = array->team;
  size_t *used = space;
  int *order = (int *)(void *)(space + team->size), *turns = order + team->size;
  list_members(team, turns, order);
  for (int place = 0; place < team->size; place++)
    choose_keepers(team, order, place, protection->keepers,
                   &protection->keeper[(size_t)order[place] * (size_t)protection->keepers]);
  for (int rank = 0; rank < team->size; rank++)
    for (int k = 0; k < protection->keepers; k++) {
      struct cwi_keeper *keeper =
          &protection->keeper[(size_t)rank * (size_t)protection->keepers + (size_t)k];
      keeper->offset = used[keeper->rank];
      used[keeper->rank] += 2 * copy_stride(array, rank);
    }
  *bytes = used[team->rank];
}

static cw_error make_protection(cw_array array, int copies, struct cwi_protection **made,
                                size_t *bytes)
{
  cw_team team = array->team;
  const int keepers = copies < team->size ? copies + 1 : team->size;
  const size_t count = (size_t)team->size * (size_t)keepers;
  size_t *space = calloc((size_t)team->size * 2, sizeof *space);
  *made = calloc(1, sizeof **made + count * sizeof(struct cwi_keeper));
  cw_error error = CW_OK;
  if (space == NULL || *made == NULL) {
    error = cwi_outside("no memory for the places of %zu copies of array '%s'", count, array->name);
  } else {
    (*made)->keepers = keepers;
    place_copies(array, *made, space, bytes);
  }
  free(space);
  return error;
}

/* --- Protection ------------------------------------------------------------------------------- */

static cw_error begin_protection(cw_array array, int copies)
{
  struct cwi_protection *made = NULL;
  size_t bytes = 0;
  const struct cwi_region_terms terms = {.mine = make_protection(array, copies, &made, &bytes)};
  cw_region region = NULL;
  const cw_error error = cwi_device_region_create(array->team, NULL, bytes, &terms, &region);
  if (error != CW_OK) {
    free(made);
    return error == CW_OUTSIDE
               ? cwi_error_append(error, "for the copies of array '%s'", array->name)
               : error;
  }
  made->region = region;
  array->protection = made;
  return CW_OK;
}

static cw_error protect(cw_array array, int copies, const struct cwi_argument *agreed)
{
  const struct cwi_entry entry = {
      .key = cwi_hash_add(cwi_hash_add(CWI_HASH_EMPTY, array->region->key), (uint64_t)copies)};
  CWI_TRY(cwi_team_agree_on(array->team, cwi_check_not_negative("copies", copies), &entry, agreed,
                            NULL));
  if (array->protection != NULL)
    CWI_TRY(cwi_array_unprotect(array));
  return copies > 0 ? begin_protection(array, copies) : CW_OK;
}

cw_error cw_array_protect(cw_array array, int copies)
{
  CWI_PROFILED(CW_CALL_MAKE);
  static const char call[] = "cw_array_protect";
  CWI_TRY(cwi_in_call(call, cwi_check_array("array", array)));
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", array),
                                        cwi_argument_int("copies", &copies), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY(call, array->team, agreed, protect(array, copies, agreed));
}

/* --- Commits ---------------------------------------------------------------------------------- */

struct commit {
  cw_team team;
  size_t count;
  const cw_array *arrays;
  const struct cwi_argument *agreed;
};

/* Copies my part to its keepers. */
static cw_error send_copies(cw_array array)
{
  cw_team team = array->team;
  const uint64_t number = array->protection->commits + 1;
  const struct cwi_keeper *keepers = cwi_part_keepers(array, team->rank);
  const char *part = array->region->slices[team->rank].address;
  char *own = cwi_part_copy(array, team->rank, &keepers[0], number);
  const size_t bytes = cwi_rank_bytes(array, team->rank);
  for (size_t at = 0; at < bytes; at += PIECE) {
    const size_t piece = bytes - at < PIECE ? bytes - at : PIECE;
    CWI_TRY(cw_get(own + at, part + at, piece, cwi_world.process));
    for (int k = 1; k < array->protection->keepers; k++)
      CWI_TRY(cw_put(own + at, cwi_part_copy(array, team->rank, &keepers[k], number) + at, piece,
                     team->process[keepers[k].rank]));
  }
  return CW_OK;
}

static cw_error send_all(const struct commit *commit)
{
  for (size_t i = 0; i < commit->count; i++)
    CWI_TRY(send_copies(commit->arrays[i]));
  return cw_fence_all();
}

/* Does the checks that may differ between members, and completes my updates. */
static cw_error commit_prepare(const struct commit *commit, uint64_t *key)
{
  for (size_t i = 0; i < commit->count; i++) {
    cw_array array = commit->arrays[i];
    CWI_TRY(cwi_check_array("one of arrays", array));
    if (array->team != commit->team)
      return cwi_misuse("arrays[%zu] ('%s') has another team than arrays[0]", i, array->name);
    if (array->protection == NULL)
      return cwi_misuse("array '%s' is not protected: call cw_array_protect first", array->name);
    *key = cwi_hash_add(cwi_hash_add(*key, array->region->key), array->protection->commits);
  }
  return cw_fence_all();
}

/* Commits the contents. The first agreement waits until all updates of the arrays are complete, and
 * until all members know the last commit, because this one overwrites the copies of the one before
 * that. The second one returns CW_OK only if all copies are complete. */
static cw_error commit_run(const struct commit *commit)
{
  uint64_t key = CWI_HASH_EMPTY;
  const cw_error mine = commit_prepare(commit, &key);
  const struct cwi_entry entry = {.key = mine == CW_MISUSE ? 0 : key};
  CWI_TRY(cwi_team_agree_on(commit->team, mine, &entry, commit->agreed, NULL));
  CWI_TRY(cwi_team_agree(commit->team, send_all(commit)));
  for (size_t i = 0; i < commit->count; i++)
    commit->arrays[i]->protection->commits++;
  return CW_OK;
}

cw_error cw_array_commit(cw_array array)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_commit";
  CWI_TRY(cwi_in_call(call, cwi_check_array("array", array)));
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", array), CWI_ARGUMENTS_END};
  const struct commit commit = {
      .team = array->team, .count = 1, .arrays = &array, .agreed = agreed};
  return CWI_COLLECTIVELY(call, array->team, agreed, commit_run(&commit));
}

static cw_error check_first(size_t count, const cw_array *arrays)
{
  if (cwi_world.processes == 0)
    return cwi_not_running();
  CWI_TRY(cwi_check_not_null("arrays", arrays));
  if (count < 1 || count > MOST_ARRAYS)
    return cwi_misuse("count is %zu; it may be 1 to %d", count, MOST_ARRAYS);
  return cwi_check_array("arrays[0]", arrays[0]);
}

cw_error cw_arrays_commit(size_t count, const cw_array *arrays)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_arrays_commit";
  CWI_TRY(cwi_in_call(call, check_first(count, arrays)));
  const struct cwi_argument agreed[] = {cwi_argument_size("count", count),
                                        cwi_agreed_arrays("arrays", arrays, count),
                                        CWI_ARGUMENTS_END};
  const struct commit commit = {
      .team = arrays[0]->team, .count = count, .arrays = arrays, .agreed = agreed};
  return CWI_COLLECTIVELY(call, commit.team, agreed, commit_run(&commit));
}
