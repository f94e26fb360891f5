/* Writes a profile as a JSON file. docs/reference/profile.md and docs/reference/profile.schema.json
 * describe the format. */
#include "base/settings.h"
#include "machine/machine.h"
#include "mpi/mpi_library.h"
#include "output/json.h"
#include "output/source.h"
#include "report/profile_output.h"
#include "summary/hottest.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { VERSION = 1 };

static const char *const operation_words[CWI_COUNTED] = {
    "put", "get", "accumulate", "read-modify-write", "lock", "fence"};
static const char *const route_words[CWI_WHERES] = {"own", "peer", "rma", "server"};

static double seconds_of(uint64_t nanoseconds)
{
  return 1e-9 * (double)nanoseconds;
}

static void write_seconds(struct cwi_json *json, const char *name, uint64_t nanoseconds)
{
  cwi_json_fixed(json, name, nanoseconds, 9);
}

/* Writes a histogram. Entry n counts values from 2^(n-1) to less than 2^n; zeros at the end are
 * left out. */
static void write_histogram(struct cwi_json *json, const char *name, const uint64_t *counts)
{
  size_t end = CWI_POWERS;
  while (end > 0 && counts[end - 1] == 0)
    end--;
  cwi_json_wholes(json, name, counts, end, 1);
}

/* Writes all rows of `list`, each of which has `bytes` bytes. */
typedef void (*row_writer)(struct cwi_json *json, const struct cwi_summary *summary,
                           const void *row);
static void write_rows(struct cwi_json *json, const char *name, const struct cwi_summary *summary,
                       const struct cwi_row_list *list, size_t bytes, row_writer write)
{
  cwi_json_list(json, name, true);
  for (size_t i = 0; i < list->count; i++) {
    cwi_json_object(json, NULL, false);
    write(json, summary, (const char *)list->rows + i * bytes);
    cwi_json_end(json);
  }
  cwi_json_end(json);
}

/* Writes the times of calls: their sum, the longest in nanoseconds, and the histogram `clocked` of
 * CWI_POWERS entries. */
static void write_times(struct cwi_json *json, double seconds, uint64_t longest,
                        const uint64_t *clocked)
{
  cwi_json_fraction(json, "seconds", seconds);
  write_seconds(json, "longest", longest);
  write_histogram(json, "clocked", clocked);
}

/* Writes the seconds of those classes that are not 0 in `shown`. Both arrays have CWI_CALL_CLASSES
 * entries. */
static void write_by_class(struct cwi_json *json, const char *name, const uint64_t *shown,
                           const uint64_t *nanoseconds)
{
  cwi_json_object(json, name, false);
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    if (shown[i] > 0)
      write_seconds(json, cw_call_class_word((cw_call_class)i), nanoseconds[i]);
  cwi_json_end(json);
}

/* --- Lists ------------------------------------------------------------------------------------ */

static void write_classes(struct cwi_json *json, const struct cwi_summary *summary,
                          const struct cwi_figures *figures)
{
  cwi_json_list(json, "classes", true);
  for (int i = 0; i < CWI_CALL_CLASSES; i++) {
    uint64_t longest = 0, clocked[CWI_POWERS] = {0};
    if (figures->calls[i] + summary->inner[i] == 0)
      continue;
    for (size_t at = 0; at < summary->places.count; at++) {
      const struct cwi_place_row *row = CWI_ROWS(summary, places, struct cwi_place_row) + at;
      if (row->call_class != (uint32_t)i)
        continue;
      longest = row->longest > longest ? row->longest : longest;
      for (int power = 0; power < CWI_POWERS; power++)
        clocked[power] += row->clocked[power];
    }
    cwi_json_object(json, NULL, false);
    cwi_json_text(json, "class", cw_call_class_word((cw_call_class)i));
    cwi_json_whole(json, "calls", figures->calls[i]);
    cwi_json_whole(json, "inner_calls", summary->inner[i]);
    cwi_json_whole(json, "bytes", figures->bytes[i]);
    write_times(json, figures->seconds[i], longest, clocked);
    cwi_json_end(json);
  }
  cwi_json_end(json);
}

