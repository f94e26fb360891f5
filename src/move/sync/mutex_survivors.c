/* Mutexes of a job that survives failures: words in the memory of the node that name their holder.
 * If the holder has failed, the next process that wants the mutex takes it over. Unlike ticket
 * locks they have no queue, in which a failed process could stand. */
#include "profile/profile.h"
#include "region/region.h"
#include "sync/mutex.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"

/* The bit of a word that shows that threads may sleep until it changes. */
static const uint32_t SLEEPERS = (uint32_t)1 << 31;

struct mutex_word {
  uint32_t holder; /* 0, or the holder's process number + 1; with SLEEPERS */
  uint32_t padding[15];
};

static uint32_t *word_of(cw_mutexes set, size_t number, int rank)
{
  const struct cwi_region *region = set->state;
  struct mutex_word *words = (struct mutex_word *)(void *)region->slices[rank].address;
  return &words[number].holder;
}

static int mutex_process(uint32_t word)
{
  return (int)(word & ~SLEEPERS) - 1;
}

static cw_error survivor_mutex_create(cw_mutexes set)
{
  return cwi_mutex_allocate(set, sizeof(struct mutex_word));
}

static cw_error taken_over(cw_mutexes set, size_t number, int rank, int process)
{
  char name[CWI_MUTEX_NAME];
  cwi_mutex_name(set, number, set->team->process[rank], name, sizeof name);
  cwi_failures_call_handler();
  return cwi_failure(CW_FAILED, "process %d failed while it held %s; this process holds it now",
                     process, name);
}

/* Takes the mutex if it is free or its holder has failed. `also` are bits to set in the word. On
 * return *seen is the word before. */
static bool take(uint32_t *word, uint32_t also, uint32_t *seen)
{
  *seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  if (mutex_process(*seen) >= 0 && !cwi_has_failed(mutex_process(*seen)))
    return false;
  const uint32_t mine = ((uint32_t)cwi_world.process + 1) | (*seen & SLEEPERS) | also;
  return __atomic_compare_exchange_n(word, seen, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static cw_error survivor_mutex_lock(cw_mutexes set, size_t number, int rank)
{
  enum { NAP_NANOSECONDS = 1000000 };
  uint32_t *word = word_of(set, number, rank), seen = 0, also = 0;
  struct cwi_wait wait = {.sleeps = true};
  while (!take(word, also, &seen)) {
    if (cwi_wait_pass(&wait) || mutex_process(seen) < 0)
      continue;
    also = SLEEPERS; /* others may sleep beside me, and their bit would be lost with my unlock */
    if ((seen & SLEEPERS) == 0 && !__atomic_compare_exchange_n(word, &seen, seen | SLEEPERS, false,
                                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
    cwi_word_nap(word, seen | SLEEPERS, NAP_NANOSECONDS);
  }
  return mutex_process(seen) < 0 ? CW_OK : taken_over(set, number, rank, mutex_process(seen));
}

static cw_error survivor_mutex_trylock(cw_mutexes set, size_t number, int rank, bool *acquired)
{
  uint32_t seen = 0;
  *acquired = take(word_of(set, number, rank), 0, &seen);
  return !*acquired || mutex_process(seen) < 0 ? CW_OK
                                               : taken_over(set, number, rank, mutex_process(seen));
}

static cw_error survivor_mutex_unlock(cw_mutexes set, size_t number, int rank)
{
  uint32_t *word = word_of(set, number, rank);
  if ((__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & SLEEPERS) != 0)
    cwi_word_wake(word);
  return CW_OK;
}

static int survivor_mutex_holder(cw_mutexes set, size_t number, int rank)
{
  return mutex_process(__atomic_load_n(word_of(set, number, rank), __ATOMIC_RELAXED));
}

const struct cwi_mutex_kind cwi_mutex_survivors = {.name = "words that name their holder",
                                                   .create = survivor_mutex_create,
                                                   .destroy = cwi_mutex_deallocate,
                                                   .lock = survivor_mutex_lock,
                                                   .unlock = survivor_mutex_unlock,
                                                   .trylock = survivor_mutex_trylock,
                                                   .holder = survivor_mutex_holder};
