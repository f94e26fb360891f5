/* The shared counter, which gives each caller the number of the next piece of work. It is in the
 * memory of process 0. Every process increments it by an atomic operation, so no process has to run
 * code for the others. */
#include "ga/tcgmsg/run.h"

#include "tcgmsg.h"

static cw_region region;
static int64_t *counter;

static cw_error begin_anew(void)
{
  static const int64_t zero = 0;
  CWI_TRY(cw_barrier(cw_team_world()));
  if (cw_process() == 0)
    CWI_TRY(cw_atomic_write(CW_INT64, &zero, counter, 0));
  return cw_barrier(cw_team_world());
}

cw_error cwi_tcg_counter_start(void)
{
  const cw_team world = cw_team_world();
  CWI_TRY(cw_region_create(world, cw_process() == 0 ? sizeof *counter : 0, &region, NULL));
  counter = cw_region_address(region, 0);
  return begin_anew();
}

cw_error cwi_tcg_counter_stop(void)
{
  counter = NULL;
  return cw_region_free(cw_team_world(), &region);
}

cw_error cwi_tcg_next(long processes, long *value)
{
  int64_t before = 0;
  CWI_TRY(cwi_tcg_running());
  if (processes == 0)
    return cwi_misuse("mproc is 0; it must be the number of processes that take values, or "
                      "negative to reset the counter");
  if (processes < 0)
    CWI_TRY(begin_anew());
  else
    CWI_TRY(cw_fetch_add_int64(counter, 1, 0, &before));
  *value = (long)before;
  return CW_OK;
}

long tcg_nxtval(long mproc)
{
  long value = 0;
  (void)CWI_TCG(__func__, cwi_tcg_next(mproc, &value));
  return value;
}
