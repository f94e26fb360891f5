#include "memory/region.h"

#include "base/map.h"
#include "base/settings.h"
#include "base/statistics.h"
#include "memory/chunk.h"
#include "memory/remote.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

static struct cwi_map regions; /* key -> cw_region */
static cwi_quiesce_function quiesce;

/* What members tell each other about their part of a region in the making. */
enum { PART_READY, PART_NEEDS_CHUNK, PART_FAILED };
static const uint64_t NO_CHUNK = UINT64_MAX;

void cwi_region_set_quiesce(cwi_quiesce_function function)
{
  quiesce = function;
}

size_t cwi_regions_alive(void)
{
  return regions.count;
}

cw_region cwi_region_keyed(uint64_t key)
{
  cwi_threads_lock();
  cw_region region = cwi_map_find(&regions, key);
  cwi_threads_unlock();
  return region;
}

/* 36 bits of team, 28 of sequence. All members skip the same numbers: they hold the same regions.
 */
static uint64_t next_key(cw_team team)
{
  uint64_t key = 0;
  while (key == 0 || cwi_region_keyed(key) != NULL)
    key = team->id << 28 | (++team->regions_made & 0xfffffff);
  return key;
}

static void release_slice(struct cwi_chunk *chunk, void *address)
{
  if (address != NULL)
    cwi_pool_free(chunk != NULL ? &chunk->pool : &cwi_node_pool, address);
}

/* The entries of a failed or finished exchange, summed up. */
struct outcome {
  uint64_t most;
  bool chunk, failed;
  int failed_rank;
};

static struct outcome sum_up(cw_team team, const struct cwi_entry *all)
{
  struct outcome outcome = {0};
  for (int rank = 0; rank < team->size; rank++) {
    outcome.most = all[rank].bytes > outcome.most ? all[rank].bytes : outcome.most;
    outcome.chunk = outcome.chunk || all[rank].status == PART_NEEDS_CHUNK;
    if (all[rank].status == PART_FAILED && !outcome.failed) {
      outcome.failed = true;
      outcome.failed_rank = rank;
    }
  }
  return outcome;
}

/* A region in the making. */
struct draft {
  cw_team team;
  size_t bytes;
  uint64_t key;
  void *slice;
  struct cwi_chunk *chunk;
  struct cwi_entry *all;
};

static cw_error tell(struct draft *draft, uint64_t status)
{
  const struct cwi_entry mine = {.address = draft->slice != NULL ? cwi_offset_of(draft->slice) : 0,
                                 .bytes = draft->bytes,
                                 .key = draft->chunk != NULL ? draft->chunk->number : NO_CHUNK,
                                 .status = status};
  return cwi_team_exchange(draft->team, &mine, draft->all);
}

static cw_error fail_together(struct draft *draft, struct outcome outcome, cw_error mine)
{
  release_slice(draft->chunk, draft->slice);
  draft->slice = NULL;
  if (mine != CW_OK)
    return mine;
  return cwi_outside("process %d has no memory for its %llu bytes of the region",
                     draft->team->process[outcome.failed_rank],
                     (unsigned long long)draft->all[outcome.failed_rank].bytes);
}

/* No MPI window covers the region: a slice of the node's memory, one exchange. */
static cw_error allocate_plain(struct draft *draft)
{
  cw_error mine = CW_OK;
  if (draft->bytes > 0) {
    draft->slice = cwi_pool_allocate(&cwi_node_pool, draft->bytes, draft->key);
    mine = draft->slice != NULL ? CW_OK : CW_OUTSIDE;
  }
  CWI_TRY(tell(draft, mine == CW_OK ? PART_READY : PART_FAILED));
  const struct outcome outcome = sum_up(draft->team, draft->all);
  return outcome.failed ? fail_together(draft, outcome, mine) : CW_OK;
}

/* Large regions get a window of their own; small ones share chunks. All members decide alike. */
static bool is_large(uint64_t most)
{
  return most > (uint64_t)cwi_settings.chunk_size / 4;
}