static void write_missing(struct cwi_json *json, const struct cwi_summary *summary,
                          const struct cwi_profiled_run *run)
{
  cwi_json_list(json, "missing", false);
  for (int process = cwi_missing_next(summary, run->processes, -1); process >= 0;
       process = cwi_missing_next(summary, run->processes, process))
    cwi_json_integer(json, NULL, process);
  cwi_json_end(json);
}

static void write_operations(struct cwi_json *json, const struct cwi_summary *summary)
{
  cwi_json_list(json, "operations", true);
  for (int what = 0; what < CWI_COUNTED; what++)
    for (int where = 0; where < CWI_WHERES; where++) {
      const struct cwi_operations *one = &summary->operations[what][where];
      if (one->count == 0)
        continue;
      cwi_json_object(json, NULL, false);
      cwi_json_text(json, "operation", operation_words[what]);
      cwi_json_text(json, "route", route_words[where]);
      cwi_json_whole(json, "count", one->count);
      cwi_json_whole(json, "bytes", one->bytes);
      write_histogram(json, "sizes", one->sizes);
      cwi_json_end(json);
    }
  cwi_json_end(json);
}

static void write_usage(struct cwi_json *json, const struct cwi_usage *usage)
{
  if (usage->most_memory == 0)
    return;
  cwi_json_object(json, "usage", false);
  cwi_json_whole(json, "faults", usage->faults);
  cwi_json_whole(json, "disk_faults", usage->disk_faults);
  cwi_json_whole(json, "sleeps", usage->sleeps);
  cwi_json_whole(json, "preemptions", usage->preemptions);
  write_seconds(json, "waited", usage->waited);
  cwi_json_whole(json, "most_memory", usage->most_memory);
  write_seconds(json, "user", usage->user);
  write_seconds(json, "system", usage->system);
  cwi_json_end(json);
}

static void write_process(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_process_row *row = of;
  (void)summary;
  cwi_json_integer(json, "process", row->process);
  cwi_json_integer(json, "node", row->node);
  cwi_json_whole(json, "threads", row->threads);
  cwi_json_whole(json, "operations", row->operations);
  cwi_json_whole(json, "bytes", row->bytes);
  write_seconds(json, "wall", row->wall);
  write_seconds(json, "time", row->time);
  write_by_class(json, "seconds", row->calls, row->nanoseconds);
  write_usage(json, &row->usage);
}

static void write_node(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_node_row *row = of;
  const struct cwi_server_use *server = &row->server;
  (void)summary;
  cwi_json_integer(json, "node", row->node);
  cwi_json_whole(json, "memory", row->memory);
  if (!row->has_server)
    return;
  cwi_json_object(json, "server", false);
  cwi_json_whole(json, "messages", server->messages);
  cwi_json_whole(json, "bytes", server->bytes);
  cwi_json_whole(json, "requests", server->requests);
  cwi_json_whole(json, "forwards", server->forwards);
  cwi_json_whole(json, "most_waiting", server->most_waiting);
  cwi_json_whole(json, "stalls", server->stalls);
  cwi_json_whole(json, "sleeps", server->sleeps);
  write_seconds(json, "asleep", server->asleep);
  write_seconds(json, "processor", server->processor);
  write_seconds(json, "busy", server->busy);
  write_seconds(json, "longest", server->longest);
  cwi_json_end(json);
}

static void write_pair(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_pair_row *row = of;
  (void)summary;
  cwi_json_integer(json, "origin", row->origin);
  cwi_json_integer(json, "target", row->target);
  cwi_json_whole(json, "operations", row->operations);
  cwi_json_whole(json, "bytes", row->bytes);
  write_seconds(json, "seconds", row->nanoseconds);
}

