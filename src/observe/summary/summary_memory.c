/* Memory of processes and nodes in the course of the run. If there are more than CWI_MEMORIES_APART
 * processes or nodes, only the least, the most and the sum are kept. */
#include "summary/summary.h"

#include <string.h>

static uint64_t *series_of(struct cwi_memory_row *row, int which)
{
  return which == 0 ? row->least : which == 1 ? row->all : row->most;
}

/* Makes the steps of a series at least `step` long. series_lengthen appends steps; a series stays
 * at its last value after its end. */
static void series_widen(struct cwi_memory_row *row, uint64_t step)
{
  while (row->step < step) {
    uint32_t used = row->used;
    for (int i = 0; i < 3; i++) {
      used = row->used;
      cwi_time_series_widen(series_of(row, i), &used);
    }
    row->used = used;
    row->step *= 2;
  }
}

static void series_lengthen(struct cwi_memory_row *row, uint32_t used)
{
  for (int i = 0; i < 3; i++)
    for (uint32_t at = row->used; at < used; at++)
      series_of(row, i)[at] = at > 0 ? series_of(row, i)[at - 1] : 0;
  row->used = used > row->used ? used : row->used;
}

/* Adds a row to the sum after both have been given the same steps. */
static void series_add(struct cwi_memory_row *sum, const struct cwi_memory_row *row)
{
  struct cwi_memory_row other = *row;
  if (sum->members == 0) {
    const int32_t number = sum->number;
    *sum = other;
    sum->number = number;
    return;
  }
  series_widen(sum, other.step);
  series_widen(&other, sum->step);
  series_lengthen(sum, other.used);
  series_lengthen(&other, sum->used);
  for (uint32_t i = 0; i < sum->used; i++) {
    sum->least[i] = other.least[i] < sum->least[i] ? other.least[i] : sum->least[i];
    sum->all[i] += other.all[i];
    sum->most[i] = other.most[i] > sum->most[i] ? other.most[i] : sum->most[i];
  }
  sum->members += other.members;
}

static struct cwi_memory_row *together_of(struct cwi_summary *summary, int of)
{
  for (size_t i = 0; i < summary->memories.count; i++) {
    struct cwi_memory_row *row = CWI_ROWS(summary, memories, struct cwi_memory_row) + i;
    if (row->of == of && row->number == CWI_MEMORY_TOGETHER)
      return row;
  }
  return NULL;
}

/* Replaces the separate rows of one kind by their sum. */
static void put_together(struct cwi_summary *summary, int of)
{
  struct cwi_memory_row sum = {.of = of, .number = CWI_MEMORY_TOGETHER};
  struct cwi_memory_row *rows = CWI_ROWS(summary, memories, struct cwi_memory_row);
  size_t kept = 0;
  for (size_t i = 0; i < summary->memories.count; i++)
    if (rows[i].of == of)
      series_add(&sum, &rows[i]);
    else
      rows[kept++] = rows[i];
  rows[kept++] = sum;
  summary->memories.count = kept;
}

static size_t apart_of(const struct cwi_summary *summary, int of)
{
  size_t count = 0;
  for (size_t i = 0; i < summary->memories.count; i++)
    count += CWI_ROWS(summary, memories, struct cwi_memory_row)[i].of == of;
  return count;
}

void cwi_memory_merge(struct cwi_summary *sum, const struct cwi_memory_row *row)
{
  struct cwi_memory_row *together = together_of(sum, row->of);
  const bool is_sound = row->step > 0 && row->step < UINT64_C(1) << 62 && row->used > 0 &&
                        row->used <= CWI_TIME_SERIES && row->members > 0 && row->of >= 0 &&
                        row->of < CWI_MEMORY_KINDS;
  if (!is_sound) {
    sum->incomplete = true; /* the file is damaged */
    return;
  }
  if (together != NULL) {
    series_add(together, row);
    return;
  }
  struct cwi_memory_row *added = cwi_list_add(sum, &sum->memories, sizeof *added);
  if (added == NULL)
    return;
  *added = *row;
  if (row->number == CWI_MEMORY_TOGETHER || apart_of(sum, row->of) > CWI_MEMORIES_APART)
    put_together(sum, row->of);
}

void cwi_summary_add_time_series(struct cwi_summary *summary, enum cwi_memory_of of, int number)
{
  struct cwi_memory_time_series series = {.used = 0};
  cwi_profile_time_series(&series);
  if (series.used == 0)
    return;
  struct cwi_memory_row row = {
      .of = of, .number = number, .members = 1, .used = series.used, .step = series.step};
  for (int i = 0; i < 3; i++)
    memcpy(series_of(&row, i), of == CWI_MEMORY_OF_PROCESS ? series.held : series.in_use,
           sizeof row.most);
  cwi_memory_merge(summary, &row);
}
