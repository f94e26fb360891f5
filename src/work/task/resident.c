/* Constant patches that stay: the table and the order of use. For hosts and devices. */
#include "task/resident.h"

#include "array/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static size_t index_bytes(const cw_planned_patch *patch)
{
  return (size_t)patch->array->dimensions * sizeof patch->lo[0];
}

static size_t resident_bucket(const cw_planned_patch *patch)
{
  uint64_t hash = cwi_hash_add(CWI_HASH_EMPTY, (uintptr_t)patch->array);
  for (int d = 0; d < patch->array->dimensions; d++)
    hash = cwi_hash_add(cwi_hash_add(hash, (uint64_t)patch->lo[d]), (uint64_t)patch->hi[d]);
  return hash % CWI_RESIDENT_BUCKETS;
}

static bool same_patch(const cw_planned_patch *a, const cw_planned_patch *b)
{
  return a->array == b->array && memcmp(a->lo, b->lo, index_bytes(a)) == 0 &&
         memcmp(a->hi, b->hi, index_bytes(a)) == 0;
}

struct cwi_resident *cwi_resident_find(const struct cwi_residents *residents,
                                       const cw_planned_patch *patch)
{
  struct cwi_resident *resident = residents->buckets[resident_bucket(patch)];
  while (resident != NULL && !same_patch(&resident->patch, patch))
    resident = resident->next;
  return resident;
}

struct cwi_resident *cwi_resident_add(struct cwi_residents *residents,
                                      const cw_planned_patch *patch, size_t bytes)
{
  struct cwi_resident *resident = calloc(1, sizeof *resident);
  if (resident == NULL)
    return NULL;
  struct cwi_resident **bucket = &residents->buckets[resident_bucket(patch)];
  resident->patch = *patch;
  resident->bytes = bytes;
  resident->users = 1;
  resident->next = *bucket;
  *bucket = resident;
  residents->bytes += bytes;
  return resident;
}

/* --- The order of use --------------------------------------------------------------------------
 */

static void line_up(struct cwi_residents *residents, struct cwi_resident *resident)
{
  resident->older = residents->newest;
  resident->newer = NULL;
  if (residents->newest != NULL)
    residents->newest->newer = resident;
  else
    residents->oldest = resident;
  residents->newest = resident;
}

static void line_leave(struct cwi_residents *residents, struct cwi_resident *resident)
{
  if (resident->older != NULL)
    resident->older->newer = resident->newer;
  else
    residents->oldest = resident->newer;
  if (resident->newer != NULL)
    resident->newer->older = resident->older;
  else
    residents->newest = resident->older;
}

void cwi_resident_use(struct cwi_residents *residents, struct cwi_resident *resident)
{
  if (resident->users++ == 0)
    line_leave(residents, resident);
}

void cwi_resident_leave(struct cwi_residents *residents, struct cwi_resident *resident)
{
  if (--resident->users == 0)
    line_up(residents, resident);
}

void cwi_resident_remove(struct cwi_residents *residents, struct cwi_resident *resident)
{
  struct cwi_resident **link = &residents->buckets[resident_bucket(&resident->patch)];
  CWI_ASSERT(resident->users == 0);
  while (*link != resident)
    link = &(*link)->next;
  *link = resident->next;
  line_leave(residents, resident);
  residents->bytes -= resident->bytes;
  free(resident);
}
