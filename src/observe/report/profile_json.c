/* Writes a profile as a JSON file. docs/reference/profile.md and docs/reference/profile.schema.json
 * describe the format. */
#include "base/settings.h"
#include "machine/machine.h"
#include "mpi/mpi_library.h"
#include "output/json_text.h"
#include "output/source.h"
#include "report/profile_output.h"
#include "summary/hottest.h"

#include <causeway/runtime.h>

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { VERSION = 1 };

static const char *const operation_words[CWI_COUNTED] = {
    "put", "get", "accumulate", "read-modify-write", "lock", "fence"};
static const char *const route_words[CWI_WHERES] = {"own", "peer", "rma", "server"};

static void write_number(FILE *out, const char *name, uint64_t value)
{
  fprintf(out, "\"%s\": %llu, ", name, (unsigned long long)value);
}

/* Writes a number without %f: the program may have set a locale with another decimal separator. */
static void write_fraction(FILE *out, const char *name, double value)
{
  const uint64_t parts = 1000000000, all = value > 0 ? (uint64_t)(value * (double)parts + 0.5) : 0;
  fprintf(out, "\"%s\": %llu.%09llu", name, (unsigned long long)(all / parts),
          (unsigned long long)(all % parts));
}

static double seconds_of(uint64_t nanoseconds)
{
  return 1e-9 * (double)nanoseconds;
}

/* Like write_number, writes a comma behind the value. */
static void write_seconds(FILE *out, const char *name, uint64_t nanoseconds)
{
  write_fraction(out, name, seconds_of(nanoseconds));
  fprintf(out, ", ");
}

/* Writes a histogram. Entry n counts values that are less than 2^n; zeros at the end are left out.
 */
static void write_histogram(FILE *out, const char *name, const uint64_t *counts)
{
  int end = CWI_POWERS;
  while (end > 0 && counts[end - 1] == 0)
    end--;
  fprintf(out, "\"%s\": [", name);
  for (int power = 0; power < end; power++)
    fprintf(out, "%s%llu", power > 0 ? ", " : "", (unsigned long long)counts[power]);
  fprintf(out, "]");
}

static void next_row(FILE *out, size_t *rows)
{
  fprintf(out, "%s\n    {", (*rows)++ > 0 ? "," : "");
}

static void begin_list(FILE *out, const char *name, size_t *rows)
{
  *rows = 0;
  fprintf(out, ",\n  \"%s\": [", name);
}

static void end_list(FILE *out)
{
  fprintf(out, "\n  ]");
}

/* Writes all rows of `list`, each of which has `bytes` bytes. */
typedef void (*row_writer)(FILE *out, const struct cwi_summary *summary, const void *row);
static void write_rows(FILE *out, const char *name, const struct cwi_summary *summary,
                       const struct cwi_row_list *list, size_t bytes, row_writer write)
{
  size_t rows = 0;
  begin_list(out, name, &rows);
  for (size_t i = 0; i < list->count; i++) {
    next_row(out, &rows);
    write(out, summary, (const char *)list->rows + i * bytes);
    fprintf(out, "}");
  }
  end_list(out);
}

/* Writes the times of calls: their sum, the longest in nanoseconds, and the histogram `clocked` of
 * CWI_POWERS entries. */
static void write_times(FILE *out, double seconds, uint64_t longest, const uint64_t *clocked)
{
  write_fraction(out, "seconds", seconds);
  fprintf(out, ", ");
  write_seconds(out, "longest", longest);
  write_histogram(out, "clocked", clocked);
}

/* Writes the seconds of those classes that are not 0 in `shown`. Both arrays have CWI_CALL_CLASSES
 * entries. */
static void write_by_class(FILE *out, const char *name, const uint64_t *shown,
                           const uint64_t *nanoseconds)
{
  const char *comma = "";
  fprintf(out, "\"%s\": {", name);
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    if (shown[i] > 0) {
      fprintf(out, "%s", comma);
      write_fraction(out, cwi_call_class_word((enum cwi_call_class)i), seconds_of(nanoseconds[i]));
      comma = ", ";
    }
  fprintf(out, "}");
}

/* --- Lists ------------------------------------------------------------------------------------ */

