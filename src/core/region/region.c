/* Making and freeing regions. All members agree on the slices before any member uses them. */
#include "region/region.h"

#include "base/hash_map.h"
#include "base/operation_counts.h"
#include "base/settings.h"
#include "collective_call/collective_check.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "region/chunk.h"
#include "region/slice_index.h"
#include "team/agreement.h"
#include "team/world.h"
#include "wait/object_table.h"

#include <stdlib.h>
#include <string.h>

static struct cwi_objects objects = {CWI_OBJECTS_OF(struct cwi_region), .null_text = "",
                                     .dead_text = "not an existing region (was it freed?)"};
static struct cwi_hash_map regions; /* key -> cw_region */

/* Special values that a member sends instead of the number of its slice's chunk. */
static const uint64_t NO_CHUNK = UINT64_MAX, NEEDS_CHUNK = UINT64_MAX - 1,
                      ON_DEVICE = UINT64_MAX - 2;

bool cwi_is_region(const void *region)
{
  return cwi_object_lives(&objects, region);
}

cw_error cwi_check_region(cw_region region)
{
  return cwi_check_object(&objects, "region", region);
}

cw_region cwi_region_next(cw_region region)
{
  return cwi_object_next(&objects, region);
}

size_t cwi_regions_alive(void)
{
  return regions.count;
}

cw_region cwi_region_keyed(uint64_t key)
{
  cwi_threads_lock();
  cw_region region = cwi_hash_map_find(&regions, key);
  cwi_threads_unlock();
  return region;
}

/* Returns true if a slice of the process, or of any process if it is -1, holds the address. */
static bool region_holds(cw_region region, int process, bool on_device, const void *address,
                         struct cwi_zone_slice *found)
{
  for (int rank = 0; rank < region->team->size; rank++) {
    const struct cwi_slice *slice = &region->slices[rank];
    const int owner = region->team->process[rank];
    if (slice->on_device != on_device || (process >= 0 && owner != process) ||
        (uintptr_t)address - (uintptr_t)slice->address >= slice->bytes)
      continue;
    *found = (struct cwi_zone_slice){slice->address, slice->bytes, owner, region->key};
    return true;
  }
  return false;
}

/* Searches the table of regions. The caller holds its lock. */
static bool region_find(int process, bool on_device, const void *address,
                        struct cwi_zone_slice *found)
{
  cw_region region = NULL;
  size_t place = 0;
  while ((region = cwi_hash_map_next(&regions, &place)) != NULL)
    if (region_holds(region, process, on_device, address, found))
      return true;
  return false;
}

bool cwi_region_find_device_slice(int process, const void *address, struct cwi_zone_slice *found)
{
  return region_find(process, true, address, found);
}

bool cwi_region_find_named(const void *address, struct cwi_zone_slice *found)
{
  return region_find(-1, false, address, found);
}

/* Bits of a key with the region's number in its team. The id of the team is in the other 36. */
static const uint64_t NUMBER = 0xfffffff;

void cwi_write_region(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct cwi_region *region = argument->what;
  if (region == NULL)
    cwi_words_add(words, "NULL");
  else
    cwi_words_add(words, "number %llu", (unsigned long long)region->key & NUMBER);
}

/* Returns the next unused key. All members have the same regions, so they find the same key. */
static uint64_t next_key(cw_team team)
{
  uint64_t key = 0;
  for (uint32_t number = team->regions_made + 1;
       key == 0 || cwi_hash_map_find(&regions, key) != NULL; number++)
    key = team->id << 28 | (number & NUMBER);
  return key;
}

static void region_discard(cw_region region)
{
  if (region == NULL)
    return;
  free(region->slices);
  free(region->before);
  cwi_object_end(&objects, region);
}

static void release_slice(struct cwi_chunk *chunk, void *address)
{
  if (address != NULL)
    cwi_heap_free(chunk != NULL ? &chunk->heap : &cwi_zone.heap, address);
}

/* Summary of all members' slices. */
struct outcome {
  uint64_t most; /* largest number of bytes that a member has in the zone */
  bool any;      /* a member has bytes */
  bool chunk;
};

