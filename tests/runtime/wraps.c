/* Counters that many calls advance, at the end of their range: operations continue after they wrap.
 *
 *   wraps meetings   synchronisations of members of a team on one node
 *   wraps numbers    regions, tickets of mutexes, phases and queues of pools
 *   wraps updates    counters of rejected updates and of queries */
#include "kit/native.h"

#include "mpi/origin.h"
#include "region/region.h"
#include "route/server/unfenced_updates.h"
#include "sync/mutex.h"
#include "team/team.h"
#include "wait/ticket_lock.h"
#include "worker/pool.h"

#include <string.h>

static int me, last;
static cw_team team;

/* --- Meetings --------------------------------------------------------------------------------- */

/* Sets the team's next synchronisation as if `generation` had already happened. */
static void set_meetings(uint32_t generation)
{
  kit_barrier();
  if (me == 0)
    team->memory->generation.value = generation;
  team->meetings = generation;
  kit_barrier();
}

static cw_error collect(void)
{
  long sum = me + 1;
  const cw_error error = cw_allreduce(team, CW_LONG, CW_SUM, 1, &sum);
  kit_check_long(sum, (last + 1) * (last + 2) / 2, "sum");
  return error;
}

static cw_error bring(void)
{
  long word = me == last ? 17 : -1;
  const cw_error error = cw_broadcast(team, last, &word, sizeof word);
  kit_check_long(word, 17, "word");
  return error;
}

static cw_error call_barrier(void)
{
  return cw_barrier(team);
}

static cw_error make(void)
{
  cw_region region = NULL;
  const cw_error error = cw_region_create(team, 8, &region, NULL);
  return error == CW_OK ? cw_region_free(team, &region) : error;
}

static cw_tasks pool;

static cw_error reset(void)
{
  return cw_tasks_reset(pool);
}

static void test_each(void)
{
  static cw_error (*const calls[])(void) = {call_barrier, make, bring, collect, reset};
  for (size_t call = 0; call < sizeof calls / sizeof calls[0]; call++)
    for (uint32_t before = 0; before < 4; before++) {
      kit_about("call %zu, %u meetings before the end of numbers", call, before);
      set_meetings(UINT32_MAX - before);
      for (int i = 0; i < 4; i++)
        KIT_OK(calls[call]());
    }
}

/* Continues with many regular synchronisations after an irregular one. */
static void test_odd(void)
{
  static const uint32_t numbers[] = {0, 1, UINT32_MAX - 1, UINT32_MAX};
  cw_region region = NULL;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    kit_about("an odd meeting, number %u", numbers[i]);
    set_meetings(numbers[i]);
    KIT_MISUSE("in cw_barrier|in cw_region_create",
               me == 0 ? cw_barrier(team) : cw_region_create(team, 8, &region, NULL));
    for (int round = 0; round < 3; round++)
      KIT_OK(cw_barrier(team));
    set_meetings(numbers[i]);
    for (int round = 0; round < 3; round++)
      KIT_OK(cw_barrier(team));
  }
}

/* A synchronisation for which no process waits has not been entered by any. */
static void test_waits(void)
{
  for (uint32_t before = 0; before < 3; before++) {
    set_meetings(UINT32_MAX - before);
    for (int i = 0; i < 5; i++) {
      kit_barrier();
      for (int rank = 0; rank <= last; rank++)
        kit_check(!cwi_team_memory_has_arrived(team->memory, team->size, rank),
                  "rank %d has come to meeting %u", rank, team->memory->generation.value);
      kit_barrier();
      KIT_OK(cw_barrier(team));
    }
  }
}

