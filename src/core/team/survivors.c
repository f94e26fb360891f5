/* Agreement of the surviving members of a team, in shared memory.
 *
 * Each agreement has a number. A member stores its entry and then the number, as a sign that it has
 * arrived. The member that has the lowest rank among those that it does not know to have failed is
 * the coordinator: when every member that it does not know to have failed has arrived, it stores
 * the set of failed members as its proposal, and tries to decide by one compare-and-swap of the
 * word `decided`. If the coordinator fails, the next member becomes coordinator. The failed one may
 * have decided meanwhile; the compare-and-swap takes the proposal of one of them. A member may fail
 * between any two instructions: either the word has been changed, and all see that decision, or it
 * has not, and another member decides. tests/failures/model checks this.
 *
 * Entries and proposals are double-buffered: agreement k+2 is decided only after every member that
 * has not failed has arrived in it, so after it has read those of agreement k. */
#include "team/survivors.h"

#include "team/home.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/wait_report.h"

#include <stdio.h>
#include <string.h>

enum { RANK_BITS = 16, BITS = 64 };

struct survivors {
  uint64_t decided; /* number of the last agreement << RANK_BITS | rank of its coordinator */
  uint64_t words[CWI_SURVIVORS_WORDS];
  /* Followed by the process of each rank [members], the numbers of agreements in which members have
   * arrived [members], entries [2][members], proposals [2][members][words], and buffers of steps
   * [2][members][CWI_STEP_BYTES]. */
  uint64_t process[];
};

static __thread bool suffice;

static size_t words_of(int members)
{
  return ((size_t)members + BITS - 1) / BITS;
}

/* Returns the number of bytes before the buffers of steps. */
static size_t bytes_of_words(int members)
{
  const size_t count = (size_t)members;
  return sizeof(struct survivors) + count * 2 * sizeof(uint64_t) +
         2 * count * sizeof(struct cwi_entry) + 2 * count * words_of(members) * sizeof(uint64_t);
}

size_t cwi_survivors_bytes(int members)
{
  return cwi_survives() ? bytes_of_words(members) + 2 * (size_t)members * CWI_STEP_BYTES : 0;
}

static struct survivors *survivors_of(const struct cwi_team_memory *memory, int members)
{
  return (
      struct survivors *)(void *)(cwi_team_memory_waits((struct cwi_team_memory *)memory, members) +
                                  members);
}

static uint64_t *arrivals_of(struct survivors *survivors, int members)
{
  return survivors->process + members;
}

static struct cwi_entry *entries_of(struct survivors *survivors, int members, uint64_t number)
{
  struct cwi_entry *first = (struct cwi_entry *)(void *)(survivors->process + 2 * (size_t)members);
  return first + (size_t)(number % 2) * (size_t)members;
}

static uint64_t *proposal_of(struct survivors *survivors, int members, uint64_t number, int rank)
{
  uint64_t *first = (uint64_t *)(void *)entries_of(survivors, members, 0) +
                    2 * (size_t)members * (sizeof(struct cwi_entry) / sizeof(uint64_t));
  return first + ((size_t)(number % 2) * (size_t)members + (size_t)rank) * words_of(members);
}

void cwi_survivors_clear(struct cwi_team_memory *memory, const int *processes, int members)
{
  struct survivors *survivors = survivors_of(memory, members);
  memset(survivors, 0, bytes_of_words(members));
  for (int rank = 0; rank < members; rank++)
    survivors->process[rank] = (uint64_t)processes[rank];
}

static bool rank_failed(const struct survivors *survivors, int rank)
{
  return cwi_has_failed((int)survivors->process[rank]);
}

bool cwi_survivors_missing(const struct cwi_team_memory *memory, int members)
{
  const struct survivors *survivors = survivors_of(memory, members);
  for (int rank = 0; rank < members; rank++)
    if (rank_failed(survivors, rank))
      return true;
  return false;
}

/* Returns the lowest rank that has failed, or -1. */
static int first_missing(cw_team team)
{
  for (int rank = 0; rank < team->size; rank++)
    if (cwi_has_failed(team->process[rank]))
      return rank;
  return -1;
}

bool cwi_team_misses_members(cw_team team)
{
  return first_missing(team) >= 0;
}

cw_error cwi_team_failed(cw_team team)
{
  const int rank = first_missing(team);
  if (rank < 0)
    return CW_OK;
  cwi_failures_call_handler();
  return cwi_failure(CW_FAILED, "process %d, rank %d of the team, has failed", team->process[rank],
                     rank);
}

cw_error cwi_team_broken(cw_team team)
{
  enum { NAP_NANOSECONDS = 20000 };
  while (!cwi_team_misses_members(team))
    cwi_nap(NAP_NANOSECONDS);
  return cwi_team_failed(team);
}

