/* Devices of several processes at once: threads, agents with more requests than slots, busy owners,
 * teams that are not the world, rejected calls in between, members that fail to allocate. */
#include "kit/native.h"

#include <causeway/device.h>

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16, THREADS = 3, WORDS = 600, LONG = 5 << 20 };

static cw_device device;
static int me, processes;

static void *on_device(cw_team team, size_t bytes, cw_region *region, void **slices)
{
  char *zeros = kit_alloc(bytes, 1);
  const int rank = cw_team_rank(team);
  KIT_MUST(cw_region_create_on(team, device, bytes, region, slices));
  KIT_OK(cw_put(zeros, slices[rank], bytes, me));
  KIT_OK(cw_barrier(team));
  free(zeros);
  return slices[rank];
}

static int64_t word_at(const void *remote, int process)
{
  int64_t word = -1;
  KIT_OK(cw_get(&word, remote, sizeof word, process));
  return word;
}

/* --- Threads ---------------------------------------------------------------------------------- */

/* On each process: one counter for all, then a part for each thread of each process. */
static void *counted[MOST], *host[MOST];
static int64_t *from; /* in a device slice of this process: ones, then a part for each thread */
static int rounds;

static int64_t *part_of(void *slice, int process, int thread)
{
  return (int64_t *)slice + WORDS * (1 + process * THREADS + thread);
}

static void fill(int64_t *words, int64_t first)
{
  for (int i = 0; i < WORDS; i++)
    words[i] = first + i;
}

/* Moves data through this process's device and back. */
static void pass(int thread, int target, int64_t first)
{
  int64_t want[WORDS], got[WORDS];
  int64_t *mine = part_of(from, 0, thread), *there = part_of(counted[target], me, thread);
  int64_t *host_there = part_of(host[target], me, thread);
  const size_t bytes = sizeof want;
  fill(want, first);
  KIT_OK(cw_put(want, mine, bytes, me));
  KIT_OK(cw_device_put(mine, there, bytes, target));
  KIT_OK(cw_device_put(mine, host_there, bytes, target));
  KIT_OK(cw_device_accumulate(CW_LONG, NULL, mine, there, bytes, target));
  KIT_OK(cw_accumulate(CW_LONG, NULL, want, there, bytes, target));
  KIT_OK(cw_get(got, there, bytes, target));
  for (int i = 0; i < WORDS; i++)
    want[i] *= 3;
  kit_check_bytes(got, want, bytes, "put, and accumulated twice");
  KIT_OK(cw_device_get(mine, host_there, bytes, target));
  KIT_OK(cw_get(got, mine, bytes, me));
  fill(want, first);
  kit_check_bytes(got, want, bytes, "from host memory to my device");
}

static void *thread_run(void *number)
{
  const int thread = (int)(intptr_t)number;
  const int64_t one = 1;
  for (int round = 0; round < rounds; round++)
    for (int p = 0; p < processes; p++) {
      const int target = (me + p + thread) % processes;
      KIT_OK(cw_accumulate(CW_LONG, NULL, &one, counted[target], sizeof one, target));
      KIT_OK(cw_device_accumulate(CW_LONG, NULL, from, counted[target], sizeof one, target));
      pass(thread, target, round + 1000 * (me + processes * thread));
    }
  return NULL;
}

static void try_threads(void)
{
  pthread_t threads[THREADS];
  cw_region region = NULL, mine = NULL, on_host = NULL;
  const size_t bytes = sizeof(int64_t) * WORDS * (size_t)(1 + processes * THREADS);
  int64_t ones[WORDS];
  void *slices[MOST];
  on_device(cw_team_world(), bytes, &region, counted);
  from = on_device(cw_team_world(), bytes, &mine, slices);
  KIT_MUST(cw_region_create(cw_team_world(), bytes, &on_host, host));
  for (int i = 0; i < WORDS; i++)
    ones[i] = 1;
  KIT_OK(cw_put(ones, from, sizeof ones, me));
  KIT_OK(cw_barrier(cw_team_world()));
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, thread_run, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  KIT_OK(cw_barrier(cw_team_world()));
  for (int p = 0; p < processes; p++)
    kit_check_long(word_at(counted[p], p), 2L * rounds * THREADS * processes, "the common count");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_region_free(cw_team_world(), &mine));
  KIT_OK(cw_region_free(cw_team_world(), &on_host));
}

/* --- Long transfers --------------------------------------------------------------------------- */

/* All processes put to the next one's device at once, from their device and from private memory, in
 * ten pieces each. */
