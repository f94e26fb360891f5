/* Errors that the headers guarantee although all arguments are valid by themselves: freeing
 * something that other members do not free, or that is in use; starting and stopping in a thread
 * other than the main one.
 *
 * usage: promises [accesses]     accesses: with CW_CHECK=1 */
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int me, last;

/* One member passes no region, or another team: no member frees, and all get the error. */
static void test_one_differs(void)
{
  cw_region region = NULL, none = NULL;
  cw_team copy = NULL;
  KIT_MUST(cw_team_dup(cw_team_world(), &copy));
  KIT_MUST(cw_region_create(cw_team_world(), me == last ? 0 : 64, &region, NULL));
  kit_about("a region that one member does not free");
  KIT_MISUSE("cw_region_free: |NULL",
             cw_region_free(cw_team_world(), me == last ? &none : &region));
  kit_check(region != NULL && cw_region_bytes(region, 0) == 64, "the region is gone");
  kit_about("a region for which one member names another team");
  KIT_MISUSE("cw_region_free: |team", cw_region_free(me == last ? copy : cw_team_world(), &region));
  kit_about("a region with an access epoch");
  void *mine = cw_region_address(region, 0);
  if (me == 0)
    KIT_OK(cw_access_begin(mine));
  KIT_MISUSE(me == 0 ? "cw_region_free: |epoch" : "cw_region_free: |in process 0|epoch",
             cw_region_free(cw_team_world(), &region));
  if (me == 0)
    KIT_OK(cw_access_end(mine));
  kit_about("nobody frees a region");
  KIT_OK(cw_region_free(cw_team_world(), &none));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  kit_check(region == NULL, "the handle is not NULL");
  KIT_OK(cw_team_free(&copy));
}

/* The get reads the old contents, not those of the next use of the memory. */
static void test_started_get(void)
{
  enum { WORDS = 8192 };
  cw_region region = NULL;
  void **at = NULL;
  cw_handle handle = {0};
  int64_t *got = kit_alloc(WORDS, sizeof *got);
  int64_t *mine = kit_make_region(WORDS * sizeof *got, &region, &at);
  for (int i = 0; i < WORDS; i++)
    mine[i] = me;
  kit_barrier();
  kit_about("a region that is freed after a get has been started");
  cw_transfer get = cw_contiguous(CW_GET, got, at[last], WORDS * sizeof *got, last);
  KIT_OK(cw_transfer_start(&get, &handle));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  bool well = true;
  for (int i = 0; i < WORDS; i++)
    well = well && got[i] == last;
  kit_check(well, "the get is not complete");
  KIT_OK(cw_wait(&handle));
  free((void *)at);
  free(got);
}

/* The region of an array is found by its address, but the array still needs it. */
static void test_memory_of_an_array(void)
{
  const int64_t extent = 4 * (last + 1);
  const cw_array_options options = {.type = CW_LONG, .dimensions = 1, .extents = &extent};
  cw_array array = NULL;
  cw_region region = NULL;
  cw_array_view view;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_MUST(cw_array_access_local(array, me, &view));
  KIT_MUST(cw_region_find(me, view.address, &region, NULL));
  kit_about("memory of an array that is freed without it");
  KIT_MISUSE("cw_region_free: |memory of an array", cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_array_release(array, &view));
  KIT_OK(cw_array_fill(array, NULL, NULL, &(long){7}));
  KIT_OK(cw_array_destroy(&array));
}

static void test_accesses(void)
{
  const int64_t extent = 4 * (last + 1);
  const cw_array_options options = {.type = CW_LONG, .dimensions = 1, .extents = &extent};
  cw_array array = NULL;
  cw_array_view view;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_access_local(array, me, &view));
  kit_about("an array with an open access");
  KIT_MISUSE("cw_array_destroy: |open|cw_array_release", cw_array_destroy(&array));
  KIT_OK(cw_array_release(array, &view));
  kit_about("a second release");
  KIT_MISUSE("cw_array_release: |released already", cw_array_release(array, &view));
  KIT_OK(cw_array_destroy(&array));
}

static void test_lists(void)
{
  cw_team team = NULL;
  const int all[2] = {0, 1};
  if (me > 1)
    return;
  kit_about("tags that differ");
  KIT_MISUSE("cw_team_create: |process", cw_team_create(cw_team_world(), 2, all, me, &team));
  KIT_OK(cw_team_create(cw_team_world(), 2, all, 3, &team));
  KIT_OK(cw_team_free(&team));
}

static void *start_aside(void *unused)
{
  KIT_MISUSE("cw_init: |main", cw_init(MPI_COMM_WORLD));
  return unused;
}

static void *stop_aside(void *unused)
{
  KIT_MISUSE("cw_finalize: |main", cw_finalize());
  return unused;
}

static void in_thread(void *(*run)(void *))
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) == 0)
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "promises");
  if (level >= MPI_THREAD_SERIALIZED)
    in_thread(start_aside);
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  kit_hang_guard();
  if (level >= MPI_THREAD_SERIALIZED)
    in_thread(stop_aside);
  me = kit_me();
  last = kit_processes() - 1;
  if (argc > 1) {
    test_accesses();
    test_lists();
  } else {
    test_one_differs();
    test_started_get();
    test_memory_of_an_array();
  }
  return kit_finish_native();
}