cw_error cwi_team_check_messages(cw_team team)
{
  if (!cwi_survives())
    return CW_OK;
  CWI_TRY(cwi_team_failed(team));
  return team->internal != MPI_COMM_NULL
             ? CW_OK
             : cwi_misuse("with CW_FAILURES=survive only the world has a communicator, which this "
                          "call needs");
}

bool cwi_survivors_suffice(void)
{
  const bool before = suffice;
  suffice = cwi_survives();
  return before;
}

void cwi_survivors_restore(bool before)
{
  suffice = before;
}

void cwi_survivors_words(cw_team team, size_t first, size_t count, uint64_t *values)
{
  if (team->home != 0) {
    cwi_home_words(team, first, count, values);
    return;
  }
  const uint64_t *words = survivors_of(team->memory, team->size)->words + first;
  for (size_t i = 0; i < count; i++)
    values[i] = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
}

bool cwi_survivors_word_swap(cw_team team, size_t number, uint64_t expected, uint64_t value)
{
  return team->home != 0
             ? cwi_home_word_swap(team, number, expected, value)
             : __atomic_compare_exchange_n(&survivors_of(team->memory, team->size)->words[number],
                                           &expected, value, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED);
}

/* --- Steps of nonblocking collectives --------------------------------------------------------- */

/* The word of the steps: the number of the last complete one << 32, the bit of a broken one, and
 * the number of members that have arrived in the next. One compare-and-swap of it completes a step
 * or breaks it, as in a barrier (home.c). */
static const uint64_t STEP_BROKEN = (uint64_t)1 << 31;

static uint64_t step_word(cw_team team)
{
  uint64_t word = 0;
  cwi_survivors_words(team, CWI_SURVIVORS_STEP, 1, &word);
  return word;
}

static bool step_swap(cw_team team, uint64_t expected, uint64_t value)
{
  return cwi_survivors_word_swap(team, CWI_SURVIVORS_STEP, expected, value);
}

void cwi_survivors_step_arrive(cw_team team)
{
  uint64_t word = step_word(team);
  while ((word & STEP_BROKEN) == 0 && !step_swap(team, word, word + 1))
    word = step_word(team);
}

void cwi_survivors_steps_break(cw_team team)
{
  uint64_t word = step_word(team);
  while ((word & STEP_BROKEN) == 0 && !step_swap(team, word, word | STEP_BROKEN))
    word = step_word(team);
}

enum cwi_step cwi_survivors_step(cw_team team, uint32_t number)
{
  while (true) {
    const uint64_t word = step_word(team);
    if ((uint32_t)(word >> 32) == number)
      return CWI_STEP_COMPLETE;
    if ((word & STEP_BROKEN) != 0)
      return CWI_STEP_BROKEN;
    const bool misses = cwi_failures_count() > 0 && cwi_team_misses_members(team);
    if ((uint32_t)word == (uint32_t)team->size)
      step_swap(team, word, (uint64_t)number << 32);
    else if (!misses || step_swap(team, word, word | STEP_BROKEN))
      return misses ? CWI_STEP_BROKEN : CWI_STEP_OPEN;
  }
}

char *cwi_survivors_step_buffer(cw_team team, uint32_t number, int rank)
{
  char *buffers = (char *)survivors_of(team->memory, team->size) + bytes_of_words(team->size);
  return buffers + ((size_t)(number % 2) * (size_t)team->size + (size_t)rank) * CWI_STEP_BYTES;
}

/* --- Agreement -------------------------------------------------------------------------------- */

/* Stores the members that this one knows to have failed. Returns false if a member that it does not
 * know to have failed has not arrived, or one of lower rank than mine would have to decide. */
static bool propose(cw_team team, struct survivors *survivors, uint64_t number)
{
  const uint64_t *arrivals = arrivals_of(survivors, team->size);
  uint64_t *proposal = proposal_of(survivors, team->size, number, team->rank);
  memset(proposal, 0, words_of(team->size) * sizeof *proposal);
  for (int rank = 0; rank < team->size; rank++) {
    if (rank_failed(survivors, rank))
      proposal[rank / BITS] |= (uint64_t)1 << rank % BITS;
    else if (rank < team->rank || __atomic_load_n(&arrivals[rank], __ATOMIC_ACQUIRE) < number)
      return false;
  }
  return true;
}