static void write_numbers(struct cwi_json *json, const char *name, const int64_t *numbers,
                          int count)
{
  cwi_json_list(json, name, false);
  for (int i = 0; i < count; i++)
    cwi_json_integer(json, NULL, numbers[i]);
  cwi_json_end(json);
}

/* Writes the cells that are not empty as rows of six numbers. */
static void write_cells(struct cwi_json *json, const struct cwi_heat_map_row *row)
{
  const size_t columns = (size_t)row->heat_map.cells[1];
  cwi_json_list(json, "cells", false);
  for (size_t i = 0; i < cwi_heat_map_count(&row->heat_map); i++) {
    const struct cwi_heat_map_cell *cell = &row->cells[i];
    if (cell->most == 0)
      continue;
    const int64_t numbers[] = {(int64_t)(i / columns),    (int64_t)(i % columns),
                               (int64_t)cell->operations, (int64_t)cell->bytes,
                               cell->least - 1,           cell->most - 1};
    write_numbers(json, NULL, numbers, 6);
  }
  cwi_json_end(json);
}

static void write_heat_map(struct cwi_json *json, const struct cwi_hot_block *hottest)
{
  const struct cwi_heat_map *heat_map = &hottest->heat_map->heat_map;
  const int64_t drawn[] = {heat_map->drawn[0], heat_map->drawn[1]};
  const int64_t widths[] = {cwi_heat_map_width(heat_map, 0), cwi_heat_map_width(heat_map, 1)};
  const int along = heat_map->drawn[1] >= 0 ? 2 : 1;
  cwi_json_text(json, "hottest", hottest->text);
  cwi_json_object(json, "chart", false);
  cwi_json_text(json, "of", heat_map->dimensions > 0 ? "elements" : "bytes");
  cwi_json_truth(json, "fortran", heat_map->from_one != 0);
  write_numbers(json, "extents", heat_map->extents,
                heat_map->dimensions > 0 ? heat_map->dimensions : 1);
  write_numbers(json, "drawn", drawn, along);
  write_numbers(json, "widths", widths, along);
  cwi_json_list(json, "blocks", false);
  for (int i = 0; i < along; i++)
    write_numbers(json, NULL, heat_map->start[i], heat_map->starts[i]);
  cwi_json_end(json);
  write_cells(json, hottest->heat_map);
  cwi_json_end(json);
}

static void write_object(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_object_row *row = of;
  cwi_json_text(json, "object", cwi_summary_text(summary, row->name));
  cwi_json_whole(json, "operations", row->operations);
  cwi_json_whole(json, "bytes", row->bytes);
  cwi_json_whole(json, "memory", row->memory);
  write_seconds(json, "seconds", row->nanoseconds);
  struct cwi_hot_block hottest;
  cwi_hot_block_find(summary, row, &hottest);
  if (hottest.heat_map != NULL)
    write_heat_map(json, &hottest);
}

/* Writes the elements that received the most read-modify-writes. */
static void write_elements(struct cwi_json *json, const struct cwi_summary *summary)
{
  cwi_json_list(json, "elements", true);
  for (uint64_t i = 0; i < summary->updated.used; i++) {
    const struct cwi_top_k_entry *row = &summary->updated.rows[i];
    char text[240];
    cwi_element_text(summary, row, text, sizeof text);
    cwi_json_object(json, NULL, false);
    cwi_json_text(json, "object", cwi_summary_text(summary, row->text));
    cwi_json_text(json, "element", text);
    cwi_json_integer(json, "process", row->process);
    cwi_json_whole(json, "updates", row->count);
    cwi_json_whole(json, "over", row->over);
    cwi_json_end(json);
  }
  cwi_json_end(json);
  cwi_json_whole(json, "other_elements", summary->updated.beyond);
}

