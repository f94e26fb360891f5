/* A get is complete when its call returns, whatever other threads put meanwhile. At the worst
 * moment, when the library is about to flush for the get, another thread puts to the same target.
 * MPICH then flushes without waiting for the get (src/core/mpi/workaround.c: mpich_flush_local). */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400, BYTES = 64, SLICE = 1 << 16 };

static void *slices[16];
static int target;
static int wanted, put; /* rounds in which a put was requested, and made */
static int armed;       /* the next flush of the main thread triggers the other thread's put */
static _Thread_local int is_main; /* flushes of the other thread are passed through */

int MPI_Win_flush_local(int rank, MPI_Win window)
{
  if (is_main && __atomic_exchange_n(&armed, 0, __ATOMIC_ACQ_REL)) {
    const int round = __atomic_add_fetch(&wanted, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&put, __ATOMIC_ACQUIRE) != round)
      sched_yield();
  }
  return PMPI_Win_flush_local(rank, window);
}

/* Puts whenever a round begins; round ROUNDS + 1 is the end. */
static void *put_between(void *failed)
{
  static long sent;
  cw_transfer transfer =
      cw_contiguous(CW_PUT, &sent, (char *)slices[target] + SLICE / 2, sizeof sent, target);
  for (int round = 1; round <= ROUNDS; round++) {
    while (__atomic_load_n(&wanted, __ATOMIC_ACQUIRE) != round)
      sched_yield();
    *(int *)failed += cw_transfer_start(&transfer, NULL) != CW_OK;
    __atomic_store_n(&put, round, __ATOMIC_RELEASE);
  }
  return NULL;
}

static int get_and_compare(const char *expected)
{
  char got[BYTES] = {0};
  __atomic_store_n(&armed, 1, __ATOMIC_RELEASE);
  KIT_MUST(cw_get(got, slices[target], sizeof got, target));
  /* In case the library does not flush with the intercepted call, the put must still happen. */
  if (__atomic_exchange_n(&armed, 0, __ATOMIC_ACQ_REL))
    __atomic_add_fetch(&wanted, 1, __ATOMIC_ACQ_REL);
  const int wrong = memcmp(got, expected, sizeof got) != 0;
  KIT_OK(cw_wait_all());
  KIT_OK(cw_fence(target));
  return wrong;
}

int main(int argc, char **argv)
{
  int failed = 0, wrong = 0;
  char expected[BYTES];
  pthread_t thread;
  cw_region region = NULL;
  kit_start_native(&argc, &argv, "late gets");
  kit_hang_guard();
  kit_need_threads();
  is_main = 1;
  target = (kit_me() + 1) % kit_processes();
  KIT_MUST(cw_region_create(cw_team_world(), SLICE, &region, slices));
  memset(slices[kit_me()], 7, BYTES);
  memset(expected, 7, BYTES);
  KIT_MUST(cw_barrier(cw_team_world()));
  pthread_create(&thread, NULL, put_between, &failed);
  for (int round = 0; round < ROUNDS; round++)
    wrong += get_and_compare(expected);
  pthread_join(thread, NULL);
  kit_about("gets with a put just before their flush");
  kit_check_long(wrong, 0, "number of gets that returned before their data");
  kit_check_long(failed, 0, "number of puts that failed");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}