static struct outcome sum_up(cw_team team, const struct cwi_entry *all)
{
  struct outcome outcome = {0};
  for (int rank = 0; rank < team->size; rank++) {
    const uint64_t bytes = all[rank].place == ON_DEVICE ? 0 : all[rank].bytes;
    outcome.most = bytes > outcome.most ? bytes : outcome.most;
    outcome.any = outcome.any || all[rank].bytes > 0;
    outcome.chunk = outcome.chunk || all[rank].place == NEEDS_CHUNK;
  }
  return outcome;
}

/* A region that is being made. All memory is allocated before the members exchange that they are
 * ready, so that no member can fail alone afterwards. */
struct region_build {
  cw_team team;
  size_t bytes;
  const struct cwi_region_terms *terms;
  cw_error begun;
  cw_region region; /* NULL if it could not be begun */
  const struct cwi_slice_placement
      *on_device; /* placement of my slice if it exists already, else NULL */
  const struct cwi_slice_placement *user; /* has the function that uses my slice, or NULL */
  bool used;
  void *slice;
  struct cwi_chunk *chunk;
  struct cwi_entry *all;
};

/* Returns the bytes of the zone that my slice takes. A slice with a `use` function begins at a
 * granule. */
static size_t to_allocate(const struct region_build *build)
{
  if (build->on_device != NULL || build->bytes == 0)
    return 0;
  return build->user != NULL && build->bytes <= CWI_SLAB_MOST ? CWI_SLAB_MOST + 1 : build->bytes;
}

/* Calls the `use` function, if there is one, once my slice exists. */
static cw_error build_use_slice(struct region_build *build, cw_error mine)
{
  if (mine != CW_OK || build->slice == NULL || build->user == NULL || build->used)
    return mine;
  cwi_heap_shorten(build->slice, build->bytes);
  CWI_TRY(build->user->use(build->user->context, build->slice, build->bytes));
  build->used = true;
  return CW_OK;
}

static void build_drop(struct region_build *build)
{
  if (build->used)
    build->region->release(build->slice);
  build->used = false;
  release_slice(build->chunk, build->slice);
  build->slice = NULL;
}

static struct cwi_entry build_entry(const struct region_build *build, bool needs_chunk)
{
  struct cwi_entry entry = {.bytes = build->bytes, .place = NO_CHUNK, .key = build->terms->key};
  if (build->on_device != NULL) {
    entry.address = (uintptr_t)build->on_device->address;
    entry.place = ON_DEVICE;
    return entry;
  }
  if (build->slice != NULL)
    entry.address = cwi_offset_of(build->slice);
  if (needs_chunk)
    entry.place = NEEDS_CHUNK;
  else if (build->chunk != NULL)
    entry.place = build->chunk->number;
  return entry;
}

/* Exchanges the slices. If any member failed, all free theirs. */
static cw_error agree_on_slices(struct region_build *build, cw_error mine, bool needs_chunk)
{
  const cw_error ready = build_use_slice(build, mine);
  const struct cwi_entry entry = build_entry(build, needs_chunk);
  const cw_error error =
      cwi_team_agree_on(build->team, ready, &entry, build->terms->same, build->all);
  if (error != CW_OK)
    build_drop(build);
  return error;
}

static cw_error no_slice(const struct region_build *build)
{
  return cwi_outside("no memory for %zu bytes", build->bytes);
}

/* Allocates a slice of a region that no MPI window covers, with one exchange. */
static cw_error allocate_plain(struct region_build *build)
{
  cw_error mine = build->begun;
  if (mine == CW_OK && to_allocate(build) > 0) {
    CWI_ASSERT(build->region != NULL);
    build->slice = cwi_heap_allocate(&cwi_zone.heap, to_allocate(build), build->region->key);
    mine = build->slice != NULL ? CW_OK : CW_OUTSIDE;
  }
  return agree_on_slices(build, mine, false);
}

/* Returns true if a region whose largest slice has `most` bytes gets its own window. Smaller
 * regions share chunks. */
static bool is_large(uint64_t most)
{
  return most > (uint64_t)cwi_settings.chunk_size / 4;
}

