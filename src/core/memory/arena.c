/* Free ranges of granules: lists by size, under a robust lock. If a process dies while it holds the
 * lock, the next process that takes the lock detects that and, in a job that survives failures,
 * repairs the lists. */
#include "memory/arena.h"

#include "base/size.h"
#include "memory/zone.h"
#include "memory/zone_file.h"
#include "wait/failures.h"

#include <errno.h>
#include <string.h>

static struct cwi_granule *at(uint32_t granule)
{
  return &cwi_zone.granules[granule];
}

/* The kind is stored last. A peer that looks the address up meanwhile sees either nothing or the
 * complete entry. */
static void set_kind(uint32_t granule, enum cwi_granule_kind kind)
{
  __atomic_store_n(&at(granule)->kind, (uint8_t)kind, __ATOMIC_RELEASE);
}

/* Sets the head of a granule. The stores are atomic because a process that returns the neighbouring
 * range reads them under the lock of another arena. */
static void set_inside(uint32_t granule, uint32_t head)
{
  __atomic_store_n(&at(granule)->head, head, __ATOMIC_RELAXED);
  if (granule != head)
    __atomic_store_n(&at(granule)->kind, CWI_GRANULE_INSIDE, __ATOMIC_RELAXED);
}

static enum cwi_granule_kind free_kind(const struct cwi_arena *arena)
{
  return arena->tag == CWI_ARENA_NODE ? CWI_GRANULE_FREE : CWI_GRANULE_CHUNK_FREE;
}

static void arena_unlock(struct cwi_arena *arena)
{
  const int code = pthread_mutex_unlock(&arena->lock);
  CWI_ASSERT(code == 0);
}

/* Makes a range free and puts it at the front of the list of its size. The first and the last
 * granule name the head, so that both neighbours can find the range. The caller holds the lock. */
static void link_free(struct cwi_arena *arena, uint32_t granule, uint32_t length)
{
  const unsigned class = cwi_log2(length);
  struct cwi_granule *head = at(granule);
  set_inside(granule + length - 1, granule);
  set_inside(granule, granule);
  head->length = length;
  head->previous = 0;
  head->next = arena->first[class];
  if (head->next != 0)
    at(head->next)->previous = granule;
  arena->first[class] = granule;
  set_kind(granule, free_kind(arena));
}

static void unlink_free(struct cwi_arena *arena, uint32_t granule)
{
  struct cwi_granule *head = at(granule);
  if (head->previous != 0)
    at(head->previous)->next = head->next;
  else
    arena->first[cwi_log2(head->length)] = head->next;
  if (head->next != 0)
    at(head->next)->previous = head->previous;
  set_kind(granule, CWI_GRANULE_INSIDE);
}

/* Records the range whose entries change next, and that they are complete again. If the process
 * dies in between, the next one makes the whole range free. A process dies between two
 * instructions, so the order of the instructions is enough. */
