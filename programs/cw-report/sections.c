/* Sections of a report: totals, classes of calls, processes, routes, communication, and the
 * settings and machine. report_write also calls the sections of the other files. */
#include "cw-report.h"

#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

bool report_is_wait(const char *class_name)
{
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    if (strcmp(class_name, cw_call_class_word((cw_call_class)i)) == 0)
      return cwi_is_wait((cw_call_class)i);
  return false;
}

bool report_is_task(const char *class_name)
{
  return strcmp(class_name, "task") == 0;
}

struct report_shares report_shares_of(const struct report_profile *profile,
                                      const struct report_process *process)
{
  struct report_shares shares = {.all = process->time};
  for (int i = 0; i < profile->class_count; i++)
    if (report_is_wait(profile->class_names[i]))
      shares.waiting += process->seconds[i];
    else if (!report_is_task(profile->class_names[i]))
      shares.calls += process->seconds[i];
  const double inside = shares.waiting + shares.calls;
  shares.program = shares.all > inside ? shares.all - inside : 0;
  return shares;
}

static double share(double part, double whole)
{
  return whole > 0 ? part / whole : 0;
}

/* --- The whole -------------------------------------------------------------------------------- */

/* Writes the missing processes as "3, 5-9, ...". Consecutive numbers become a range, and a text
 * that is too long for `size` ends with "...". */
static void list_missing(const struct report_profile *profile, char *text, size_t size)
{
  const int *missing = REPORT_ROWS(profile->missing, int);
  size_t length = 0, end = 0;
  text[0] = '\0';
  for (size_t i = 0; i < profile->missing.count && length + 40 < size; i = end) {
    for (end = i + 1; end < profile->missing.count && missing[end] - 1 == missing[end - 1];)
      end++;
    length += (size_t)snprintf(text + length, size - length, end > i + 1 ? "%s%d-%d" : "%s%d",
                               i > 0 ? ", " : "", missing[i], missing[end - 1]);
  }
  if (end < profile->missing.count)
    snprintf(text + length, size - length, ", ...");
}

void report_write_caveats(const struct report_paper *paper, const struct report_profile *profile)
{
  char missing[300];
  list_missing(profile, missing, sizeof missing);
  if (profile->has_died)
    report_text(paper, "The job died: these are the figures until then.");
  if (profile->missing_processes > 0)
    report_text(paper, "The figures of %llu of the %llu processes are missing%s%s.",
                (unsigned long long)profile->missing_processes,
                (unsigned long long)profile->processes, missing[0] != '\0' ? ": " : "", missing);
  if (profile->incomplete)
    report_text(paper, "Memory was short for some processes: their figures are not complete.");
  if (profile->is_static)
    report_text(paper,
                "Causeway is linked statically, so call sites may be in a language binding.");
  for (size_t i = 0; i < profile->unknown.count; i++)
    report_text(paper, "The file has '%s', which this cw-report does not know.",
                REPORT_ROWS(profile->unknown, char *)[i]);
}

static void write_whole(const struct report_paper *paper, const struct report_profile *profile)
{
  char wall[REPORT_WORD], all[REPORT_WORD], inside[REPORT_WORD], waiting[REPORT_WORD],
      bytes[REPORT_WORD];
  report_format_seconds(wall, profile->wall);
  report_format_seconds(all, profile->time);
  report_format_seconds(inside, profile->inside);
  report_format_seconds(waiting, profile->waiting);
  report_format_bytes(bytes, (double)profile->bytes);
  report_text(paper, "%llu process%s on %llu node%s, %s; ended %s. Causeway %s.",
              (unsigned long long)profile->processes, profile->processes == 1 ? "" : "es",
              (unsigned long long)profile->nodes, profile->nodes == 1 ? "" : "s", wall,
              profile->date, profile->causeway);
  report_text(paper,
              "All threads of all processes together: %s; of this, %s (%.1f %%) in Causeway, %s "
              "(%.1f %%) waiting. %llu bytes (%s) were moved.",
              all, inside, 100 * share(profile->inside, profile->time), waiting,
              100 * share(profile->waiting, profile->time), (unsigned long long)profile->bytes,
              bytes);
  report_write_caveats(paper, profile);
}