/* Makes a new chunk, in which every member has enough space. */
static cw_error share_new_chunk(struct region_build *build)
{
  struct cwi_chunk *chunk = NULL;
  CWI_TRY(cwi_chunk_create(build->team, (size_t)cwi_settings.chunk_size, false, 0, &chunk, NULL));
  if (to_allocate(build) > 0 && build->slice == NULL)
    build->slice =
        cwi_chunk_allocate(build->team, to_allocate(build), build->region->key, &build->chunk);
  return CW_OK;
}

static cw_error make_chunk(struct region_build *build, uint64_t most)
{
  struct cwi_chunk *chunk = NULL;
  void *slice = NULL;
  if (!is_large(most))
    return share_new_chunk(build);
  build_drop(build);
  CWI_TRY(
      cwi_chunk_create(build->team, to_allocate(build), true, build->region->key, &chunk, &slice));
  build->chunk = chunk;
  build->slice = slice;
  return CW_OK;
}

/* Allocates a slice of a chunk. If a member finds no space, all members make a new chunk. */
static cw_error try_window(struct region_build *build)
{
  const bool small = to_allocate(build) > 0 && !is_large(build->bytes);
  if (build->begun == CW_OK && small) {
    CWI_ASSERT(build->region != NULL);
    build->slice =
        cwi_chunk_allocate(build->team, to_allocate(build), build->region->key, &build->chunk);
  }
  const bool ready = to_allocate(build) == 0 || build->slice != NULL;
  CWI_TRY(agree_on_slices(build, build->begun, !ready));
  CWI_ASSERT(build->region != NULL);
  const struct outcome outcome = sum_up(build->team, build->all);
  if (!outcome.chunk)
    return CW_OK;
  const cw_error error = make_chunk(build, outcome.most); /* the same on all members */
  if (error != CW_OK) {
    build_drop(build);
    return error;
  }
  const bool has_all = to_allocate(build) == 0 || build->slice != NULL;
  return agree_on_slices(build, has_all ? CW_OK : no_slice(build), false);
}

/* Frees the chunks that no region uses. They are kept for later regions until memory is short. */
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

/* Returns true if a lack of memory may be the cause, so that all members try again. Returns false
 * if the call of any member is invalid or differs. The result is the same on all members. */
static bool memory_failed(const struct region_build *build)
{
  bool only = true;
  for (int rank = 0; rank < build->team->size; rank++)
    only =
        only && build->all[rank].status != CW_MISUSE && build->all[rank].call == build->all[0].call;
  return only;
}

/* Allocates a slice that an MPI window covers. Except after errors of MPI, either all members try
 * again or none does. */
static cw_error allocate_window(struct region_build *build)
{
  bool dropped = false;
  const cw_error error = try_window(build);
  if (error != CW_OUTSIDE || cwi_error_is_from_mpi() || !memory_failed(build))
    return error;
  CWI_TRY(drop_unused(build->team, &dropped));
  build->chunk = NULL;
  build->slice = NULL;
  return dropped ? try_window(build) : error;
}

/* Adds the region to the table, under the team's next number. The team counts that number once the
 * region is complete. */
static cw_error region_enlist(cw_region region)
{
  cwi_threads_lock();
  region->key = next_key(region->team);
  const cw_error error = cwi_hash_map_insert(&regions, region->key, region);
  cwi_threads_unlock();
  return error;
}

/* Allocates space for the region's slices, here and in the slice index. */
static cw_error region_fill_in(cw_region region)
{
  const size_t bytes = (size_t)region->team->size * sizeof(struct cwi_slice);
  /* not calloc, because glibc's calloc does not reuse the blocks that this thread has freed. */
  region->slices = malloc(bytes);
  if (region->slices == NULL)
    return cwi_outside("no memory for a region of %d processes", region->team->size);
  memset(region->slices, 0, bytes);
  return region->team->shared ? CW_OK : cwi_slice_index_reserve(region->team);
}

/* Makes a region with a number, which no other process knows yet, and with space in all tables. */
static cw_error begin_region(cw_team team, cw_region *begun)
{
  cw_region region = cwi_object_make(&objects);
  if (region == NULL)
    return cwi_outside("no memory for a region");
  region->team = team;
  const cw_error furnished = region_fill_in(region);
  const cw_error error = furnished == CW_OK ? region_enlist(region) : furnished;
  if (error == CW_OK) {
    *begun = region;
    return CW_OK;
  }
  if (furnished == CW_OK && !team->shared)
    cwi_slice_index_cancel(team);
  region_discard(region);
  return error;
}