/* Writes what is known of a place in the program. */
static void write_source(struct cwi_json *json, const struct cwi_summary *summary,
                         const struct cwi_source_place *source, uint32_t module, uint32_t symbol,
                         uint64_t offset)
{
  cwi_json_text(json, "function",
                source->function[0] != '\0' ? source->function : cwi_summary_text(summary, symbol));
  cwi_json_text(json, "file", source->file);
  cwi_json_integer(json, "line", source->line);
  cwi_json_text(json, "module", cwi_summary_text(summary, module));
  cwi_json_whole(json, "offset", offset);
}

static void write_call(struct cwi_json *json, const struct cwi_summary *summary, uint32_t call,
                       uint32_t call_class)
{
  cwi_json_text(json, "call", cwi_summary_text(summary, call));
  cwi_json_text(json, "class", cw_call_class_word((cw_call_class)call_class));
}

static void write_place(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_place_row *row = of;
  struct cwi_source_place source = {.line = 0};
  cwi_source_find(cwi_summary_text(summary, row->module), row->offset,
                  row->call_class != CW_CALL_TASK, &source);
  write_call(json, summary, row->call, row->call_class);
  write_source(json, summary, &source, row->module, row->symbol, row->offset);
  cwi_json_whole(json, "calls", row->calls);
  cwi_json_whole(json, "bytes", row->bytes);
  write_times(json, seconds_of(row->nanoseconds), row->longest, row->clocked);
}

static void write_phase(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_phase_row *row = of;
  cwi_json_text(json, "phase", cwi_summary_text(summary, row->path));
  cwi_json_whole(json, "number", row->number);
  cwi_json_whole(json, "processes", row->processes);
  write_seconds(json, "seconds", row->nanoseconds);
  write_seconds(json, "least", row->least);
  cwi_json_whole(json, "least_process", (uint64_t)row->least_process);
  write_seconds(json, "most", row->most);
  cwi_json_whole(json, "most_process", (uint64_t)row->most_process);
  cwi_json_fraction(json, "inside", cwi_phase_inside(row));
  write_by_class(json, "classes", row->inside, row->inside);
}

static void write_wait(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_wait_row *row = of;
  struct cwi_source_place source = {.line = 0};
  cwi_source_find(cwi_summary_text(summary, row->module), row->offset, true, &source);
  cwi_json_whole(json, "process", (uint64_t)row->process);
  write_call(json, summary, row->call, row->call_class);
  write_seconds(json, "began", row->began);
  write_seconds(json, "seconds", row->nanoseconds);
  cwi_json_truth(json, "under_way", row->is_under_way);
  cwi_json_text(json, "whom", row->whom);
  cwi_json_text(json, "phase",
                row->phase != UINT32_MAX ? cwi_summary_text(summary, row->phase) : "");
  write_source(json, summary, &source, row->module, row->symbol, row->offset);
}

static void write_memory(struct cwi_json *json, const struct cwi_summary *summary, const void *of)
{
  static const char *const words[2][CWI_MEMORY_KINDS] = {{"process", "node"},
                                                         {"processes", "nodes"}};
  const struct cwi_memory_row *row = of;
  const bool is_together = row->number == CWI_MEMORY_TOGETHER;
  (void)summary;
  cwi_json_text(json, "of", words[is_together][row->of]);
  if (is_together)
    cwi_json_whole(json, "members", row->members);
  else
    cwi_json_whole(json, "number", (uint64_t)row->number);
  write_seconds(json, "step", row->step);
  if (is_together) {
    cwi_json_wholes(json, "least", row->least, row->used, 1);
    cwi_json_wholes(json, "mean", row->all, row->used, row->members);
  }
  cwi_json_wholes(json, "most", row->most, row->used, 1);
}

static void write_advice(struct cwi_json *json, const struct cwi_profiled_run *run)
{
  cwi_json_list(json, "advice", true);
  for (int i = 0; i < run->advices; i++) {
    cwi_json_object(json, NULL, false);
    cwi_json_text(json, "kind", run->advice[i].kind);
    cwi_json_fraction(json, "share", run->advice[i].share);
    cwi_json_text(json, "sentence", run->advice[i].message);
    cwi_json_end(json);
  }
  cwi_json_end(json);
}

