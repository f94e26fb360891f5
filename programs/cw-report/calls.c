/* Sections of a report: calls by name, call sites and the hottest objects; sizes of operations and
 * times of calls as histograms. */
#include "cw-report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

/* --- Histograms ------------------------------------------------------------------------------- */

static uint64_t total_of(const struct report_histogram *histogram)
{
  uint64_t total = 0;
  for (int i = 0; i < REPORT_PLACES; i++)
    total = report_sum(total, histogram->count[i]);
  return total;
}

/* Writes the places of a histogram, from the first to the last that is not empty. The place with
 * the largest count has the longest bar. */
static void write_histogram(const struct report_paper *paper, const char *caption,
                            const struct report_histogram *histogram, bool is_time)
{
  static const struct report_column columns[] = {
      {"less than", REPORT_WORDS, 12}, {"count", REPORT_COUNT, 14}, {"", REPORT_BAR, 20}};
  int first = REPORT_PLACES, last = -1;
  uint64_t most = 1;
  for (int i = 0; i < REPORT_PLACES; i++)
    if (histogram->count[i] > 0) {
      first = first > i ? i : first;
      last = i;
      most = most < histogram->count[i] ? histogram->count[i] : most;
    }
  report_table(paper, caption, columns, COUNT(columns));
  for (int i = first; i <= last; i++) {
    char end[REPORT_WORD];
    if (is_time)
      report_format_seconds(end, 1e-9 * exp2(i));
    else
      report_format_bytes(end, exp2(i));
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = end},
                                     {.count = histogram->count[i]},
                                     {.value = (double)histogram->count[i] / (double)most}});
  }
  report_table_end(paper);
}

static void write_sizes(const struct report_paper *paper, const struct report_profile *profile)
{
  report_section(paper, "sizes", "sizes of operations");
  report_group(paper);
  for (size_t i = 0; i < profile->operations.count; i++) {
    const struct report_operation *row =
        REPORT_ROWS(profile->operations, struct report_operation) + i;
    char caption[200];
    snprintf(caption, sizeof caption, "%.60s, %.60s: %llu", row->operation, row->route,
             (unsigned long long)total_of(&row->sizes));
    if (total_of(&row->sizes) > 0)
      write_histogram(paper, caption, &row->sizes, false);
  }
  report_group_end(paper);
}

static void write_times(const struct report_paper *paper, const struct report_profile *profile)
{
  report_section(paper, "times", "how long calls took");
  report_text(paper, "This shows only calls that were clocked; many short calls are only counted.");
  report_group(paper);
  for (size_t i = 0; i < profile->classes.count; i++) {
    const struct report_class *row = REPORT_ROWS(profile->classes, struct report_class) + i;
    char caption[200];
    snprintf(caption, sizeof caption, "%.100s: %llu clocked of %llu",
             profile->class_names[row->number], (unsigned long long)total_of(&row->clocked),
             (unsigned long long)row->calls);
    if (total_of(&row->clocked) > 0)
      write_histogram(paper, caption, &row->clocked, true);
  }
  report_group_end(paper);
}

/* --- Objects and call sites ------------------------------------------------------------------- */

static int compare_objects(const void *a, const void *b)
{
  const struct report_object *one = *(const struct report_object *const *)a,
                             *other = *(const struct report_object *const *)b;
  if (one->bytes != other->bytes)
    return one->bytes < other->bytes ? 1 : -1;
  return strcmp(one->object, other->object);
}

static void write_objects(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"object", REPORT_WORDS, 28},      {"share", REPORT_SHARE, 7},
      {"bytes", REPORT_BYTES, 9},        {"operations", REPORT_COUNT, 10},
      {"seconds", REPORT_SECONDS, 10},   {"memory", REPORT_BYTES, 9},
      {"hottest block", REPORT_WORDS, 0}};
  const size_t all = profile->objects.count, shown = report_shown(paper, all);
  const struct report_object **order = report_allocate(all, sizeof(struct report_object *));
  report_section(paper, "objects", "hottest objects");
  for (size_t i = 0; i < all; i++)
    order[i] = REPORT_ROWS(profile->objects, struct report_object) + i;
  qsort(order, all, sizeof(struct report_object *), compare_objects);
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++)
    report_row(
        paper, columns, COUNT(columns),
        (union report_cell[]){
            {.words = order[i]->object},
            {.value = profile->bytes > 0 ? (double)order[i]->bytes / (double)profile->bytes : 0},
            {.count = order[i]->bytes},
            {.count = order[i]->operations},
            {.value = order[i]->seconds},
            {.count = order[i]->memory},
            {.words = order[i]->hottest}});
  report_table_end(paper);
  report_more(paper, all, "with fewer bytes");
  report_write_heat_maps(paper, order, all);
  report_write_elements(paper, profile);
  free(order);
}

/* Shows the name of the source file without its folders. If it is unknown, the module's name stands
 * in its place. */
void report_describe_site(char *text, size_t size, const struct report_site *site)
{
  const char *file = site->file[0] != '\0' ? site->file : site->module;
  const char *slash = strrchr(file, '/');
  const int length = snprintf(
      text, size, "%s, %s%s%s", site->call[0] != '\0' ? site->call : site->class_name,
      site->function, site->function[0] != '\0' ? ", " : "", slash != NULL ? slash + 1 : file);
  if (length < 0 || (size_t)length >= size)
    return;
  snprintf(text + length, size - (size_t)length, site->line > 0 ? ":%llu" : "+0x%llx",
           (unsigned long long)(site->line > 0 ? site->line : site->offset));
}

