/* Programs that are slow for one reason, and one that is not, to check the advice of CW_PROFILE:
 *
 *   advised small|locks|target|counter|counters|crowd|quiet
 *
 * small: transfers of 64 bytes. locks: one process waits for a mutex that another one holds.
 * target: one process holds what another one gets, and the others wait for it. counter, counters:
 * the same with one counter, or many. crowd: all processes compute on one core. quiet: a little of
 * all that, and most of the time nothing. */
#include "kit/kit.h"

#include <causeway.h>

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 4096, SMALL = 64, ROUNDS = 200, COUNTERS = 40 };
static const double LONG = 0.3; /* seconds */
static double started;          /* time before cw_init, by MPI_Wtime */

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

static double used(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Repeats the call at least `times` times, until the thread has computed for LONG seconds even if
 * other processes want its core, and for at least twice as long as the start took. */
static void repeat(void (*once)(void **addresses), void **addresses, int times)
{
  const double begin = MPI_Wtime(), used_before = used(), start = begin - started;
  for (int i = 0; i < times || used() - used_before < LONG || MPI_Wtime() - begin < 2 * start; i++)
    once(addresses);
}

/* Each byte goes to another place: that takes microseconds, and more without a core. */
static void put_bytes(void **addresses)
{
  static char bytes[SMALL];
  void *local[SMALL], *remote[SMALL];
  for (int i = 0; i < SMALL; i++) {
    local[i] = &bytes[i];
    remote[i] = (char *)addresses[cw_process()] + 2 * (SMALL - i);
  }
  const cw_vector vector = {local, remote, SMALL, 1};
  const cw_transfer transfer = cw_vectors(CW_PUT, &vector, 1, cw_process());
  ok(cw_transfer_run(&transfer));
}

static cw_mutexes mutexes;

static void hold_mutex(void **addresses)
{
  const struct timespec nap = {.tv_nsec = 1000000};
  (void)addresses;
  ok(cw_mutex_lock(mutexes, 0, 0));
  nanosleep(&nap, NULL);
  ok(cw_mutex_unlock(mutexes, 0, 0));
}

static void get_page(void **addresses)
{
  static char page[BYTES];
  const int target = cw_processes() - 1;
  ok(cw_get(page, addresses[target], sizeof page, target));
}

static void draw_number(void **addresses)
{
  int64_t before = 0;
  ok(cw_fetch_add_int64(addresses[0], 1, 0, &before));
}

static void draw_numbers(void **addresses)
{
  static int round;
  int64_t before = 0;
  ok(cw_fetch_add_int64((int64_t *)addresses[0] + round++ % COUNTERS, 1, 0, &before));
}

static void compute(void **addresses)
{
  static volatile double sum;
  for (int i = 0; i < 1000; i++)
    sum = sum + (double)(addresses[0] != NULL);
}

/* Binds all processes to the first core that process 0 may use. */
static void share_a_core(void)
{
  cpu_set_t cores;
  int core = 0;
  sched_getaffinity(0, sizeof cores, &cores);
  while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &cores))
    core++;
  MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  kit_check(sched_setaffinity(0, sizeof cores, &cores) == 0, "not on core %d", core);
}

static void do_little(void **addresses)
{
  const struct timespec nap = {.tv_nsec = 600000000};
  for (int i = 0; i < 10; i++) {
    put_bytes(addresses);
    get_page(addresses);
    draw_number(addresses);
  }
  hold_mutex(addresses);
  nanosleep(&nap, NULL);
}

static void work(const char *how, void **addresses)
{
  const int me = cw_process();
  if (strcmp(how, "small") == 0)
    repeat(put_bytes, addresses, 12000);
  if (strcmp(how, "locks") == 0)
    for (int i = 0; i < ROUNDS; i++)
      hold_mutex(addresses);
  if (strcmp(how, "target") == 0 && me == 1)
    repeat(get_page, addresses, 1200);
  if (strcmp(how, "counter") == 0 && me == 1)
    repeat(draw_number, addresses, 1200);
  if (strcmp(how, "counters") == 0 && me == 1)
    repeat(draw_numbers, addresses, 1200);
  if (strcmp(how, "crowd") == 0) {
    share_a_core();
    repeat(compute, addresses, 1);
  }
  if (strcmp(how, "quiet") == 0)
    do_little(addresses);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  kit_start(&argc, &argv, "advised");
  started = MPI_Wtime();
  ok(cw_init(MPI_COMM_WORLD));
  void **addresses = kit_alloc((size_t)cw_processes(), sizeof *addresses);
  if (ok(cw_region_create(cw_team_world(), BYTES, &region, addresses)) &&
      ok(cw_mutexes_create(cw_team_world(), 1, &mutexes))) {
    memset(addresses[cw_process()], 0, BYTES);
    ok(cw_barrier(cw_team_world()));
    work(argc > 1 ? argv[1] : "quiet", addresses);
    ok(cw_barrier(cw_team_world()));
    ok(cw_mutexes_free(&mutexes));
    ok(cw_region_free(cw_team_world(), &region));
  }
  free(addresses);
  ok(cw_finalize());
  return kit_finish();
}
