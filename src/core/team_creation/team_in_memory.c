/* Creates teams without MPI, in jobs that survive failures: MPI's calls that make communicators may
 * wait for a failed process for ever. The first member of the new team allocates its shared memory.
 */
#include "base/hash.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "team/world.h"
#include "team_creation/team_creation.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <stdio.h>
#include <stdlib.h>

/* --- Splits: collective over the parent ------------------------------------------------------- */

struct placed_rank {
  int color, key, rank;
};

static int by_place(const void *left, const void *right)
{
  const struct placed_rank *a = left, *b = right;
  if (a->color != b->color)
    return (a->color > b->color) - (a->color < b->color);
  if (a->key != b->key)
    return (a->key > b->key) - (a->key < b->key);
  return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Drafts the team of the members with my colour, in the order of the split. */
static cw_error draft_part(cw_team parent, struct placed_rank *ranks, int color, cw_team *draft,
                           struct cwi_entry *made)
{
  int *processes = malloc((size_t)parent->size * sizeof *processes);
  int count = 0;
  if (processes == NULL)
    return cwi_outside("no memory for a team of %d processes", parent->size);
  qsort(ranks, (size_t)parent->size, sizeof *ranks, by_place);
  for (int i = 0; i < parent->size; i++)
    if (ranks[i].color == color)
      processes[count++] = parent->process[ranks[i].rank];
  const cw_error error = cwi_team_found(processes, count, draft, made);
  free(processes);
  return error;
}

cw_error cwi_team_split_in_memory(cw_team parent, int color, int key, cw_team *team)
{
  struct cwi_entry few[CWI_TEAM_SMALL], made = {0};
  struct cwi_entry *all = cwi_team_entries(parent, few);
  const struct cwi_entry wish = {.place = (uint64_t)(int64_t)color, .key = (uint64_t)(int64_t)key};
  struct placed_rank *ranks = malloc((size_t)parent->size * sizeof *ranks);
  cw_team draft = NULL;
  cw_error mine = ranks != NULL ? CW_OK : cwi_outside("no memory for %d ranks", parent->size);
  cw_error error = cwi_team_agree_on(parent, mine, &wish, NULL, all);
  for (int rank = 0; rank < parent->size && error == CW_OK; rank++)
    ranks[rank] =
        (struct placed_rank){(int)(int64_t)all[rank].place, (int)(int64_t)all[rank].key, rank};
  if (error == CW_OK) {
    mine = color >= 0 ? draft_part(parent, ranks, color, &draft, &made) : CW_OK;
    error = cwi_team_agree_on(parent, mine, &made, NULL, all);
  }
  if (error == CW_OK && draft != NULL) {
    const int first = cwi_team_rank_of(parent, draft->process[0]);
    cwi_team_complete(draft, all[first].key, all[first].address);
    *team = draft;
  } else {
    cwi_team_drop(draft);
    cwi_team_deallocate(made.address);
  }
  free(ranks);
  return error;
}

/* --- Creation by the members alone ------------------------------------------------------------ */

/* The first member publishes the new team's memory in a slot, which the others look for. It frees
 * the slot when all of them have read it, before any of them can look for the next team. A slot
 * consists of words of the parent. */
enum slot_word {
  SLOT_KEY,     /* 0 if the slot is free, BUSY while it is filled */
  SLOT_OFFSET,  /* of the team's memory, or the place at the home; 0 if there is none */
  SLOT_READERS, /* the team's number << READER_BITS, and the number of members that have read it */
  SLOT_WORDS
};
enum { SLOTS = CWI_SURVIVORS_STEP / SLOT_WORDS, BUSY = 1, READER_BITS = 16 };

struct team_creation {
  cw_team parent, draft;
  uint64_t key;
  struct cwi_entry made; /* the first member has made its key and address (cwi_team_found) */
  size_t slot;
};

static void creation_awaited(const void *what, char *text, size_t size)
{
  const struct team_creation *creation = what;
  snprintf(text, size, "process %d to make a team of %d processes with the same list and tag",
           creation->draft->process[0], creation->draft->size);
}

/* Returns a number for the team's members and the tag, other than those that mark a slot. */
static uint64_t creation_key(const struct cwi_team *draft, int tag)
{
  uint64_t key = cwi_hash_add(CWI_HASH_EMPTY, (uint64_t)tag);
  for (int rank = 0; rank < draft->size; rank++)
    key = cwi_hash_add(key, (uint64_t)draft->process[rank]);
  return key > BUSY ? key : BUSY + 1;
}

static size_t slot_place(const struct team_creation *creation, enum slot_word word)
{
  return (size_t)word * SLOTS + creation->slot;
}

static uint64_t slot_read(const struct team_creation *creation, enum slot_word word)
{
  uint64_t value = 0;
  cwi_survivors_words(creation->parent, slot_place(creation, word), 1, &value);
  return value;
}

static bool slot_swap(const struct team_creation *creation, enum slot_word word, uint64_t expected,
                      uint64_t value)
{
  return cwi_survivors_word_swap(creation->parent, slot_place(creation, word), expected, value);
}

/* Changes a word of a slot that this member fills. A late reader of the previous team may change
 * it, too. */
static void slot_write(const struct team_creation *creation, enum slot_word word, uint64_t value)
{
  while (!slot_swap(creation, word, slot_read(creation, word), value))
    ;
}

/* Finds a slot with this key, and sets creation->slot. Returns false if there is none. */
static bool find_slot(struct team_creation *creation, uint64_t key)
{
  uint64_t keys[SLOTS];
  cwi_survivors_words(creation->parent, (size_t)SLOT_KEY * SLOTS, SLOTS, keys);
  for (creation->slot = 0; creation->slot < SLOTS; creation->slot++)
    if (keys[creation->slot] == key)
      return true;
  return false;
}

/* Publishes the memory in a free slot. Returns false if there is none now. */
static bool publish(struct team_creation *creation)
{
  if (!find_slot(creation, 0) || !slot_swap(creation, SLOT_KEY, 0, BUSY))
    return false;
  slot_write(creation, SLOT_OFFSET, creation->made.address);
  slot_write(creation, SLOT_READERS, creation->made.key << READER_BITS);
  slot_write(creation, SLOT_KEY, creation->key);
  return true;
}

/* Reads what the first member has published, and counts this member as a reader. Returns false if
 * it is not there, or no longer: after a failure the first member does not wait for readers. */
static bool find_published(struct team_creation *creation)
{
  if (!find_slot(creation, creation->key))
    return false;
  uint64_t readers = slot_read(creation, SLOT_READERS);
  const struct cwi_entry made = {.key = readers >> READER_BITS,
                                 .address = slot_read(creation, SLOT_OFFSET)};
  if (slot_read(creation, SLOT_KEY) != creation->key)
    return false;
  while (!slot_swap(creation, SLOT_READERS, readers, readers + 1)) {
    readers = slot_read(creation, SLOT_READERS);
    if (readers >> READER_BITS != made.key)
      return false;
  }
  creation->made = made;
  return true;
}

static bool all_have_read(const struct team_creation *creation)
{
  const uint64_t readers = slot_read(creation, SLOT_READERS) & ((1U << READER_BITS) - 1);
  return readers + 1 == (uint64_t)creation->draft->size;
}

/* Makes one pass of a wait for the other members. */
static void creation_pause(struct cwi_wait *wait)
{
  enum { NAP_NANOSECONDS = 100000 };
  if (!cwi_wait_pass(wait))
    cwi_nap(NAP_NANOSECONDS);
}

/* Gives the memory to all members. Returns CW_FAILED if a member has failed before. */
static cw_error creation_meet(struct team_creation *creation)
{
  const cw_team draft = creation->draft;
  struct cwi_wait wait = {.sleeps = true};
  while (!(draft->rank == 0 ? publish(creation) : find_published(creation))) {
    if (cwi_failures_count() > 0)
      CWI_TRY(cwi_team_failed(draft));
    creation_pause(&wait);
  }
  while (draft->rank == 0 && !all_have_read(creation) && !cwi_team_misses_members(draft))
    creation_pause(&wait);
  if (draft->rank == 0)
    slot_write(creation, SLOT_KEY, 0);
  return CW_OK;
}

static cw_error creation_run(struct team_creation *creation, cw_error found)
{
  const cw_team draft = creation->draft;
  const cw_error error = creation_meet(creation);
  if (error != CW_OK) {
    cwi_team_deallocate(creation->made.address); /* no other member has it */
    return error;
  }
  CWI_TRY(found);
  if (creation->made.address == 0)
    return cwi_outside("in process %d: no memory for a team of %d processes", draft->process[0],
                       draft->size);
  cwi_team_complete(draft, creation->made.key, creation->made.address);
  return cwi_team_agree(draft, CW_OK);
}

/* Returns CW_FAILED if one of the processes has failed, before any memory is allocated. */
static cw_error check_alive(const int *processes, size_t members)
{
  for (size_t i = 0; i < members; i++)
    if (cwi_has_failed(processes[i]))
      return cwi_process_failed(processes[i]);
  return CW_OK;
}

/* Makes the team of `processes`. The other members would wait for a member without memory, so the
 * job ends. */
static cw_error create_by_members(struct team_creation *creation, const int *processes,
                                  size_t members, int tag, cw_team *team)
{
  CWI_TRY(check_alive(processes, members));
  const cw_error found = cwi_team_found(processes, (int)members, &creation->draft, &creation->made);
  if (creation->draft == NULL)
    cwi_abort(cwi_error_message(), 1);
  creation->key = creation_key(creation->draft, tag);
  const struct cwi_waiting outer = cwi_waiting_begin("cw_team_create", creation_awaited, creation);
  const cw_error error = creation_run(creation, found);
  cwi_waiting_end(&outer);
  if (error == CW_OK)
    *team = creation->draft;
  else
    cwi_team_drop(creation->draft);
  return error;
}

cw_error cwi_team_create_in_memory(cw_team parent, size_t members, const int *ranks, int tag,
                                   cw_team *team)
{
  struct team_creation creation = {.parent = parent};
  int *processes = malloc(members * sizeof *processes);
  if (processes == NULL)
    cwi_abort_with(1, "no memory for a team of %zu processes", members);
  for (size_t i = 0; i < members; i++)
    processes[i] = parent->process[ranks[i]];
  const cw_error error = create_by_members(&creation, processes, members, tag, team);
  free(processes);
  return error;
}
