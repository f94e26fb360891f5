/* Top-k counter: the most frequent of many elements in little memory. */
#include "profile/top_k.h"

#include "base/hash.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

uint64_t cwi_top_k_key(uint64_t object, const struct cwi_top_k_entry *one)
{
  const uint64_t hash = cwi_hash_add(cwi_hash_add(object, (uint64_t)one->process), one->slice);
  return cwi_hash_add(hash, (uint64_t)one->place) | 1;
}

static struct cwi_top_k_entry *top_k_find(struct cwi_top_k *top_k, uint64_t key)
{
  for (uint64_t i = 0; i < top_k->used; i++)
    if (top_k->rows[i].key == key)
      return &top_k->rows[i];
  return NULL;
}

/* Returns a free row, or that of the least frequent element, whose count becomes the new bound. */
static struct cwi_top_k_entry *top_k_space(struct cwi_top_k *top_k)
{
  if (top_k->used < CWI_TOP_K_ENTRIES)
    return &top_k->rows[top_k->used++];
  struct cwi_top_k_entry *least = &top_k->rows[0];
  for (int i = 1; i < CWI_TOP_K_ENTRIES; i++)
    if (top_k->rows[i].count < least->count)
      least = &top_k->rows[i];
  if (least->count > top_k->beyond)
    top_k->beyond = least->count;
  return least;
}

/* A new element takes over the bound as its count and its possible error. */
void cwi_top_k_add(struct cwi_top_k *top_k, const struct cwi_top_k_entry *one)
{
  struct cwi_top_k_entry *row = top_k_find(top_k, one->key);
  if (row == NULL) {
    row = top_k_space(top_k);
    *row = *one;
    row->count = row->over = top_k->beyond;
  }
  row->count++;
}

static int compare_entries(const void *a, const void *b)
{
  const struct cwi_top_k_entry *one = a, *other = b;
  if (one->count != other->count)
    return one->count < other->count ? 1 : -1;
  return (one->key > other->key) - (one->key < other->key);
}

void cwi_top_k_sort(struct cwi_top_k *top_k)
{
  qsort(top_k->rows, top_k->used, sizeof top_k->rows[0], compare_entries);
}

/* An element that only one of the two counters has may have been dropped by the other, so the
 * other's bound is added to its count and to its error. */
void cwi_top_k_merge(struct cwi_top_k *sum, const struct cwi_top_k *other)
{
  struct cwi_top_k_entry all[2 * CWI_TOP_K_ENTRIES];
  struct cwi_top_k rest = *other;
  uint64_t count = 0;
  for (uint64_t i = 0; i < sum->used; i++) {
    struct cwi_top_k_entry *same = top_k_find(&rest, sum->rows[i].key);
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
  qsort(all, count, sizeof all[0], compare_entries);
  sum->used = count < CWI_TOP_K_ENTRIES ? count : CWI_TOP_K_ENTRIES;
  memcpy(sum->rows, all, sum->used * sizeof all[0]);
  sum->beyond += other->beyond;
  if (count > sum->used && all[sum->used].count > sum->beyond)
    sum->beyond = all[sum->used].count;
}
