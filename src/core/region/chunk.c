/* Chunks of a team: their memory, and the part of each member. The rma route makes the windows. */
#include "region/chunk.h"

#include "base/size.h"
#include "memory/memory_account.h"
#include "memory/numa_policy.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "team/agreement.h"
#include "team/world.h"

#include <stdlib.h>

static const struct cwi_chunk_hooks *hooks;

void cwi_chunk_set_hooks(const struct cwi_chunk_hooks *new_hooks)
{
  hooks = new_hooks;
}

bool cwi_chunks_wanted(void)
{
  return hooks != NULL;
}

uint64_t cwi_offset_of(const void *address)
{
  return (uintptr_t)address - (uintptr_t)cwi_zone.base;
}

/* Invalid offsets come here, too, and are rejected later, so this uses no pointer arithmetic. */
char *cwi_address_at(uint64_t offset)
{
  return (char *)((uintptr_t)cwi_zone.base + offset); /* NOLINT(performance-no-int-to-ptr) */
}

uint64_t cwi_offset_in(int process, const void *address)
{
  return (uintptr_t)address - cwi_zone.bases[cwi_world.node_of[process]];
}

char *cwi_address_in(int process, uint64_t offset)
{
  /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
  return (char *)(cwi_zone.bases[cwi_world.node_of[process]] + offset);
}

struct cwi_chunk *cwi_chunk_numbered(cw_team team, unsigned number)
{
  struct cwi_chunk *chunk = team->chunks;
  while (chunk != NULL && chunk->number != number)
    chunk = chunk->next;
  return chunk;
}

void *cwi_chunk_allocate(cw_team team, size_t bytes, uint64_t region, struct cwi_chunk **holder)
{
  for (struct cwi_chunk *chunk = team->chunks; chunk != NULL; chunk = chunk->next) {
    void *address = chunk->dedicated ? NULL : cwi_heap_allocate(&chunk->heap, bytes, region);
    if (address != NULL) {
      *holder = chunk;
      return address;
    }
  }
  return NULL;
}

/* Frees a chunk. Its memory is returned to the system only after its window has been freed, because
 * until then a network adapter may still use the pages. */
static void chunk_discard(struct cwi_chunk *chunk, bool punch)
{
  if (chunk == NULL)
    return;
  if (chunk->length > 0) {
    if (punch)
      cwi_zone_punch(chunk->granule, chunk->length);
    cwi_node_give(chunk->granule, chunk->length,
                  (size_t)(chunk->heap.charged - chunk->granule) << CWI_GRANULE_SHIFT);
  }
  free(chunk->bases);
  free(chunk->sizes);
  free(chunk);
}

static struct cwi_chunk *new_chunk(cw_team team, bool dedicated)
{
  struct cwi_chunk *chunk = calloc(1, sizeof *chunk);
  if (chunk == NULL)
    return NULL;
  chunk->team = team;
  chunk->dedicated = dedicated;
  chunk->bases = calloc((size_t)team->size, sizeof *chunk->bases);
  chunk->sizes = calloc((size_t)team->size, sizeof *chunk->sizes);
  if (chunk->bases != NULL && chunk->sizes != NULL)
    return chunk;
  chunk_discard(chunk, false);
  return NULL;
}

/* Takes granules of the node for my part and makes an arena of them. */
static cw_error chunk_take_part(struct cwi_chunk *chunk, size_t bytes)
{
  size_t rounded = 0;
  if (!cwi_round_up_fits(bytes, CWI_GRANULE, &rounded) || rounded > cwi_zone.size)
    return cwi_outside("%zu bytes are more than the zone has, which is %zu bytes because of %s",
                       bytes, cwi_zone.size, cwi_zone.limit);
  if (rounded == 0)
    return CW_OK;
  const uint32_t length = (uint32_t)(rounded >> CWI_GRANULE_SHIFT);
  chunk->granule = cwi_node_take(length);
  if (chunk->granule == 0)
    return CW_OUTSIDE;
  chunk->length = length;
  cwi_numa_here(chunk->granule, length);
  chunk->heap = (struct cwi_heap){
      .arena = &chunk->arena, .owner = cwi_world.process, .charged = chunk->granule};
  return cwi_arena_start(&chunk->arena, CWI_ARENA_CHUNK, chunk->granule, chunk->granule + length);
}

