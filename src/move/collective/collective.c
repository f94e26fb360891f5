/* Which way a collective goes: a team on one node through shared memory, others by their hierarchy
 * of nodes. */
#include "collective/collective.h"

#include "base/copy.h"
#include "collective/hierarchical.h"
#include "collective/shared.h"

cw_error cwi_broadcast(cw_team team, int root, void *buffer, size_t bytes)
{
  if (team->size == 1 || bytes == 0)
    return CW_OK;
  if (team->memory == NULL)
    return cwi_hierarchical_broadcast(team, root, buffer, bytes);
  cwi_shared_broadcast(team, root, buffer, bytes);
  return CW_OK;
}

/* root: or -1, for all. */
static cw_error collective_reduce(cw_team team, int root, cw_type type, cw_reduction kind,
                                  size_t count, void *buffer)
{
  struct cwi_reduction reduction;
  CWI_TRY(cwi_reduction_find(type, kind, &reduction));
  if (reduction.prepare != NULL)
    cwi_combine(reduction.prepare, buffer, buffer, count * reduction.element);
  if (team->size == 1 || count == 0)
    return CW_OK;
  if (team->memory == NULL)
    return cwi_hierarchical_reduce(team, root, &reduction, buffer, count);
  cwi_shared_reduce(team, root, &reduction, buffer, count);
  return CW_OK;
}

cw_error cwi_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                       void *buffer)
{
  return collective_reduce(team, -1, type, reduction, count, buffer);
}

cw_error cwi_reduce(cw_team team, int root, cw_type type, cw_reduction reduction, size_t count,
                    void *buffer)
{
  return collective_reduce(team, root, type, reduction, count, buffer);
}

/* Is there nothing to tell others? A team of one moves its own piece. */
static bool move_alone(cw_team team, void *to, const void *from, size_t bytes)
{
  if (team->size == 1 && bytes > 0)
    cwi_copy(to, from, bytes);
  return team->size == 1 || bytes == 0;
}

static cw_error gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  if (move_alone(team, all, mine, bytes))
    return CW_OK;
  if (team->memory == NULL)
    return cwi_hierarchical_gather(team, root, mine, bytes, all);
  cwi_shared_gather(team, root, mine, bytes, all);
  return CW_OK;
}

cw_error cwi_allgather(cw_team team, const void *mine, size_t bytes, void *all)
{
  return gather(team, -1, mine, bytes, all);
}

cw_error cwi_gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  return gather(team, root, mine, bytes, all);
}

cw_error cwi_scan(cw_team team, cw_type type, cw_reduction kind, bool exclusive, size_t count,
                  void *buffer)
{
  struct cwi_reduction reduction;
  CWI_TRY(cwi_reduction_find(type, kind, &reduction));
  if (reduction.prepare != NULL)
    cwi_combine(reduction.prepare, buffer, buffer, count * reduction.element);
  if (team->size == 1 || count == 0)
    return CW_OK;
  if (team->memory == NULL)
    return cwi_hierarchical_scan(team, &reduction, exclusive, buffer, count);
  cwi_shared_scan(team, &reduction, exclusive, buffer, count);
  return CW_OK;
}

cw_error cwi_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine)
{
  if (move_alone(team, mine, all, bytes))
    return CW_OK;
  if (team->memory == NULL)
    return cwi_hierarchical_scatter(team, root, all, bytes, mine);
  cwi_shared_scatter(team, root, all, bytes, mine);
  return CW_OK;
}

cw_error cwi_alltoall(cw_team team, const void *mine, size_t bytes, void *all)
{
  if (move_alone(team, all, mine, bytes))
    return CW_OK;
  if (team->memory == NULL)
    return cwi_hierarchical_alltoall(team, mine, bytes, all);
  cwi_shared_alltoall(team, mine, bytes, all);
  return CW_OK;
}
