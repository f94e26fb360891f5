/* Compares two profiles: what changed, with ratios. Rows of the two profiles belong together if
 * they have the same name. */
#include "cw-report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

/* A figure of both profiles: [0] before, [1] after. */
struct compare_change {
  const char *name;
  uint64_t count[2];
  double amount[2]; /* seconds or bytes */
};

static int compare_names(const void *a, const void *b)
{
  const struct compare_change *one = a, *other = b;
  return strcmp(one->name, other->name);
}

static double change_of(const struct compare_change *change)
{
  return fabs(change->amount[1] - change->amount[0]);
}

static int compare_changes(const void *a, const void *b)
{
  const struct compare_change *one = a, *other = b;
  if (change_of(one) != change_of(other))
    return change_of(one) < change_of(other) ? 1 : -1;
  return strcmp(one->name, other->name);
}

static void add_change(struct report_list *changes, const char *name, int side, uint64_t count,
                       double amount)
{
  struct compare_change *new = report_add(changes, sizeof *new);
  new->name = name;
  new->count[side] = count;
  new->amount[side] = amount;
}

/* Merges rows of the same name into one, then sorts them by the amount of change, largest first. */
static void merge_changes(struct report_list *changes)
{
  struct compare_change *rows = changes->rows;
  size_t merged = 0;
  if (changes->count == 0)
    return;
  qsort(rows, changes->count, sizeof *rows, compare_names);
  for (size_t i = 0; i < changes->count; i++)
    if (merged > 0 && strcmp(rows[merged - 1].name, rows[i].name) == 0)
      for (int side = 0; side < 2; side++) {
        rows[merged - 1].count[side] =
            report_sum(rows[merged - 1].count[side], rows[i].count[side]);
        rows[merged - 1].amount[side] += rows[i].amount[side];
      }
    else
      rows[merged++] = rows[i];
  changes->count = merged;
  qsort(rows, merged, sizeof *rows, compare_changes);
}

static void write_changes(const struct report_paper *paper, const char *name, const char *title,
                          enum report_kind kind, const char *counted, struct report_list *changes)
{
  const char *const amount = kind == REPORT_BYTES ? "bytes" : "seconds";
  const struct report_column columns[] = {{"", REPORT_WORDS, 23},      {counted, REPORT_COUNT, 10},
                                          {"after", REPORT_COUNT, 10}, {amount, kind, 11},
                                          {"after", kind, 11},         {"ratio", REPORT_RATIO, 8}};
  merge_changes(changes);
  const struct compare_change *rows = changes->rows;
  const size_t shown = report_shown(paper, changes->count);
  report_section(paper, name, title);
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++) {
    char ratio[REPORT_WORD];
    union report_cell cells[] = {{.words = rows[i].name},      {.count = rows[i].count[0]},
                                 {.count = rows[i].count[1]},  {.value = rows[i].amount[0]},
                                 {.value = rows[i].amount[1]}, {.words = ratio}};
    report_format_ratio(ratio, rows[i].amount[0], rows[i].amount[1]);
    for (int side = 0; side < 2 && kind == REPORT_BYTES; side++)
      cells[3 + side].count =
          rows[i].amount[side] < 0x1p64 ? (uint64_t)rows[i].amount[side] : UINT64_MAX;
    report_row(paper, columns, COUNT(columns), cells);
  }
  report_table_end(paper);
  report_more(paper, changes->count, "which changed less");
  free(changes->rows);
}

/* --- Totals ----------------------------------------------------------------------------------- */

/* Writes a figure of both profiles in words, with its ratio. */
static void write_figure(const struct report_paper *paper, const struct report_column *columns,
                         const char *name, double before, double after, enum report_kind kind)
{
  char words[2][REPORT_WORD], ratio[REPORT_WORD];
  const double values[2] = {before, after};
  for (int side = 0; side < 2; side++)
    if (kind == REPORT_SECONDS)
      report_format_seconds(words[side], values[side]);
    else if (kind == REPORT_SHARE)
      snprintf(words[side], REPORT_WORD, "%.1f %%", 100 * values[side]);
    else if (values[side] >= 1e15)
      snprintf(words[side], REPORT_WORD, "%.3e", values[side]);
    else
      snprintf(words[side], REPORT_WORD, "%.0f", values[side]);
  report_format_ratio(ratio, before, after);
  report_row(paper, columns, 4,
             (union report_cell[]){
                 {.words = name}, {.words = words[0]}, {.words = words[1]}, {.words = ratio}});
}

