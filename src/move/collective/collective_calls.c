/* The public calls. They check their arguments, and compare those arguments that must be the same
 * on all members. */
#include "collective/collective_calls.h"

#include "base/size.h"
#include "collective/collective.h"
#include "number/reduction.h"
#include "profile/profile.h"

cw_error cwi_check_root(cw_team team, int root)
{
  if (CWI_LIKELY((unsigned)root < (unsigned)team->size))
    return CW_OK;
  return cwi_misuse("root is %d; the team has ranks 0 to %d", root, team->size - 1);
}

cw_error cwi_check_buffer(const char *name, const void *buffer, const char *number, size_t given,
                          size_t count, size_t bytes)
{
  if (!cwi_is_possible(count, bytes))
    return cwi_misuse("%s is %zu: no buffer is that long", number, given);
  if (CWI_UNLIKELY(buffer == NULL && count > 0 && bytes > 0))
    return cwi_misuse("%s is NULL, but %s is %zu", name, number, given);
  return CW_OK;
}

cw_error cwi_check_broadcast(cw_team team, int root, const void *buffer, size_t bytes)
{
  CWI_TRY(cwi_check_team("team", team));
  CWI_TRY(cwi_check_root(team, root));
  return cwi_check_buffer("buffer", buffer, "bytes", bytes, 1, bytes);
}

cw_error cw_broadcast(cw_team team, int root, void *buffer, size_t bytes)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_broadcast", cwi_check_broadcast(team, root, buffer, bytes)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               cwi_argument_int("root", &root), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_broadcast", team, argument_list,
                          cwi_broadcast(team, root, buffer, bytes));
}

cw_error cwi_check_reduce(cw_team team, cw_type type, cw_reduction kind, size_t count,
                          const void *buffer)
{
  struct cwi_reduction reduction;
  CWI_TRY(cwi_check_team("team", team));
  CWI_TRY(cwi_reduction_find(type, kind, &reduction));
  return cwi_check_buffer("buffer", buffer, "count", count, count, reduction.element);
}

cw_error cw_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                      void *buffer)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_allreduce", cwi_check_reduce(team, type, reduction, count, buffer)));
  const struct cwi_argument argument_list[] = {
      cwi_argument_size("count", count), cwi_argument_type("type", type),
      cwi_argument_reduction("reduction", reduction), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_allreduce", team, argument_list,
                          cwi_allreduce(team, type, reduction, count, buffer));
}

cw_error cw_reduce(cw_team team, int root, cw_type type, cw_reduction reduction, size_t count,
                   void *buffer)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_reduce", cwi_check_reduce(team, type, reduction, count, buffer)));
  CWI_TRY(cwi_in_call("cw_reduce", cwi_check_root(team, root)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("count", count),
                                               cwi_argument_type("type", type),
                                               cwi_argument_reduction("reduction", reduction),
                                               cwi_argument_int("root", &root), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_reduce", team, argument_list,
                          cwi_reduce(team, root, type, reduction, count, buffer));
}

/* Checks the arguments of a gather or a scatter. `mine` has one piece on each member; `all` has all
 * pieces on the root and is ignored on other members. */
static cw_error check_pieces(cw_team team, int root, const void *mine, size_t bytes,
                             const void *all)
{
  CWI_TRY(cwi_check_team("team", team));
  CWI_TRY(cwi_check_root(team, root));
  CWI_TRY(cwi_check_buffer("mine", mine, "bytes", bytes, 1, bytes));
  const bool is_root = root == team->rank;
  return cwi_check_buffer("all", is_root ? all : mine, "bytes", bytes, (size_t)team->size, bytes);
}

cw_error cw_gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_gather", check_pieces(team, root, mine, bytes, all)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               cwi_argument_int("root", &root), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_gather", team, argument_list,
                          cwi_gather(team, root, mine, bytes, all));
}

cw_error cwi_check_allgather(cw_team team, const void *mine, size_t bytes, const void *all)
{
  CWI_TRY(cwi_check_team("team", team));
  return check_pieces(team, team->rank, mine, bytes, all);
}

cw_error cw_allgather(cw_team team, const void *mine, size_t bytes, void *all)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_allgather", cwi_check_allgather(team, mine, bytes, all)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_allgather", team, argument_list,
                          cwi_allgather(team, mine, bytes, all));
}

static cw_error scan(const char *call, cw_team team, cw_type type, cw_reduction reduction,
                     bool exclusive, size_t count, void *buffer)
{
  CWI_TRY(cwi_in_call(call, cwi_check_reduce(team, type, reduction, count, buffer)));
  const struct cwi_argument argument_list[] = {
      cwi_argument_size("count", count), cwi_argument_type("type", type),
      cwi_argument_reduction("reduction", reduction), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY(call, team, argument_list,
                          cwi_scan(team, type, reduction, exclusive, count, buffer));
}

cw_error cw_scan(cw_team team, cw_type type, cw_reduction reduction, size_t count, void *buffer)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  return scan("cw_scan", team, type, reduction, false, count, buffer);
}

cw_error cw_exclusive_scan(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                           void *buffer)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  return scan("cw_exclusive_scan", team, type, reduction, true, count, buffer);
}

cw_error cw_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_scatter", check_pieces(team, root, mine, bytes, all)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               cwi_argument_int("root", &root), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_scatter", team, argument_list,
                          cwi_scatter(team, root, all, bytes, mine));
}

cw_error cwi_check_alltoall(cw_team team, const void *mine, size_t bytes, const void *all)
{
  CWI_TRY(cwi_check_team("team", team));
  CWI_TRY(cwi_check_buffer("mine", mine, "bytes", bytes, (size_t)team->size, bytes));
  return cwi_check_buffer("all", all, "bytes", bytes, (size_t)team->size, bytes);
}

cw_error cw_alltoall(cw_team team, const void *mine, size_t bytes, void *all)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_alltoall", cwi_check_alltoall(team, mine, bytes, all)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_alltoall", team, argument_list, cwi_alltoall(team, mine, bytes, all));
}