static void write_classes(FILE *out, const struct cwi_summary *summary,
                          const struct cwi_figures *figures)
{
  size_t rows = 0;
  begin_list(out, "classes", &rows);
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
    next_row(out, &rows);
    fprintf(out, "\"class\": \"%s\", ", cwi_call_class_word((enum cwi_call_class)i));
    write_number(out, "calls", figures->calls[i]);
    write_number(out, "inner_calls", summary->inner[i]);
    write_number(out, "bytes", figures->bytes[i]);
    write_times(out, figures->seconds[i], longest, clocked);
    fprintf(out, "}");
  }
  end_list(out);
}

static void write_missing(FILE *out, const struct cwi_summary *summary,
                          const struct cwi_profiled_run *run)
{
  const char *comma = "";
  fprintf(out, ",\n  \"missing\": [");
  for (int process = cwi_missing_next(summary, run->processes, -1); process >= 0;
       process = cwi_missing_next(summary, run->processes, process)) {
    fprintf(out, "%s%d", comma, process);
    comma = ", ";
  }
  fprintf(out, "]");
}

static void write_operations(FILE *out, const struct cwi_summary *summary)
{
  size_t rows = 0;
  begin_list(out, "operations", &rows);
  for (int what = 0; what < CWI_COUNTED; what++)
    for (int where = 0; where < CWI_WHERES; where++) {
      const struct cwi_operations *one = &summary->operations[what][where];
      if (one->count == 0)
        continue;
      next_row(out, &rows);
      fprintf(out, "\"operation\": \"%s\", \"route\": \"%s\", ", operation_words[what],
              route_words[where]);
      write_number(out, "count", one->count);
      write_number(out, "bytes", one->bytes);
      write_histogram(out, "sizes", one->sizes);
      fprintf(out, "}");
    }
  end_list(out);
}

static void write_usage(FILE *out, const struct cwi_usage *usage)
{
  if (usage->most_memory == 0)
    return;
  fprintf(out, ", \"usage\": {");
  write_number(out, "faults", usage->faults);
  write_number(out, "disk_faults", usage->disk_faults);
  write_number(out, "sleeps", usage->sleeps);
  write_number(out, "preemptions", usage->preemptions);
  write_seconds(out, "waited", usage->waited);
  write_number(out, "most_memory", usage->most_memory);
  write_seconds(out, "user", usage->user);
  write_fraction(out, "system", seconds_of(usage->system));
  fprintf(out, "}");
}

static void write_process(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_process_row *row = of;
  (void)summary;
  fprintf(out, "\"process\": %d, \"node\": %d, ", row->process, row->node);
  write_number(out, "threads", row->threads);
  write_number(out, "operations", row->operations);
  write_number(out, "bytes", row->bytes);
  write_seconds(out, "wall", row->wall);
  write_seconds(out, "time", row->time);
  write_by_class(out, "seconds", row->calls, row->nanoseconds);
  write_usage(out, &row->usage);
}

static void write_node(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_node_row *row = of;
  const struct cwi_server_use *server = &row->server;
  (void)summary;
  fprintf(out, "\"node\": %d, \"memory\": %llu", row->node, (unsigned long long)row->memory);
  if (!row->has_server)
    return;
  fprintf(out, ", \"server\": {");
  write_number(out, "messages", server->messages);
  write_number(out, "bytes", server->bytes);
  write_number(out, "requests", server->requests);
  write_number(out, "forwards", server->forwards);
  write_number(out, "most_waiting", server->most_waiting);
  write_number(out, "stalls", server->stalls);
  write_number(out, "sleeps", server->sleeps);
  write_seconds(out, "asleep", server->asleep);
  write_seconds(out, "processor", server->processor);
  write_seconds(out, "busy", server->busy);
  write_fraction(out, "longest", seconds_of(server->longest));
  fprintf(out, "}");
}

static void write_pair(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_pair_row *row = of;
  (void)summary;
  fprintf(out, "\"origin\": %d, \"target\": %d, ", row->origin, row->target);
  write_number(out, "operations", row->operations);
  write_number(out, "bytes", row->bytes);
  write_fraction(out, "seconds", seconds_of(row->nanoseconds));
}

static void write_numbers(FILE *out, const char *name, const int64_t *numbers, int count)
{
  fprintf(out, "\"%s\": [", name);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s%lld", i > 0 ? ", " : "", (long long)numbers[i]);
  fprintf(out, "], ");
}