static void write_advice(const struct report_paper *paper, const struct report_profile *profile)
{
  if (profile->advice.count == 0)
    return;
  report_section(paper, "advice", "advice");
  for (size_t i = 0; i < profile->advice.count; i++)
    report_text(paper, "%s", REPORT_ROWS(profile->advice, struct report_advice)[i].message);
}

/* --- Classes, processes, routes --------------------------------------------------------------- */

static int compare_classes(const void *a, const void *b)
{
  const struct report_class *one = *(const struct report_class *const *)a,
                            *other = *(const struct report_class *const *)b;
  if (one->seconds != other->seconds)
    return one->seconds < other->seconds ? 1 : -1;
  return one->number - other->number;
}

static void write_classes(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"class", REPORT_WORDS, 18},    {"share", REPORT_SHARE, 7}, {"seconds", REPORT_SECONDS, 11},
      {"calls", REPORT_COUNT, 11},    {"inner", REPORT_COUNT, 7}, {"bytes", REPORT_BYTES, 9},
      {"longest", REPORT_SECONDS, 9}, {"", REPORT_BAR, 0}};
  const size_t count = profile->classes.count;
  const struct report_class **order = report_allocate(count, sizeof(struct report_class *));
  for (size_t i = 0; i < count; i++)
    order[i] = REPORT_ROWS(profile->classes, struct report_class) + i;
  if (count > 0)
    qsort(order, count, sizeof(struct report_class *), compare_classes);
  report_section(paper, "classes", "where the time went");
  report_table(paper, NULL, columns, COUNT(columns));
  const double program = profile->time > profile->inside ? profile->time - profile->inside : 0;
  const double part = share(program, profile->time);
  report_row(paper, columns, COUNT(columns),
             (union report_cell[]){{.words = "(the program)"},
                                   {.value = part},
                                   {.value = program},
                                   {.count = 0},
                                   {.count = 0},
                                   {.count = 0},
                                   {.value = 0},
                                   {.value = part}});
  for (size_t i = 0; i < count; i++) {
    const double of_all = share(order[i]->seconds, profile->time);
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = profile->class_names[order[i]->number]},
                                     {.value = of_all},
                                     {.value = order[i]->seconds},
                                     {.count = order[i]->calls},
                                     {.count = order[i]->inner_calls},
                                     {.count = order[i]->bytes},
                                     {.value = order[i]->longest},
                                     {.value = of_all}});
  }
  report_table_end(paper);
  free(order);
}

enum { PROCESS_COLUMNS = 9, MOST_ON_PAGE = 1024 };

/* Returns the number of processes that have a row of their own. */
static size_t processes_shown(const struct report_paper *paper,
                              const struct report_profile *profile)
{
  const size_t all = profile->per_process.count;
  return paper->page && paper->most > 0 && all > MOST_ON_PAGE ? MOST_ON_PAGE : all;
}

static void write_process(const struct report_paper *paper, const struct report_profile *profile,
                          const struct report_process *process, const struct report_column *columns)
{
  char number[16];
  union report_cell cells[PROCESS_COLUMNS + REPORT_CLASSES];
  const struct report_shares shares = report_shares_of(profile, process);
  snprintf(number, sizeof number, "%d", process->process);
  cells[0].words = number;
  cells[1].count = (uint64_t)process->node;
  cells[2].count = process->threads;
  cells[3].value = process->wall;
  cells[4].value = share(shares.program, shares.all);
  cells[5].value = share(shares.waiting, shares.all);
  cells[6].value = share(shares.calls, shares.all);
  cells[7].count = process->operations;
  cells[8].count = process->bytes;
  for (int i = 0; i < profile->class_count; i++)
    cells[PROCESS_COLUMNS + i].value = process->seconds[i];
  report_row(paper, columns, (size_t)(PROCESS_COLUMNS + profile->class_count), cells);
}

