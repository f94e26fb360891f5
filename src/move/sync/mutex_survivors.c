/* Mutexes of a job that survives failures: words that name their holder. If the holder has failed,
 * the next process that wants the mutex takes it over. Unlike ticket locks they have no queue, in
 * which a failed process could stand. The words of a team on one node are in the memory of the
 * node, and threads sleep until they change. Those of a team on several nodes are at the home, so
 * that no mutex is lost with a node, and waiting threads read them again and again. */
#include "profile/profile.h"
#include "region/region.h"
#include "sync/barrier.h"
#include "sync/home_access.h"
#include "sync/mutex.h"
#include "team/home.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"

/* The bit of a word that shows that threads may sleep until it changes. */
static const uint32_t SLEEPERS = (uint32_t)1 << 31;

struct mutex_word {
  uint32_t holder; /* 0, or the holder's process number + 1; with SLEEPERS */
  uint32_t padding[15];
};

/* --- The words -------------------------------------------------------------------------------- */

/* Returns the address of a word in the memory of the node. */
static uint32_t *word_of(cw_mutexes set, size_t number, int rank)
{
  const struct cwi_region *region = set->state;
  struct mutex_word *words = (struct mutex_word *)(void *)region->slices[rank].address;
  return &words[number].holder;
}

/* Returns the number of a word at the home. */
static size_t place_at_home(cw_mutexes set, size_t number, int rank)
{
  return CWI_SURVIVORS_WORDS + set->home_first + set->firsts[rank] + number;
}

static uint32_t mutex_read(cw_mutexes set, size_t number, int rank)
{
  uint64_t word = 0;
  if (set->team->home == 0)
    return __atomic_load_n(word_of(set, number, rank), __ATOMIC_ACQUIRE);
  cwi_home_words(set->team, place_at_home(set, number, rank), 1, &word);
  return (uint32_t)word;
}

/* Replaces the word if it is `expected`. Returns true if it was. No thread sleeps on a word at the
 * home. */
static bool mutex_replace(cw_mutexes set, size_t number, int rank, uint32_t expected,
                          uint32_t value)
{
  return set->team->home != 0
             ? cwi_home_word_swap(set->team, place_at_home(set, number, rank), expected,
                                  value & ~SLEEPERS)
             : __atomic_compare_exchange_n(word_of(set, number, rank), &expected, value, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static int mutex_process(uint32_t word)
{
  return (int)(word & ~SLEEPERS) - 1;
}

static cw_error survivor_mutex_create(cw_mutexes set)
{
  const cw_team team = set->team;
  if (team->home == 0)
    return cwi_mutex_allocate(set, sizeof(struct mutex_word));
  if (team->rank == 0)
    cwi_home_words_clear(team, place_at_home(set, 0, 0), cwi_mutex_count(set));
  return cwi_team_barrier(team);
}

static cw_error survivor_mutex_destroy(cw_mutexes set)
{
  const bool stops = set->state == NULL && set->team->memory == NULL && set->team->home == 0;
  return stops ? CW_OK : cwi_mutex_deallocate(set); /* after the home no call can wait */
}

/* --- Lock and unlock -------------------------------------------------------------------------- */

/* Called when this process has taken over the mutex of a failed process. */
static cw_error taken_over(cw_mutexes set, size_t number, int rank, int process)
{
  char name[CWI_MUTEX_NAME];
  cwi_mutex_name(set, number, set->team->process[rank], name, sizeof name);
  cwi_home_await_servers(process);
  cwi_failures_call_handler();
  return cwi_failure(CW_FAILED, "process %d failed while it held %s; this process holds it now",
                     process, name);
}

/* Takes the mutex if it is free or its holder has failed. `also` are bits to set in the word. On
 * return *seen is the word before. */
static bool take(cw_mutexes set, size_t number, int rank, uint32_t also, uint32_t *seen)
{
  *seen = mutex_read(set, number, rank);
  if (mutex_process(*seen) >= 0 && !cwi_has_failed(mutex_process(*seen)))
    return false;
  const uint32_t mine = ((uint32_t)cwi_world.process + 1) | (*seen & SLEEPERS) | also;
  return mutex_replace(set, number, rank, *seen, mine);
}

/* Sleeps until the word changes from `seen`. */
static void await_change(cw_mutexes set, size_t number, int rank, uint32_t seen, long nap)
{
  if (set->team->home != 0)
    cwi_nap(nap);
  else if ((seen & SLEEPERS) != 0 || mutex_replace(set, number, rank, seen, seen | SLEEPERS))
    cwi_word_nap(word_of(set, number, rank), seen | SLEEPERS, nap);
}

static cw_error survivor_mutex_lock(cw_mutexes set, size_t number, int rank)
{
  enum { NAP_NANOSECONDS = 1000000 };
  uint32_t seen = 0, also = 0;
  struct cwi_wait wait = {.sleeps = true};
  while (!take(set, number, rank, also, &seen)) {
    if (cwi_wait_pass(&wait) || mutex_process(seen) < 0)
      continue;
    also = SLEEPERS; /* others may sleep beside me, and their bit would be lost with my unlock */
    await_change(set, number, rank, seen, NAP_NANOSECONDS);
  }
  return mutex_process(seen) < 0 ? CW_OK : taken_over(set, number, rank, mutex_process(seen));
}

static cw_error survivor_mutex_trylock(cw_mutexes set, size_t number, int rank, bool *acquired)
{
  uint32_t seen = 0;
  *acquired = take(set, number, rank, 0, &seen);
  return !*acquired || mutex_process(seen) < 0 ? CW_OK
                                               : taken_over(set, number, rank, mutex_process(seen));
}

static cw_error survivor_mutex_unlock(cw_mutexes set, size_t number, int rank)
{
  if (set->team->home != 0) {
    mutex_replace(set, number, rank, (uint32_t)cwi_world.process + 1, 0);
    return CW_OK;
  }
  uint32_t *word = word_of(set, number, rank);
  if ((__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & SLEEPERS) != 0)
    cwi_word_wake(word);
  return CW_OK;
}

/* A report of a long wait calls this, and must not wait for the home itself. */
static int survivor_mutex_holder(cw_mutexes set, size_t number, int rank)
{
  return set->team->home != 0
             ? -1
             : mutex_process(__atomic_load_n(word_of(set, number, rank), __ATOMIC_RELAXED));
}

const struct cwi_mutex_kind cwi_mutex_survivors = {.name = "words that name their holder",
                                                   .create = survivor_mutex_create,
                                                   .destroy = survivor_mutex_destroy,
                                                   .lock = survivor_mutex_lock,
                                                   .unlock = survivor_mutex_unlock,
                                                   .trylock = survivor_mutex_trylock,
                                                   .holder = survivor_mutex_holder};
