/* The counters of one process, as rows that can be added to those of others. */
#include "summary/summary.h"

#include "base/hash.h"
#include "base/reserve.h"
#include "memory/memory_account.h"
#include "output/source.h"
#include "server/server.h"

#include <stdlib.h>
#include <string.h>

/* --- Rows ------------------------------------------------------------------------------------- */

void *cwi_list_add(struct cwi_summary *summary, struct cwi_row_list *list, size_t bytes)
{
  if (!CWI_RESERVE_BYTES(list->rows, bytes, list->count, list->capacity, 16)) {
    summary->incomplete = true;
    return NULL;
  }
  return memset((char *)list->rows + list->count++ * bytes, 0, bytes);
}

const char *cwi_summary_text(const struct cwi_summary *summary, uint32_t number)
{
  return number < summary->texts.count ? ((char **)summary->texts.rows)[number] : "";
}

/* Returns the number of the row whose key has this hash. If there is none, returns the list's count
 * and enters it for the row that the caller adds next. */
static size_t row_number_of(struct cwi_summary *summary, struct cwi_hash_map *numbers,
                            const struct cwi_row_list *list, uint64_t hash)
{
  const size_t found = (size_t)(uintptr_t)cwi_hash_map_find(numbers, hash | 1);
  if (found > 0)
    return found - 1;
  if (cwi_hash_map_insert(numbers, hash | 1, (void *)(uintptr_t)(list->count + 1)) != CW_OK)
    summary->incomplete = true;
  return list->count;
}

uint32_t cwi_summary_text_number(struct cwi_summary *summary, const char *text)
{
  const uint64_t hash = cwi_hash_word(CWI_HASH_EMPTY, text) | 1;
  const size_t known = (size_t)(uintptr_t)cwi_hash_map_find(&summary->text_numbers, hash);
  if (known > 0)
    return (uint32_t)(known - 1);
  char *copy = strdup(text);
  char **row = copy != NULL ? cwi_list_add(summary, &summary->texts, sizeof *row) : NULL;
  if (row == NULL) {
    summary->incomplete = true;
    free(copy);
    return UINT32_MAX;
  }
  *row = copy;
  const size_t number = summary->texts.count;
  if (cwi_hash_map_insert(&summary->text_numbers, hash, (void *)(uintptr_t)number) != CW_OK)
    summary->incomplete = true;
  return (uint32_t)(number - 1);
}

struct cwi_place_row *cwi_summary_place(struct cwi_summary *summary, const char *module,
                                        const char *symbol, uint64_t offset, const char *call,
                                        uint32_t call_class)
{
  const uint64_t of_class =
      cwi_hash_add(cwi_hash_add(CWI_HASH_EMPTY, offset), (uint64_t)call_class + 1);
  const uint64_t key = cwi_hash_word(cwi_hash_word(of_class, call), module);
  const size_t number = row_number_of(summary, &summary->place_numbers, &summary->places, key);
  if (number < summary->places.count)
    return CWI_ROWS(summary, places, struct cwi_place_row) + number;
  struct cwi_place_row *row = cwi_list_add(summary, &summary->places, sizeof *row);
  if (row == NULL)
    return NULL;
  row->module = cwi_summary_text_number(summary, module);
  row->symbol = cwi_summary_text_number(summary, symbol);
  row->offset = offset;
  row->call = cwi_summary_text_number(summary, call);
  row->call_class = call_class;
  return row;
}

struct cwi_object_row *cwi_summary_object(struct cwi_summary *summary, const char *name)
{
  const size_t number = row_number_of(summary, &summary->object_numbers, &summary->objects,
                                      cwi_hash_word(CWI_HASH_EMPTY, name));
  if (number < summary->objects.count)
    return CWI_ROWS(summary, objects, struct cwi_object_row) + number;
  struct cwi_object_row *row = cwi_list_add(summary, &summary->objects, sizeof *row);
  if (row != NULL)
    row->name = cwi_summary_text_number(summary, name);
  return row;
}

struct cwi_phase_row *cwi_summary_phase(struct cwi_summary *summary, const char *path)
{
  const size_t number = row_number_of(summary, &summary->phase_numbers, &summary->phases,
                                      cwi_hash_word(CWI_HASH_EMPTY, path));
  if (number < summary->phases.count)
    return CWI_ROWS(summary, phases, struct cwi_phase_row) + number;
  struct cwi_phase_row *row = cwi_list_add(summary, &summary->phases, sizeof *row);
  if (row != NULL)
    row->path = cwi_summary_text_number(summary, path);
  return row;
}

static uint64_t name_hash(const char *name)
{
  return cwi_hash_word(CWI_HASH_EMPTY, name);
}

