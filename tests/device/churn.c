/* Threads move data to, from and among node peers' devices while devices are opened and closed, and
 * regions are created and freed. They also look up the region of an address. Usage: device_churn
 * [rounds] */
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdlib.h>

enum { MOST = 16, THREADS = 2, WORDS = 2000 };

static cw_device device;
static int me, processes, stop;
static void *slices[MOST], *mine[MOST];

static void *move(void *argument)
{
  const int number = (int)(intptr_t)argument;
  int64_t words[WORDS], got[WORDS];
  int64_t *from = (int64_t *)mine[me] + number * WORDS;
  cw_region region = NULL;
  size_t offset = 0;
  for (int64_t pass = 1; __atomic_load_n(&stop, __ATOMIC_ACQUIRE) == 0; pass++) {
    const int target = (int)(me + pass) % processes;
    int64_t *there = (int64_t *)slices[target] + (me * THREADS + number) * WORDS;
    for (int i = 0; i < WORDS; i++)
      words[i] = pass * 1000003 + i;
    if (pass % 3 == 0) {
      KIT_OK(cw_put(words, from, sizeof words, me));
      KIT_OK(cw_device_put(from, there, sizeof words, target));
    } else {
      KIT_OK(cw_put(words, there, sizeof words, target));
    }
    KIT_OK(cw_region_find(target, there, &region, &offset));
    kit_check(cw_region_address(region, target) == slices[target] &&
                  offset == (size_t)((char *)there - (char *)slices[target]),
              "the slice of process %d is not found", target);
    KIT_OK(cw_get(got, there, sizeof got, target));
    kit_check_bytes(got, words, sizeof got, "what was put");
  }
  return NULL;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_churn");
  kit_need_threads();
  kit_hang_guard();
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 20);
  pthread_t threads[THREADS];
  cw_region region = NULL, of_mine = NULL;
  me = kit_me();
  processes = kit_processes();
  const size_t bytes = sizeof(int64_t) * WORDS * THREADS;
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_MUST(
      cw_region_create_on(cw_team_world(), device, bytes * (size_t)processes, &region, slices));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, bytes, &of_mine, mine));
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, move, (void *)(intptr_t)i);
  for (long round = 0; round < rounds; round++) {
    cw_device others[2] = {NULL, NULL};
    cw_region next = NULL;
    void *at[MOST];
    int64_t word = -1;
    const int target = kit_own(processes);
    for (int i = 0; i < 2; i++)
      KIT_MUST(cw_device_open(NULL, &others[i]));
    KIT_MUST(cw_region_create_on(cw_team_world(), others[0], 4096, &next, at));
    for (int i = 0; i < 20; i++) {
      KIT_OK(cw_put(&round, (int64_t *)at[target] + me, 8, target));
      KIT_OK(cw_get(&word, (int64_t *)at[target] + me, 8, target));
      kit_check(word == round, "a word is %ld, not %ld", (long)word, round);
    }
    KIT_OK(cw_device_close(&others[1]));
    KIT_OK(cw_barrier(cw_team_world()));
    KIT_OK(cw_region_free(cw_team_world(), &next));
    KIT_OK(cw_device_close(&others[0]));
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &of_mine));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