/* Accounts the pages that have got memory while the window was made: a network adapter may need all
 * pages of a window in memory. */
static void charge_touched(struct cwi_chunk *chunk)
{
  const uint32_t touched =
      chunk->granule +
      (chunk->dedicated ? chunk->length : cwi_zone_touched(chunk->granule, chunk->length));
  if (chunk->length == 0 || touched <= chunk->heap.charged)
    return;
  cwi_account_note((size_t)(touched - chunk->heap.charged) << CWI_GRANULE_SHIFT);
  chunk->heap.charged = touched;
}

static void link_chunk(struct cwi_chunk *chunk)
{
  struct cwi_chunk *first = chunk->team->chunks;
  chunk->number = first != NULL ? first->number + 1 : 0;
  chunk->next = first;
  chunk->team->chunks = chunk;
}

/* Allocates all memory that I need before the members exchange their results, so that no member can
 * fail later. */
static cw_error chunk_prepare(struct cwi_chunk *chunk, size_t bytes, uint64_t region, void **slice)
{
  if (chunk == NULL)
    return cwi_outside("no memory for a window");
  CWI_TRY(chunk_take_part(chunk, bytes));
  if (!chunk->dedicated || bytes == 0)
    return CW_OK;
  *slice = cwi_heap_allocate(&chunk->heap, bytes, region);
  return *slice != NULL ? CW_OK : CW_OUTSIDE;
}

/* Exchanges the results of all members and the addresses of their parts. Allocates its own entries,
 * because those of the team may be in use for a region that is being made. */
static cw_error learn_parts(cw_team team, struct cwi_chunk *chunk, cw_error mine)
{
  struct cwi_entry entry = {0}, *all = calloc((size_t)team->size, sizeof *all);
  if (mine == CW_OK && all == NULL)
    mine = cwi_outside("no memory for a window");
  if (chunk != NULL) {
    entry.address = (uint64_t)chunk->granule << CWI_GRANULE_SHIFT;
    entry.bytes = (uint64_t)chunk->length << CWI_GRANULE_SHIFT;
  }
  const cw_error error = cwi_team_agree_on(team, mine, &entry, NULL, all);
  for (int rank = 0; rank < team->size && error == CW_OK && chunk != NULL && all != NULL; rank++) {
    chunk->bases[rank] = cwi_address_in(team->process[rank], all[rank].address);
    chunk->sizes[rank] = all[rank].bytes;
  }
  free(all);
  return error;
}

/* The window is made after all members have their parts. If that fails on any member, all discard
 * the chunk. */
cw_error cwi_chunk_create(cw_team team, size_t bytes, bool dedicated, uint64_t region,
                          struct cwi_chunk **created, void **slice)
{
  struct cwi_chunk *chunk = new_chunk(team, dedicated);
  void *address = NULL;
  cw_error error = learn_parts(team, chunk, chunk_prepare(chunk, bytes, region, &address));
  if (error == CW_OK)
    error = hooks->expose(chunk);
  if (error != CW_OK) {
    chunk_discard(chunk, false);
    return error;
  }
  charge_touched(chunk);
  link_chunk(chunk);
  *created = chunk;
  if (dedicated)
    *slice = address;
  return CW_OK;
}

cw_error cwi_chunk_destroy(struct cwi_chunk *chunk)
{
  struct cwi_chunk **link = (struct cwi_chunk **)&chunk->team->chunks;
  while (*link != chunk)
    link = &(*link)->next;
  *link = chunk->next;
  const cw_error error = hooks->withdraw(chunk);
  chunk_discard(chunk, error == CW_OK);
  return error;
}