/* Writes the cells that are not empty as rows of six numbers. */
static void write_cells(FILE *out, const struct cwi_heat_map_row *row)
{
  const char *comma = "";
  const size_t columns = (size_t)row->heat_map.cells[1];
  fprintf(out, "\"cells\": [");
  for (size_t i = 0; i < cwi_heat_map_count(&row->heat_map); i++) {
    const struct cwi_heat_map_cell *cell = &row->cells[i];
    if (cell->most == 0)
      continue;
    fprintf(out, "%s[%zu, %zu, %llu, %llu, %d, %d]", comma, i / columns, i % columns,
            (unsigned long long)cell->operations, (unsigned long long)cell->bytes, cell->least - 1,
            cell->most - 1);
    comma = ", ";
  }
  fprintf(out, "]");
}

static void write_heat_map(FILE *out, const struct cwi_hot_block *hottest)
{
  const struct cwi_heat_map *heat_map = &hottest->heat_map->heat_map;
  const int64_t drawn[] = {heat_map->drawn[0], heat_map->drawn[1]};
  const int64_t widths[] = {cwi_heat_map_width(heat_map, 0), cwi_heat_map_width(heat_map, 1)};
  const int along = heat_map->drawn[1] >= 0 ? 2 : 1;
  fprintf(out, ", \"hottest\": \"%s\", \"chart\": {\"of\": \"%s\", \"fortran\": %s, ",
          hottest->text, heat_map->dimensions > 0 ? "elements" : "bytes",
          heat_map->from_one != 0 ? "true" : "false");
  write_numbers(out, "extents", heat_map->extents,
                heat_map->dimensions > 0 ? heat_map->dimensions : 1);
  write_numbers(out, "drawn", drawn, along);
  write_numbers(out, "widths", widths, along);
  fprintf(out, "\"blocks\": [");
  for (int i = 0; i < along; i++) {
    fprintf(out, "%s[", i > 0 ? ", " : "");
    for (int at = 0; at < heat_map->starts[i]; at++)
      fprintf(out, "%s%lld", at > 0 ? ", " : "", (long long)heat_map->start[i][at]);
    fprintf(out, "]");
  }
  fprintf(out, "], ");
  write_cells(out, hottest->heat_map);
  fprintf(out, "}");
}

static void write_object(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_object_row *row = of;
  fprintf(out, "\"object\": ");
  cwi_json_text(out, cwi_summary_text(summary, row->name));
  fprintf(out, ", ");
  write_number(out, "operations", row->operations);
  write_number(out, "bytes", row->bytes);
  write_number(out, "memory", row->memory);
  write_fraction(out, "seconds", seconds_of(row->nanoseconds));
  struct cwi_hot_block hottest;
  cwi_hot_block_find(summary, row, &hottest);
  if (hottest.heat_map != NULL)
    write_heat_map(out, &hottest);
}

/* Writes the elements that received the most read-modify-writes. */
static void write_elements(FILE *out, const struct cwi_summary *summary)
{
  size_t rows = 0;
  begin_list(out, "elements", &rows);
  for (uint64_t i = 0; i < summary->updated.used; i++) {
    const struct cwi_top_k_entry *row = &summary->updated.rows[i];
    char text[240];
    cwi_element_text(summary, row, text, sizeof text);
    next_row(out, &rows);
    fprintf(out, "\"object\": ");
    cwi_json_text(out, cwi_summary_text(summary, row->text));
    fprintf(out, ", \"element\": \"%s\", \"process\": %d, ", text, row->process);
    write_number(out, "updates", row->count);
    fprintf(out, "\"over\": %llu}", (unsigned long long)row->over);
  }
  end_list(out);
  fprintf(out, ",\n  \"other_elements\": %llu", (unsigned long long)summary->updated.beyond);
}

/* Writes what is known of a place in the program. */
static void write_source(FILE *out, const struct cwi_summary *summary,
                         const struct cwi_source_place *source, uint32_t module, uint32_t symbol,
                         uint64_t offset)
{
  fprintf(out, "\"function\": ");
  cwi_json_text(out,
                source->function[0] != '\0' ? source->function : cwi_summary_text(summary, symbol));
  fprintf(out, ", \"file\": ");
  cwi_json_text(out, source->file);
  fprintf(out, ", \"line\": %d, \"module\": ", source->line);
  cwi_json_text(out, cwi_summary_text(summary, module));
  fprintf(out, ", \"offset\": %llu", (unsigned long long)offset);
}

