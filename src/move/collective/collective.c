/* Chooses the algorithm of a collective: shared memory for a team on one node, the hierarchy of
 * nodes for others. */
#include "collective/collective.h"

#include "collective/hierarchical_collective.h"
#include "collective/shared_collective.h"
#include "machine/copy.h"

/* Calls the function `name` for teams in shared memory, or the one for hierarchies of nodes. A job
 * that survives failures uses no messages of MPI, so that its teams on several nodes use the first
 * function, too. */
#define BY_PAGES_OR_HIERARCHY(team, name, ...)                                                     \
  ((team)->memory != NULL ? cwi_shared_##name(team, __VA_ARGS__)                                   \
   : (team)->home != 0    ? cwi_shared_finish_apart(team, cwi_shared_##name(team, __VA_ARGS__))    \
                          : cwi_hierarchical_##name(team, __VA_ARGS__))

/* Takes part in a collective that moves nothing. In shared memory, the members compare their calls.
 * A member that has data to move then gets an error instead of waiting for the others. */
static cw_error check_empty_call(cw_team team, int root, const struct cwi_reduction *reduction)
{
  return team->memory != NULL || team->home != 0 ? cwi_shared_nothing(team, root, reduction)
                                                 : CW_OK;
}

cw_error cwi_broadcast(cw_team team, int root, void *buffer, size_t bytes)
{
  if (team->size == 1)
    return CW_OK;
  if (bytes == 0)
    return check_empty_call(team, root, NULL);
  return BY_PAGES_OR_HIERARCHY(team, broadcast, root, buffer, bytes);
}

/* Finds the reduction and applies its `prepare` step, if it has one, to this member's numbers. */
static cw_error collective_prepare(cw_type type, cw_reduction kind, size_t count, void *buffer,
                                   struct cwi_reduction *reduction)
{
  CWI_TRY(cwi_reduction_find(type, kind, reduction));
  if (reduction->prepare != NULL)
    cwi_combine(reduction->prepare, buffer, buffer, count * reduction->element);
  return CW_OK;
}

cw_error cwi_reduce(cw_team team, int root, cw_type type, cw_reduction kind, size_t count,
                    void *buffer)
{
  struct cwi_reduction reduction;
  CWI_TRY(collective_prepare(type, kind, count, buffer, &reduction));
  if (team->size == 1)
    return CW_OK;
  if (count == 0)
    return check_empty_call(team, root, &reduction);
  return BY_PAGES_OR_HIERARCHY(team, reduce, root, &reduction, buffer, count);
}

cw_error cwi_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                       void *buffer)
{
  return cwi_reduce(team, -1, type, reduction, count, buffer);
}

cw_error cwi_scan(cw_team team, cw_type type, cw_reduction kind, bool exclusive, size_t count,
                  void *buffer)
{
  struct cwi_reduction reduction;
  CWI_TRY(collective_prepare(type, kind, count, buffer, &reduction));
  if (team->size == 1)
    return CW_OK;
  if (count == 0)
    return check_empty_call(team, exclusive, &reduction);
  return BY_PAGES_OR_HIERARCHY(team, scan, &reduction, exclusive, buffer, count);
}

/* Does a collective of one member or of no bytes. The only member of a team copies its own piece.
 */
static cw_error move_little(cw_team team, int root, void *to, const void *from, size_t bytes)
{
  if (team->size > 1)
    return check_empty_call(team, root, NULL);
  if (bytes > 0)
    cwi_copy(to, from, bytes);
  return CW_OK;
}

cw_error cwi_gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  if (team->size == 1 || bytes == 0)
    return move_little(team, root, all, mine, bytes);
  return BY_PAGES_OR_HIERARCHY(team, gather, root, mine, bytes, all);
}

cw_error cwi_allgather(cw_team team, const void *mine, size_t bytes, void *all)
{
  return cwi_gather(team, -1, mine, bytes, all);
}

cw_error cwi_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine)
{
  if (team->size == 1 || bytes == 0)
    return move_little(team, root, mine, all, bytes);
  return BY_PAGES_OR_HIERARCHY(team, scatter, root, all, bytes, mine);
}

cw_error cwi_alltoall(cw_team team, const void *mine, size_t bytes, void *all)
{
  if (team->size == 1 || bytes == 0)
    return move_little(team, -1, all, mine, bytes);
  return BY_PAGES_OR_HIERARCHY(team, alltoall, mine, bytes, all);
}