static void region_forget(cw_region region)
{
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_profile_unname(region->key);
  cwi_threads_lock();
  cwi_hash_map_remove(&regions, region->key);
  cwi_threads_unlock();
}

/* Discards a region whose creation has failed on all members. No member counts its number. */
static void give_up(cw_region region)
{
  if (region == NULL)
    return;
  region_forget(region);
  if (!region->team->shared)
    cwi_slice_index_cancel(region->team);
  region_discard(region);
}

static char *slice_address(int process, const struct cwi_entry *entry)
{
  if (entry->place == ON_DEVICE)
    return (char *)(uintptr_t)entry->address; /* NOLINT(performance-no-int-to-ptr) */
  return entry->bytes > 0 ? cwi_address_in(process, entry->address) : NULL;
}

/* Returns where bytes lie in a region, for the profile. */
static void region_place(const void *region, const struct cwi_heat_map *heat_map, int process,
                         const char *first, const char *last, struct cwi_profile_place *place)
{
  const struct cwi_region *found = region;
  const int rank = cwi_team_rank_of(found->team, process);
  (void)heat_map;
  *place = (struct cwi_profile_place){.number = 0};
  if (rank < 0)
    return;
  place->number = first - found->slices[rank].address;
  place->along[0].first = found->before[rank] + place->number;
  place->along[0].last = place->along[0].first + (last - first);
}

static void name_region(cw_region region)
{
  const int size = region->team->size;
  struct cwi_object_layout layout = {.find = region_place, .owner = region};
  int64_t bytes = 0, start[CWI_HEAT_MAP_STARTS];
  size_t slices = 0;
  region->before = malloc((size_t)size * sizeof *region->before);
  for (int rank = 0; rank < size; rank++) {
    if (region->before != NULL)
      region->before[rank] = bytes;
    if (region->slices[rank].bytes > 0 && slices++ < CWI_HEAT_MAP_STARTS)
      start[slices - 1] = bytes;
    bytes += (int64_t)region->slices[rank].bytes;
  }
  cwi_heat_map_make(&layout.heat_map, 0, &bytes);
  if (slices <= CWI_HEAT_MAP_STARTS) {
    layout.heat_map.starts[0] = (int32_t)slices;
    memcpy(layout.heat_map.start[0], start, slices * sizeof start[0]);
  }
  cwi_profile_name(region->key, region->slices[region->team->rank].bytes,
                   region->before != NULL ? &layout : NULL, "region, %lld bytes in %zu slice%s",
                   (long long)bytes, slices, slices == 1 ? "" : "s");
}

/* Fills in the slices of all members. Takes the lock, because other threads read the slices of all
 * regions. */
static void complete(const struct region_build *build)
{
  cw_team team = build->team;
  cw_region region = build->region;
  cwi_threads_lock();
  for (int rank = 0; rank < team->size; rank++) {
    const struct cwi_entry *entry = &build->all[rank];
    const bool on_device = entry->place == ON_DEVICE;
    struct cwi_chunk *chunk = entry->place != NO_CHUNK && !on_device
                                  ? cwi_chunk_numbered(team, (unsigned)entry->place)
                                  : NULL;
    region->slices[rank] = (struct cwi_slice){slice_address(team->process[rank], entry),
                                              entry->bytes, chunk, on_device};
    if (chunk != NULL)
      chunk->uses++;
    if (on_device) /* the program may pass its address as a buffer */
      cwi_settings_watch_buffers(true);
  }
  cwi_threads_unlock();
  cwi_team_keep(team);
  team->regions_made = (uint32_t)(region->key & NUMBER);
  team->regions_alive++;
  if (!team->shared)
    cwi_slice_index_add(region);
  if (CWI_UNLIKELY(cwi_is_profiled()))
    name_region(region);
  __atomic_add_fetch(&cwi_statistics.regions, 1, __ATOMIC_RELAXED);
}

