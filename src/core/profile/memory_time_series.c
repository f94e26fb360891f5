/* Memory of this process's objects and of its node in the course of the run: a few numbers, each
 * the maximum in one step of time. Steps become longer as the run continues. */
#include "profile/profile_counters.h"

#include <string.h>

enum { FIRST_STEP = 1000000 }; /* nanoseconds */

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

void cwi_time_series_widen(uint64_t *most, uint32_t *used)
{
  for (uint32_t i = 0; i < (*used + 1) / 2; i++)
    most[i] = 2 * i + 1 < *used ? larger(most[2 * i], most[2 * i + 1]) : most[2 * i];
  *used = (*used + 1) / 2;
}

static void time_series_widen(struct cwi_memory_time_series *series)
{
  uint32_t used = series->used;
  cwi_time_series_widen(series->held, &series->used);
  cwi_time_series_widen(series->in_use, &used);
  series->step *= 2;
}

void cwi_time_series_begin(struct cwi_memory_time_series *series)
{
  *series = (struct cwi_memory_time_series){.step = FIRST_STEP, .used = 1};
}

/* Fills the steps up to `time` with the last values. */
void cwi_time_series_until(struct cwi_memory_time_series *series, uint64_t time)
{
  while (time / series->step >= CWI_TIME_SERIES)
    time_series_widen(series);
  for (uint32_t at = series->used; at <= time / series->step; at++) {
    series->held[at] = series->last_bytes;
    series->in_use[at] = series->last_in_use;
    series->used = at + 1;
  }
}

void cwi_time_series_note(struct cwi_memory_time_series *series, uint64_t time, uint64_t held,
                          uint64_t in_use)
{
  cwi_time_series_until(series, time);
  const uint32_t at = series->used - 1; /* another thread may have noted a later time before */
  series->held[at] = larger(series->held[at], held);
  series->in_use[at] = larger(series->in_use[at], in_use);
  series->last_bytes = held;
  __atomic_store_n(&series->last_in_use, in_use, __ATOMIC_RELAXED);
}