/* Returns the least or greatest share of waiting among the processes, or 0 if no process has
 * figures. */
static double extreme_wait(const struct report_profile *profile, bool least)
{
  double found = least && profile->per_process.count > 0 ? 1 : 0;
  for (size_t i = 0; i < profile->per_process.count; i++) {
    const struct report_shares shares =
        report_shares_of(profile, REPORT_ROWS(profile->per_process, struct report_process) + i);
    const double share = shares.all > 0 ? shares.waiting / shares.all : 0;
    found = least ? fmin(found, share) : fmax(found, share);
  }
  return found;
}

static void write_whole(const struct report_paper *paper, const struct report_profile *before,
                        const struct report_profile *after)
{
  static const struct report_column columns[] = {{"", REPORT_WORDS, 36},
                                                 {"before", REPORT_RATIO, 15},
                                                 {"after", REPORT_RATIO, 15},
                                                 {"ratio", REPORT_RATIO, 8}};
  const double one = before->time > 0 ? before->time : 1, other = after->time > 0 ? after->time : 1;
  report_section(paper, "whole", "totals");
  report_table(paper, NULL, columns, COUNT(columns));
  write_figure(paper, columns, "processes", (double)before->processes, (double)after->processes,
               REPORT_COUNT);
  write_figure(paper, columns, "nodes", (double)before->nodes, (double)after->nodes, REPORT_COUNT);
  write_figure(paper, columns, "wall time", before->wall, after->wall, REPORT_SECONDS);
  write_figure(paper, columns, "time of all threads", before->time, after->time, REPORT_SECONDS);
  write_figure(paper, columns, "in the program", fmax(before->time - before->inside, 0),
               fmax(after->time - after->inside, 0), REPORT_SECONDS);
  write_figure(paper, columns, "in Causeway", before->inside, after->inside, REPORT_SECONDS);
  write_figure(paper, columns, "waiting", before->waiting, after->waiting, REPORT_SECONDS);
  write_figure(paper, columns, "share of waiting", before->waiting / one, after->waiting / other,
               REPORT_SHARE);
  write_figure(paper, columns, "- of the process that waited least", extreme_wait(before, true),
               extreme_wait(after, true), REPORT_SHARE);
  write_figure(paper, columns, "- of the process that waited most", extreme_wait(before, false),
               extreme_wait(after, false), REPORT_SHARE);
  write_figure(paper, columns, "bytes moved", (double)before->bytes, (double)after->bytes,
               REPORT_COUNT);
  report_table_end(paper);
}

/* --- Lists ------------------------------------------------------------------------------------ */

static void write_classes(const struct report_paper *paper,
                          const struct report_profile *const sides[2])
{
  struct report_list changes = {.count = 0};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sides[side]->classes.count; i++) {
      const struct report_class *row = REPORT_ROWS(sides[side]->classes, struct report_class) + i;
      add_change(&changes, sides[side]->class_names[row->number], side, row->calls, row->seconds);
    }
  write_changes(paper, "classes", "where the time went", REPORT_SECONDS, "calls", &changes);
}

static void write_names(const struct report_paper *paper,
                        const struct report_profile *const sides[2])
{
  struct report_list changes = {.count = 0};
  if (!sides[0]->has_calls || !sides[1]->has_calls)
    return;
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sides[side]->call_sites.count; i++) {
      const struct report_site *row = REPORT_ROWS(sides[side]->call_sites, struct report_site) + i;
      add_change(&changes, row->call[0] != '\0' ? row->call : row->class_name, side, row->calls,
                 row->seconds);
    }
  write_changes(paper, "calls", "calls by name", REPORT_SECONDS, "calls", &changes);
}

static void write_operations(const struct report_paper *paper,
                             struct report_profile *const sides[2])
{
  struct report_list changes = {.count = 0};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sides[side]->operations.count; i++) {
      const struct report_operation *row =
          REPORT_ROWS(sides[side]->operations, struct report_operation) + i;
      char name[2100]; /* two texts */
      snprintf(name, sizeof name, "%s, %s", row->operation, row->route);
      add_change(&changes, report_copy(sides[side], name), side, row->count, (double)row->bytes);
    }
  write_changes(paper, "routes", "operations by route", REPORT_BYTES, "operations", &changes);
}

static void write_objects(const struct report_paper *paper,
                          const struct report_profile *const sides[2])
{
  struct report_list changes = {.count = 0};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sides[side]->objects.count; i++) {
      const struct report_object *row = REPORT_ROWS(sides[side]->objects, struct report_object) + i;
      add_change(&changes, row->object, side, row->operations, (double)row->bytes);
    }
  write_changes(paper, "objects", "objects", REPORT_BYTES, "operations", &changes);
}