/* Writes a row for each process. A page also has the seconds of each class, and a picture. */
static void write_processes(const struct report_paper *paper, const struct report_profile *profile)
{
  struct report_column columns[PROCESS_COLUMNS + REPORT_CLASSES] = {
      {"process", REPORT_WORDS, 7}, {"node", REPORT_COUNT, 5},        {"threads", REPORT_COUNT, 7},
      {"wall", REPORT_SECONDS, 9},  {"program", REPORT_SHARE, 8},     {"waiting", REPORT_SHARE, 8},
      {"others", REPORT_SHARE, 7},  {"operations", REPORT_COUNT, 10}, {"bytes", REPORT_BYTES, 9}};
  for (int i = 0; i < profile->class_count; i++)
    columns[PROCESS_COLUMNS + i] =
        (struct report_column){profile->class_names[i], REPORT_SECONDS, 0};
  const size_t all = profile->per_process.count;
  const size_t shown = processes_shown(paper, profile);
  report_section(paper, "processes", "processes");
  if (all == 0) {
    report_text(paper, "No process has figures.");
    return;
  }
  if (paper->page)
    report_draw_processes(paper, profile);
  report_table(paper, NULL, columns, (size_t)(PROCESS_COLUMNS + profile->class_count));
  for (size_t i = 0; i < shown; i++)
    write_process(paper, profile, REPORT_ROWS(profile->per_process, struct report_process) + i,
                  columns);
  report_table_end(paper);
  if (shown < all)
    report_text(paper, "%zu more processes are left out here; the text report has them.",
                all - shown);
}

/* --- The machine ------------------------------------------------------------------------------ */

/* Writes what processes used of cores and memory. Processes that were killed have no such
 * figures. */
static void write_usage(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"process", REPORT_WORDS, 7},   {"user", REPORT_SECONDS, 9},  {"system", REPORT_SECONDS, 9},
      {"no core", REPORT_SECONDS, 9}, {"lost", REPORT_COUNT, 8},    {"faults", REPORT_COUNT, 8},
      {"from disk", REPORT_COUNT, 9}, {"memory", REPORT_BYTES, 10}, {"sleeps", REPORT_COUNT, 0}};
  const size_t shown = processes_shown(paper, profile);
  size_t known = 0;
  for (size_t i = 0; i < shown; i++)
    known += REPORT_ROWS(profile->per_process, struct report_process)[i].has_usage;
  if (known == 0)
    return;
  report_section(paper, "usage", "cores and memory of processes");
  report_text(paper,
              "Columns: processor seconds in the program and in the kernel; seconds in which the "
              "first thread was ready and had no core; involuntary context switches; page faults "
              "without and with reading from a disk; largest resident memory.");
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++) {
    const struct report_process *row = REPORT_ROWS(profile->per_process, struct report_process) + i;
    char number[16];
    snprintf(number, sizeof number, "%d", row->process);
    if (row->has_usage)
      report_row(paper, columns, COUNT(columns),
                 (union report_cell[]){{.words = number},
                                       {.value = row->user},
                                       {.value = row->system},
                                       {.value = row->waited},
                                       {.count = row->preemptions},
                                       {.count = row->faults},
                                       {.count = row->disk_faults},
                                       {.count = row->most_memory},
                                       {.count = row->sleeps}});
  }
  report_table_end(paper);
}

/* Writes the row of a node. The figures of its server are all 0 if it has none. */
static void write_node(const struct report_paper *paper, const struct report_node *row,
                       const struct report_column *columns, size_t count)
{
  char number[16];
  snprintf(number, sizeof number, "%d", row->node);
  report_row(paper, columns, count,
             (union report_cell[]){{.words = number},
                                   {.count = row->memory},
                                   {.count = row->messages},
                                   {.count = row->bytes},
                                   {.count = row->forwards},
                                   {.count = row->stalls},
                                   {.value = row->asleep},
                                   {.value = row->processor},
                                   {.value = row->longest},
                                   {.count = row->requests},
                                   {.count = row->most_waiting},
                                   {.count = row->sleeps},
                                   {.value = row->busy}});
}

