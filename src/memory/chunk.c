#include "memory/chunk.h"

#include "base/size.h"
#include "memory/zone.h"
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
  return (uint64_t)((const char *)address - cwi_zone.base);
}

/* A member of my node shares my zone: its offset is mine. Another node's zone is not mapped here:
 * its addresses are names, and offsets from my own base name them as well as any. */
char *cwi_address_at(uint64_t offset)
{
  return cwi_zone.base + offset;
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
    void *address = chunk->dedicated ? NULL : cwi_pool_allocate(&chunk->pool, bytes, region);
    if (address != NULL) {
      *holder = chunk;
      return address;
    }
  }
  return NULL;
}

static void discard(struct cwi_chunk *chunk)
{
  if (chunk->length > 0)
    cwi_node_give(chunk->granule, chunk->length);
  free(chunk->bases);
  free(chunk->sizes);
  free(chunk);
}

/* My part: granules of the node, and an arena over them. */
static cw_error take_part(struct cwi_chunk *chunk, size_t bytes)
{
  const size_t members = (size_t)chunk->team->size;
  const size_t length = cwi_round_up(bytes, CWI_GRANULE) >> CWI_GRANULE_SHIFT;
  chunk->bases = calloc(members, sizeof *chunk->bases);
  chunk->sizes = calloc(members, sizeof *chunk->sizes);
  if (chunk->bases == NULL || chunk->sizes == NULL || length > UINT32_MAX)
    return cwi_outside("no memory for a window of %zu bytes on %zu processes", bytes, members);
  if (length == 0)
    return CW_OK;
  chunk->granule = cwi_node_take((uint32_t)length);
  if (chunk->granule == 0)
    return CW_OUTSIDE;
  chunk->length = (uint32_t)length;
  const uint32_t high = chunk->granule + chunk->length;
  CWI_TRY(cwi_arena_start(&chunk->arena, CWI_ARENA_CHUNK, chunk->granule, high));
  chunk->pool = (struct cwi_pool){.arena = &chunk->arena, .owner = cwi_world.process};
  return CW_OK;
}

static cw_error learn_parts(struct cwi_chunk *chunk, cw_error mine)
{
  cw_team team = chunk->team;
  struct cwi_entry *all = calloc((size_t)team->size, sizeof *all);
  CWI_ASSERT(all != NULL);
  const struct cwi_entry entry = {.address = (uint64_t)chunk->granule << CWI_GRANULE_SHIFT,
                                  .bytes = (uint64_t)chunk->length << CWI_GRANULE_SHIFT,
                                  .status = (uint64_t)mine};
  cw_error error = cwi_team_exchange(team, &entry, all);
  for (int rank = 0; rank < team->size && error == CW_OK; rank++) {
    chunk->bases[rank] = cwi_address_at(all[rank].address);
    chunk->sizes[rank] = all[rank].bytes;
    if (all[rank].status != CW_OK)
      error = mine != CW_OK
                  ? mine
                  : cwi_outside("process %d has no memory for this region", team->process[rank]);
  }
  free(all);
  return error;
}

static void link_chunk(struct cwi_chunk *chunk)
{
  struct cwi_chunk *first = chunk->team->chunks;
  chunk->number = first != NULL ? first->number + 1 : 0;
  chunk->next = first;
  chunk->team->chunks = chunk;
}

cw_error cwi_chunk_create(cw_team team, size_t bytes, bool dedicated, uint64_t region,
                          struct cwi_chunk **created, void **slice)
{
  struct cwi_chunk *chunk = calloc(1, sizeof *chunk);
  CWI_ASSERT(chunk != NULL);
  chunk->team = team;
  chunk->dedicated = dedicated;
  cw_error error = take_part(chunk, bytes);
  if (error == CW_OK && slice != NULL)
    *slice = bytes > 0 ? cwi_pool_allocate(&chunk->pool, bytes, region) : NULL;
  error = learn_parts(chunk, error);
  if (error == CW_OK)
    error = hooks->expose(chunk);
  if (error != CW_OK) {
    discard(chunk);
    return error;
  }
  link_chunk(chunk);
  *created = chunk;
  return CW_OK;
}

cw_error cwi_chunk_destroy(struct cwi_chunk *chunk)
{
  struct cwi_chunk **link = (struct cwi_chunk **)&chunk->team->chunks;
  while (*link != chunk)
    link = &(*link)->next;
  *link = chunk->next;
  const cw_error error = hooks->withdraw(chunk);
  discard(chunk);
  return error;
}