static void try_long(void)
{
  cw_region region = NULL, mine_region = NULL;
  void *slices[MOST], *sources[MOST];
  char *sent = kit_alloc(LONG, 1), *got = kit_alloc(LONG, 1);
  const int next = (me + 1) % processes, before = (me + processes - 1) % processes;
  on_device(cw_team_world(), 2 * LONG, &region, slices);
  char *source = on_device(cw_team_world(), LONG, &mine_region, sources);
  for (size_t i = 0; i < LONG; i++)
    sent[i] = (char)(i * 7 + i / 1000 + (size_t)me);
  KIT_OK(cw_put(sent, source, LONG, me));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_device_put(source, slices[next], LONG, next));
  KIT_OK(cw_put(sent, (char *)slices[next] + LONG, LONG, next));
  KIT_OK(cw_barrier(cw_team_world()));
  for (size_t i = 0; i < LONG; i++)
    sent[i] = (char)(i * 7 + i / 1000 + (size_t)before);
  for (int half = 0; half < 2; half++) {
    KIT_OK(cw_get(got, (char *)slices[me] + half * LONG, LONG, me));
    kit_check_bytes(got, sent, LONG, half == 0 ? "from a device" : "from private memory");
  }
  KIT_OK(cw_device_get(source, slices[before], LONG, before));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_region_free(cw_team_world(), &mine_region));
  free(sent);
  free(got);
}

/* --- Busy owners ------------------------------------------------------------------------------ */

/* The last process calls neither Causeway nor MPI until the others have finished. */
static void try_busy(void)
{
  cw_region region = NULL, flags = NULL;
  void *slices[MOST], *words[MOST];
  const int busy = processes - 1;
  int64_t one = 1, sum = 0;
  on_device(cw_team_world(), 4096, &region, slices);
  KIT_MUST(cw_region_create(cw_team_world(), 8, &flags, words));
  *(volatile int64_t *)words[me] = 0;
  KIT_OK(cw_barrier(cw_team_world()));
  if (me != busy) {
    for (int i = 0; i < 50; i++)
      KIT_OK(cw_accumulate(CW_LONG, NULL, &one, slices[busy], sizeof one, busy));
    KIT_OK(cw_fence(busy));
    KIT_OK(cw_get(&sum, slices[busy], sizeof sum, busy));
    kit_check(sum >= 50, "my own 50 accumulates are there, not %ld", (long)sum);
    KIT_OK(cw_fetch_add_int64(words[busy], 1, busy, &sum));
  } else {
    while (__atomic_load_n((int64_t *)words[me], __ATOMIC_ACQUIRE) < processes - 1)
      usleep(1000);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long(word_at(slices[busy], busy), 50L * (processes - 1), "accumulates to a busy one");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_region_free(cw_team_world(), &flags));
}

/* --- Order, handles, notifications ------------------------------------------------------------ */

static cw_transfer accumulate_of(const int64_t *value, void *remote, int process)
{
  cw_transfer transfer =
      cw_contiguous(CW_ACCUMULATE, (void *)(uintptr_t)value, remote, sizeof *value, process);
  transfer.type = CW_LONG;
  return transfer;
}

/* Starts implicit transfers, transfers on a handle, and on a collecting one, each before the one
 * before is awaited. */
static void start_four(void *there, int target, bool collects)
{
  static const int64_t seven = 7, two = 2;
  int64_t got = 0;
  cw_handle handle = {0, 0}, get = {0, 0};
  const cw_transfer put =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)&seven, there, sizeof seven, target);
  const cw_transfer add = accumulate_of(&two, there, target);
  const cw_transfer read = cw_contiguous(CW_GET, &got, there, sizeof got, target);
  if (collects)
    KIT_OK(cw_handle_set_aggregate(&handle, true));
  KIT_OK(cw_transfer_start(&put, &handle));
  KIT_OK(cw_transfer_start(&add, NULL));
  KIT_OK(cw_transfer_start(&add, &handle));
  KIT_OK(cw_transfer_start(&read, &get));
  KIT_OK(cw_wait(&get));
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_wait_all());
  KIT_OK(cw_fence(target));
  if (!collects)
    kit_check_long(got, 11, "a get behind a put and two accumulates");
  kit_check_long(word_at(there, target), 11, "a put and two accumulates");
}

static void try_order(void)
{
  cw_region region = NULL;
  void *slices[MOST];
  cw_notifications set = NULL;
  int64_t value = 0, word = me + 40;
  on_device(cw_team_world(), sizeof(int64_t) * MOST, &region, slices);
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  for (int p = 0; p < processes; p++) {
    start_four((int64_t *)slices[p] + me, p, false);
    start_four((int64_t *)slices[p] + me, p, true);
  }
  const int next = (me + 1) % processes, before = (me + processes - 1) % processes;
  KIT_OK(cw_put_notify(&word, (int64_t *)slices[next] + me, sizeof word, next, set, 0));
  KIT_OK(cw_notification_wait(set, 0, CW_AT_LEAST, 1, &value));
  kit_check_long(word_at((int64_t *)slices[me] + before, me), before + 40, "behind a notification");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_notifications_free(&set));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* --- Teams ------------------------------------------------------------------------------------ */

/* A process that is not a member uses addresses that it was sent, also in lists together with host
 * memory. */
