/* Windows that cannot be made: MPI fails, or memory runs out, on all members or on one. All members
 * get CW_OUTSIDE, and the next window can be made. The same holds if one member has misused the
 * call.
 * */
#include "kit/native.h"
#include "route/rma/rma.h"

#include <mpi.h>
#include <stdlib.h>

/* --- Failures --------------------------------------------------------------------------------- */

static bool fail_before, fail_after, fail_lock; /* whether the next call of this process fails */
static size_t fail_size;                        /* the next calloc of elements of this size fails */
static MPI_Win made = MPI_WIN_NULL;             /* the window of which one member got no handle */

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *window)
{
  if (fail_before)
    return MPI_ERR_OTHER;
  const int code = PMPI_Win_create(base, size, unit, info, comm, window);
  made = *window;
  return fail_after ? MPI_ERR_OTHER : code;
}

int MPI_Win_lock_all(int assertion, MPI_Win window)
{
  return fail_lock ? MPI_ERR_OTHER : PMPI_Win_lock_all(assertion, window);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
  return fail_size == size && size > 0 ? NULL : __real_calloc(count, size);
}

struct failure {
  const char *name;
  bool all; /* all members, or the last one alone */
  bool before, after, lock;
  size_t region_size, mutex_size;
};

static const struct failure failures[] = {
    {.name = "MPI_Win_create fails everywhere", .all = true, .before = true},
    {.name = "MPI_Win_create fails on one member", .after = true},
    {.name = "MPI_Win_lock_all fails on one member", .lock = true},
    {.name = "no memory on all members",
     .all = true,
     .region_size = sizeof(struct cwi_exposure),
     .mutex_size = 1},
    {.name = "no memory on one member",
     .region_size = sizeof(struct cwi_exposure),
     .mutex_size = 1},
};

static void inject(const struct failure *failure, size_t size)
{
  if (!failure->all && kit_me() != kit_processes() - 1)
    return;
  fail_before = failure->before;
  fail_after = failure->after;
  fail_lock = failure->lock;
  fail_size = size;
}

static void heal(const struct failure *failure)
{
  fail_before = fail_after = fail_lock = false;
  fail_size = 0;
  /* Only this test can free a window of which one member has no handle. */
  if (failure->after)
    KIT_OK(PMPI_Win_free(&made) == MPI_SUCCESS ? CW_OK : CW_OUTSIDE);
}

/* --- Calls that must still work --------------------------------------------------------------- */

static void use_region(cw_team team)
{
  cw_region region = NULL;
  void *addresses[16];
  const int size = cw_team_size(team), next = (cw_team_rank(team) + 1) % size;
  const long sent = 1 + kit_me();
  long got = 0;
  KIT_MUST(cw_region_create(team, sizeof sent, &region, addresses));
  KIT_OK(cw_put(&sent, addresses[next], sizeof sent, cw_team_process(team, next)));
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_get(&got, addresses[next], sizeof got, cw_team_process(team, next)));
  kit_check_long(got, sent, "value put to my neighbour");
  KIT_OK(cw_region_free(team, &region));
}

static void use_mutexes(cw_team team)
{
  cw_mutexes mutexes = NULL;
  KIT_MUST(cw_mutexes_create(team, 1, &mutexes));
  KIT_OK(cw_mutex_lock(mutexes, 0, cw_team_process(team, 0)));
  KIT_OK(cw_mutex_unlock(mutexes, 0, cw_team_process(team, 0)));
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_mutexes_free(&mutexes));
}

static void test_region(const struct failure *failure)
{
  cw_team team = NULL;
  cw_region region = NULL;
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  kit_about("region: %s", failure->name);
  inject(failure, failure->region_size);
  KIT_OUTSIDE("cw_region_create", cw_region_create(team, 64, &region, NULL));
  kit_check(region == NULL, "there is a region");
  heal(failure);
  use_region(team);
  KIT_OK(cw_team_free(&team));
}

static void test_mutexes(const struct failure *failure)
{
  cw_team team = NULL;
  cw_mutexes mutexes = NULL;
  if (failure->lock)
    return;
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  kit_about("mutexes: %s", failure->name);
  inject(failure, failure->mutex_size);
  KIT_OUTSIDE("cw_mutexes_create", cw_mutexes_create(team, 2, &mutexes));
  kit_check(mutexes == NULL, "there are mutexes");
  heal(failure);
  use_mutexes(team);
  KIT_OK(cw_team_free(&team));
}

/* One member has no memory for an array, and another passes a wrong argument: no member may retry
 * with the memory of unused windows, because that would use up all of it. */
static void test_arrays(void)
{
  const int me = kit_me(), last = kit_processes() - 1, grid[] = {1}, blocks[] = {2};
  const int64_t extents[] = {10}, boundaries[] = {0, 5};
  cw_array array = NULL;
  cw_array_options options = {
      .type = CW_DOUBLE,
      .dimensions = me != 0,
      .extents = extents,
      .distribution = {
          .layout = CW_TILED, .boundaries = boundaries, .blocks = blocks, .grid = grid}};
  kit_about("array: no memory on one member, misuse on another");
  use_region(cw_team_world());
  fail_size = me == last ? sizeof(int64_t) : 0;
  const cw_error error = cw_array_create(cw_team_world(), &options, &array);
  fail_size = 0;
  if (me == last)
    KIT_OUTSIDE("no memory for the 2 blocks", error);
  else
    KIT_MISUSE("dimensions is 0", error);
  use_region(cw_team_world());
  options.dimensions = 1;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_destroy(&array));
}

/* Teams that must wait for each other, where MPI requires that: none may still hold the turn. */
static void test_others(void)
{
  cw_team team = NULL;
  kit_about("disjoint teams after the failures");
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, 0, &team));
  use_region(team);
  use_mutexes(team);
  KIT_OK(cw_team_free(&team));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "window failures");
  kit_hang_guard();
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    test_region(&failures[i]);
    test_mutexes(&failures[i]);
  }
  test_arrays();
  test_others();
  return kit_finish_native();
}
