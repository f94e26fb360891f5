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

struct team_creation {
  cw_team parent, draft;
  uint64_t key;
  struct cwi_rendezvous *slot; /* in which the first member has published the memory */
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
  return key > 1 ? key : 2;
}

/* Publishes the memory in a free slot. Returns false if there is none now. */
static bool publish(struct team_creation *creation, uint64_t offset, uint64_t id)
{
  struct cwi_rendezvous *slots = cwi_survivors_rendezvous(creation->parent);
  for (int i = 0; i < CWI_RENDEZVOUS; i++) {
    uint64_t free_key = 0;
    if (!__atomic_compare_exchange_n(&slots[i].key, &free_key, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    slots[i].offset = offset;
    slots[i].id = id;
    slots[i].readers = 0;
    __atomic_store_n(&slots[i].key, creation->key, __ATOMIC_RELEASE);
    creation->slot = &slots[i];
    return true;
  }
  return false;
}

static bool find_published(struct team_creation *creation)
{
  struct cwi_rendezvous *slots = cwi_survivors_rendezvous(creation->parent);
  for (int i = 0; i < CWI_RENDEZVOUS; i++)
    if (__atomic_load_n(&slots[i].key, __ATOMIC_ACQUIRE) == creation->key) {
      creation->slot = &slots[i];
      return true;
    }
  return false;
}

/* Meets the other members: the first one publishes the memory, the others look for it. Returns
 * CW_FAILED if a member has failed before. */
static cw_error creation_meet(struct team_creation *creation, bool is_first, uint64_t offset,
                              uint64_t id)
{
  enum { NAP_NANOSECONDS = 100000 };
  struct cwi_wait wait = {.sleeps = true};
  while (!(is_first ? publish(creation, offset, id) : find_published(creation))) {
    if (cwi_failures_count() > 0)
      CWI_TRY(cwi_team_failed(creation->draft));
    if (!cwi_wait_pass(&wait))
      cwi_nap(NAP_NANOSECONDS);
  }
  return CW_OK;
}

/* Waits until all other members have read that there is no memory. */
static cw_error creation_refuse(struct team_creation *creation)
{
  enum { NAP_NANOSECONDS = 100000 };
  struct cwi_wait wait = {.sleeps = true};
  while (__atomic_load_n(&creation->slot->readers, __ATOMIC_ACQUIRE) + 1 <
             (uint64_t)creation->draft->size &&
         !cwi_team_misses_members(creation->draft))
    if (!cwi_wait_pass(&wait))
      cwi_nap(NAP_NANOSECONDS);
  return CW_OUTSIDE; /* with the message of the allocation */
}

/* The slot is free for the next creation when all members have read it. Then they have met in the
 * new team, or the first member has counted its readers. */
static cw_error creation_finish(struct team_creation *creation, bool is_first)
{
  struct cwi_rendezvous *slot = creation->slot;
  cw_error error = CW_OK;
  if (slot->offset != 0) {
    cwi_team_complete(creation->draft, slot->id, slot->offset);
    error = cwi_team_agree(creation->draft, CW_OK);
  } else if (is_first) {
    error = creation_refuse(creation);
  } else {
    error = cwi_outside("in process %d: no memory for a team of %d processes",
                        creation->draft->process[0], creation->draft->size);
    __atomic_fetch_add(&slot->readers, 1, __ATOMIC_ACQ_REL);
  }
  if (is_first)
    __atomic_store_n(&slot->key, 0, __ATOMIC_RELEASE);
  return error;
}

static cw_error creation_run(struct team_creation *creation, int tag, cw_team *team)
{
  cw_team draft = creation->draft;
  const bool is_first = draft->rank == 0;
  const uint64_t offset = is_first ? cwi_team_allocate(draft->process, draft->size) : 0;
  const uint64_t id = is_first ? cwi_team_pick_id() : 0;
  creation->key = creation_key(draft, tag);
  const struct cwi_waiting outer = cwi_waiting_begin("cw_team_create", creation_awaited, creation);
  cw_error error = creation_meet(creation, is_first, offset, id);
  if (error != CW_OK)
    cwi_team_deallocate(offset); /* no other member has it */
  else
    error = creation_finish(creation, is_first);
  cwi_waiting_end(&outer);
  if (error == CW_OK)
    *team = draft;
  else
    cwi_team_drop(draft);
  return error;
}

/* The other members would wait for a member without memory, so the job ends. */
cw_error cwi_team_create_in_memory(cw_team parent, size_t members, const int *ranks, int tag,
                                   cw_team *team)
{
  struct team_creation creation = {.parent = parent};
  int *processes = malloc(members * sizeof *processes);
  if (processes == NULL)
    cwi_abort_with(1, "no memory for a team of %zu processes", members);
  for (size_t i = 0; i < members; i++)
    processes[i] = parent->process[ranks[i]];
  if (cwi_team_draft(processes, (int)members, &creation.draft) != CW_OK)
    cwi_abort(cwi_error_message(), 1);
  free(processes);
  return creation_run(&creation, tag, team);
}
