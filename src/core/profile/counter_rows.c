/* What all counters are made of: rows in lasting memory, and the clock. */
#include "profile/profile_counters.h"

static uint64_t started, origin; /* on the clock */

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
  const cw_error remembered = cwi_hash_map_insert(&rows->table, key, row);
  (void)remembered;
  return row;
}
