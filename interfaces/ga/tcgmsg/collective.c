/* Collective operations: broadcast, reductions, synchronisation. */
#include "ga/tcgmsg/run.h"

#include "base/reword.h"
#include "collective/reduction_names.h"

#include "tcgmsg.h"

#include <limits.h>

static cw_error renamed(cw_error error, const char *names)
{
  return CWI_LIKELY(error == CW_OK) ? CW_OK : cwi_reword(error, names);
}

cw_error cwi_tcg_broadcast(void *buffer, long bytes, long root)
{
  CWI_TRY(cwi_tcg_running());
  CWI_TRY(cwi_check_not_negative("lenbuf", bytes));
  const int rank = root >= INT_MIN && root <= INT_MAX ? (int)root : -1;
  return renamed(cw_broadcast(cw_team_world(), rank, buffer, (size_t)bytes),
                 "root is originator, buffer is buf, bytes is lenbuf");
}

cw_error cwi_tcg_reduce(cw_type type, void *x, long count, const char *op)
{
  cw_reduction reduction = CW_SUM;
  CWI_TRY(cwi_tcg_running());
  CWI_TRY(cwi_check_not_negative("n", count));
  CWI_TRY(cwi_check_not_null("op", op));
  CWI_TRY(cwi_operator_find(op, type, &reduction));
  return renamed(cw_allreduce(cw_team_world(), type, reduction, (size_t)count, x),
                 "reduction is op, count is n, buffer is x");
}

/* Waits for all processes. */
cw_error cwi_tcg_synchronise(void)
{
  CWI_TRY(cwi_tcg_running());
  return cw_barrier(cw_team_world());
}

/* --- The calls in C --- */

void tcg_brdcst(long type, void *buf, long lenbuf, long originator)
{
  (void)type;
  (void)CWI_TCG(__func__, cwi_tcg_broadcast(buf, lenbuf, originator));
}

void tcg_dgop(long type, double *x, long n, char *op)
{
  (void)type;
  (void)CWI_TCG(__func__, cwi_tcg_reduce(CW_DOUBLE, x, n, op));
}

void tcg_igop(long type, long *x, long n, char *op)
{
  (void)type;
  (void)CWI_TCG(__func__, cwi_tcg_reduce(CW_LONG, x, n, op));
}

void tcg_synch(long type)
{
  (void)type;
  (void)CWI_TCG(__func__, cwi_tcg_synchronise());
}
