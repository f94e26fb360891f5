/* State of teams on several nodes, in the memory of the home. The algorithms are those of
 * team_memory.c and survivors.c.
 *
 * A failed member may have sent accesses that the home's server executes after the failure is
 * known. They do no harm. An arrival comes late only in a barrier that is broken or about to break.
 * A late decision names a proposal that is complete, because the server executes the accesses of
 * one process in order, and it is a compare-and-swap of the word that the other proposals also
 * compare.
 */
#include "team/home.h"

#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/wait_report.h"
#include "wait/waiter.h"

#include <stdlib.h>
#include <string.h>

/* Offsets of a place's words: the barrier's number << 32, the bit of a broken barrier and the
 * number of arrived members; the number of the last agreement << 16 and the rank of its
 * coordinator; the number of members. Then follow the process of each rank, the numbers of
 * agreements in which members have arrived, entries of meetings and of agreements [2][members],
 * proposals [2][members][words], and two texts. */
enum { WORD = 0, DECIDED = 8, MEMBERS = 16, TABLES = 24 };

static const uint64_t BROKEN = (uint64_t)1 << 31;
static const uint64_t LEFT = UINT64_MAX; /* arrival of a member that has left */
static const uint64_t BUSY = UINT64_MAX; /* owner of a place that is being cleared */
enum { RANK_BITS = 16, BITS = 64 };

static const struct cwi_home_access *home;

/* --- Layout ----------------------------------------------------------------------------------- */

static size_t proposal_words(int members)
{
  return ((size_t)members + BITS - 1) / BITS;
}

static size_t arrivals_at(int members)
{
  return TABLES + (size_t)members * sizeof(uint64_t);
}

/* Returns the offset of the entries of a meeting or, if `agrees`, of an agreement. */
static size_t entries_at(int members, bool agrees, uint64_t number)
{
  return TABLES + 2 * (size_t)members * sizeof(uint64_t) +
         ((agrees ? 2 : 0) + number % 2) * (size_t)members * sizeof(struct cwi_entry);
}

static size_t proposal_at(int members, uint64_t number, int rank)
{
  return entries_at(members, true, 0) + 2 * (size_t)members * sizeof(struct cwi_entry) +
         ((size_t)(number % 2) * (size_t)members + (size_t)rank) * proposal_words(members) *
             sizeof(uint64_t);
}

static size_t text_at(int members, uint64_t number)
{
  return proposal_at(members, 0, 0) +
         2 * (size_t)members * proposal_words(members) * sizeof(uint64_t) +
         (size_t)(number % 2) * CWI_HOME_TEXT;
}

static size_t place_bytes(int members)
{
  return text_at(members, 0) + 2 * (size_t)CWI_HOME_TEXT;
}

/* The home's memory begins with the owner of each place: the number of its team + 1, or 0. Then
 * come the places, and for each of them the words of the team's mutexes. */
static uint64_t owner_at(size_t number)
{
  return number * sizeof(uint64_t);
}

static uint64_t place_at(size_t number)
{
  return owner_at(CWI_HOME_TEAMS) + number * place_bytes(cwi_world.processes);
}

static uint64_t word_at(size_t place, size_t number)
{
  enum { WORDS = CWI_SURVIVORS_WORDS + CWI_HOME_MUTEXES };
  return place_at(CWI_HOME_TEAMS) + (place * WORDS + number) * sizeof(uint64_t);
}

size_t cwi_home_bytes(void)
{
  return word_at(CWI_HOME_TEAMS, 0);
}

static uint64_t home_at(const struct cwi_team *team, size_t offset)
{
  return place_at(cwi_home_number(team)) + offset;
}

