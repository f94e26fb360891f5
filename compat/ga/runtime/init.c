/* Start and stop of GA. */
#include "ga/array/nominal.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"
#include "ga/memory/memory.h"
#include "ga/sparse/sparse.h"

#include "array/array.h"
#include "base/clock.h"
#include "base/ends.h"
#include "base/failures.h"
#include "team/world.h"

/* All that the binding keeps; arrays, teams and mutexes go with Causeway. Also when the program
 * calls cw_finalize itself. */
static void ga_forget(void)
{
  cwi_ga_runs = false;
  cwi_accesses_stay(false);
  cwi_ga_nominals_stop();
  cwi_sparse_stop();
  cwi_ga_handles_stop();
  cwi_ga_groups_stop();
  cwi_ga_order_stop();
  cwi_ga_memory_stop();
}

static cw_error ga_start(MPI_Comm comm)
{
  static struct cwi_end end = {.run = ga_forget};
  if (cwi_ga_runs)
    return CW_OK;
  cwi_failures_by_binding();
  CWI_TRY(cw_init(comm));
  cwi_at_end(&end);
  cwi_ga_runs = true;
  cwi_accesses_stay(true);
  return cwi_ga_groups_start();
}

/* Collective; the processes may come at very different times. */
static cw_error ga_stop(void)
{
  if (!cwi_ga_runs)
    return CW_OK;
  CWI_TRY(cwi_world_may_stop());
  CWI_TRY(cw_barrier(cw_team_world()));
  ga_forget();
  return cw_finalize();
}

void GA_Initialize(void)
{
  (void)CWI_GA_WAITS(ga_start(MPI_COMM_WORLD));
}

void GA_Initialize_args(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  (void)CWI_GA_WAITS(ga_start(MPI_COMM_WORLD));
}

void GA_Initialize_ltd(size_t limit)
{
  if (CWI_GA_WAITS(ga_start(MPI_COMM_WORLD)) == 0)
    GA_Set_memory_limit(limit);
}

int GA_Initialize_comm(MPI_Comm comm)
{
  return CWI_GA_WAITS(ga_start(comm)) == 0;
}

void GA_Terminate(void)
{
  (void)CWI_GA_WAITS(ga_stop());
}

int GA_Initialized(void)
{
  return cwi_ga_runs;
}

double GA_Wtime(void)
{
  return cwi_now();
}

/* --- What changes nothing --- */

static int debug;

void GA_Set_debug(int flag)
{
  debug = flag;
}

int GA_Get_debug(void)
{
  return debug;
}

/* Indices are C's. */
int GA_Uses_fapi(void)
{
  return 0;
}

int GA_Uses_ma(void)
{
  return 0;
}

void GA_Register_stack_memory(void *(*ext_alloc)(size_t, int, char *), void (*ext_free)(void *))
{
  (void)ext_alloc;
  (void)ext_free;
}

void NGA_Alloc_gatscat_buf(int elements)
{
  (void)CWI_GA(cwi_not_negative("elements", elements));
}

void NGA_Free_gatscat_buf(void) {}

CWI_GA_NGA(Initialize);
CWI_GA_NGA(Initialize_ltd);
CWI_GA_NGA(Initialize_comm);
CWI_GA_NGA(Initialized);
CWI_GA_NGA(Terminate);
CWI_GA_NGA(Wtime);
CWI_GA_NGA(Set_debug);
CWI_GA_NGA(Get_debug);
CWI_GA_NGA(Uses_ma);
