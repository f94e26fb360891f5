/* Writes a profile as text with 80 columns to stderr of process 0 at the end of the run. */
#include "base/scaled.h"
#include "base/text.h"
#include "output/source.h"
#include "report/profile_output.h"
#include "summary/hottest.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, BAR = 14 };

static double percent(double part, double whole)
{
  return whole > 0 ? 100 * part / whole : 0;
}

static void write_share(FILE *out, const char *name, double seconds, uint64_t calls,
                        const struct cwi_figures *figures)
{
  char bar[BAR + 1] = "", number[24] = "";
  const double share = percent(seconds, figures->all);
  const int length = (int)(share * BAR / 100 + 0.5);
  for (int i = 0; i < length && i < BAR; i++)
    bar[i] = '#';
  if (calls > 0)
    snprintf(number, sizeof number, "%llu", (unsigned long long)calls);
  fprintf(out, "  %-24.24s %6.1f %% %11.3f s %13s  %s\n", name, share, seconds, number, bar);
}

static int compare_seconds(const void *a, const void *b)
{
  const double one = **(const double *const *)a, other = **(const double *const *)b;
  return (one < other) - (one > other);
}

/* Sum of the calls of one name in a class. */
struct call_sum {
  uint32_t call; /* number of a text */
  uint64_t calls;
  double seconds;
};

static int compare_calls(const void *a, const void *b)
{
  const struct call_sum *one = a, *other = b;
  return (one->seconds < other->seconds) - (one->seconds > other->seconds);
}

/* Writes the three longest calls of a class, if each took at least a hundredth of the time. */
static void write_calls(FILE *out, const struct cwi_summary *summary,
                        const struct cwi_figures *figures, uint32_t call_class)
{
  enum { MOST = 64, SHOWN = 3 };
  static const double LEAST_SHARE = 0.01;
  struct call_sum sums[MOST];
  int count = 0;
  for (size_t i = 0; i < summary->places.count; i++) {
    const struct cwi_place_row *row = CWI_ROWS(summary, places, struct cwi_place_row) + i;
    int at = 0;
    while (at < count && sums[at].call != row->call)
      at++;
    if (row->call_class != call_class || at == MOST)
      continue;
    if (at == count)
      sums[count++] = (struct call_sum){.call = row->call};
    sums[at].calls += row->calls;
    sums[at].seconds += 1e-9 * (double)row->nanoseconds;
  }
  qsort(sums, (size_t)count, sizeof sums[0], compare_calls);
  for (int i = 0; i < count && i < SHOWN; i++) {
    char name[CWI_CALL_NAME + 2];
    snprintf(name, sizeof name, "- %s", cwi_summary_text(summary, sums[i].call));
    if (sums[i].seconds >= LEAST_SHARE * figures->all && name[2] != '\0')
      write_share(out, name, sums[i].seconds, sums[i].calls, figures);
  }
}

/* Writes how the time was spent. Tasks count as time of the program. */
static void write_shares(FILE *out, const struct cwi_summary *summary,
                         const struct cwi_figures *figures)
{
  const double *order[CWI_CALL_CLASSES];
  int count = 0;
  fprintf(out, "%-26s %8s %13s %13s\n", "where the time went", "share", "seconds", "calls");
  write_share(out, "the program", figures->all - figures->inside, 0, figures);
  if (figures->calls[CW_CALL_TASK] > 0)
    write_share(out, "- of this, tasks", figures->tasks, figures->calls[CW_CALL_TASK], figures);
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    if (figures->calls[i] > 0 && i != CW_CALL_TASK)
      order[count++] = &figures->seconds[i];
  qsort(order, (size_t)count, sizeof order[0], compare_seconds);
  for (int i = 0; i < count; i++) {
    const int at = (int)(order[i] - figures->seconds);
    write_share(out, cw_call_class_word((cw_call_class)at), *order[i], figures->calls[at], figures);
    write_calls(out, summary, figures, (uint32_t)at);
  }
}

/* Writes the least, the mean and the largest of the processes' shares of time, and the processes
 * that have the least and the largest. */
static void write_spread(FILE *out, const char *name, const struct cwi_spread *spread)
{
  char least[32], most[32];
  snprintf(least, sizeof least, "%.1f %% of %d", 100 * spread->least, spread->least_process);
  snprintf(most, sizeof most, "%.1f %% of %d", 100 * spread->most, spread->most_process);
  fprintf(out, "  %-18s %18s %10.1f %% %18s\n", name, least, 100 * spread->mean, most);
}

static void write_balance(FILE *out, const struct cwi_figures *figures)
{
  fprintf(out, "%-20s %18s %12s %18s\n", "imbalance", "least", "mean", "most");
  write_spread(out, "the program", &figures->in_program);
  write_spread(out, "waiting", &figures->in_waiting);
  write_spread(out, "other calls", &figures->in_calls);
}

/* Returns `byte`, or '?' for a control character. A terminal would obey control characters in names
 * of the program. */
static char shown(char byte)
{
  return (unsigned char)byte < ' ' || byte == 0x7f ? '?' : byte;
}