static uint64_t read_word(uint64_t offset)
{
  uint64_t word = 0;
  home->read(offset, &word, sizeof word);
  return word;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

struct pause {
  struct cwi_wait wait;
  long nap;
};

static const struct pause no_pause = {{.sleeps = true}, 0};

/* Makes one pass of a wait for a change of a word at the home. */
static void home_pause(struct pause *pause)
{
  enum { SHORTEST_NANOSECONDS = 20000, LONGEST_NANOSECONDS = 1000000 };
  if (cwi_wait_pass(&pause->wait))
    return;
  pause->nap =
      pause->nap == 0 ? SHORTEST_NANOSECONDS : cwi_nap_doubled(pause->nap, LONGEST_NANOSECONDS);
  cwi_nap(pause->nap);
}

static bool misses_members(const struct cwi_team *team)
{
  if (cwi_failures_count() == 0)
    return false;
  for (int rank = 0; rank < team->size; rank++)
    if (cwi_has_failed(team->process[rank]))
      return true;
  return false;
}

/* --- Places ----------------------------------------------------------------------------------- */

/* Returns true if all members of the team at a place have left or failed. */
static bool is_abandoned(size_t number)
{
  const int members = (int)read_word(place_at(number) + MEMBERS);
  const size_t count = (size_t)members;
  uint64_t *tables = malloc((2 * count + 1) * sizeof *tables);
  bool all = members > 0 && tables != NULL;
  if (all)
    home->read(place_at(number) + TABLES, tables, 2 * count * sizeof *tables);
  for (size_t rank = 0; rank < count && all; rank++)
    all = tables[count + rank] == LEFT || cwi_has_failed((int)tables[rank]);
  free(tables);
  return all;
}

static void clear_bytes(uint64_t offset, size_t bytes)
{
  static const char zeros[1024];
  for (size_t done = 0; done < bytes; done += sizeof zeros)
    home->write(offset + done, zeros, bytes - done < sizeof zeros ? bytes - done : sizeof zeros);
}

static void clear_place(size_t number, const int *processes, int members)
{
  clear_bytes(place_at(number), place_bytes(members));
  clear_bytes(word_at(number, 0), CWI_SURVIVORS_WORDS * sizeof(uint64_t));
  for (int rank = 0; rank < members; rank++) {
    const uint64_t process = (uint64_t)processes[rank];
    home->write(place_at(number) + TABLES + (size_t)rank * sizeof process, &process,
                sizeof process);
  }
  const uint64_t count = (uint64_t)members;
  home->write(place_at(number) + MEMBERS, &count, sizeof count);
  read_word(place_at(number)); /* the writes are complete */
}

/* A place is BUSY while it is cleared: it still has the tables of its last team, which would show
 * that it is abandoned. */
uint64_t cwi_home_take(const int *processes, int members, uint64_t id)
{
  uint64_t owners[CWI_HOME_TEAMS];
  home->read(owner_at(0), owners, sizeof owners);
  for (size_t number = 1; number < CWI_HOME_TEAMS; number++) {
    if (owners[number] == BUSY || (owners[number] != 0 && !is_abandoned(number)) ||
        !home->swap(owner_at(number), owners[number], BUSY))
      continue;
    clear_place(number, processes, members);
    home->swap(owner_at(number), BUSY, id + 1);
    return 2 * number + 1;
  }
  const cw_error full = cwi_outside(
      "with CW_FAILURES=survive at most %d teams on several nodes can exist", CWI_HOME_TEAMS - 1);
  (void)full; /* the caller returns it */
  return 0;
}

void cwi_home_give(uint64_t place)
{
  const uint64_t offset = owner_at((size_t)(place / 2));
  home->swap(offset, read_word(offset), 0);
}

/* --- Meetings --------------------------------------------------------------------------------- */

/* Waits for the end of the barrier in which this member has arrived; `word` is the word after that.
 * Every member that finds that the barrier can end, or that a member has failed, tries to change
 * the word. */
static bool await_end(cw_team team, uint64_t word)
{
  const uint64_t number = word >> 32;
  struct pause pause = no_pause;
  while (word >> 32 == number && (word & BROKEN) == 0) {
    if ((word & (BROKEN - 1)) == (uint64_t)team->size)
      home->swap(home_at(team, WORD), word, (number + 1) << 32);
    else if (misses_members(team))
      home->swap(home_at(team, WORD), word, word | BROKEN);
    else
      home_pause(&pause);
    word = read_word(home_at(team, WORD));
  }
  return word >> 32 != number;
}

bool cwi_home_meet(cw_team team, const struct cwi_entry *mine)
{
  const unsigned meeting = ++team->meetings;
  home->write(
      home_at(team, entries_at(team->size, false, meeting) + (size_t)team->rank * sizeof *mine),
      mine, sizeof *mine);
  if (await_end(team, home->add(home_at(team, WORD), 1) + 1))
    return true;
  home->add(home_at(team, WORD),
            UINT64_MAX); /* the arrivals must not overflow after many failures */
  return false;
}

void cwi_home_entries(cw_team team, struct cwi_entry *all)
{
  home->read(home_at(team, entries_at(team->size, false, team->meetings)), all,
             (size_t)team->size * sizeof *all);
}

void cwi_home_write_text(cw_team team, const void *text, size_t bytes)
{
  home->write(home_at(team, text_at(team->size, team->meetings + 1)), text, bytes);
}

void cwi_home_read_text(cw_team team, void *text, size_t bytes)
{
  home->read(home_at(team, text_at(team->size, team->meetings)), text, bytes);
}

/* --- Words ------------------------------------------------------------------------------------ */

void cwi_home_words(cw_team team, size_t first, size_t count, uint64_t *values)
{
  home->read(word_at(cwi_home_number(team), first), values, count * sizeof *values);
}

bool cwi_home_word_swap(cw_team team, size_t number, uint64_t expected, uint64_t value)
{
  return home->swap(word_at(cwi_home_number(team), number), expected, value);
}

void cwi_home_words_clear(cw_team team, size_t first, size_t count)
{
  clear_bytes(word_at(cwi_home_number(team), first), count * sizeof(uint64_t));
}

/* --- Agreements ------------------------------------------------------------------------------- */

/* Stores the members that this one knows to have failed in `proposal`. Returns false if a member
 * that it does not know to have failed has not arrived, or one of lower rank than mine would have
 * to decide. */
static bool propose(cw_team team, uint64_t number, uint64_t *arrivals, uint64_t *proposal)
{
  memset(proposal, 0, proposal_words(team->size) * sizeof *proposal);
  for (int rank = 0; rank < team->rank; rank++)
    if (!cwi_has_failed(team->process[rank]))
      return false;
  home->read(home_at(team, arrivals_at(team->size)), arrivals,
             (size_t)team->size * sizeof *arrivals);
  for (int rank = 0; rank < team->size; rank++) {
    if (cwi_has_failed(team->process[rank]))
      proposal[rank / BITS] |= (uint64_t)1 << rank % BITS;
    else if (arrivals[rank] < number)
      return false;
  }
  home->write(home_at(team, proposal_at(team->size, number, team->rank)), proposal,
              proposal_words(team->size) * sizeof *proposal);
  return true;
}

/* Waits for the decision, and returns the rank of its coordinator. */
static int await_decision(cw_team team, uint64_t number, uint64_t *space)
{
  struct pause pause = no_pause;
  uint64_t decided = read_word(home_at(team, DECIDED));
  while (decided >> RANK_BITS < number) {
    if (propose(team, number, space, space + team->size))
      home->swap(home_at(team, DECIDED), decided, number << RANK_BITS | (uint64_t)team->rank);
    else
      home_pause(&pause);
    decided = read_word(home_at(team, DECIDED));
  }
  return (int)(decided & ((1U << RANK_BITS) - 1));
}

void cwi_home_agree(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all, char *failed)
{
  const uint64_t number = ++team->agreements;
  const size_t own = (size_t)team->rank, words = proposal_words(team->size);
  uint64_t *space = malloc(((size_t)team->size + words) * sizeof *space);
  if (space == NULL)
    cwi_abort("no memory for an agreement of survivors", 1); /* the others would wait for ever */
  home->write(home_at(team, entries_at(team->size, true, number) + own * sizeof *mine), mine,
              sizeof *mine);
  home->write(home_at(team, arrivals_at(team->size) + own * sizeof number), &number, sizeof number);
  const int coordinator = await_decision(team, number, space);
  home->read(home_at(team, proposal_at(team->size, number, coordinator)), space,
             words * sizeof *space);
  home->read(home_at(team, entries_at(team->size, true, number)), all,
             (size_t)team->size * sizeof *all);
  for (int rank = 0; rank < team->size; rank++)
    failed[rank] = (char)(space[rank / BITS] >> rank % BITS & 1);
  free(space);
}

/* --- Start and stop --------------------------------------------------------------------------- */

void cwi_home_leave(cw_team team)
{
  if (home != NULL)
    home->write(home_at(team, arrivals_at(team->size) + (size_t)team->rank * sizeof LEFT), &LEFT,
                sizeof LEFT);
}

/* Returns true if all other processes of the node, or of the job if it is -1, have left or failed.
 */
static bool others_have_left(cw_team world, int node, uint64_t *arrivals)
{
  home->read(home_at(world, arrivals_at(world->size)), arrivals,
             (size_t)world->size * sizeof *arrivals);
  for (int rank = 0; rank < world->size; rank++) {
    const int process = world->process[rank];
    if (rank != world->rank && (node < 0 || cwi_world.node_of[process] == node) &&
        arrivals[rank] != LEFT && !cwi_has_failed(process))
      return false;
  }
  return true;
}

void cwi_home_await_leaves(cw_team world, int node)
{
  uint64_t *arrivals = malloc((size_t)world->size * sizeof *arrivals);
  struct pause pause = no_pause;
  if (arrivals == NULL)
    cwi_abort("no memory to wait for the other processes", 1);
  while (!others_have_left(world, node, arrivals))
    home_pause(&pause);
  free(arrivals);
}

void cwi_home_start(const struct cwi_home_access *access)
{
  cwi_world.team->home = 1;
  home = access;
}

void cwi_home_stop(void)
{
  home = NULL;
}