struct cwi_heat_map_row *cwi_summary_heat_map(struct cwi_summary *summary, const char *name,
                                              const struct cwi_heat_map *heat_map)
{
  enum { MOST_HEAT_MAPS = 4096 };
  const size_t known =
      (size_t)(uintptr_t)cwi_hash_map_find(&summary->heat_map_numbers, name_hash(name) | 1);
  struct cwi_heat_map_row *row = NULL;
  if (known > 0 && known <= summary->heat_maps.count) {
    row = CWI_ROWS(summary, heat_maps, struct cwi_heat_map_row) + (known - 1);
    const bool fits = cwi_heat_map_same(&row->heat_map, heat_map);
    if (fits)
      cwi_heat_map_agree(&row->heat_map, heat_map);
    return fits ? row : NULL;
  }
  struct cwi_heat_map_cell *cells = summary->heat_maps.count < MOST_HEAT_MAPS
                                        ? calloc(cwi_heat_map_count(heat_map), sizeof *cells)
                                        : NULL;
  if (cells == NULL)
    return NULL;
  const size_t number =
      row_number_of(summary, &summary->heat_map_numbers, &summary->heat_maps, name_hash(name));
  row = number == summary->heat_maps.count ? cwi_list_add(summary, &summary->heat_maps, sizeof *row)
                                           : NULL;
  if (row == NULL) {
    free(cells);
    return NULL;
  }
  *row = (struct cwi_heat_map_row){cwi_summary_text_number(summary, name), 0, *heat_map, cells};
  return row;
}

const struct cwi_heat_map_row *cwi_summary_heat_map_of(const struct cwi_summary *summary,
                                                       uint32_t name)
{
  const uint64_t hash = name_hash(cwi_summary_text(summary, name)) | 1;
  const size_t known = (size_t)(uintptr_t)cwi_hash_map_find(&summary->heat_map_numbers, hash);
  return known > 0 && known <= summary->heat_maps.count
             ? CWI_ROWS(summary, heat_maps, const struct cwi_heat_map_row) + (known - 1)
             : NULL;
}

void cwi_summary_add_top_k(struct cwi_summary *summary, const struct cwi_top_k *top_k,
                           cwi_top_k_name *name_of, const void *names)
{
  struct cwi_top_k here = *top_k;
  here.used = here.used < CWI_TOP_K_ENTRIES ? here.used : CWI_TOP_K_ENTRIES;
  for (uint64_t i = 0; i < here.used; i++) {
    struct cwi_top_k_entry *row = &here.rows[i];
    const char *name = name_of(names, row);
    row->text = cwi_summary_text_number(summary, name);
    row->name = NULL;
    row->over =
        row->over < row->count ? row->over : row->count; /* a damaged part may have any value */
    /* The key must be the same in all processes. */
    row->key = cwi_top_k_key(name_hash(name), row);
  }
  cwi_top_k_merge(&summary->updated, &here);
}

static void free_list(struct cwi_row_list *list)
{
  free(list->rows);
  *list = (struct cwi_row_list){NULL, 0, 0};
}

void cwi_summary_free(struct cwi_summary *summary)
{
  for (size_t i = 0; i < summary->texts.count; i++)
    free(((char **)summary->texts.rows)[i]);
  free_list(&summary->texts);
  free_list(&summary->places);
  free_list(&summary->objects);
  for (size_t i = 0; i < summary->heat_maps.count; i++)
    free(CWI_ROWS(summary, heat_maps, struct cwi_heat_map_row)[i].cells);
  free_list(&summary->heat_maps);
  free_list(&summary->pairs);
  free_list(&summary->processes);
  free_list(&summary->phases);
  free_list(&summary->nodes);
  free_list(&summary->waits);
  free_list(&summary->memories);
  cwi_hash_map_clear(&summary->text_numbers);
  cwi_hash_map_clear(&summary->place_numbers);
  cwi_hash_map_clear(&summary->object_numbers);
  cwi_hash_map_clear(&summary->heat_map_numbers);
  cwi_hash_map_clear(&summary->phase_numbers);
}

/* --- Sums ------------------------------------------------------------------------------------- */

void cwi_add_place(struct cwi_place_row *sum, const struct cwi_place_row *row)
{
  sum->calls += row->calls;
  sum->bytes += row->bytes;
  sum->nanoseconds += row->nanoseconds;
  if (row->longest > sum->longest)
    sum->longest = row->longest;
  for (int power = 0; power < CWI_POWERS; power++)
    sum->clocked[power] += row->clocked[power];
}