static cw_error region_make(struct region_build *build, cw_region *out)
{
  cw_team team = build->team;
  struct cwi_entry few[CWI_TEAM_SMALL];
  build->all = cwi_team_entries(team, few);
  const cw_error error =
      team->shared || !cwi_chunks_wanted() ? allocate_plain(build) : allocate_window(build);
  if (error != CW_OK || !sum_up(team, build->all).any) {
    give_up(build->region);
    return error;
  }
  complete(build);
  *out = build->region;
  return CW_OK;
}

cw_error cwi_region_create_placed(cw_team team, size_t bytes, const struct cwi_region_terms *terms,
                                  const struct cwi_slice_placement *mine, cwi_slice_release release,
                                  cw_region *out)
{
  struct region_build build = {.team = team,
                               .bytes = bytes,
                               .terms = terms,
                               .on_device = mine->address != NULL ? mine : NULL};
  build.begun = begin_region(team, &build.region);
  if (build.region != NULL) {
    build.region->release = release;
    build.user = mine->use != NULL ? mine : NULL;
    build.begun = terms->mine;
  }
  return region_make(&build, out);
}

cw_error cwi_region_create(cw_team team, size_t bytes, cw_region *out)
{
  const struct cwi_region_terms none = {.mine = CW_OK};
  const struct cwi_slice_placement nowhere = {.address = NULL};
  return cwi_region_create_placed(team, bytes, &none, &nowhere, NULL, out);
}

void cwi_region_hand_out(cw_team team, cw_region region, cw_region *out, void **addresses)
{
  if (region != NULL)
    region->listed = true;
  for (int rank = 0; addresses != NULL && rank < team->size; rank++)
    addresses[rank] = region != NULL ? region->slices[rank].address : NULL;
  *out = region;
}

cw_error cw_region_create(cw_team team, size_t bytes, cw_region *out, void **addresses)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_region_create", cwi_check_team("team", team)));
  if (out == NULL)
    return cwi_in_call("cw_region_create", cwi_misuse("region is NULL; it receives the region"));
  cw_region region = NULL;
  const cw_error error = CWI_COLLECTIVELY("cw_region_create", team, cwi_argument_nothing(),
                                          cwi_region_create(team, bytes, &region));
  cwi_region_hand_out(team, region, out, addresses);
  return error;
}

static cw_error destroy_chunks(cw_team team)
{
  while (team->chunks != NULL)
    CWI_TRY(cwi_chunk_destroy(team->chunks));
  return CW_OK;
}

/* Frees my slice or the dedicated chunk. The last region of a team also frees the team's windows,
 * because this call is collective. The world keeps its windows for the next region. */
static cw_error release_chunks(cw_region region, struct cwi_chunk *dedicated)
{
  cw_team team = region->team;
  const struct cwi_slice *mine = &region->slices[team->rank];
  if (region->release != NULL && mine->address != NULL)
    region->release(mine->address);
  if (dedicated != NULL)
    CWI_TRY(cwi_chunk_destroy(dedicated));
  else if (!mine->on_device)
    release_slice(mine->chunk, mine->address);
  cwi_region_free_failed_slices(region);
  return team->regions_alive == 0 && team != cwi_world.team ? destroy_chunks(team) : CW_OK;
}

static cw_error region_destroy(cw_region region)
{
  cw_team team = region->team;
  struct cwi_chunk *dedicated = NULL;
  for (int rank = 0; rank < team->size; rank++) {
    struct cwi_chunk *chunk = region->slices[rank].chunk;
    if (chunk == NULL)
      continue;
    chunk->uses--;
    dedicated = chunk->dedicated ? chunk : dedicated;
  }
  region_forget(region);
  if (!team->shared)
    cwi_slice_index_remove(region);
  team->regions_alive--;
  const cw_error error = release_chunks(region, dedicated);
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_profile_memory_freed();
  region_discard(region);
  const cw_error released = cwi_team_release(team);
  return error != CW_OK ? error : released;
}

/* Checks that either all members have passed a handle or none. */
static cw_error handles_result(cw_team team, const struct cwi_entry *all)
{
  int with = -1, without = -1;
  for (int rank = 0; rank < team->size; rank++) {
    with = all[rank].key != 0 ? rank : with;
    without = all[rank].key == 0 ? rank : without;
  }
  return with < 0 || without < 0 ? CW_OK
                                 : cwi_misuse("region is NULL at process %d, while process %d "
                                              "frees one",
                                              team->process[without], team->process[with]);
}