static void await_decision(cw_team team, struct survivors *survivors, uint64_t number)
{
  struct cwi_wait wait = {.sleeps = true};
  struct cwi_signal *generation = &team->memory->generation;
  while (true) {
    const uint32_t now = cwi_signal_value(generation);
    uint64_t decided = __atomic_load_n(&survivors->decided, __ATOMIC_ACQUIRE);
    if (decided >> RANK_BITS >= number)
      return;
    if (!propose(team, survivors, number))
      cwi_signal_wait(&wait, generation, now);
    else if (__atomic_compare_exchange_n(&survivors->decided, &decided,
                                         number << RANK_BITS | (uint64_t)team->rank, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      cwi_signal_advance(generation);
  }
}

/* Waits until this process, too, has learned of the failure, which its watcher does in a moment. */
static void await_watcher(int process)
{
  enum { NAP_NANOSECONDS = 20000 };
  while (!cwi_has_failed(process))
    cwi_nap(NAP_NANOSECONDS);
}

static void survivors_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_team *team = what;
  snprintf(text, size, "the surviving members of a team of %d processes", team->size);
}

static void agree_in_memory(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all,
                            char *failed)
{
  struct survivors *survivors = survivors_of(team->memory, team->size);
  const uint64_t number = ++team->agreements;
  struct cwi_entry *entries = entries_of(survivors, team->size, number);
  entries[team->rank] = *mine;
  __atomic_store_n(&arrivals_of(survivors, team->size)[team->rank], number, __ATOMIC_RELEASE);
  await_decision(team, survivors, number);
  const uint64_t decided = __atomic_load_n(&survivors->decided, __ATOMIC_ACQUIRE);
  const int coordinator = (int)(decided & ((1U << RANK_BITS) - 1));
  const uint64_t *proposal = proposal_of(survivors, team->size, number, coordinator);
  for (int rank = 0; rank < team->size; rank++) {
    failed[rank] = (char)(proposal[rank / BITS] >> rank % BITS & 1);
    all[rank] = entries[rank];
  }
}

void cwi_survivors_agree(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all,
                         char *failed)
{
  if (team->size == 1) {
    all[0] = *mine;
    failed[0] = 0;
    return;
  }
  const struct cwi_waiting outer =
      cwi_waiting_begin("cw_team_agree_failed", survivors_awaited, team);
  if (team->memory == NULL)
    cwi_home_agree(team, mine, all, failed);
  else
    agree_in_memory(team, mine, all, failed);
  for (int rank = 0; rank < team->size; rank++)
    if (failed[rank])
      await_watcher(team->process[rank]);
  cwi_waiting_end(&outer);
  cwi_failures_call_handler();
}

/* Returns CW_FAILED after a broken meeting.
 *
 * A slow member may still read the entries and bounce buffers of the meeting before the broken one.
 * The additional meeting makes all later ones use those of the broken meeting, which no member
 * reads. If survivors suffice, their agreement waits for the slow member instead, and then they may
 * read what they have written for this meeting. */
static cw_error failure_of_broken(cw_team team)
{
  team->meetings++;
  return cwi_team_broken(team);
}

cw_error cwi_survivors_exchange(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all)
{
  if (!suffice)
    return failure_of_broken(team);
  const struct cwi_entry nothing = {0};
  cwi_survivors_agree(team, mine != NULL ? mine : &nothing, team->survivor_entries,
                      team->survivor_flags);
  for (int rank = 0; all != NULL && rank < team->size; rank++)
    all[rank] = team->survivor_flags[rank] ? *mine : team->survivor_entries[rank];
  return CW_OK;
}

int cwi_survivors_first(cw_team team)
{
  int first = 0;
  while (first < team->size - 1 && team->survivor_flags[first])
    first++;
  return first;
}

/* Arrival of a member that has left. It also counts as an arrival in every agreement. */
static const uint64_t LEFT = UINT64_MAX;

static bool rank_has_left(struct survivors *survivors, int members, int rank)
{
  return __atomic_load_n(&arrivals_of(survivors, members)[rank], __ATOMIC_ACQUIRE) == LEFT;
}

void cwi_survivors_leave(struct cwi_team_memory *memory, int members, int rank)
{
  __atomic_store_n(&arrivals_of(survivors_of(memory, members), members)[rank], LEFT,
                   __ATOMIC_RELEASE);
}

bool cwi_survivors_have_left(struct cwi_team_memory *memory, int members)
{
  struct survivors *survivors = survivors_of(memory, members);
  for (int rank = 0; rank < members; rank++)
    if (!rank_has_left(survivors, members, rank) && !rank_failed(survivors, rank))
      return false;
  return true;
}

bool cwi_survivors_has_stopped(int process)
{
  const cw_team world = cwi_world.team;
  return world != NULL && world->memory != NULL &&
         rank_has_left(survivors_of(world->memory, world->size), world->size, process);
}