/* The team spans nodes: a slice of a chunk; a new chunk if one member finds no room. */
static cw_error try_window(struct draft *draft)
{
  const bool large = is_large(draft->bytes);
  if (draft->bytes > 0 && !large)
    draft->slice = cwi_chunk_allocate(draft->team, draft->bytes, draft->key, &draft->chunk);
  const bool ready = draft->bytes == 0 || draft->slice != NULL;
  CWI_TRY(tell(draft, ready ? PART_READY : PART_NEEDS_CHUNK));
  const struct outcome outcome = sum_up(draft->team, draft->all);
  if (!outcome.chunk)
    return CW_OK;
  struct cwi_chunk *chunk = NULL;
  if (is_large(outcome.most)) {
    release_slice(draft->chunk, draft->slice);
    draft->slice = NULL;
    CWI_TRY(cwi_chunk_create(draft->team, draft->bytes, true, draft->key, &chunk, &draft->slice));
    draft->chunk = chunk;
  } else {
    const cw_error error =
        cwi_chunk_create(draft->team, (size_t)cwi_settings.chunk_size, false, 0, &chunk, NULL);
    if (error != CW_OK) {
      release_slice(draft->chunk, draft->slice);
      return error;
    }
    if (!ready)
      draft->slice = cwi_chunk_allocate(draft->team, draft->bytes, draft->key, &draft->chunk);
    CWI_ASSERT(draft->bytes == 0 || draft->slice != NULL);
  }
  return tell(draft, PART_READY);
}

/* Chunks that no region uses are kept for the next one; when memory is short they go. */
static cw_error drop_unused(cw_team team, bool *dropped)
{
  struct cwi_chunk *next = team->chunks;
  while (next != NULL) {
    struct cwi_chunk *chunk = next;
    next = chunk->next;
    if (chunk->uses > 0)
      continue;
    *dropped = true;
    CWI_TRY(cwi_chunk_destroy(chunk));
  }
  return CW_OK;
}

/* A failure is the same on all members: so is the second try. */
static cw_error allocate_window(struct draft *draft)
{
  bool dropped = false;
  const cw_error error = try_window(draft);
  if (error == CW_OK)
    return CW_OK;
  CWI_TRY(drop_unused(draft->team, &dropped));
  draft->chunk = NULL;
  draft->slice = NULL;
  return dropped ? try_window(draft) : error;
}

static cw_region assemble(const struct draft *draft)
{
  cw_team team = draft->team;
  cw_region region = malloc(sizeof *region + (size_t)team->size * sizeof region->parts[0]);
  CWI_ASSERT(region != NULL);
  *region = (struct cwi_region){.key = draft->key, .team = team};
  for (int rank = 0; rank < team->size; rank++) {
    const struct cwi_entry *entry = &draft->all[rank];
    struct cwi_chunk *chunk =
        entry->key != NO_CHUNK ? cwi_chunk_numbered(team, (unsigned)entry->key) : NULL;
    region->parts[rank] = (struct cwi_part){
        entry->bytes > 0 ? cwi_address_at(entry->address) : NULL, entry->bytes, chunk};
    if (chunk != NULL)
      chunk->uses++;
  }
  cwi_team_keep(team);
  team->regions_alive++;
  return region;
}

static cw_error enlist(cw_region region)
{
  cwi_threads_lock();
  const cw_error error = cwi_map_insert(&regions, region->key, region);
  cwi_threads_unlock();
  CWI_TRY(error);
  return region->team->shared ? CW_OK : cwi_remote_add(region);
}

/* Entries of small teams live on the stack: creating must cost little more than two barriers. */
enum { SMALL_TEAM = 64 };

static cw_error create(cw_team team, size_t bytes, struct cwi_entry *all, cw_region *out)
{
  struct draft draft = {.team = team, .bytes = bytes, .key = next_key(team), .all = all};
  CWI_TRY(team->shared || !cwi_chunks_wanted() ? allocate_plain(&draft) : allocate_window(&draft));
  if (sum_up(team, all).most == 0)
    return CW_OK;
  cw_region region = assemble(&draft);
  CWI_TRY(enlist(region));
  cwi_statistics.regions++;
  *out = region;
  return CW_OK;
}

static cw_error with_entries(cw_team team, size_t bytes, cw_region *region)
{
  struct cwi_entry few[SMALL_TEAM];
  if (team->size <= SMALL_TEAM)
    return create(team, bytes, few, region);
  struct cwi_entry *all = calloc((size_t)team->size, sizeof *all);
  CWI_ASSERT(all != NULL);
  const cw_error error = create(team, bytes, all, region);
  free(all);
  return error;
}

cw_error cw_region_create(cw_team team, size_t bytes, cw_region *out, void **addresses)
{
  if (team == NULL)
    return cwi_misuse("cw_region_create: team is no team (NULL)");
  cw_region region = NULL;
  const cw_error error = with_entries(team, bytes, &region);
  for (int rank = 0; addresses != NULL && rank < team->size; rank++)
    addresses[rank] = region != NULL ? region->parts[rank].address : NULL;
  if (out != NULL)
    *out = region;
  return cwi_in_call("cw_region_create", error);
}

static cw_error destroy_chunks(cw_team team)
{
  while (team->chunks != NULL)
    CWI_TRY(cwi_chunk_destroy(team->chunks));
  return CW_OK;
}