static void write_nodes(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"node", REPORT_WORDS, 5},     {"memory", REPORT_BYTES, 9},   {"messages", REPORT_COUNT, 9},
      {"bytes", REPORT_BYTES, 9},    {"forwards", REPORT_COUNT, 0}, {"stalls", REPORT_COUNT, 8},
      {"asleep", REPORT_SECONDS, 9}, {"core", REPORT_SECONDS, 9},   {"longest", REPORT_SECONDS, 9},
      {"requests", REPORT_COUNT, 0}, {"waiting", REPORT_COUNT, 0},  {"sleeps", REPORT_COUNT, 0},
      {"busy", REPORT_SECONDS, 0}};
  enum { WITHOUT_SERVERS = 2 };
  bool have_servers = false;
  if (profile->per_node.count == 0)
    return;
  for (size_t i = 0; i < profile->per_node.count; i++)
    have_servers = have_servers || REPORT_ROWS(profile->per_node, struct report_node)[i].has_server;
  report_section(paper, "nodes", have_servers ? "nodes and their servers" : "nodes");
  report_text(paper, "Memory is the most that Causeway had handed out on the node at one time.");
  if (have_servers)
    report_text(
        paper, "Its server: messages received, and how often messages that it forwards had to wait "
               "for space at the next node; seconds asleep and on a core, and the longest pass.");
  const size_t count = have_servers ? COUNT(columns) : WITHOUT_SERVERS;
  report_table(paper, NULL, columns, count);
  for (size_t i = 0; i < profile->per_node.count; i++)
    write_node(paper, REPORT_ROWS(profile->per_node, struct report_node) + i, columns, count);
  report_table_end(paper);
}

static void write_routes(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {{"operation", REPORT_WORDS, 20},
                                                 {"route", REPORT_WORDS, 8},
                                                 {"count", REPORT_COUNT, 14},
                                                 {"bytes", REPORT_BYTES, 12},
                                                 {"on average", REPORT_BYTES, 12}};
  report_section(paper, "routes", "operations by route");
  if (profile->operations.count == 0) {
    report_text(paper, "No operation was performed.");
    return;
  }
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < profile->operations.count; i++) {
    const struct report_operation *row =
        REPORT_ROWS(profile->operations, struct report_operation) + i;
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = row->operation},
                                     {.words = row->route},
                                     {.count = row->count},
                                     {.count = row->bytes},
                                     {.count = row->count > 0 ? row->bytes / row->count : 0}});
  }
  report_table_end(paper);
}

static void write_phases(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"phase", REPORT_WORDS, 18},   {"times", REPORT_COUNT, 7},   {"seconds", REPORT_SECONDS, 10},
      {"inside", REPORT_SECONDS, 9}, {"least", REPORT_SECONDS, 9}, {"of", REPORT_COUNT, 5},
      {"most", REPORT_SECONDS, 9},   {"of", REPORT_COUNT, 4}};
  const size_t shown = report_shown(paper, profile->phases.count);
  if (profile->phases.count == 0)
    return;
  report_section(paper, "phases", "phases of the program");
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++) {
    const struct report_phase *row = REPORT_ROWS(profile->phases, struct report_phase) + i;
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = row->phase},
                                     {.count = row->number},
                                     {.value = row->seconds},
                                     {.value = row->inside},
                                     {.value = row->least},
                                     {.count = row->least_process},
                                     {.value = row->most},
                                     {.count = row->most_process}});
  }
  report_table_end(paper);
  report_more(paper, profile->phases.count, "with fewer seconds");
}

/* --- Communication ---------------------------------------------------------------------------- */

static int compare_amounts(const void *a, const void *b)
{
  const struct report_pair *one = *(const struct report_pair *const *)a,
                           *other = *(const struct report_pair *const *)b;
  if (one->bytes != other->bytes)
    return one->bytes < other->bytes ? 1 : -1;
  if (one->operations != other->operations)
    return one->operations < other->operations ? 1 : -1;
  if (one->origin != other->origin)
    return one->origin < other->origin ? -1 : 1;
  return (one->target > other->target) - (one->target < other->target);
}

