/* The completion of process 1's operations fails: no process may wait for it in a barrier or when
 * a region is freed. The program's own fence replaces that of the library.
 */
#include "kit/native.h"

#include "base/error.h"
#include "region/region.h"
#include "route/rma/rma_probe.h"
#include "route/route.h"
#include "transfer/handle.h"

#include <string.h>

static cw_error fails; /* result of the next fence */

cw_error __real_cwi_routes_fence_all(void);
cw_error __wrap_cwi_routes_fence_all(void);

cw_error __wrap_cwi_routes_fence_all(void)
{
  const cw_error kind = fails;
  fails = CW_OK;
  if (kind == CW_OUTSIDE)
    return cwi_outside("the test's fence fails");
  if (kind == CW_MISUSE)
    return cwi_misuse("the test's put was refused");
  return __real_cwi_routes_fence_all();
}

/* With the argument "both", the probe reports an MPI whose windows need no help of the target, so
 * that servers and windows are used together. */
static bool both;

cw_error __real_cwi_probe_progress(struct cwi_probe *probe);
cw_error __wrap_cwi_probe_progress(struct cwi_probe *probe);

cw_error __wrap_cwi_probe_progress(struct cwi_probe *probe)
{
  const cw_error error = __real_cwi_probe_progress(probe);
  probe->progresses = probe->progresses || both;
  return error;
}

/* Makes the last step of a fence fail, once, on each route between nodes. */
static bool fails_once;
static int settled;

cw_error __real_cwi_implicit_settle(int process);
cw_error __wrap_cwi_implicit_settle(int process);

cw_error __wrap_cwi_implicit_settle(int process)
{
  const bool now = fails_once;
  fails_once = false;
  settled++;
  return now ? cwi_misuse("the test's get was refused") : __real_cwi_implicit_settle(process);
}

static void check_barrier(cw_error kind)
{
  kit_about("barrier, kind %d", (int)kind);
  fails = kit_me() == 1 ? kind : CW_OK;
  const cw_error error = cw_barrier(cw_team_world());
  kit_check_long(error, kit_me() == 1 ? kind : CW_OK, "the barrier's error");
  kit_barrier(); /* no process is left in the barrier */
  KIT_OK(cw_barrier(cw_team_world()));
}

/* An operation on the first route that a fence completes has failed; the other routes must be
 * fenced, too.
 */
static void check_routes(void)
{
  kit_about("fences of several routes");
  settled = 0;
  KIT_OK(cw_fence_all());
  const int routes = settled;
  kit_check(!both || routes == 2, "%d routes are in use", routes);
  settled = 0;
  fails_once = routes > 0;
  kit_check_long(cw_fence_all(), routes > 0 ? CW_MISUSE : CW_OK, "the error of a fence");
  kit_check_long(settled, routes, "routes that are fenced");
  settled = 0;
  fails_once = routes > 0;
  kit_check_long(cw_fence(0), routes > 0 ? CW_MISUSE : CW_OK, "the error of a fence");
  kit_check_long(settled, routes, "routes that are fenced");
  KIT_OK(cw_fence_all());
}

/* MPI did not complete the operations of process 1: the memory is not freed, and all members get
 * the error. */
static void check_free_outside(void)
{
  cw_region region = NULL, copy = NULL;
  kit_about("free, outside");
  KIT_MUST(cw_region_create(cw_team_world(), 100, &region, NULL));
  copy = region;
  fails = kit_me() == 1 ? CW_OUTSIDE : CW_OK;
  KIT_OUTSIDE("cw_region_free: ", cw_region_free(cw_team_world(), &copy));
  kit_check(cw_region_address(region, 0) != NULL, "the region is gone");
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* A put that was rejected has changed nothing: its error is returned, and the memory is freed. */
static void check_free_fails(void)
{
  cw_region region = NULL, copy = NULL;
  kit_about("free, refused");
  KIT_MUST(cw_region_create(cw_team_world(), 100, &region, NULL));
  copy = region;
  fails = kit_me() == 1 ? CW_MISUSE : CW_OK;
  const cw_error error = cw_region_free(cw_team_world(), &region);
  kit_check_long(error, kit_me() == 1 ? CW_MISUSE : CW_OK, "the error of freeing");
  kit_check(cw_region_address(copy, 0) == NULL, "the region lives");
}

int main(int argc, char **argv)
{
  both = argc > 1 && strcmp(argv[1], "both") == 0;
  kit_hang_guard();
  kit_start_native(&argc, &argv, "failing");
  check_barrier(CW_OUTSIDE);
  check_barrier(CW_MISUSE);
  check_routes();
  check_free_outside();
  check_free_fails();
  return kit_finish_native();
}