/* Compares call sites. Their names contain the line, so a site whose line changed between the runs
 * counts as two. If only one file has names of calls, sites are named by their classes. */
static void write_sites(const struct report_paper *paper, struct report_profile *const sides[2])
{
  struct report_list changes = {.count = 0};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sides[side]->call_sites.count; i++) {
      const struct report_site *row = REPORT_ROWS(sides[side]->call_sites, struct report_site) + i;
      struct report_site site = *row;
      char name[4200]; /* four texts */
      if (!sides[0]->has_calls || !sides[1]->has_calls)
        site.call = "";
      report_describe_site(name, sizeof name, &site);
      add_change(&changes, report_copy(sides[side], name), side, row->calls, row->seconds);
    }
  write_changes(paper, "sites", "call sites", REPORT_SECONDS, "calls", &changes);
}

/* --- Settings --------------------------------------------------------------------------------- */

static const char *value_of(const struct report_list *facts, const char *name)
{
  for (size_t i = 0; i < facts->count; i++)
    if (strcmp(REPORT_ROWS(*facts, struct report_fact)[i].name, name) == 0)
      return REPORT_ROWS(*facts, struct report_fact)[i].value;
  return NULL;
}

/* Returns true if `others` has all facts of `facts` with the same values. */
static bool are_same(const struct report_list *facts, const struct report_list *others)
{
  for (size_t i = 0; i < facts->count; i++) {
    const struct report_fact *fact = REPORT_ROWS(*facts, struct report_fact) + i;
    const char *other = value_of(others, fact->name);
    if (other == NULL || strcmp(fact->value, other) != 0)
      return false;
  }
  return true;
}

static void write_fact(const struct report_paper *paper, const struct report_column *columns,
                       const char *name, const char *before, const char *after)
{
  if (before != NULL && after != NULL && strcmp(before, after) == 0)
    return;
  report_row(paper, columns, 3,
             (union report_cell[]){{.words = name},
                                   {.words = before != NULL ? before : "-"},
                                   {.words = after != NULL ? after : "-"}});
}

static void write_facts(const struct report_paper *paper, const char *name, const char *title,
                        const struct report_list *before, const struct report_list *after)
{
  static const struct report_column columns[] = {
      {"name", REPORT_WORDS, 24}, {"before", REPORT_WORDS, 25}, {"after", REPORT_WORDS, 25}};
  report_section(paper, name, title);
  if (are_same(before, after) && are_same(after, before)) {
    report_text(paper, "Nothing differs.");
    return;
  }
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < before->count; i++) {
    const struct report_fact *fact = REPORT_ROWS(*before, struct report_fact) + i;
    write_fact(paper, columns, fact->name, fact->value, value_of(after, fact->name));
  }
  for (size_t i = 0; i < after->count; i++) {
    const struct report_fact *fact = REPORT_ROWS(*after, struct report_fact) + i;
    if (value_of(before, fact->name) == NULL)
      write_fact(paper, columns, fact->name, NULL, fact->value);
  }
  report_table_end(paper);
}

void report_write_comparison(const struct report_paper *paper, struct report_profile *before,
                             struct report_profile *after)
{
  struct report_profile *const sides[2] = {before, after};
  report_text(paper, "Before: '%s', %s, ended %s.", report_copy(before, before->path),
              before->program, before->date);
  report_write_caveats(paper, before);
  report_text(paper, "Then: '%s', %s, ended %s.", report_copy(after, after->path), after->program,
              after->date);
  report_write_caveats(paper, after);
  if (before->processes != after->processes)
    report_text(paper,
                "The runs had %llu and %llu processes: seconds in the lists are sums over all "
                "processes of a run.",
                (unsigned long long)before->processes, (unsigned long long)after->processes);
  report_text(paper, "A ratio is the second value divided by the first: below 1 is less. Rows that "
                     "changed most come first.");
  write_whole(paper, before, after);
  write_classes(paper, (const struct report_profile *const *)sides);
  write_names(paper, (const struct report_profile *const *)sides);
  write_sites(paper, sides);
  write_objects(paper, (const struct report_profile *const *)sides);
  write_operations(paper, sides);
  write_facts(paper, "settings", "settings that differ", &before->settings, &after->settings);
  write_facts(paper, "machine", "the machine, where it differs", &before->machine, &after->machine);
}
