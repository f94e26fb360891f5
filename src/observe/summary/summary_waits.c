/* The longest waits of the processes in a summary, at most CWI_MOST_WAITS. */
#include "base/text.h"
#include "output/source.h"
#include "summary/summary.h"

#include <stdlib.h>
#include <string.h>

static int compare_waits(const void *a, const void *b)
{
  const struct cwi_wait_row *one = a, *other = b;
  if (one->nanoseconds != other->nanoseconds)
    return one->nanoseconds < other->nanoseconds ? 1 : -1;
  return one->process != other->process ? one->process - other->process
                                        : (one->began > other->began) - (one->began < other->began);
}

void cwi_waits_sort(struct cwi_row_list *waits)
{
  if (waits->count > 0)
    qsort(waits->rows, waits->count, sizeof(struct cwi_wait_row), compare_waits);
  if (waits->count > CWI_MOST_WAITS)
    waits->count = CWI_MOST_WAITS;
}

/* Drops the shortest waits, but only when the list has twice its final length, so that adding stays
 * cheap. */
static void waits_bound(struct cwi_row_list *waits)
{
  if (waits->count >= 2 * CWI_MOST_WAITS)
    cwi_waits_sort(waits);
}

static void add_wait(struct cwi_summary *summary, int process, const struct cwi_kept_wait *wait,
                     bool is_under_way, bool *has_source)
{
  struct cwi_module_place place;
  char name[CWI_CALL_NAME];
  if (wait->site == NULL) /* the process died while it wrote this wait */
    return;
  struct cwi_wait_row *row = cwi_list_add(summary, &summary->waits, sizeof *row);
  if (row == NULL)
    return;
  cwi_module_find(wait->site->address, &place);
  row->module = cwi_summary_text_number(summary, place.path);
  row->symbol = cwi_summary_text_number(summary, place.symbol);
  row->phase = wait->phase != NULL ? cwi_summary_text_number(summary, wait->phase) : UINT32_MAX;
  row->offset = place.offset;
  cwi_call_site_name(wait->site, name, has_source);
  row->call = cwi_summary_text_number(summary, name);
  row->call_class = wait->site->call_class;
  row->process = process;
  row->is_under_way = is_under_way;
  row->began = cwi_profiled_reported_time(wait->began);
  row->nanoseconds = wait->nanoseconds;
  memcpy(row->whom, wait->whom, cwi_text_fitting(wait->whom, sizeof row->whom - 1));
}

static void add_waits(struct cwi_summary *summary, const struct cwi_profiled_thread *thread,
                      int process)
{
  struct cwi_kept_wait wait;
  bool has_source = false;
  for (uint32_t i = 0; i < thread->wait_count && i < CWI_KEPT_WAITS; i++)
    add_wait(summary, process, &thread->waits[i], false, &has_source);
  const uint64_t under_way = cwi_call_under_way(thread);
  if (under_way > 0 &&
      cwi_wait_describe(thread, thread->clocked_site, thread->clocked_since, under_way, &wait))
    add_wait(summary, process, &wait, true, &has_source);
  if (has_source)
    cwi_source_end();
  waits_bound(&summary->waits);
}

void cwi_summary_add_waits(struct cwi_summary *summary, int process)
{
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread))
    add_waits(summary, thread, process);
}

void cwi_waits_merge(struct cwi_summary *sum, const struct cwi_wait_row *row, const char *module,
                     const char *symbol, const char *phase, const char *call)
{
  struct cwi_wait_row *added = cwi_list_add(sum, &sum->waits, sizeof *added);
  if (added == NULL)
    return;
  *added = *row;
  added->whom[sizeof added->whom - 1] = '\0';
  added->module = cwi_summary_text_number(sum, module);
  added->symbol = cwi_summary_text_number(sum, symbol);
  added->call = cwi_summary_text_number(sum, call);
  added->phase = row->phase != UINT32_MAX ? cwi_summary_text_number(sum, phase) : UINT32_MAX;
  waits_bound(&sum->waits);
}
