/* Sums, shares and sort orders of a summary. */
#include "summary/figures.h"

#include <stdlib.h>

/* --- Sorting ---------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
  const struct cwi_place_row *one = a, *other = b;
  const int by_time = compare_numbers(other->nanoseconds, one->nanoseconds);
  const int by_calls = compare_numbers(other->calls, one->calls);
  return by_time != 0    ? by_time
         : by_calls != 0 ? by_calls
                         : compare_numbers(one->offset, other->offset);
}

static int compare_objects(const void *a, const void *b)
{
  const struct cwi_object_row *one = a, *other = b;
  const int by_bytes = compare_numbers(other->bytes, one->bytes);
  return by_bytes != 0 ? by_bytes : compare_numbers(other->operations, one->operations);
}

static int compare_phases(const void *a, const void *b)
{
  const struct cwi_phase_row *one = a, *other = b;
  const int by_time = compare_numbers(other->nanoseconds, one->nanoseconds);
  return by_time != 0 ? by_time : compare_numbers(other->number, one->number);
}

static int compare_pairs(const void *a, const void *b)
{
  const struct cwi_pair_row *one = a, *other = b;
  return one->origin != other->origin ? one->origin - other->origin : one->target - other->target;
}

static int compare_processes(const void *a, const void *b)
{
  const struct cwi_process_row *one = a, *other = b;
  return one->process - other->process;
}

static int compare_nodes(const void *a, const void *b)
{
  const struct cwi_node_row *one = a, *other = b;
  return one->node - other->node;
}

static int compare_memories(const void *a, const void *b)
{
  const struct cwi_memory_row *one = a, *other = b;
  return one->of != other->of ? one->of - other->of : one->number - other->number;
}

static void sort_list(struct cwi_row_list *list, size_t bytes,
                      int (*compare)(const void *, const void *))
{
  if (list->count > 0)
    qsort(list->rows, list->count, bytes, compare);
}

/* Clears the hash tables of places, objects and phases, because sorting moves their rows. */
void cwi_summary_sort(struct cwi_summary *summary)
{
  cwi_hash_map_clear(&summary->place_numbers);
  cwi_hash_map_clear(&summary->object_numbers);
  sort_list(&summary->places, sizeof(struct cwi_place_row), compare_places);
  sort_list(&summary->objects, sizeof(struct cwi_object_row), compare_objects);
  cwi_top_k_sort(&summary->updated);
  cwi_hash_map_clear(&summary->phase_numbers);
  sort_list(&summary->phases, sizeof(struct cwi_phase_row), compare_phases);
  sort_list(&summary->pairs, sizeof(struct cwi_pair_row), compare_pairs);
  sort_list(&summary->processes, sizeof(struct cwi_process_row), compare_processes);
  sort_list(&summary->nodes, sizeof(struct cwi_node_row), compare_nodes);
  sort_list(&summary->memories, sizeof(struct cwi_memory_row), compare_memories);
  cwi_waits_sort(&summary->waits);
}

int cwi_missing_next(const struct cwi_summary *summary, int processes, int process)
{
  const struct cwi_process_row *rows = CWI_ROWS(summary, processes, struct cwi_process_row);
  for (process++; process < processes; process++) {
    const struct cwi_process_row wanted = {.process = process};
    if (rows == NULL ||
        bsearch(&wanted, rows, summary->processes.count, sizeof *rows, compare_processes) == NULL)
      return process;
  }
  return -1;
}

/* --- Sums ------------------------------------------------------------------------------------- */

static void spread_add(struct cwi_spread *spread, int process, double share, size_t before)
{
  if (before == 0 || share < spread->least) {
    spread->least = share;
    spread->least_process = process;
  }
  if (before == 0 || share > spread->most) {
    spread->most = share;
    spread->most_process = process;
  }
  spread->mean += (share - spread->mean) / (double)(before + 1);
}

static void add_process(struct cwi_figures *figures, const struct cwi_process_row *process)
{
  const double time = 1e-9 * (double)process->time, wall = 1e-9 * (double)process->wall;
  double inside = 0, waiting = 0, arrival_seconds = 0;
  for (int i = 0; i < CWI_CALL_CLASSES; i++) {
    const double seconds = 1e-9 * (double)process->nanoseconds[i];
    figures->seconds[i] += seconds;
    figures->calls[i] += process->calls[i];
    inside += i != CW_CALL_TASK ? seconds : 0;
    waiting += cwi_is_wait((cw_call_class)i) ? seconds : 0;
    arrival_seconds += cwi_awaits_processes((cw_call_class)i) ? seconds : 0;
  }
  if (process->usage.most_memory > 0) {
    figures->walls += wall;
    figures->processor += 1e-9 * (double)(process->usage.user + process->usage.system);
    figures->waited += 1e-9 * (double)process->usage.waited;
    figures->preemptions += process->usage.preemptions;
  }
  figures->tasks += 1e-9 * (double)process->nanoseconds[CW_CALL_TASK];
  figures->inside += inside;
  figures->waiting += waiting;
  figures->arrival_seconds += arrival_seconds;
  figures->all += time;
  if (wall > figures->wall)
    figures->wall = wall;
  if (time <= 0)
    return;
  const size_t before = figures->spread++;
  spread_add(&figures->in_waiting, process->process, waiting / time, before);
  spread_add(&figures->in_wall, process->process,
             arrival_seconds < wall ? arrival_seconds / wall : 1, before);
  spread_add(&figures->in_calls, process->process, (inside - waiting) / time, before);
  spread_add(&figures->in_program, process->process, 1 - inside / time, before);
}

double cwi_phase_inside(const struct cwi_phase_row *row)
{
  uint64_t all = 0;
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    all += i != CW_CALL_TASK ? row->inside[i] : 0;
  return 1e-9 * (double)all;
}

void cwi_figures_find(const struct cwi_summary *summary, struct cwi_figures *figures)
{
  *figures = (struct cwi_figures){.wall = 0};
  for (size_t i = 0; i < summary->processes.count; i++)
    add_process(figures, CWI_ROWS(summary, processes, struct cwi_process_row) + i);
  for (size_t i = 0; i < summary->places.count; i++) {
    const struct cwi_place_row *row = CWI_ROWS(summary, places, struct cwi_place_row) + i;
    figures->bytes[row->call_class] += row->bytes;
    for (int at = 0; at < CWI_HOTTEST && row->call_class != CW_CALL_TASK; at++)
      if (figures->places[at] == NULL) {
        figures->places[at] = row;
        break;
      }
  }
  int hottest = 0;
  for (size_t i = 0; i < summary->objects.count && hottest < CWI_HOTTEST; i++) {
    const struct cwi_object_row *row = CWI_ROWS(summary, objects, struct cwi_object_row) + i;
    if (row->operations > 0 || row->bytes > 0)
      figures->objects[hottest++] = row;
  }
  for (int i = 0; i < CWI_COUNTED * CWI_WHERES; i++) {
    figures->operations += (&summary->operations[0][0])[i].count;
    figures->moved += (&summary->operations[0][0])[i].bytes;
  }
}