void cwi_add_phase(struct cwi_phase_row *sum, const struct cwi_phase_row *row)
{
  if (sum->processes == 0 || row->least < sum->least) {
    sum->least = row->least;
    sum->least_process = row->least_process;
  }
  if (sum->processes == 0 || row->most > sum->most) {
    sum->most = row->most;
    sum->most_process = row->most_process;
  }
  sum->processes += row->processes;
  sum->number += row->number;
  sum->nanoseconds += row->nanoseconds;
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    sum->inside[i] += row->inside[i];
}

void cwi_add_operations(struct cwi_summary *sum, const struct cwi_operations *operations,
                        const uint64_t *inner)
{
  struct cwi_operations *all = &sum->operations[0][0];
  for (int i = 0; i < CWI_COUNTED * CWI_WHERES; i++) {
    all[i].count += operations[i].count;
    all[i].bytes += operations[i].bytes;
    for (int power = 0; power < CWI_POWERS; power++)
      all[i].sizes[power] += operations[i].sizes[power];
  }
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    sum->inner[i] += inner[i];
}

/* --- The counters of this process ------------------------------------------------------------- */

/* Adds a call site. under_way: nanoseconds of a clocked call that has not ended, or 0. */
static void add_site(struct cwi_summary *summary, const struct cwi_call_site *site,
                     const char *name, uint64_t nanoseconds, uint64_t under_way)
{
  if (site->calls == 0) /* the process died just after it had made the row */
    return;
  struct cwi_module_place place;
  cwi_module_find(site->address, &place);
  struct cwi_place_row *row =
      cwi_summary_place(summary, place.path, place.symbol, place.offset, name, site->call_class);
  if (row == NULL)
    return;
  row->calls += site->calls;
  row->bytes += site->bytes;
  row->nanoseconds += nanoseconds;
  if (site->longest > row->longest)
    row->longest = site->longest;
  if (under_way > row->longest)
    row->longest = under_way;
  for (int power = 0; power < CWI_POWERS; power++)
    row->clocked[power] += site->clocked[power];
  row->clocked[cwi_power_of(under_way)] += under_way > 0;
}

/* Returns the row of this process's pair with `target`, or makes it. `numbers` maps target + 1 to
 * the number of the row + 1. */
static struct cwi_pair_row *pair_of(struct cwi_summary *summary, struct cwi_hash_map *numbers,
                                    int target)
{
  const size_t found = (size_t)(uintptr_t)cwi_hash_map_find(numbers, (uint64_t)target + 1);
  if (found > 0)
    return CWI_ROWS(summary, pairs, struct cwi_pair_row) + found - 1;
  struct cwi_pair_row *row = cwi_list_add(summary, &summary->pairs, sizeof *row);
  if (row != NULL && cwi_hash_map_insert(numbers, (uint64_t)target + 1,
                                         (void *)(uintptr_t)summary->pairs.count) != CW_OK)
    summary->incomplete = true;
  return row;
}

static void add_sites(struct cwi_summary *summary, const struct cwi_profiled_thread *thread,
                      struct cwi_process_row *process)
{
  char name[CWI_CALL_NAME];
  bool has_source = false;
  for
    CWI_EACH_ROW(struct cwi_call_site, site, &thread->sites)
    {
      const uint64_t under_way = thread->clocked_site == site ? cwi_call_under_way(thread) : 0;
      const uint64_t nanoseconds = cwi_call_site_time(thread, site);
      cwi_call_site_name(site, name, &has_source);
      add_site(summary, site, name, nanoseconds, under_way);
      process->calls[site->call_class] += site->calls;
      process->nanoseconds[site->call_class] += nanoseconds;
    }
  if (has_source)
    cwi_source_end();
  if (thread->sites.first != NULL || thread->is_oldest) {
    process->threads++;
    process->time += cwi_profiled_time_of(thread, process->wall);
  }
}

static void add_targets(struct cwi_summary *summary, const struct cwi_profiled_thread *thread,
                        struct cwi_process_row *process, struct cwi_hash_map *numbers)
{
  for
    CWI_EACH_ROW(struct cwi_call_target, target, &thread->targets)
    {
      process->operations += target->operations;
      process->bytes += target->bytes;
      struct cwi_pair_row *row =
          target->operations > 0 ? pair_of(summary, numbers, target->process) : NULL;
      if (row == NULL)
        continue;
      row->origin = process->process;
      row->target = target->process;
      row->operations += target->operations;
      row->bytes += target->bytes;
      row->nanoseconds += target->nanoseconds;
      row->updates += target->updates;
    }
}

static const char *name_or_other(const char *name)
{
  return name != NULL ? name : "other memory";
}

/* Adds the cells of this process to the object's heat map. If that is impossible, the object is
 * marked as undrawn. */