static void change_begins(struct cwi_arena *arena, uint32_t granule, uint32_t length)
{
  __atomic_store_n(&arena->changing, (uint64_t)granule << 32 | length, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void change_ends(struct cwi_arena *arena)
{
  __atomic_store_n(&arena->changing, 0, __ATOMIC_RELEASE);
}

/* Makes the lists of free ranges anew, from the table of granules, after a process has died with
 * the lock. The range that it was changing becomes free: the process was about to return it, or had
 * not yet received its part of it. */
static void arena_repair(struct cwi_arena *arena)
{
  const uint32_t first = (uint32_t)(arena->changing >> 32), length = (uint32_t)arena->changing;
  for (uint32_t granule = first; granule < first + length; granule++)
    set_inside(granule, first);
  if (length > 0) {
    at(first)->length = length;
    set_kind(first, free_kind(arena));
  }
  memset(arena->first, 0, sizeof arena->first);
  for (uint32_t granule = arena->low; granule < arena->high; granule++)
    if (at(granule)->kind == free_kind(arena))
      link_free(arena, granule, at(granule)->length);
  change_ends(arena);
}

/* Locks the arena. If a process has died with the lock, the free lists may be damaged: the job
 * ends, or they are repaired if the job survives failures. */
static void arena_lock(struct cwi_arena *arena)
{
  int code = pthread_mutex_lock(&arena->lock);
  if (code == EOWNERDEAD && !cwi_survives())
    cwi_abort("a process died while it allocated memory of the node; ending the job", 1);
  if (code == EOWNERDEAD) {
    arena_repair(arena);
    code = pthread_mutex_consistent(&arena->lock);
  }
  CWI_ASSERT(code == 0);
}

/* Returns true if the granule begins a free range of this arena. Such ranges change only under the
 * arena's lock, but a neighbour that belongs to another arena may change at any time. */
static bool is_free(const struct cwi_arena *arena, uint32_t granule)
{
  return __atomic_load_n(&at(granule)->kind, __ATOMIC_RELAXED) == free_kind(arena);
}

cw_error cwi_arena_start(struct cwi_arena *arena, enum cwi_arena_tag tag, uint32_t low,
                         uint32_t high)
{
  pthread_mutexattr_t attributes;
  int code = pthread_mutexattr_init(&attributes);
  if (code == 0)
    code = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  if (code == 0)
    code = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  *arena = (struct cwi_arena){.low = low, .high = high, .tag = tag};
  if (code == 0)
    code = pthread_mutex_init(&arena->lock, &attributes);
  if (code != 0)
    return cwi_outside("there is no lock between processes: %s", cwi_system_error(code));
  pthread_mutexattr_destroy(&attributes);
  if (high > low)
    link_free(arena, low, high - low);
  return CW_OK;
}

/* Extends the node's memory file to the end of the range. Chunks need no extension, because they
 * lie inside ranges that were taken from the node before. */
static bool reach(const struct cwi_arena *arena, uint32_t granule, uint32_t length)
{
  return arena->tag != CWI_ARENA_NODE ||
         cwi_zone_file_reach((size_t)(granule + length) << CWI_GRANULE_SHIFT);
}

/* Searches the class of `length`, whose ranges may be too short, and then takes the first range of
 * any larger class. */
static uint32_t find_range(const struct cwi_arena *arena, uint32_t length)
{
  unsigned class = cwi_log2(length);
  for (uint32_t granule = arena->first[class]; granule != 0; granule = at(granule)->next)
    if (at(granule)->length >= length)
      return granule;
  for (class ++; class < CWI_ARENA_CLASSES; class ++)
    if (arena->first[class] != 0)
      return arena->first[class];
  return 0;
}

uint32_t cwi_arena_take(struct cwi_arena *arena, uint32_t length)
{
  arena_lock(arena);
  uint32_t granule = find_range(arena, length);
  if (granule != 0 && !reach(arena, granule, length))
    granule = 0;
  if (granule != 0) {
    const uint32_t whole = at(granule)->length;
    change_begins(arena, granule, whole);
    unlink_free(arena, granule);
    if (whole > length)
      link_free(arena, granule + length, whole - length);
    change_ends(arena);
  }
  arena_unlock(arena);
  if (granule == 0)
    return 0;
  for (uint32_t i = 0; i < length; i++)
    set_inside(granule + i, granule);
  at(granule)->length = length;
  set_kind(granule, CWI_GRANULE_TAKEN);
  return granule;
}

void cwi_arena_give(struct cwi_arena *arena, uint32_t granule, uint32_t length)
{
  arena_lock(arena);
  const uint32_t after = granule + length;
  uint32_t first = granule, end = after;
  if (after < arena->high && is_free(arena, after))
    end += at(after)->length;
  if (granule > arena->low) {
    const uint32_t before = __atomic_load_n(&at(granule - 1)->head, __ATOMIC_RELAXED);
    if (is_free(arena, before) && before + at(before)->length == granule)
      first = before;
  }
  change_begins(arena, first, end - first);
  set_kind(granule, CWI_GRANULE_INSIDE);
  if (end > after)
    unlink_free(arena, after);
  if (first < granule)
    unlink_free(arena, first);
  link_free(arena, first, end - first);
  change_ends(arena);
  arena_unlock(arena);
}