/* Writes a column of `width` bytes after two blanks. Does not cut a UTF-8 character in half. */
static void write_name(FILE *out, const char *name, int width)
{
  const int length = (int)cwi_text_fitting(name, (size_t)width);
  fputs("  ", out);
  for (int i = 0; i < length; i++)
    fputc(shown(name[i]), out);
  fprintf(out, "%*s", width - length, "");
}

/* Writes a path. The end of a path distinguishes it from others, so the beginning is left out. */
static void write_path(FILE *out, const char *path, int width)
{
  char end[64];
  const size_t length = strlen(path), most = (size_t)width - strlen("...");
  const char *from = path + (length > (size_t)width ? length - most : 0);
  while (((unsigned char)*from & 0xc0) == 0x80)
    from++;
  snprintf(end, sizeof end, "%s%s", from != path ? "..." : "", from);
  write_name(out, end, width);
}

/* Writes the largest phases. The time of a phase that lies within another is counted in both. */
static void write_phases(FILE *out, const struct cwi_summary *summary)
{
  enum { LARGEST = 5 };
  if (summary->phases.count > 0)
    fprintf(out, "%-31s %13s %9s %14s %9s\n", "largest phases", "seconds", "in calls", "most",
            "number");
  for (size_t i = 0; i < summary->phases.count && i < LARGEST; i++) {
    const struct cwi_phase_row *row = CWI_ROWS(summary, phases, struct cwi_phase_row) + i;
    const double seconds = 1e-9 * (double)row->nanoseconds;
    char most[32];
    snprintf(most, sizeof most, "%.2f of %d", 1e-9 * (double)row->most, row->most_process);
    write_path(out, cwi_summary_text(summary, row->path), 29);
    fprintf(out, " %11.3f s %7.1f %% %14s %9llu\n", seconds,
            percent(cwi_phase_inside(row), seconds), most, (unsigned long long)row->number);
  }
}

/* Writes a line of details below the object to which it belongs. */
static void write_detail(FILE *out, const char *text, double share, const char *of)
{
  char end[64];
  const int length = snprintf(end, sizeof end, ": %.0f %% of %s", 100 * share, of);
  const size_t width = (size_t)(COLUMNS - 4 - length);
  fprintf(out, "    %.*s%s\n", (int)cwi_text_fitting(text, width), text, end);
}

/* Returns the hottest element if read-modify-writes take considerable time and it has at least a
 * quarter of them; otherwise NULL. */
static const struct cwi_top_k_entry *hot_element(const struct cwi_summary *summary,
                                                 const struct cwi_figures *figures)
{
  static const double LEAST_TIME = 0.01, LEAST_SHARE = 0.25;
  const struct cwi_top_k_entry *element = &summary->updated.rows[0];
  return summary->updated.used > 0 && figures->seconds[CW_CALL_RMW] >= LEAST_TIME * figures->all &&
                 cwi_element_share(summary, element) >= LEAST_SHARE
             ? element
             : NULL;
}

static bool is_in(const struct cwi_top_k_entry *element, const struct cwi_object_row *object)
{
  return element != NULL && object != NULL && element->text == object->name;
}

/* Writes an object with its hottest block and its hottest element, if there are any. */
static void write_object(FILE *out, const struct cwi_summary *summary,
                         const struct cwi_object_row *object, const struct cwi_top_k_entry *element)
{
  struct cwi_hot_block block;
  char bytes[32], text[64], line[128];
  double amount = (double)object->bytes;
  const char *unit = cwi_scaled_bytes(&amount);
  snprintf(bytes, sizeof bytes, unit[1] != '\0' ? "%.1f %s" : "%.0f %s", amount, unit);
  write_name(out, cwi_summary_text(summary, object->name), 49);
  fprintf(out, " %13s %13llu\n", bytes, (unsigned long long)object->operations);
  cwi_hot_block_find(summary, object, &block);
  if (cwi_hot_block_is_hot(&block))
    write_detail(out, block.text, block.share, "its bytes");
  if (!is_in(element, object))
    return;
  cwi_element_text(summary, element, text, sizeof text);
  snprintf(line, sizeof line, "%s, held by process %d", text, element->process);
  write_detail(out, line, cwi_element_share(summary, element), "read-modify-writes");
}

/* Writes the hottest objects and the object that contains the hottest element. */
static void write_objects(FILE *out, const struct cwi_summary *summary,
                          const struct cwi_figures *figures)
{
  const struct cwi_top_k_entry *element = hot_element(summary, figures);
  bool has_element = element == NULL;
  if (figures->objects[0] == NULL)
    return;
  fprintf(out, "%-51s %13s %13s\n", "hottest objects", "bytes", "operations");
  for (int i = 0; i < CWI_HOTTEST && figures->objects[i] != NULL; i++) {
    has_element = has_element || is_in(element, figures->objects[i]);
    write_object(out, summary, figures->objects[i], element);
  }
  for (size_t i = 0; i < summary->objects.count && !has_element; i++) {
    const struct cwi_object_row *object = CWI_ROWS(summary, objects, struct cwi_object_row) + i;
    if (is_in(element, object)) {
      write_object(out, summary, object, element);
      has_element = true;
    }
  }
}