static void write_call(FILE *out, const struct cwi_summary *summary, uint32_t call,
                       uint32_t call_class)
{
  fprintf(out, "\"call\": ");
  cwi_json_text(out, cwi_summary_text(summary, call));
  fprintf(out, ", \"class\": \"%s\", ", cwi_call_class_word((enum cwi_call_class)call_class));
}

static void write_place(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_place_row *row = of;
  struct cwi_source_place source = {.line = 0};
  cwi_source_find(cwi_summary_text(summary, row->module), row->offset,
                  row->call_class != CWI_CALL_TASK, &source);
  write_call(out, summary, row->call, row->call_class);
  write_source(out, summary, &source, row->module, row->symbol, row->offset);
  fprintf(out, ", ");
  write_number(out, "calls", row->calls);
  write_number(out, "bytes", row->bytes);
  write_times(out, seconds_of(row->nanoseconds), row->longest, row->clocked);
}

static void write_phase(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_phase_row *row = of;
  fprintf(out, "\"phase\": ");
  cwi_json_text(out, cwi_summary_text(summary, row->path));
  fprintf(out, ", ");
  write_number(out, "number", row->number);
  write_number(out, "processes", row->processes);
  write_seconds(out, "seconds", row->nanoseconds);
  write_seconds(out, "least", row->least);
  write_number(out, "least_process", (uint64_t)row->least_process);
  write_seconds(out, "most", row->most);
  write_number(out, "most_process", (uint64_t)row->most_process);
  write_fraction(out, "inside", cwi_phase_inside(row));
  fprintf(out, ", ");
  write_by_class(out, "classes", row->inside, row->inside);
}

static void write_wait(FILE *out, const struct cwi_summary *summary, const void *of)
{
  const struct cwi_wait_row *row = of;
  struct cwi_source_place source = {.line = 0};
  cwi_source_find(cwi_summary_text(summary, row->module), row->offset, true, &source);
  write_number(out, "process", (uint64_t)row->process);
  write_call(out, summary, row->call, row->call_class);
  write_seconds(out, "began", row->began);
  write_seconds(out, "seconds", row->nanoseconds);
  fprintf(out, "\"under_way\": %s, \"whom\": ", row->is_under_way ? "true" : "false");
  cwi_json_text(out, row->whom);
  fprintf(out, ", \"phase\": ");
  cwi_json_text(out, row->phase != UINT32_MAX ? cwi_summary_text(summary, row->phase) : "");
  fprintf(out, ", ");
  write_source(out, summary, &source, row->module, row->symbol, row->offset);
}

/* Writes a time series. For a mean, `parts` is the number of members by which the sums are divided.
 */
static void write_series(FILE *out, const char *name, const struct cwi_memory_row *row,
                         const uint64_t *values, uint32_t parts)
{
  fprintf(out, ", \"%s\": [", name);
  for (uint32_t i = 0; i < row->used; i++)
    fprintf(out, "%s%llu", i > 0 ? ", " : "", (unsigned long long)(values[i] / parts));
  fprintf(out, "]");
}

static void write_memory(FILE *out, const struct cwi_summary *summary, const void *of)
{
  static const char *const words[2][CWI_MEMORY_KINDS] = {{"process", "node"},
                                                         {"processes", "nodes"}};
  const struct cwi_memory_row *row = of;
  const bool is_together = row->number == CWI_MEMORY_TOGETHER;
  (void)summary;
  fprintf(out, "\"of\": \"%s\", ", words[is_together][row->of]);
  if (is_together)
    write_number(out, "members", row->members);
  else
    write_number(out, "number", (uint64_t)row->number);
  write_fraction(out, "step", seconds_of(row->step));
  if (is_together) {
    write_series(out, "least", row, row->least, 1);
    write_series(out, "mean", row, row->all, row->members);
  }
  write_series(out, "most", row, row->most, 1);
}

static void write_advice(FILE *out, const struct cwi_profiled_run *run)
{
  size_t rows = 0;
  begin_list(out, "advice", &rows);
  for (int i = 0; i < run->advices; i++) {
    next_row(out, &rows);
    fprintf(out, "\"kind\": \"%s\", ", run->advice[i].kind);
    write_fraction(out, "share", run->advice[i].share);
    fprintf(out, ", \"sentence\": ");
    cwi_json_text(out, run->advice[i].message);
    fprintf(out, "}");
  }
  end_list(out);
}

