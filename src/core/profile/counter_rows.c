/* Common parts of all counters: rows in counter memory, and the clock. */
#include "profile/profile_counters.h"

static uint64_t started, origin; /* on this process's clock */

void cwi_profiled_time_begin(void)
{
  started = origin = cwi_nanoseconds();
}

uint64_t cwi_profiled_time(void)
{
  return cwi_nanoseconds() - started;
}

void cwi_profiled_set_origin(uint64_t begun)
{
  origin = begun;
}

uint64_t cwi_profiled_reported_time(uint64_t clock)
{
  return clock > origin ? clock - origin : 0;
}

void *cwi_counted_row(struct cwi_counted_rows *rows, uint64_t key, size_t bytes, bool *is_new)
{
  struct cwi_counted_row *row = cwi_hash_map_find(&rows->table, key);
  *is_new = row == NULL;
  if (row != NULL || (row = cwi_counter_memory_take(bytes)) == NULL)
    return row;
  row->next = rows->first;
  __atomic_store_n(&rows->first, row, __ATOMIC_RELEASE);
  /* If the row does not get into the table, the next call makes another row of this key. */
  const cw_error remembered = cwi_hash_map_insert(&rows->table, key, row);
  (void)remembered;
  return row;
}