static void test_meetings(void)
{
  KIT_MUST(cw_tasks_create(team, NULL, &pool));
  test_waits();
  test_each();
  test_odd();
  KIT_OK(cw_tasks_free(&pool));
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static void test_regions(void)
{
  enum { REGIONS = 6 };
  static const uint32_t most = 0xfffffff; /* largest number of a region in its team */
  cw_region regions[REGIONS], found = NULL;
  kit_about("regions");
  team->regions_made = most - 3;
  for (int i = 0; i < REGIONS; i++)
    KIT_MUST(cw_region_create(team, 8, &regions[i], NULL));
  for (int round = 0; round < 2; round++, team->regions_made = most - 3) {
    cw_region more = NULL;
    KIT_MUST(cw_region_create(team, 8, &more, NULL));
    for (int i = 0; i < REGIONS; i++) {
      kit_check(regions[i]->key != more->key, "two regions have one key");
      KIT_OK(cw_region_find(cw_team_process(team, me), cw_region_address(regions[i], me), &found,
                            NULL));
      kit_check(found == regions[i], "another region was found");
    }
    KIT_OK(cw_region_free(team, &more));
  }
  for (int i = 0; i < REGIONS; i++)
    KIT_OK(cw_region_free(team, &regions[i]));
}

/* A mutex that has been locked almost as often as its tickets can count. */
static void test_tickets(void)
{
  enum { ROUNDS = 20 };
  cw_mutexes mutexes = NULL;
  cw_region region = NULL;
  void *at[64];
  long word = 0;
  kit_about("mutexes");
  KIT_MUST(cw_mutexes_create(team, me == 0, &mutexes));
  KIT_MUST(cw_region_create(team, sizeof word, &region, at));
  memset(at[me], 0, sizeof word);
  if (me == 0) {
    const struct cwi_region *locks = mutexes->state;
    struct cwi_ticket_lock *lock = (void *)locks->slices[0].address;
    lock->next = lock->serving.value = UINT32_MAX - ROUNDS;
  }
  KIT_OK(cw_barrier(team));
  for (int i = 0; i < ROUNDS; i++) {
    bool locked = false;
    if (i % 2 == 0)
      KIT_OK(cw_mutex_lock(mutexes, 0, 0));
    else
      while (!locked)
        KIT_OK(cw_mutex_trylock(mutexes, 0, 0, &locked));
    KIT_OK(cw_get(&word, at[0], sizeof word, 0));
    word++;
    KIT_OK(cw_put(&word, at[0], sizeof word, 0));
    KIT_OK(cw_fence(0));
    KIT_OK(cw_mutex_unlock(mutexes, 0, 0));
  }
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_get(&word, at[0], sizeof word, 0));
  kit_check_long(word, ROUNDS * (last + 1), "times that it was locked");
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_region_free(team, &region));
}

static long ran;

static cw_error count(const cw_task *task, void *argument)
{
  (void)task;
  (void)argument;
  __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
  return CW_OK;
}

/* Sets the pool as if many phases and tasks had been processed. */
static void set_pool(cw_tasks tasks)
{
  const uint32_t slots = tasks->inbox.mask + 1, first = 0u - slots; /* at the first slot */
  kit_barrier();
  tasks->phase = tasks->over = UINT32_MAX - 2;
  tasks->inbox.head = first;
  tasks->inbox.shared->control = (int64_t)((uint64_t)(first + slots) << 32 | first);
  for (int rank = 0; rank <= last; rank++)
    tasks->targets[rank].last = (int64_t)((uint64_t)(first + slots) << 32 | first);
  for (int i = 0; i < tasks->worker_count; i++)
    tasks->workers[i].queue.generation = tasks->workers[i].queue.oldest = UINT32_MAX - 3;
  kit_barrier();
}

static void test_phases(void)
{
  enum { PHASES = 8, TASKS = 50 };
  cw_tasks_options options = {.inbox = 128, .slots = 1024};
  cw_tasks tasks = NULL;
  int class = 0;
  long all = 0;
  kit_about("phases");
  KIT_MUST(cw_tasks_create(team, &options, &tasks));
  KIT_MUST(cw_tasks_register(tasks, "count", count, NULL, &class));
  set_pool(tasks);
  for (int phase = 0; phase < PHASES; phase++) {
    for (int i = 0; i < TASKS; i++)
      KIT_OK(cw_tasks_add_to(tasks, class, &i, sizeof i, i % (last + 1), 0));
    KIT_OK(cw_tasks_process(tasks));
    all = ran;
    KIT_OK(cw_allreduce(team, CW_LONG, CW_SUM, 1, &all));
    kit_check_long(all, (long)(phase + 1) * TASKS * (last + 1), "tasks that ran");
  }
  KIT_OK(cw_tasks_free(&tasks));
}

static void test_numbers(void)
{
  test_regions();
  test_tickets();
  test_phases();
}

/* --- Updates ---------------------------------------------------------------------------------- */

/* Any batch number is newer than any other; no batch of a server has arrived yet. */
static void test_updates(void)
{
  static const uint32_t batches[] = {1u, 1u << 30, 1u << 31, 3u << 30, UINT32_MAX, 0u, 1u};
  const int node = (me + 1) % (last + 1);
  kit_about("batches");
  cwi_origin_lock();
  for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
    kit_check(cwi_updates_is_new_error(node, batches[i]), "batch %u is no news", batches[i]);
    const cw_error error = cwi_misuse("batch %u", batches[i]);
    kit_check(error != CW_OK, "no error");
    cwi_updates_failed(node, batches[i]);
    kit_check(!cwi_updates_is_new_error(node, batches[i]), "batch %u is news twice", batches[i]);
    kit_check(!cwi_updates_is_new_error(node, batches[i] - 1), "the batch before %u is news",
              batches[i]);
  }
  cwi_origin_unlock();
  (void)cw_error_message();
}

int main(int argc, char **argv)
{
  static const struct kit_part tests[] = {
      {"meetings", test_meetings}, {"numbers", test_numbers}, {"updates", test_updates}};
  kit_start_native(&argc, &argv, "wraps");
  kit_hang_guard();
  me = kit_me();
  last = kit_processes() - 1;
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  KIT_RUN_PARTS(argc, argv, tests);
  KIT_OK(cw_team_free(&team));
  return kit_finish_native();
}
