/* Processes allocate and free ranges of an arena while one after the other of them is killed. No
 * two living ranges overlap, the free lists stay consistent, and each death loses at most the range
 * that the process was allocating or freeing. One process starts the others; MPI takes no part.
 *
 *   arena_deaths [DEATHS] */
#include "base/size.h"
#include "kit/kit.h"
#include "memory/arena.h"
#include "memory/zone.h"
#include "number/random.h"
#include "wait/failures.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3, HELD = 8, MOST_LENGTH = 16, GRANULES = 60000 };

/* A range that a child holds; 0 granules if there is none. It is recorded after it has been
 * allocated, and removed before it is freed. */
struct held {
  uint32_t granule, length;
};

static struct shared {
  struct cwi_arena arena;
  struct held held[CHILDREN][HELD];
  int overlaps;
  unsigned char used[GRANULES + 1]; /* by granule: 1 + the child that uses it */
  struct cwi_granule granules[GRANULES + 1];
} * shared;

static void mark(uint32_t granule, uint32_t length, unsigned char from, unsigned char to)
{
  for (uint32_t i = granule; i < granule + length; i++)
    if (__atomic_exchange_n(&shared->used[i], to, __ATOMIC_RELAXED) != from)
      __atomic_fetch_add(&shared->overlaps, 1, __ATOMIC_RELAXED);
}

static void give(struct held *held, int child)
{
  const struct held range = *held;
  mark(range.granule, range.length, (unsigned char)(child + 1), 0);
  __atomic_store_n(&held->length, 0, __ATOMIC_RELEASE);
  cwi_arena_give(&shared->arena, range.granule, range.length);
}

static void take(struct held *held, int child, uint32_t length)
{
  const uint32_t granule = cwi_arena_take(&shared->arena, length);
  if (granule == 0)
    return;
  held->granule = granule;
  mark(granule, length, 0, (unsigned char)(child + 1));
  __atomic_store_n(&held->length, length, __ATOMIC_RELEASE);
}

static void child_runs(int child, uint64_t state)
{
  while (true) {
    struct held *held = &shared->held[child][kit_random(&state, HELD)];
    if (held->length != 0)
      give(held, child);
    else
      take(held, child, 1 + (uint32_t)kit_random(&state, MOST_LENGTH));
  }
}

static pid_t child_start(int child, uint64_t state)
{
  const pid_t pid = fork();
  if (pid == 0)
    child_runs(child, state);
  kit_check(pid > 0, "fork");
  return pid;
}

/* Kills the child, and frees its ranges. It may have died while it marked a range. */
static void child_end(pid_t pid, int child)
{
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  for (uint32_t granule = 1; granule <= GRANULES; granule++)
    if (shared->used[granule] == child + 1)
      shared->used[granule] = 0;
  for (int i = 0; i < HELD; i++) {
    struct held *held = &shared->held[child][i];
    if (held->length != 0)
      cwi_arena_give(&shared->arena, held->granule, held->length);
    held->length = 0;
  }
}

/* Returns the granules in the lists of free ranges, and checks the lists. The lock is held. */
static uint32_t listed(int *wrong)
{
  const struct cwi_arena *arena = &shared->arena;
  uint32_t sum = 0;
  for (unsigned class = 0; class < CWI_ARENA_CLASSES; class ++) {
    uint32_t before = 0;
    for (uint32_t at = arena->first[class]; at != 0 && sum <= GRANULES;
         before = at, at = shared->granules[at].next) {
      const struct cwi_granule *head = &shared->granules[at];
      *wrong += head->kind != CWI_GRANULE_CHUNK_FREE || head->previous != before ||
                cwi_log2(head->length) != class || head->head != at ||
                shared->granules[at + head->length - 1].head != at;
      sum += head->length;
    }
  }
  return sum;
}

/* Returns the granules in the free ranges of the table, and checks that no two touch. */
static uint32_t in_table(int *wrong)
{
  uint32_t sum = 0, end = 0;
  for (uint32_t at = 1; at <= GRANULES; at++)
    if (shared->granules[at].kind == CWI_GRANULE_CHUNK_FREE) {
      *wrong += at <= end;
      end = at + shared->granules[at].length;
      sum += shared->granules[at].length;
    }
  return sum;
}

/* Checks the arena. The first allocation repairs it. Returns the number of free granules. */
static uint32_t check_arena(uint32_t least)
{
  int wrong = 0;
  const uint32_t one = cwi_arena_take(&shared->arena, 1);
  if (kit_check(one != 0, "there is no free granule"))
    cwi_arena_give(&shared->arena, one, 1);
  const int code = pthread_mutex_lock(&shared->arena.lock);
  const uint32_t in_lists = listed(&wrong), free = in_table(&wrong);
  if (code == 0)
    pthread_mutex_unlock(&shared->arena.lock);
  kit_check(wrong == 0 && in_lists == free, "%d wrong entries; %u granules are listed, %u free",
            wrong, in_lists, free);
  kit_check(free >= least && free <= GRANULES, "%u granules are free, and not at least %u", free,
            least);
  return free;
}

static void check_all_allocatable(uint32_t free)
{
  uint32_t got = 0;
  for (uint32_t granule; (granule = cwi_arena_take(&shared->arena, 1)) != 0; got++)
    mark(granule, 1, 0, 1);
  kit_check_long(got, free, "granules that can be allocated");
}

static void arena_start(void)
{
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    abort();
  cwi_failures_survive();
  cwi_zone.granules = shared->granules;
  kit_check(cwi_arena_start(&shared->arena, CWI_ARENA_CHUNK, 1, GRANULES + 1) == CW_OK, "start");
}

/* Returns the number of granules that are free at least after some deaths. */
static uint32_t least_free(long deaths, bool living)
{
  const long taken = deaths * MOST_LENGTH + (living ? CHILDREN * (HELD + 1) * MOST_LENGTH : 0);
  return taken < GRANULES ? (uint32_t)(GRANULES - taken) : 1;
}

int main(int argc, char **argv)
{
  pid_t children[CHILDREN];
  kit_start(&argc, &argv, "arena_deaths");
  uint64_t state = (uint64_t)kit_common(1 << 30);
  const long deaths = kit_rounds(argc > 1 ? argv[1] : NULL, 300);
  arena_start();
  for (int child = 0; child < CHILDREN; child++)
    children[child] = child_start(child, cwi_random_next(&state));
  for (long death = 1; death <= deaths; death++) {
    const int child = kit_random(&state, CHILDREN);
    usleep((useconds_t)kit_random(&state, 2000));
    child_end(children[child], child);
    kit_about("after death %ld", death);
    check_arena(least_free(death, true));
    children[child] = child_start(child, cwi_random_next(&state));
  }
  for (int child = 0; child < CHILDREN; child++)
    child_end(children[child], child);
  check_all_allocatable(check_arena(least_free(deaths + CHILDREN, false)));
  kit_check_long(shared->overlaps, 0, "granules of two ranges");
  return kit_finish();
}