static void write_total(FILE *out, const char *name, double seconds)
{
  fprintf(out, ",\n  ");
  write_fraction(out, name, seconds);
}

/* --- Settings and machine of process 0 -------------------------------------------------------- */

static void write_settings(FILE *out)
{
  const char *comma = "";
  fprintf(out, ",\n  \"settings\": {");
  for (size_t i = 0; i < cwi_settings_count(); i++) {
    const char *name;
    char value[4096];
    if (!cwi_settings_given(i, &name, value, sizeof value))
      continue;
    fprintf(out, "%s\n    \"%s\": ", comma, name);
    cwi_json_text(out, value);
    comma = ",";
  }
  fprintf(out, "\n  }");
}

static void write_machine(FILE *out)
{
  char host[256] = "", processor[256];
  struct utsname system = {.sysname = ""};
  gethostname(host, sizeof host - 1);
  cwi_machine_processor(processor, sizeof processor);
  uname(&system);
  fprintf(out, ",\n  \"machine\": {\n    \"host\": ");
  cwi_json_text(out, host);
  fprintf(out, ",\n    \"processor\": ");
  cwi_json_text(out, processor);
  fprintf(out, ",\n    \"cores\": %ld,\n    \"memory\": %lld,\n    \"system\": ",
          sysconf(_SC_NPROCESSORS_ONLN),
          (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
  cwi_json_text(out, system.sysname);
  fprintf(out, ",\n    \"release\": ");
  cwi_json_text(out, system.release);
  fprintf(out, ",\n    \"architecture\": ");
  cwi_json_text(out, system.machine);
  fprintf(out, ",\n    \"mpi\": ");
  cwi_json_text(out, cwi_mpi_library()->text);
  fprintf(out, "\n  }");
}

void cwi_write_json(FILE *out, const struct cwi_summary *summary, const struct cwi_figures *figures,
                    const struct cwi_profiled_run *run)
{
  fprintf(out, "{\n  \"causeway_profile\": %d,\n  \"causeway\": \"%s\",\n  \"program\": ", VERSION,
          CW_VERSION);
  cwi_json_text(out, run->program);
  fprintf(out,
          ",\n  \"date\": \"%s\",\n  \"processes\": %d,\n  \"nodes\": %d,\n"
          "  \"ended\": \"%s\",\n  \"missing_processes\": %d,\n  \"incomplete\": %s,\n  "
          "\"static\": %s",
          run->date, run->processes, run->nodes, run->has_died ? "died" : "finalized",
          run->processes - (int)summary->processes.count, summary->incomplete ? "true" : "false",
          cwi_caller_is_static() ? "true" : "false");
  write_total(out, "wall", figures->wall);
  write_total(out, "time", figures->all);
  write_total(out, "inside", figures->inside);
  write_total(out, "waiting", figures->waiting);
  fprintf(out, ",\n  \"bytes\": %llu", (unsigned long long)figures->moved);
  write_missing(out, summary, run);
  write_classes(out, summary, figures);
  write_operations(out, summary);
  write_rows(out, "per_process", summary, &summary->processes, sizeof(struct cwi_process_row),
             write_process);
  write_rows(out, "per_node", summary, &summary->nodes, sizeof(struct cwi_node_row), write_node);
  write_rows(out, "pairs", summary, &summary->pairs, sizeof(struct cwi_pair_row), write_pair);
  write_rows(out, "objects", summary, &summary->objects, sizeof(struct cwi_object_row),
             write_object);
  write_elements(out, summary);
  write_rows(out, "call_sites", summary, &summary->places, sizeof(struct cwi_place_row),
             write_place);
  write_rows(out, "phases", summary, &summary->phases, sizeof(struct cwi_phase_row), write_phase);
  write_rows(out, "waits", summary, &summary->waits, sizeof(struct cwi_wait_row), write_wait);
  write_rows(out, "memory_over_time", summary, &summary->memories, sizeof(struct cwi_memory_row),
             write_memory);
  write_advice(out, run);
  write_settings(out);
  write_machine(out);
  fprintf(out, "\n}\n");
}