static void use_addresses(const int64_t *addresses, int owner)
{
  void *there = (void *)(uintptr_t)addresses[0], *beside = (void *)(uintptr_t)addresses[1];
  int64_t value = 1000 + me, got[2] = {0, 0};
  char *at = (char *)there + 8 * me, *host_at = (char *)beside + 8 * me;
  void *local[2] = {&value, &value}, *remote[2] = {at, host_at}, *back[2] = {&got[0], &got[1]};
  const cw_vector puts = {local, remote, 2, 8}, gets = {back, remote, 2, 8};
  cw_transfer list = cw_vectors(CW_PUT, &puts, 1, owner);
  KIT_OK(cw_put(&value, at, sizeof value, owner));
  KIT_OK(cw_transfer_run(&list));
  KIT_OK(cw_fence(owner));
  list = cw_vectors(CW_GET, &gets, 1, owner);
  KIT_OK(cw_transfer_run(&list));
  kit_check(got[0] == value && got[1] == value, "%ld and %ld should be %ld", (long)got[0],
            (long)got[1], (long)value);
}

/* Tests a team of each parity, and one of all processes but the last. */
static void try_team(cw_team team)
{
  cw_region region = NULL, beside = NULL;
  void *slices[MOST], *host_slices[MOST];
  int64_t addresses[2 * MOST] = {0}, mine[2] = {0, 0};
  if (team != NULL) {
    const int rank = cw_team_rank(team);
    on_device(team, 8 * MOST, &region, slices);
    KIT_MUST(cw_region_create(team, 8 * MOST, &beside, host_slices));
    mine[0] = (int64_t)(uintptr_t)slices[rank];
    mine[1] = (int64_t)(uintptr_t)host_slices[rank];
  }
  MPI_Allgather(mine, 2, MPI_INT64_T, addresses, 2, MPI_INT64_T, kit_comm());
  for (int p = 0; p < processes; p++)
    if (addresses[2 * p] != 0)
      use_addresses(addresses + 2 * p, p);
  KIT_OK(cw_barrier(cw_team_world()));
  if (team != NULL) {
    KIT_OK(cw_region_free(team, &region));
    KIT_OK(cw_region_free(team, &beside));
  }
  KIT_OK(cw_barrier(cw_team_world()));
}

static void try_teams(void)
{
  cw_team parity = NULL, most = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), me % 2, -me, &parity));
  KIT_MUST(cw_team_split(cw_team_world(), me < processes - 1 ? 0 : MPI_UNDEFINED, me, &most));
  try_team(parity);
  try_team(most);
  KIT_OK(cw_team_free(&parity));
  KIT_OK(cw_team_free(&most));
}

/* --- Failures in between ---------------------------------------------------------------------- */

/* Members fail in turn; afterwards all of the device's memory must be available. */
static void try_failing(void)
{
  for (int failing = 0; failing < 2 * processes; failing++) {
    const bool fails = failing % processes == me;
    cw_region region = NULL;
    const cw_error error =
        failing < processes
            ? cw_region_create_on(cw_team_world(), device, fails ? (size_t)1 << 50 : 20 << 20,
                                  &region, NULL)
            : cw_region_create_on(cw_team_world(), fails ? (cw_device)(void *)&region : device,
                                  20 << 20, &region, NULL);
    kit_check(error == (failing < processes ? CW_OUTSIDE : CW_MISUSE) && region == NULL,
              "member %d fails: error %d, %s", failing % processes, (int)error, cw_error_message());
  }
  cw_region region = NULL;
  KIT_OK(cw_region_create_on(cw_team_world(), device, 20 << 20, &region, NULL));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

static void try_rejected(void)
{
  cw_region region = NULL, freed_region = NULL;
  void *slices[MOST], *freed[MOST];
  int64_t word = 5, many[MOST + 1] = {0};
  on_device(cw_team_world(), 8 * MOST, &region, slices);
  on_device(cw_team_world(), 8 * MOST, &freed_region, freed);
  KIT_OK(cw_region_free(cw_team_world(), &freed_region));
  KIT_OK(cw_barrier(cw_team_world()));
  for (int p = 0; p < processes; p++) {
    int64_t *there = (int64_t *)slices[p] + me;
    KIT_MISUSE("remote|freed", cw_put(&word, freed[p], sizeof word, p));
    KIT_OK(cw_put(&word, there, sizeof word, p));
    KIT_MISUSE("remote|freed", cw_get(&word, freed[p], sizeof word, p));
    KIT_OK(cw_accumulate(CW_LONG, NULL, &word, there, sizeof word, p));
    KIT_MISUSE("past the end", cw_accumulate(CW_LONG, NULL, many, there, sizeof many, p));
    kit_check_long(word_at(there, p), 10, "between refusals");
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_together");
  kit_hang_guard();
  kit_need_threads();
  rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  me = kit_me();
  processes = kit_processes();
  KIT_MUST(cw_device_open(NULL, &device));
  try_threads();
  try_long();
  try_busy();
  try_order();
  try_teams();
  try_rejected();
  try_failing();
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
