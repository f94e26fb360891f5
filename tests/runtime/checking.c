/* The checking mode (CW_CHECK=1), and the report of long waits.
 *
 *   checking calls    members are in different collective calls: all are rejected with a message
 *                     that names both calls
 *   checking teams    the same calls on different teams, or with different lists: rejected in the
 *                     same way
 *   checking threads  calls of a thread that may not call
 *   checking leaks    leaves everything behind
 *   checking barrier|create|lock|notify|serve   the last process is late by 2.5 s
 *
 * printed.sh checks the output of the last two. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me, last;

static void test_calls(void)
{
  cw_region region = NULL;
  cw_mutexes mutexes = NULL;
  kit_about("a barrier and an allocation");
  const cw_error error = me == last ? cw_barrier(cw_team_world())
                                    : cw_region_create(cw_team_world(), 8, &region, NULL);
  kit_call_fails("one of them", error, CW_MISUSE,
                 "different collective calls|cw_barrier|cw_region_create");
  kit_check(region == NULL, "a refused call made a region");
  kit_about("two allocations");
  const cw_error second = me == last ? cw_mutexes_create(cw_team_world(), 1, &mutexes)
                                     : cw_region_create(cw_team_world(), 8, &region, NULL);
  kit_call_fails("one of them", second, CW_MISUSE, "cw_mutexes_create|cw_region_create");
  KIT_OK(cw_barrier(cw_team_world()));
}

static void test_teams(void)
{
  cw_team copy = NULL, some = NULL;
  int all[64];
  for (int i = 0; i <= last; i++)
    all[i] = i;
  KIT_MUST(cw_team_dup(cw_team_world(), &copy));
  kit_about("barriers of two teams");
  KIT_MISUSE("cw_barrier: |process |different teams",
             cw_barrier(me == last ? copy : cw_team_world()));
  kit_about("different lists");
  all[last] = me == last ? 0 : last;
  all[0] = me == last ? last : 0;
  KIT_MISUSE("cw_team_create: |ranks has to be|passes",
             cw_team_create(cw_team_world(), (size_t)last + 1, all, 0, &some));
  KIT_OK(cw_barrier(copy));
  KIT_OK(cw_team_free(&copy));
  KIT_OK(cw_barrier(cw_team_world()));
}

static void *put_from_thread(void *address)
{
  long value = 1;
  kit_about("a put of another thread");
  KIT_MISUSE("cw_put: |another thread|FUNNELED", cw_put(&value, address, sizeof value, me));
  KIT_MISUSE("cw_fetch_add_int64: |another thread", cw_fetch_add_int64(address, 1, me, NULL));
  KIT_MISUSE("cw_barrier: |another thread", cw_barrier(cw_team_world()));
  return NULL;
}

static void test_threads(void)
{
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  cw_region region = NULL;
  pthread_t thread;
  KIT_MUST(cw_region_create(cw_team_world(), sizeof(long), &region, addresses));
  *(long *)addresses[me] = 5;
  pthread_create(&thread, NULL, put_from_thread, addresses[me]);
  pthread_join(thread, NULL);
  kit_check_long(*(long *)addresses[me], 5, "the word that the refused calls were to change");
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(addresses);
}

static void test_leaks(void)
{
  static cw_region region;
  static cw_team team;
  static cw_mutexes mutexes;
  KIT_MUST(cw_region_create(cw_team_world(), 1000, &region, NULL));
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_MUST(cw_mutex_lock(mutexes, 0, me));
  static unsigned char names[2][CW_MEMORY_HANDLE_BYTES];
  static cw_view views[2];
  static cw_notifications set;
  for (int i = 0; i < 2; i++)
    KIT_MUST(cw_memory_handle_create(names, sizeof names, names[i]));
  for (int i = 0; me == 0 && i < 2; i++)
    KIT_MUST(cw_view_of(region, &views[i]));
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  static cw_array arrays[3];
  for (int i = 0; i < 3; i++)
    KIT_MUST(cw_array_create(
        cw_team_world(),
        &(cw_array_options){
            .name = "left", .type = CW_INT64, .dimensions = 1, .extents = (int64_t[]){7}},
        &arrays[i]));
  KIT_OK(cw_barrier(cw_team_world()));
}

/* Waits for all processes; then the last one comes late. */
static void late(void)
{
  kit_barrier();
  if (me == last)
    usleep(2500000);
}

static void wait_in_barrier(void)
{
  late();
  KIT_OK(cw_barrier(cw_team_world()));
}

static void wait_in_create(void)
{
  cw_region region = NULL;
  late();
  KIT_OK(cw_region_create(cw_team_world(), 8, &region, NULL));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

static void wait_in_lock(void)
{
  cw_mutexes mutexes = NULL;
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  if (me == last)
    KIT_OK(cw_mutex_lock(mutexes, 0, 0));
  late();
  if (me == last)
    KIT_OK(cw_mutex_unlock(mutexes, 0, 0));
  if (me == 0) {
    KIT_OK(cw_mutex_lock(mutexes, 0, 0));
    KIT_OK(cw_mutex_unlock(mutexes, 0, 0));
  }
  kit_barrier();
  KIT_OK(cw_mutexes_free(&mutexes));
}

/* Process 0 waits for a notification. Before it, the last process does something with its memory.
 */
static void notify_after(void (*act)(const int64_t *there))
{
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  cw_region region = NULL;
  KIT_MUST(cw_region_create(cw_team_world(), 2 * sizeof(int64_t), &region, addresses));
  memset(addresses[me], 0, 2 * sizeof(int64_t));
  kit_barrier();
  act((const int64_t *)addresses[0] + 1);
  if (me == last)
    KIT_OK(cw_notify(addresses[0], 3, 0));
  if (me == 0)
    KIT_OK(cw_notify_wait(addresses[0], 3, NULL));
  kit_barrier();
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(addresses);
}

static void arrive_late(const int64_t *unused)
{
  (void)unused;
  late();
}

static void wait_in_notify(void)
{
  notify_after(arrive_late);
}

/* Gets repeatedly from process 0, which serves that while it waits. */
static void get_often(const int64_t *there)
{
  int64_t got = 0;
  for (const double began = MPI_Wtime(); me == last && MPI_Wtime() - began < 2.5;)
    KIT_MUST(cw_get(&got, there, sizeof got, 0));
}

static void wait_and_serve(void)
{
  notify_after(get_often);
}

static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {{"calls", test_calls},  {"teams", test_teams},        {"threads", test_threads},
             {"leaks", test_leaks},  {"barrier", wait_in_barrier}, {"create", wait_in_create},
             {"lock", wait_in_lock}, {"notify", wait_in_notify},   {"serve", wait_and_serve}};

int main(int argc, char **argv)
{
  const bool funneled = argc > 1 && strcmp(argv[1], "threads") == 0;
  int level = 0;
  MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "checking");
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  if (funneled && level != MPI_THREAD_FUNNELED) {
    KIT_OK(cw_finalize());
    kit_skip("MPI does not give MPI_THREAD_FUNNELED");
  }
  kit_hang_guard();
  me = kit_me();
  last = kit_processes() - 1;
  for (int i = 1; i < argc; i++)
    for (size_t test = 0; test < sizeof tests / sizeof tests[0]; test++)
      if (strcmp(argv[i], tests[test].name) == 0)
        tests[test].run();
  kit_check(true, "the program has come to its end");
  return kit_finish_native();
}
