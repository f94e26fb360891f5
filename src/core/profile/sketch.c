/* The most frequent of many, in little room. */
#include "profile/sketch.h"

#include "base/hash.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

uint64_t cwi_sketched_key(uint64_t object, const struct cwi_sketched *one)
{
  const uint64_t hash = cwi_hash_add(cwi_hash_add(object, (uint64_t)one->process), one->slice);
  return cwi_hash_add(hash, (uint64_t)one->place) | 1;
}

static struct cwi_sketched *sketch_find(struct cwi_sketch *sketch, uint64_t key)
{
  for (uint64_t i = 0; i < sketch->used; i++)
    if (sketch->rows[i].key == key)
      return &sketch->rows[i];
  return NULL;
}

/* The least frequent one's; it may have come as often as it is said to have. */
static struct cwi_sketched *sketch_room(struct cwi_sketch *sketch)
{
  if (sketch->used < CWI_SKETCHED)
    return &sketch->rows[sketch->used++];
  struct cwi_sketched *least = &sketch->rows[0];
  for (int i = 1; i < CWI_SKETCHED; i++)
    if (sketch->rows[i].count < least->count)
      least = &sketch->rows[i];
  if (least->count > sketch->beyond)
    sketch->beyond = least->count;
  return least;
}

void cwi_sketch_add(struct cwi_sketch *sketch, const struct cwi_sketched *one)
{
  struct cwi_sketched *row = sketch_find(sketch, one->key);
  if (row == NULL) {
    row = sketch_room(sketch);
    *row = *one;
    row->count = row->over = sketch->beyond;
  }
  row->count++;
}

static int compare_sketched(const void *a, const void *b)
{
  const struct cwi_sketched *one = a, *other = b;
  if (one->count != other->count)
    return one->count < other->count ? 1 : -1;
  return (one->key > other->key) - (one->key < other->key);
}

void cwi_sketch_sort(struct cwi_sketch *sketch)
{
  qsort(sketch->rows, sketch->used, sizeof sketch->rows[0], compare_sketched);
}

/* What only one of the two has seen may have come to the other as often as what that dropped. */
void cwi_sketch_merge(struct cwi_sketch *sum, const struct cwi_sketch *other)
{
  struct cwi_sketched all[2 * CWI_SKETCHED];
  struct cwi_sketch rest = *other;
  uint64_t count = 0;
  for (uint64_t i = 0; i < sum->used; i++) {
    struct cwi_sketched *same = sketch_find(&rest, sum->rows[i].key);
    all[count] = sum->rows[i];
    all[count].count += same != NULL ? same->count : other->beyond;
    all[count++].over += same != NULL ? same->over : other->beyond;
    if (same != NULL)
      *same = rest.rows[--rest.used];
  }
  for (uint64_t i = 0; i < rest.used; i++) {
    all[count] = rest.rows[i];
    all[count].count += sum->beyond;
    all[count++].over += sum->beyond;
  }
  qsort(all, count, sizeof all[0], compare_sketched);
  sum->used = count < CWI_SKETCHED ? count : CWI_SKETCHED;
  memcpy(sum->rows, all, sum->used * sizeof all[0]);
  sum->beyond += other->beyond;
  if (count > sum->used && all[sum->used].count > sum->beyond)
    sum->beyond = all[sum->used].count;
}
