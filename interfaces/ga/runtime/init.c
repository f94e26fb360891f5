/* Start and stop of GA. */
#include "ga/array/nominal.h"
#include "ga/array/patch.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"
#include "ga/memory/memory.h"
#include "ga/sparse/sparse.h"

#include "armci/inner_calls.h"
#include "array/array.h"
#include "base/clock.h"
#include "base/stop_hooks.h"
#include "base/unread_errors.h"
#include "mpi/mpi_progress.h"
#include "region/region.h"
#include "runtime/runtime.h"
#include "team/world.h"

#include <stdlib.h>

/* Discards all state of GA. Causeway frees the remaining arrays, teams and mutexes. This function
 * also runs when the program itself calls cw_finalize. */
static void ga_forget(void)
{
  cwi_ga.runs = false;
  cwi_accesses_may_stay_open(false);
  cwi_ga_nominals_stop();
  cwi_sparse_stop();
  cwi_ga_handles_stop();
  cwi_ga_groups_stop();
  cwi_ga_order_stop();
  cwi_ga_memory_stop();
}

static cw_error ga_start(MPI_Comm comm)
{
  static struct cwi_stop_hook end = {.run = ga_forget};
  if (cwi_ga.runs)
    return CW_OK;
  cwi_failures_by_binding();
  CWI_TRY(cw_init(comm));
  cwi_stop_hook_add(&end);
  cwi_ga.runs = true;
  cwi_accesses_may_stay_open(true);
  CWI_TRY(cwi_armci_hold());
  return cwi_ga_groups_start();
}

/* Checks a communicator if pbeginf or cw_init has already started Causeway. It must have the same
 * processes as the world; the server ranks may be included. */
static cw_error check_comm(MPI_Comm comm)
{
  const MPI_Comm known[] = {cwi_world.all_comm, cwi_world.team->internal};
  int relation = MPI_UNEQUAL;
  CWI_TRY(cwi_world_check(comm));
  for (int i = 0; i < 2 && relation == MPI_UNEQUAL; i++)
    CWI_TRY(CWI_MPI(MPI_Comm_compare(comm, known[i], &relation)));
  if (relation != MPI_UNEQUAL)
    return CW_OK;
  return cwi_misuse("Causeway runs already, on %d processes, and comm has other ones: call "
                    "GA_Initialize, which starts GA on the processes of Causeway",
                    cw_processes());
}

static cw_error ga_start_on(MPI_Comm comm)
{
  if (cw_initialized())
    CWI_TRY(check_comm(comm));
  return ga_start(comm);
}

/* --- Objects that the program has not destroyed, if Causeway continues without GA --- */

/* An array or a sparse array that the program has not destroyed. */
struct left {
  uint64_t key; /* key of its region; if it was never assembled and has no region, id of its team */
  bool assembled, sparse;
  int handle;
};

/* Orders the entries in the same way on all processes, so that the members of a team free the same
 * array at the same time. */
static int by_key(const void *left, const void *right)
{
  const struct left *a = left, *b = right;
  if (a->assembled != b->assembled)
    return a->assembled - b->assembled;
  return (a->key > b->key) - (a->key < b->key);
}

/* Returns the number of remaining arrays, and stores them in `list`, which may be NULL. */
static size_t list_left(struct left *list)
{
  size_t count = 0;
  for (int g_a = CWI_GA_FIRST; g_a < CWI_GA_FIRST + CWI_GA_HANDLES; g_a++) {
    const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
    if (entry == NULL || entry->array == NULL)
      continue;
    if (list != NULL)
      list[count] = (struct left){entry->array->region->key, true, false, g_a};
    count++;
  }
  for (struct cwi_sparse *sparse = NULL; (sparse = cwi_sparse_next(sparse)) != NULL; count++) {
    const bool assembled = sparse->region != NULL;
    if (list != NULL)
      list[count] = (struct left){assembled ? sparse->region->key : sparse->team->id, assembled,
                                  true, cwi_sparse_handle(sparse)};
  }
  return count;
}

static cw_error free_arrays(void)
{
  cw_error error = CW_OK;
  const size_t count = list_left(NULL);
  struct left *list = calloc(count + 1, sizeof *list);
  if (list == NULL)
    return cwi_outside("no memory for a list of %zu arrays", count);
  list_left(list);
  qsort(list, count, sizeof *list, by_key);
  for (size_t i = 0; i < count && error == CW_OK; i++)
    error = list[i].sparse ? cwi_sparse_destroy(list[i].handle) : cwi_ga_destroy(list[i].handle);
  free(list);
  return error;
}

static cw_error free_left(void)
{
  CWI_TRY(cwi_ga_mutexes_free());
  CWI_TRY(free_arrays());
  return cwi_ga_groups_free();
}

/* Stops GA. Collective. The processes may arrive at very different times. */
static cw_error ga_stop(void)
{
  if (!cwi_ga.runs)
    return CW_OK;
  CWI_TRY(cwi_world_may_stop());
  CWI_TRY(cw_barrier(cw_team_world()));
  /* If Causeway stops next, it reports the objects that the program has not freed. Only the mirror
   * group's team is freed here, because the program did not create it. */
  CWI_TRY(cwi_stops_next() ? cwi_ga_mirror_free() : free_left());
  CWI_TRY(cwi_armci_release());
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
  return CWI_GA_WAITS(ga_start_on(comm)) == 0;
}

void GA_Terminate(void)
{
  (void)CWI_GA_WAITS(ga_stop());
}

int GA_Initialized(void)
{
  return cwi_ga.runs;
}

double GA_Wtime(void)
{
  return cwi_now();
}

/* --- Calls without effect --- */

static int debug;

void GA_Set_debug(int flag)
{
  debug = flag;
}

int GA_Get_debug(void)
{
  return debug;
}

/* Returns 0, because indices count from 0, as in C. */
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
  (void)elements;
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
