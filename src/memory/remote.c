#include "memory/remote.h"

#include "mpi/call.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* One process's slices, sorted by address. */
struct index {
  struct place {
    uintptr_t begin;
    cw_region region;
    int rank;
  } * places;
  size_t count, capacity;
};

static struct index *indexes; /* [processes] */

/* Number of places that begin at or before the address. */
static size_t upper(const struct index *index, uintptr_t address)
{
  size_t low = 0, high = index->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (index->places[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static cw_error reserve(struct index *index)
{
  if (index->count < index->capacity)
    return CW_OK;
  const size_t capacity = index->capacity > 0 ? 2 * index->capacity : 16;
  struct place *places = realloc(index->places, capacity * sizeof *places);
  if (places == NULL)
    return cwi_outside("no memory to remember %zu regions", capacity);
  index->places = places;
  index->capacity = capacity;
  return CW_OK;
}

static void insert(struct index *index, struct place place)
{
  const size_t at = upper(index, place.begin);
  memmove(&index->places[at + 1], &index->places[at], (index->count - at) * sizeof *index->places);
  index->places[at] = place;
  index->count++;
}

static cw_error reserve_all(cw_region region)
{
  if (indexes == NULL)
    indexes = calloc((size_t)cwi_world.processes, sizeof *indexes);
  if (indexes == NULL)
    return cwi_outside("no memory to remember regions of %d processes", cwi_world.processes);
  for (int rank = 0; rank < region->team->size; rank++)
    CWI_TRY(reserve(&indexes[region->team->process[rank]]));
  return CW_OK;
}

cw_error cwi_remote_add(cw_region region)
{
  cwi_threads_lock();
  const cw_error error = reserve_all(region);
  for (int rank = 0; rank < region->team->size && error == CW_OK; rank++)
    if (region->parts[rank].bytes > 0)
      insert(&indexes[region->team->process[rank]],
             (struct place){(uintptr_t)region->parts[rank].address, region, rank});
  cwi_threads_unlock();
  return error;
}

void cwi_remote_remove(cw_region region)
{
  cwi_threads_lock();
  for (int rank = 0; rank < region->team->size; rank++) {
    struct index *index = &indexes[region->team->process[rank]];
    const size_t after = upper(index, (uintptr_t)region->parts[rank].address);
    if (region->parts[rank].bytes == 0)
      continue;
    CWI_ASSERT(after > 0 && index->places[after - 1].region == region);
    memmove(&index->places[after - 1], &index->places[after],
            (index->count - after) * sizeof *index->places);
    index->count--;
  }
  cwi_threads_unlock();
}

bool cwi_remote_at(int process, const void *address, struct cwi_remote *remote)
{
  if (indexes == NULL)
    return false;
  cwi_threads_lock();
  const struct index *index = &indexes[process];
  const size_t after = upper(index, (uintptr_t)address);
  bool found = false;
  if (after > 0) {
    const struct place *place = &index->places[after - 1];
    const struct cwi_part *part = &place->region->parts[place->rank];
    found = (uintptr_t)address - place->begin < part->bytes;
    *remote = (struct cwi_remote){place->region, place->rank, part};
  }
  cwi_threads_unlock();
  return found;
}

bool cwi_remote_find(int process, const void *address, size_t bytes, struct cwi_remote *remote)
{
  if (!cwi_remote_at(process, address, remote))
    return false;
  const size_t begin = (size_t)((const char *)address - remote->part->address);
  return bytes <= remote->part->bytes - begin;
}

void cwi_remote_stop(void)
{
  for (int process = 0; indexes != NULL && process < cwi_world.processes; process++)
    free(indexes[process].places);
  free(indexes);
  indexes = NULL;
}