static int compare_sites(const void *a, const void *b)
{
  const struct report_site *one = *(const struct report_site *const *)a,
                           *other = *(const struct report_site *const *)b;
  if (one->seconds != other->seconds)
    return one->seconds < other->seconds ? 1 : -1;
  return one < other ? -1 : one > other;
}

static void write_site(const struct report_paper *paper, const struct report_profile *profile,
                       const struct report_site *site, const struct report_column *columns,
                       size_t count)
{
  enum { CAPACITY = 4200 }; /* four texts */
  char *where = report_allocate(CAPACITY, 1), *full = report_allocate(CAPACITY, 1);
  report_describe_site(where, CAPACITY, site);
  snprintf(full, CAPACITY, "%s%s%s", site->file, site->file[0] != '\0' ? ", in " : "",
           site->module);
  report_row(paper, columns, count,
             (union report_cell[]){{.words = where},
                                   {.value = profile->time > 0 ? site->seconds / profile->time : 0},
                                   {.value = site->seconds},
                                   {.count = site->calls},
                                   {.count = site->bytes},
                                   {.value = site->longest},
                                   {.words = full}});
  free(where);
  free(full);
}

static void write_sites(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"call site", REPORT_WORDS, 24},     {"share", REPORT_SHARE, 7},
      {"seconds", REPORT_SECONDS, 11},     {"calls", REPORT_COUNT, 11},
      {"bytes", REPORT_BYTES, 10},         {"longest", REPORT_SECONDS, 10},
      {"file and module", REPORT_WORDS, 0}};
  const size_t all = profile->call_sites.count, shown = report_shown(paper, all);
  const struct report_site **order = report_allocate(all, sizeof(struct report_site *));
  report_section(paper, "sites", "call sites");
  for (size_t i = 0; i < all; i++)
    order[i] = REPORT_ROWS(profile->call_sites, struct report_site) + i;
  qsort(order, all, sizeof(struct report_site *), compare_sites);
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++)
    write_site(paper, profile, order[i], columns, COUNT(columns));
  report_table_end(paper);
  report_more(paper, all, "with fewer seconds");
  free(order);
}

/* --- Calls by name ---------------------------------------------------------------------------- */

static int compare_by_name(const void *a, const void *b)
{
  const struct report_site *one = a, *other = b;
  const int by_class = strcmp(one->class_name, other->class_name);
  return by_class != 0 ? by_class : strcmp(one->call, other->call);
}

static int compare_by_time(const void *a, const void *b)
{
  const struct report_site *one = a, *other = b;
  if (one->seconds != other->seconds)
    return one->seconds < other->seconds ? 1 : -1;
  return compare_by_name(a, b);
}

/* Adds up the sites of each name and class, and sorts the sums by time. Returns the number of rows
 * that are left. */
static size_t add_up_by_name(struct report_site *rows, size_t count)
{
  size_t merged = 0;
  qsort(rows, count, sizeof *rows, compare_by_name);
  for (size_t i = 0; i < count; i++)
    if (merged > 0 && compare_by_name(&rows[merged - 1], &rows[i]) == 0) {
      struct report_site *into = &rows[merged - 1];
      into->calls = report_sum(into->calls, rows[i].calls);
      into->bytes = report_sum(into->bytes, rows[i].bytes);
      into->seconds += rows[i].seconds;
      into->longest = fmax(into->longest, rows[i].longest);
    } else {
      rows[merged++] = rows[i];
    }
  qsort(rows, merged, sizeof *rows, compare_by_time);
  return merged;
}

static void write_names(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"call", REPORT_WORDS, 20},      {"class", REPORT_WORDS, 15}, {"share", REPORT_SHARE, 7},
      {"seconds", REPORT_SECONDS, 10}, {"calls", REPORT_COUNT, 10}, {"bytes", REPORT_BYTES, 9},
      {"longest", REPORT_SECONDS, 0}};
  size_t count = profile->call_sites.count;
  if (!profile->has_calls)
    return;
  struct report_site *rows = report_allocate(count, sizeof *rows);
  if (count > 0)
    memcpy(rows, profile->call_sites.rows, count * sizeof *rows);
  count = add_up_by_name(rows, count);
  const size_t shown = report_shown(paper, count);
  report_section(paper, "calls", "calls by name");
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < shown; i++)
    report_row(
        paper, columns, COUNT(columns),
        (union report_cell[]){{.words = rows[i].call[0] != '\0' ? rows[i].call : "-"},
                              {.words = rows[i].class_name},
                              {.value = profile->time > 0 ? rows[i].seconds / profile->time : 0},
                              {.value = rows[i].seconds},
                              {.count = rows[i].calls},
                              {.count = rows[i].bytes},
                              {.value = rows[i].longest}});
  report_table_end(paper);
  report_more(paper, count, "with fewer seconds");
  free(rows);
}

void report_write_calls(const struct report_paper *paper, const struct report_profile *profile)
{
  write_names(paper, profile);
  write_sites(paper, profile);
  write_objects(paper, profile);
}

void report_write_histograms(const struct report_paper *paper, const struct report_profile *profile)
{
  write_sizes(paper, profile);
  write_times(paper, profile);
}
