/* Finds the slices of my teams' processes: an index by address for each process. */
#include "region/slice_index.h"

#include "base/reserve.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

struct slice_at {
  uintptr_t begin;
  cw_region region;
  int rank;
};

/* The slices of one process, sorted by address. */
struct index {
  struct slice_at *entries;
  size_t count, reserved, capacity;
};

static struct index *indexes; /* [processes], or NULL */

/* Returns the number of entries that begin at or before the address. */
static size_t upper(const struct index *index, uintptr_t address)
{
  size_t low = 0, high = index->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (index->entries[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static cw_error reserve(struct index *index)
{
  /* Every process has an index for each other process, and most need only one or two entries. */
  const size_t count = index->count + index->reserved;
  if (!CWI_RESERVE(index->entries, count, index->capacity, 2))
    return cwi_outside("no memory to remember %zu regions", count + 1);
  index->reserved++;
  return CW_OK;
}

static void cancel(cw_team team, int ranks)
{
  for (int rank = 0; rank < ranks; rank++)
    indexes[team->process[rank]].reserved--;
}

/* Reserves an entry in the index of each member, or none. The caller holds the bookkeeping lock. */
static cw_error reserve_all(cw_team team)
{
  if (indexes == NULL)
    indexes = calloc((size_t)cwi_world.processes, sizeof *indexes);
  if (indexes == NULL)
    return cwi_outside("no memory to remember regions of %d processes", cwi_world.processes);
  for (int rank = 0; rank < team->size; rank++) {
    const cw_error error = reserve(&indexes[team->process[rank]]);
    if (error != CW_OK) {
      cancel(team, rank);
      return error;
    }
  }
  return CW_OK;
}

cw_error cwi_slice_index_reserve(cw_team team)
{
  cwi_threads_lock();
  const cw_error error = reserve_all(team);
  cwi_threads_unlock();
  return error;
}

void cwi_slice_index_cancel(cw_team team)
{
  cwi_threads_lock();
  cancel(team, team->size);
  cwi_threads_unlock();
}

static void remove_entries(struct index *index, size_t first, size_t count)
{
  memmove(&index->entries[first], &index->entries[first + count],
          (index->count - first - count) * sizeof *index->entries);
  index->count -= count;
}

/* Removes entries that the new slice overlaps. They belong to a region that its owner has already
 * freed, and whose memory it has used again. Another thread of this process has not removed that
 * region yet. */
static void replace_freed(struct index *index, uintptr_t begin, size_t bytes)
{
  size_t first = upper(index, begin);
  const size_t end = upper(index, begin + bytes - 1);
  if (first > 0) {
    const struct slice_at *before = &index->entries[first - 1];
    first -= begin - before->begin < before->region->slices[before->rank].bytes;
  }
  if (end > first)
    remove_entries(index, first, end - first);
}

static void insert(struct index *index, struct slice_at entry)
{
  replace_freed(index, entry.begin, entry.region->slices[entry.rank].bytes);
  const size_t at = upper(index, entry.begin);
  memmove(&index->entries[at + 1], &index->entries[at],
          (index->count - at) * sizeof *index->entries);
  index->entries[at] = entry;
  index->count++;
}

void cwi_slice_index_add(cw_region region)
{
  cwi_threads_lock();
  cancel(region->team, region->team->size);
  for (int rank = 0; rank < region->team->size; rank++)
    if (region->slices[rank].bytes > 0)
      insert(&indexes[region->team->process[rank]],
             (struct slice_at){(uintptr_t)region->slices[rank].address, region, rank});
  cwi_threads_unlock();
}

void cwi_slice_index_remove(cw_region region)
{
  cwi_threads_lock();
  for (int rank = 0; rank < region->team->size; rank++) {
    struct index *index = &indexes[region->team->process[rank]];
    const size_t after = upper(index, (uintptr_t)region->slices[rank].address);
    /* Otherwise it had no entry, or the entry has been replaced. */
    if (after > 0 && index->entries[after - 1].region == region)
      remove_entries(index, after - 1, 1);
  }
  cwi_threads_unlock();
}

bool cwi_slice_index_at(int process, const void *address, struct cwi_location *remote)
{
  if (indexes == NULL)
    return false;
  cwi_threads_lock();
  const struct index *index = &indexes[process];
  const size_t after = upper(index, (uintptr_t)address);
  bool found = false;
  if (after > 0) {
    const struct slice_at *entry = &index->entries[after - 1];
    const struct cwi_slice *slice = &entry->region->slices[entry->rank];
    found = (uintptr_t)address - entry->begin < slice->bytes;
    if (found)
      *remote = (struct cwi_location){.region = entry->region, .rank = entry->rank, .slice = slice};
  }
  cwi_threads_unlock();
  return found;
}

bool cwi_slice_index_find(int process, const void *address, size_t bytes,
                          struct cwi_location *remote)
{
  if (remote->region == NULL && !cwi_slice_index_at(process, address, remote))
    return false;
  const size_t begin = (size_t)((const char *)address - remote->slice->address);
  return begin < remote->slice->bytes && bytes <= remote->slice->bytes - begin;
}

void cwi_slice_index_stop(void)
{
  for (int process = 0; indexes != NULL && process < cwi_world.processes; process++)
    free(indexes[process].entries);
  free(indexes);
  indexes = NULL;
}
