/* GA's collectives on the program's own memory: broadcast, and reductions in place. */
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include "collective/reduction_names.h"

static cw_error ga_reduce(int group, cw_type type, void *x, int count, const char *op)
{
  cw_team team = NULL;
  cw_reduction reduction = CW_SUM;
  CWI_TRY(cwi_ga_team("group", group, &team));
  CWI_TRY(cwi_check_not_negative("n", count));
  CWI_TRY(cwi_operator_find(op, type, &reduction));
  return cwi_ga_known_as(cw_allreduce(team, type, reduction, (size_t)count, x),
                         "reduction is op, count is n, buffer is x");
}

static cw_error reduce_code(int group, int code, void *x, int count, const char *op)
{
  cw_type type;
  size_t bytes = 0;
  const int given = code;
  CWI_TRY(cwi_ga_type(&code, &type, &bytes));
  if (type == CW_OPAQUE)
    return cwi_misuse("type is %d; a reduction takes C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, "
                      "C_SCPL or C_DCPL",
                      given);
  return ga_reduce(group, type, x, count, op);
}

static cw_error broadcast(int group, void *buffer, int bytes, int root)
{
  cw_team team = NULL;
  CWI_TRY(cwi_ga_team("group", group, &team));
  return cwi_ga_known_as(cw_broadcast(team, root, buffer, bytes > 0 ? (size_t)bytes : 0),
                         "buffer is buf");
}

void GA_Gop(int type, void *x, int n, char *op)
{
  (void)CWI_GA_WAITS(reduce_code(cwi_ga_default(), type, x, n, op));
}

void cwi_ga_reduce_in(int group, int type, void *x, int n, const char *op)
{
  (void)CWI_GA_WAITS(reduce_code(group, type, x, n, op));
}

void GA_Brdcst(void *buf, int bytes, int root)
{
  (void)CWI_GA_WAITS(broadcast(cwi_ga_default(), buf, bytes, root));
}

void GA_Pgroup_brdcst(int group, void *buf, int bytes, int root)
{
  (void)CWI_GA_WAITS(broadcast(group, buf, bytes, root));
}

/* Defines the two calls of a type: on the default group, and on a given group. */
#define REDUCTIONS(gop, pgroup_gop, element, type)                                                 \
  void GA_##gop(element x[], int n, char *op)                                                      \
  {                                                                                                \
    (void)CWI_GA_WAITS(ga_reduce(cwi_ga_default(), type, x, n, op));                               \
  }                                                                                                \
  void GA_Pgroup_##pgroup_gop(int group, element x[], int n, char *op)                             \
  {                                                                                                \
    (void)CWI_GA_WAITS(ga_reduce(group, type, x, n, op));                                          \
  }

REDUCTIONS(Igop, igop, int, CW_INT)
REDUCTIONS(Lgop, lgop, long, CW_LONG)
REDUCTIONS(Llgop, llgop, long long, CW_LONG_LONG)
REDUCTIONS(Fgop, fgop, float, CW_FLOAT)
REDUCTIONS(Dgop, dgop, double, CW_DOUBLE)
REDUCTIONS(Cgop, cgop, SingleComplex, CW_FLOAT_COMPLEX)
REDUCTIONS(Zgop, zgop, DoubleComplex, CW_DOUBLE_COMPLEX)

CWI_GA_NGA(Igop);
CWI_GA_NGA(Dgop);
CWI_GA_NGA(Pgroup_igop);
CWI_GA_NGA(Pgroup_lgop);
CWI_GA_NGA(Pgroup_llgop);
CWI_GA_NGA(Pgroup_fgop);
CWI_GA_NGA(Pgroup_dgop);
CWI_GA_NGA(Pgroup_zgop);