/* The last region of a team takes the team's windows along, here where all members are together: a
 * team is freed locally, and windows cannot be. The world keeps its windows for the next region. */
static cw_error release_chunks(cw_region region, struct cwi_chunk *dedicated)
{
  cw_team team = region->team;
  if (dedicated != NULL)
    CWI_TRY(cwi_chunk_destroy(dedicated));
  else
    release_slice(region->parts[team->rank].chunk, region->parts[team->rank].address);
  return team->regions_alive == 0 && team != cwi_world.team ? destroy_chunks(team) : CW_OK;
}

static cw_error destroy(cw_region region)
{
  cw_team team = region->team;
  struct cwi_chunk *dedicated = NULL;
  for (int rank = 0; rank < team->size; rank++) {
    struct cwi_chunk *chunk = region->parts[rank].chunk;
    if (chunk == NULL)
      continue;
    chunk->uses--;
    dedicated = chunk->dedicated ? chunk : dedicated;
  }
  cwi_threads_lock();
  cwi_map_remove(&regions, region->key);
  cwi_threads_unlock();
  if (!team->shared)
    cwi_remote_remove(region);
  team->regions_alive--;
  const cw_error error = release_chunks(region, dedicated);
  free(region);
  const cw_error released = cwi_team_release(team);
  return error != CW_OK ? error : released;
}

/* Members agree on which region goes: those without bytes pass none and learn it. */
static cw_error agree(cw_team team, cw_region mine, cw_region *region)
{
  struct cwi_entry few[SMALL_TEAM];
  struct cwi_entry *all = team->size <= SMALL_TEAM ? few : calloc((size_t)team->size, sizeof *all);
  CWI_ASSERT(all != NULL);
  const struct cwi_entry entry = {.key = mine != NULL ? mine->key : 0};
  cw_error error = cwi_team_exchange(team, &entry, all);
  uint64_t key = 0;
  for (int rank = 0; rank < team->size && error == CW_OK; rank++) {
    if (key != 0 && all[rank].key != 0 && all[rank].key != key)
      error = cwi_misuse("the members of the team free different regions at the same time");
    key = all[rank].key != 0 ? all[rank].key : key;
  }
  if (all != few)
    free(all);
  *region = error == CW_OK && key != 0 ? cwi_region_keyed(key) : NULL;
  return error;
}

static cw_error free_together(cw_team team, cw_region mine)
{
  if (quiesce != NULL)
    CWI_TRY(quiesce());
  cw_region region = NULL;
  CWI_TRY(agree(team, mine, &region));
  return region != NULL ? destroy(region) : CW_OK;
}

cw_error cw_region_free(cw_team team, cw_region *region)
{
  cw_team of = *region != NULL ? (*region)->team : team;
  if (of == NULL)
    return cwi_misuse("cw_region_free: team is no team (NULL) and region is NULL");
  cw_region freed = *region;
  *region = NULL;
  return cwi_in_call("cw_region_free", free_together(of, freed));
}

cw_error cwi_region_free_address(cw_team team, void *address)
{
  cw_region region = NULL;
  if (address != NULL) {
    struct cwi_slice slice;
    if (cwi_zone_find(address, &slice) && slice.owner == cwi_world.process)
      region = cwi_region_keyed(slice.region);
    if (region == NULL)
      return cwi_misuse("address %p is not in a slice of mine that lives (freed already?)",
                        address);
  }
  if (team == NULL && region == NULL)
    return cwi_misuse("neither a team nor an address");
  return free_together(region != NULL ? region->team : team, region);
}

/* Ascending keys: every process ends the regions that are left in one order, so that the collective
 * ends of their windows meet. */
static int by_key(const void *left, const void *right)
{
  const cw_region a = *(const cw_region *)left, b = *(const cw_region *)right;
  return (a->key > b->key) - (a->key < b->key);
}

cw_error cwi_memory_stop(void)
{
  const size_t count = regions.count;
  cw_region *left = malloc((count + 1) * sizeof(cw_region));
  if (left == NULL)
    return cwi_outside("no memory to list %zu regions", count);
  size_t found = 0;
  for (size_t i = 0; i < regions.capacity; i++)
    if (regions.entries[i].key != 0)
      left[found++] = regions.entries[i].value;
  qsort(left, count, sizeof(cw_region), by_key);
  cw_error error = CW_OK;
  for (size_t i = 0; i < count && error == CW_OK; i++)
    error = destroy(left[i]);
  free(left);
  cwi_map_clear(&regions);
  CWI_TRY(error);
  CWI_TRY(destroy_chunks(cwi_world.team));
  cwi_remote_stop();
  return CW_OK;
}
