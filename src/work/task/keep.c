/* Constant patches that the workers of a process share on the host until the phase ends. For tasks
 * that run there. */
#include "task/planning.h"

#include "transfer/handle.h"

#include <stdlib.h>

enum { KEEP_ALIGNMENT = 64 };

static cw_error no_arrival(void)
{
  return cwi_outside("a constant patch of a task could not be brought: see the error of the task "
                     "that was to bring it");
}

/* The lock is held. */
static void keep_drop(struct cwi_keep *keep, struct cwi_resident *resident)
{
  free(resident->memory);
  cwi_resident_remove(&keep->residents, resident);
}

/* Make room. The lock is held. False: those in use leave none. */
static bool keep_evict(struct cwi_keep *keep, size_t bytes, cw_tasks_counts *counts)
{
  while (bytes <= keep->most && keep->residents.bytes > keep->most - bytes &&
         keep->residents.oldest != NULL) {
    keep_drop(keep, keep->residents.oldest);
    counts->evicted++;
  }
  return bytes <= keep->most && keep->residents.bytes <= keep->most - bytes;
}

/* A place for one that is not there. NULL: no room. The lock is held. */
static struct cwi_resident *keep_make(struct cwi_keep *keep, const cw_planned_patch *patch,
                                      size_t bytes, cw_tasks_counts *counts)
{
  if (!keep_evict(keep, bytes, counts))
    return NULL;
  const size_t room = (bytes + KEEP_ALIGNMENT) & ~(size_t)(KEEP_ALIGNMENT - 1);
  char *memory = aligned_alloc(KEEP_ALIGNMENT, room);
  struct cwi_resident *resident =
      memory != NULL ? cwi_resident_add(&keep->residents, patch, bytes) : NULL;
  if (resident == NULL)
    free(memory);
  else
    resident->memory = memory;
  return resident;
}

/* Bring what everybody else waits for; what has begun ends, whatever happens: the memory is its. */
static cw_error keep_bring(struct cwi_keep *keep, struct cwi_resident *resident)
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  bool done = false;
  cwi_first_begin(&first, cwi_patch_fetch(&resident->patch, resident->memory, &handle));
  cwi_first_note(&first, cwi_handle_finish(&handle, true, &done));
  const cw_error error = cwi_first_return(&first);
  pthread_mutex_lock(&keep->lock);
  resident->ready = error == CW_OK;
  resident->failed = error != CW_OK;
  pthread_cond_broadcast(&keep->arrival);
  pthread_mutex_unlock(&keep->lock);
  return error;
}

/* Another worker brings it, or has. */
static cw_error keep_await(struct cwi_keep *keep, const struct cwi_resident *resident)
{
  pthread_mutex_lock(&keep->lock);
  while (!resident->ready && !resident->failed)
    pthread_cond_wait(&keep->arrival, &keep->lock);
  const bool failed = resident->failed;
  pthread_mutex_unlock(&keep->lock);
  return failed ? no_arrival() : CW_OK;
}

cw_error cwi_keep_take(struct cwi_keep *keep, const cw_planned_patch *patch, size_t bytes,
                       struct cwi_resident **resident, cw_tasks_counts *counts)
{
  pthread_mutex_lock(&keep->lock);
  struct cwi_resident *found = cwi_resident_find(&keep->residents, patch);
  const bool hit = found != NULL;
  if (hit)
    cwi_resident_use(&keep->residents, found);
  else
    found = keep_make(keep, patch, bytes, counts);
  pthread_mutex_unlock(&keep->lock);
  *resident = found;
  counts->hits += hit;
  counts->misses += !hit;
  if (found == NULL)
    return CW_OK;
  counts->fetched += hit ? 0 : bytes;
  return hit ? keep_await(keep, found) : keep_bring(keep, found);
}

void cwi_keep_leave(struct cwi_keep *keep, struct cwi_resident *resident)
{
  pthread_mutex_lock(&keep->lock);
  cwi_resident_leave(&keep->residents, resident);
  if (resident->failed && resident->users == 0)
    keep_drop(keep, resident);
  pthread_mutex_unlock(&keep->lock);
}

void cwi_keep_clear(struct cwi_keep *keep)
{
  while (keep->residents.oldest != NULL)
    keep_drop(keep, keep->residents.oldest);
}