/* Writes a table of pairs, those with most bytes first. */
static void write_pairs(const struct report_paper *paper, const struct report_list *pairs,
                        const char *nouns)
{
  static const struct report_column columns[] = {{"origin", REPORT_WORDS, 10},
                                                 {"target", REPORT_WORDS, 10},
                                                 {"bytes", REPORT_BYTES, 14},
                                                 {"operations", REPORT_COUNT, 14},
                                                 {"seconds", REPORT_SECONDS, 14}};
  const size_t shown = report_shown(paper, pairs->count);
  const struct report_pair **order = report_allocate(pairs->count, sizeof(struct report_pair *));
  uint64_t bytes = 0, operations = 0;
  char caption[100];
  for (size_t i = 0; i < pairs->count; i++)
    order[i] = REPORT_ROWS(*pairs, struct report_pair) + i;
  qsort(order, pairs->count, sizeof(struct report_pair *), compare_amounts);
  snprintf(caption, sizeof caption, "%zu pair%s of %s, those with most bytes first", pairs->count,
           pairs->count == 1 ? "" : "s", nouns);
  report_table(paper, caption, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++) {
    char origin[16], target[16];
    snprintf(origin, sizeof origin, "%d", order[i]->origin);
    snprintf(target, sizeof target, "%d", order[i]->target);
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = origin},
                                     {.words = target},
                                     {.count = order[i]->bytes},
                                     {.count = order[i]->operations},
                                     {.value = order[i]->seconds}});
  }
  report_table_end(paper);
  for (size_t i = shown; i < pairs->count; i++) {
    bytes = report_sum(bytes, order[i]->bytes);
    operations = report_sum(operations, order[i]->operations);
  }
  if (shown < pairs->count)
    report_text(paper, "And %zu more, with %llu bytes in %llu operations (--rows 0 shows all).",
                pairs->count - shown, (unsigned long long)bytes, (unsigned long long)operations);
  free(order);
}

static void draw_pairs(const struct report_paper *paper, const struct report_list *pairs,
                       uint64_t members, const char *noun)
{
  /* Bounds the cells, so that both pictures and their values fit into 5 MB. */
  const size_t most = strcmp(noun, "node") == 0 ? 128 : 256;
  struct report_matrix matrix;
  if (!paper->page)
    return;
  report_matrix_make(&matrix, pairs, (size_t)members, most);
  if (matrix.each > 1)
    report_text(paper, "The matrix has %zu x %zu cells: each is the sum over %zu x %zu %ss.",
                matrix.cells, matrix.cells, matrix.each, matrix.each,
                strcmp(noun, "node") == 0 ? noun : "processe");
  report_draw_matrix(paper, &matrix, noun);
  report_matrix_free(&matrix);
}

static void write_communication(const struct report_paper *paper,
                                const struct report_profile *profile)
{
  report_section(paper, "communication", "communication");
  if (profile->pairs.count == 0) {
    report_text(paper, "No process touched the memory of another, or its own, through Causeway.");
    return;
  }
  draw_pairs(paper, &profile->pairs, profile->processes, "process");
  write_pairs(paper, &profile->pairs, "processes");
  if (profile->nodes == 1 || profile->nodes == profile->processes) {
    report_text(paper, profile->nodes == 1 ? "All processes were on one node."
                                           : "Each process was on a node of its own.");
    return;
  }
  struct report_list nodes;
  uint64_t left_out = 0;
  report_pairs_of_nodes(profile, &nodes, &left_out);
  draw_pairs(paper, &nodes, profile->nodes, "node");
  write_pairs(paper, &nodes, "nodes");
  if (left_out > 0)
    report_text(paper, "These numbers lack %llu operations of processes whose node is not known.",
                (unsigned long long)left_out);
  free(nodes.rows);
}

/* --- Settings and machine --------------------------------------------------------------------- */

static void write_facts(const struct report_paper *paper, const struct report_list *facts,
                        const char *name, const char *title, const char *none)
{
  static const struct report_column columns[] = {{"name", REPORT_WORDS, 28},
                                                 {"value", REPORT_WORDS, 48}};
  report_section(paper, name, title);
  if (facts->count == 0) {
    report_text(paper, "%s", none);
    return;
  }
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < facts->count; i++) {
    const struct report_fact *fact = REPORT_ROWS(*facts, struct report_fact) + i;
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = fact->name}, {.words = fact->value}});
  }
  report_table_end(paper);
}

void report_write(const struct report_paper *paper, struct report_profile *profile)
{
  write_whole(paper, profile);
  write_advice(paper, profile);
  write_classes(paper, profile);
  report_write_calls(paper, profile);
  write_phases(paper, profile);
  write_processes(paper, profile);
  report_write_waits(paper, profile);
  write_communication(paper, profile);
  write_routes(paper, profile);
  report_write_histograms(paper, profile);
  report_write_memory(paper, profile);
  write_usage(paper, profile);
  write_nodes(paper, profile);
  write_facts(paper, &profile->settings, "settings", "settings",
              "The file does not contain the settings.");
  write_facts(paper, &profile->machine, "machine", "machine",
              "The file does not contain the machine.");
}