/* Writes "cw_get, build_fock, scf.c:120". The folders of the file are left out. */
static void describe_place(const struct cwi_summary *summary, const struct cwi_place_row *row,
                           char *text, size_t size)
{
  struct cwi_source_place source = {.line = 0};
  const char *module = cwi_summary_text(summary, row->module);
  const char *symbol = cwi_summary_text(summary, row->symbol);
  cwi_source_find(module, row->offset, true, &source);
  const char *file = source.file[0] != '\0' ? source.file : module;
  const char *slash = strrchr(file, '/');
  const char *function = source.function[0] != '\0' ? source.function : symbol;
  const char *call = cwi_summary_text(summary, row->call);
  if (call[0] == '\0')
    call = cw_call_class_word((cw_call_class)row->call_class);
  const int length = snprintf(text, size, "%s%s%.40s, %.60s", call, function[0] != '\0' ? ", " : "",
                              function, slash != NULL ? slash + 1 : file);
  if (length < 0 || (size_t)length >= size)
    return;
  if (source.line > 0)
    snprintf(text + length, size - (size_t)length, ":%d", source.line);
  else
    snprintf(text + length, size - (size_t)length, "+0x%llx", (unsigned long long)row->offset);
}

static void write_places(FILE *out, const struct cwi_summary *summary,
                         const struct cwi_figures *figures)
{
  if (figures->places[0] == NULL)
    return;
  fprintf(out, "%-51s %13s %13s\n", "hottest call sites", "seconds", "calls");
  for (int i = 0; i < CWI_HOTTEST && figures->places[i] != NULL; i++) {
    char text[256];
    describe_place(summary, figures->places[i], text, sizeof text);
    write_name(out, text, 49);
    fprintf(out, " %11.3f s %13llu\n", 1e-9 * (double)figures->places[i]->nanoseconds,
            (unsigned long long)figures->places[i]->calls);
  }
}

/* Writes a message as several lines, broken at spaces. */
static void write_message(FILE *out, const char *message)
{
  const int width = COLUMNS - 5;
  const char *lead = "  * ";
  while (*message != '\0') {
    int length = (int)strlen(message);
    if (length > width)
      for (length = width; length > 0 && message[length] != ' ';)
        length--;
    if (length == 0)
      length = width; /* a word that is longer than a line */
    fprintf(out, "%s", lead);
    for (int i = 0; i < length; i++)
      fputc(shown(*message++), out);
    fputc('\n', out);
    while (*message == ' ')
      message++;
    lead = "    ";
  }
}

/* Lists the first missing processes as "3, 5, 6 ...". */
static void list_missing(const struct cwi_summary *summary, int processes, char *text, size_t size)
{
  enum { LISTED = 8 };
  size_t used = 0;
  int listed = 0;
  for (int process = cwi_missing_next(summary, processes, -1); process >= 0;
       process = cwi_missing_next(summary, processes, process)) {
    if (listed++ == LISTED) {
      snprintf(text + used, size - used, " ...");
      return;
    }
    used += (size_t)snprintf(text + used, size - used, "%s%d", used > 0 ? ", " : "", process);
  }
}

static void write_death(FILE *out, const struct cwi_summary *summary,
                        const struct cwi_profiled_run *run)
{
  const int missing = run->processes - (int)summary->processes.count;
  char message[256], list[128] = "";
  if (!run->has_died)
    return;
  list_missing(summary, run->processes, list, sizeof list);
  snprintf(message, sizeof message, "the job has died: the figures are those until then%s%s",
           missing == 0   ? ""
           : missing == 1 ? ", without process "
                          : ", without processes ",
           list);
  write_message(out, message);
}

void cwi_write_screen(FILE *out, const struct cwi_summary *summary,
                      const struct cwi_figures *figures, const struct cwi_profiled_run *run)
{
  fputs("---- profile of ", out);
  for (int i = 0; i < 30 && run->program[i] != '\0'; i++)
    fputc(shown(run->program[i]), out);
  fprintf(out, ": %d process%s, %d node%s, %.3f s\n", run->processes,
          run->processes == 1 ? "" : "es", run->nodes, run->nodes == 1 ? "" : "s", figures->wall);
  write_death(out, summary, run);
  write_shares(out, summary, figures);
  if (run->processes > 1)
    write_balance(out, figures);
  write_phases(out, summary);
  write_objects(out, summary, figures);
  write_places(out, summary, figures);
  if (run->advices > 0)
    fprintf(out, "advice\n");
  for (int i = 0; i < run->advices; i++)
    write_message(out, run->advice[i].message);
  if (run->file != NULL) {
    fputs("---- all of it: ", out);
    for (const char *at = run->file; *at != '\0'; at++)
      fputc(shown(*at), out);
    fputc('\n', out);
  }
  fflush(out);
}