/* --- Settings and machine of process 0 -------------------------------------------------------- */

static void write_settings(struct cwi_json *json)
{
  cwi_json_object(json, "settings", true);
  for (size_t i = 0; i < cwi_settings_count(); i++) {
    const char *name;
    char value[4096];
    if (cwi_settings_given(i, &name, value, sizeof value))
      cwi_json_text(json, name, value);
  }
  cwi_json_end(json);
}

static void write_machine(struct cwi_json *json)
{
  char host[256] = "", processor[256];
  struct utsname system = {.sysname = ""};
  gethostname(host, sizeof host - 1);
  cwi_machine_processor(processor, sizeof processor);
  uname(&system);
  cwi_json_object(json, "machine", true);
  cwi_json_text(json, "host", host);
  cwi_json_text(json, "processor", processor);
  cwi_json_integer(json, "cores", sysconf(_SC_NPROCESSORS_ONLN));
  cwi_json_integer(json, "memory", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
  cwi_json_text(json, "system", system.sysname);
  cwi_json_text(json, "release", system.release);
  cwi_json_text(json, "architecture", system.machine);
  cwi_json_text(json, "mpi", cwi_mpi_library()->text);
  cwi_json_end(json);
}

static void write_run(struct cwi_json *json, const struct cwi_summary *summary,
                      const struct cwi_figures *figures, const struct cwi_profiled_run *run)
{
  cwi_json_integer(json, "causeway_profile", VERSION);
  cwi_json_text(json, "causeway", CW_VERSION);
  cwi_json_text(json, "program", run->program);
  cwi_json_text(json, "date", run->date);
  cwi_json_integer(json, "processes", run->processes);
  cwi_json_integer(json, "nodes", run->nodes);
  cwi_json_text(json, "ended", run->has_died ? "died" : "finalized");
  cwi_json_integer(json, "missing_processes", run->processes - (int)summary->processes.count);
  cwi_json_truth(json, "incomplete", summary->incomplete);
  cwi_json_truth(json, "static", cwi_caller_is_static());
  cwi_json_fraction(json, "wall", figures->wall);
  cwi_json_fraction(json, "time", figures->all);
  cwi_json_fraction(json, "inside", figures->inside);
  cwi_json_fraction(json, "waiting", figures->waiting);
  cwi_json_whole(json, "bytes", figures->moved);
  write_missing(json, summary, run);
}

void cwi_write_json(FILE *out, const struct cwi_summary *summary, const struct cwi_figures *figures,
                    const struct cwi_profiled_run *run)
{
  struct cwi_json text = {.out = out, .indent = 2}, *json = &text;
  cwi_json_object(json, NULL, true);
  write_run(json, summary, figures, run);
  write_classes(json, summary, figures);
  write_operations(json, summary);
  write_rows(json, "per_process", summary, &summary->processes, sizeof(struct cwi_process_row),
             write_process);
  write_rows(json, "per_node", summary, &summary->nodes, sizeof(struct cwi_node_row), write_node);
  write_rows(json, "pairs", summary, &summary->pairs, sizeof(struct cwi_pair_row), write_pair);
  write_rows(json, "objects", summary, &summary->objects, sizeof(struct cwi_object_row),
             write_object);
  write_elements(json, summary);
  write_rows(json, "call_sites", summary, &summary->places, sizeof(struct cwi_place_row),
             write_place);
  write_rows(json, "phases", summary, &summary->phases, sizeof(struct cwi_phase_row), write_phase);
  write_rows(json, "waits", summary, &summary->waits, sizeof(struct cwi_wait_row), write_wait);
  write_rows(json, "memory_over_time", summary, &summary->memories, sizeof(struct cwi_memory_row),
             write_memory);
  write_advice(json, run);
  write_settings(json);
  write_machine(json);
  cwi_json_end(json);
  fputc('\n', out);
}