/* Returns the error of members that free different objects. `mine` is NULL on members that have no
 * bytes. If the region is not listed, the program has passed the object whose memory it is. */
static cw_error regions_differ(cw_region mine)
{
  return mine == NULL || mine->listed
             ? cwi_misuse("the members of the team free different regions at the same time")
             : cwi_misuse("the members of the team pass different objects to be freed");
}

/* Agrees on the region that is freed. If members pass addresses, those without bytes pass none and
 * receive the key from the others. If they pass handles, all normally pass the same one, so the
 * entries of the others need not be read. If MPI has failed to complete a member's operations, the
 * memory is not freed. */
static cw_error region_agree(cw_team team, cw_error mine, bool by_handle, cw_region *region)
{
  struct cwi_entry few[CWI_TEAM_SMALL];
  struct cwi_entry *all = cwi_team_entries(team, few);
  const struct cwi_entry entry = {.key = *region != NULL ? (*region)->key : 0};
  bool alike = false;
  uint64_t key = 0;
  CWI_TRY(by_handle ? cwi_team_agree_mostly(team, mine, entry.key, &alike, all)
                    : cwi_team_agree_on(team, mine, &entry, NULL, all));
  if (CWI_LIKELY(alike))
    return CW_OK;
  if (by_handle)
    CWI_TRY(handles_result(team, all));
  for (int rank = 0; rank < team->size; rank++) {
    if (key != 0 && all[rank].key != 0 && all[rank].key != key)
      return regions_differ(*region);
    key = all[rank].key != 0 ? all[rank].key : key;
  }
  if (*region == NULL && key != 0)
    *region = cwi_region_keyed(key);
  return CW_OK;
}

/* `misuse` is the error of this member's arguments, and `completion` the result of completing its
 * operations. */
static cw_error region_release(cw_team team, cw_region mine, bool by_handle, cw_error misuse,
                               cw_error completion)
{
  cw_region region = mine;
  CWI_TRY(region_agree(team, completion == CW_OUTSIDE ? completion : misuse, by_handle, &region));
  if (region != NULL)
    CWI_TRY(region_destroy(region));
  return completion;
}

cw_error cwi_region_release(cw_team team, cw_region mine, cw_error completion)
{
  return region_release(team, mine, false, CW_OK, completion);
}

static cw_error check_release(cw_region mine, cw_team named)
{
  if (cwi_is_team(named) && named != mine->team)
    return cwi_misuse("team is not the team of the region");
  if (__atomic_load_n(&mine->epochs, __ATOMIC_RELAXED) > 0)
    return cwi_misuse("an access epoch of the region is open: cw_access_end ends it");
  return CW_OK;
}

cw_error cwi_region_release_handle(cw_team team, cw_region mine, cw_team named, cw_error completion)
{
  const bool checks = mine != NULL && completion != CW_OUTSIDE;
  return region_release(team, mine, true, checks ? check_release(mine, named) : CW_OK, completion);
}

static int by_key(const void *left, const void *right)
{
  const struct cwi_hash_map_entry *a = left, *b = right;
  return (a->key > b->key) - (a->key < b->key);
}

/* Frees the remaining regions in the order of their keys, so that the collective calls that free
 * windows match on all processes. The entries are sorted in place: the table is not used again. */
static cw_error destroy_left(void)
{
  struct cwi_hash_map left = regions;
  size_t count = 0;
  cw_error error = CW_OK;
  regions = (struct cwi_hash_map){0};
  for (size_t i = 0; i < left.capacity; i++)
    if (left.entries[i].key != 0)
      left.entries[count++] = left.entries[i];
  if (count > 0)
    qsort(left.entries, count, sizeof *left.entries, by_key);
  for (size_t i = 0; i < count && error == CW_OK; i++)
    error = region_destroy(left.entries[i].value);
  cwi_hash_map_clear(&left);
  return error;
}

cw_error cwi_memory_stop(void)
{
  CWI_TRY(destroy_left());
  CWI_TRY(destroy_chunks(cwi_world.team));
  cwi_slice_index_stop();
  return CW_OK;
}