static void add_cells(struct cwi_summary *summary, const struct cwi_call_object *object,
                      struct cwi_object_row *row)
{
  const struct cwi_heat_map_row *heat_map =
      object->cells != NULL && !object->undrawn
          ? cwi_summary_heat_map(summary, object->name, object->heat_map)
          : NULL;
  if (heat_map == NULL)
    row->undrawn = row->undrawn != 0 || object->operations > 0;
  for (size_t i = 0; heat_map != NULL && i < cwi_heat_map_count(object->heat_map); i++)
    cwi_heat_map_add_cell(&heat_map->cells[i], &object->cells[i]);
}

static void add_objects(struct cwi_summary *summary, const struct cwi_profiled_thread *thread)
{
  for
    CWI_EACH_ROW(struct cwi_call_object, object, &thread->objects)
    {
      struct cwi_object_row *row = object->operations > 0 || object->nanoseconds > 0
                                       ? cwi_summary_object(summary, name_or_other(object->name))
                                       : NULL;
      if (row == NULL)
        continue;
      row->operations += object->operations;
      row->bytes += object->bytes;
      row->nanoseconds += object->nanoseconds;
      add_cells(summary, object, row);
    }
}

static const char *updated_name(const void *names, const struct cwi_top_k_entry *row)
{
  (void)names;
  return name_or_other(row->name);
}

static void add_memory(struct cwi_summary *summary)
{
  for (const struct cwi_object_memory *memory = cwi_named_next(NULL); memory != NULL;
       memory = cwi_named_next(memory)) {
    const uint64_t most = memory->most > memory->bytes ? memory->most : memory->bytes;
    struct cwi_object_row *row = most > 0 ? cwi_summary_object(summary, memory->name) : NULL;
    if (row != NULL)
      row->memory += most;
  }
}

/* A call that is in progress is counted in all open phases. */
static void add_phases(struct cwi_summary *summary, const struct cwi_profiled_thread *thread)
{
  for
    CWI_EACH_ROW(struct cwi_program_phase, phase, &thread->phases)
    {
      struct cwi_phase_row *row =
          phase->number > 0 ? cwi_summary_phase(summary, phase->path) : NULL;
      const uint64_t since = cwi_phase_open_time(thread, phase);
      if (row == NULL)
        continue;
      row->number += phase->number;
      row->nanoseconds += phase->nanoseconds + since;
      for (int i = 0; i < CWI_CALL_CLASSES; i++)
        row->inside[i] += phase->inside[i];
      if (since > 0 && thread->clocked_since != 0)
        row->inside[thread->clocked_site->call_class] += cwi_call_under_way(thread);
    }
}

/* Completes the phases while the summary has only those of this process. */
static void finish_phases(struct cwi_summary *summary, int process)
{
  for (size_t i = 0; i < summary->phases.count; i++) {
    struct cwi_phase_row *row = CWI_ROWS(summary, phases, struct cwi_phase_row) + i;
    row->processes = 1;
    row->least = row->most = row->nanoseconds;
    row->least_process = row->most_process = process;
  }
}

/* Raises the time of the process to the time of its calls if it is less. The time of a thread ends
 * with its last clocked call; later calls have only an estimated time. */
static void time_complete(struct cwi_process_row *process)
{
  uint64_t counted = 0;
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    counted += process->nanoseconds[i];
  if (process->time < counted)
    process->time = counted;
}

void cwi_summary_add_mine(struct cwi_summary *summary, int process, int node)
{
  struct cwi_hash_map numbers = {NULL, 0, 0};
  struct cwi_process_row mine = {.process = process, .node = node, .wall = cwi_profiled_time()};
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread)) {
    add_sites(summary, thread, &mine);
    add_targets(summary, thread, &mine, &numbers);
    add_objects(summary, thread);
    add_phases(summary, thread);
    cwi_summary_add_top_k(summary, &thread->updated, updated_name, NULL);
    cwi_add_operations(summary, &thread->operations[0][0], thread->inner);
  }
  add_memory(summary);
  finish_phases(summary, process);
  cwi_hash_map_clear(&numbers);
  summary->incomplete = summary->incomplete || cwi_counter_memory_is_short();
  time_complete(&mine);
  struct cwi_process_row *row = cwi_list_add(summary, &summary->processes, sizeof *row);
  if (row != NULL)
    *row = mine;
}

void cwi_summary_add_usage(struct cwi_summary *summary)
{
  if (summary->processes.count > 0)
    CWI_ROWS(summary, processes, struct cwi_process_row)->usage = cwi_usage_since();
}

void cwi_summary_add_node(struct cwi_summary *summary, int node)
{
  struct cwi_node_row *row = cwi_list_add(summary, &summary->nodes, sizeof *row);
  if (row == NULL)
    return;
  row->node = node;
  row->memory = cwi_account_most();
  row->has_server = cwi_server_use_now(&row->server);
}
