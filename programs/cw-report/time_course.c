/* Sections of a report: the longest waits, and the memory of processes and nodes over the time of
 * the run. They are tables; a page also draws them over a time axis. */
#include "cw-report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

enum { WIDTH = 640, MARGIN = 72, BAR = 18, HEIGHT = 160, TOP = 8, TICKS = 8 };

/* --- The time axis ---------------------------------------------------------------------------- */

static double place_of(double time, double seconds)
{
  return MARGIN + WIDTH * (seconds > 0 ? fmin(1, time / seconds) : 0);
}

/* Begins a picture, with about TICKS round times along its lower edge. */
static void picture_begin(FILE *out, double height, double seconds, const char *label)
{
  const double step = seconds > 0 ? report_round_up(REPORT_BY_TIME, seconds / TICKS) : 1;
  fprintf(out, "<svg width=\"%d\" height=\"%.0f\" role=\"img\" aria-label=\"%s\">\n",
          MARGIN + WIDTH + 60, height + 24, label);
  for (int i = 0; step * i <= seconds * (1 + 1e-9); i++) {
    char word[REPORT_WORD];
    const double x = place_of(step * i, seconds);
    report_format_amount(word, REPORT_BY_TIME, step * i);
    fprintf(out,
            "<path stroke=\"#c8d0d8\" d=\"M%.1f 0v%.0f\"/><text class=\"time-tick\" x=\"%.1f\" "
            "y=\"%.0f\" text-anchor=\"middle\">%s</text>\n",
            x, height + 4, x, height + 18, word);
  }
}

/* --- Waits ------------------------------------------------------------------------------------ */

static int compare_waits(const void *a, const void *b)
{
  const struct report_wait *one = *(const struct report_wait *const *)a,
                           *other = *(const struct report_wait *const *)b;
  if (one->site.seconds != other->site.seconds)
    return one->site.seconds < other->site.seconds ? 1 : -1;
  return one < other ? -1 : one > other;
}

static int compare_numbers(const void *a, const void *b)
{
  const int one = *(const int *)a, other = *(const int *)b;
  return (one > other) - (one < other);
}

/* Stores each process that waited once, in ascending order. Returns how many there are. */
static size_t waits_processes(const struct report_wait *const *waits, size_t count, int *processes)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    processes[i] = waits[i]->process;
  qsort(processes, count, sizeof *processes, compare_numbers);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || processes[kept - 1] != processes[i])
      processes[kept++] = processes[i];
  return kept;
}

static void draw_wait(const struct report_paper *paper, struct report_profile *profile,
                      const struct report_wait *wait, size_t row, double seconds)
{
  FILE *const out = paper->out;
  char where[4200], began[REPORT_WORD], took[REPORT_WORD];
  const double x = place_of(wait->began, seconds);
  const double end = place_of(wait->began + wait->site.seconds, seconds);
  report_describe_site(where, sizeof where, &wait->site);
  report_format_seconds(began, wait->began);
  report_format_seconds(took, wait->site.seconds);
  fprintf(out, "<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>", x,
          BAR * row + 2, fmax(1, end - x), BAR - 3,
          report_colour_of(profile, report_class_number(profile, wait->site.class_name)));
  fprintf(out, "process %d, from %s for %s: ", wait->process, began, took);
  report_escape(out, where);
  report_escape(out, wait->whom[0] != '\0' ? ", for " : "");
  report_escape(out, wait->whom);
  fputs("</title></rect>\n", out);
}

static void draw_waits(const struct report_paper *paper, struct report_profile *profile,
                       const struct report_wait *const *waits, size_t count)
{
  int *processes = report_allocate(count, sizeof *processes);
  const size_t rows = waits_processes(waits, count, processes);
  double seconds = profile->wall;
  for (size_t i = 0; i < count; i++)
    seconds = fmax(seconds, waits[i]->began + waits[i]->site.seconds);
  fputs("<div class=\"course\" id=\"picture-waits\">\n", paper->out);
  picture_begin(paper->out, BAR * (double)rows, seconds, "the longest waits by process");
  for (size_t row = 0; row < rows; row++) {
    fprintf(paper->out, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">process %d</text>\n",
            MARGIN - 6, BAR * row + 13, processes[row]);
    for (size_t i = 0; i < count; i++)
      if (waits[i]->process == processes[row])
        draw_wait(paper, profile, waits[i], row, seconds);
  }
  fputs("</svg></div>\n", paper->out);
  free(processes);
}

static void write_wait(const struct report_paper *paper, const struct report_wait *wait,
                       const struct report_column *columns, size_t count)
{
  char where[4200], whom[2300], number[16];
  const bool adds_phase = !paper->page && wait->phase[0] != '\0';
  report_describe_site(where, sizeof where, &wait->site);
  snprintf(whom, sizeof whom, "%s%s%s%s%s", wait->whom,
           wait->whom[0] != '\0' && adds_phase ? ", " : "", adds_phase ? "in " : "",
           adds_phase ? wait->phase : "",
           wait->is_under_way ? " (the process died during this wait)" : "");
  snprintf(number, sizeof number, "%d", wait->process);
  report_row(paper, columns, count,
             (union report_cell[]){{.words = where},
                                   {.words = number},
                                   {.value = wait->began},
                                   {.value = wait->site.seconds},
                                   {.words = whom},
                                   {.words = wait->phase}});
}

/* In text the phase shares a column with the processes that were waited for. */
void report_write_waits(const struct report_paper *paper, struct report_profile *profile)
{
  static const struct report_column columns[] = {
      {"wait", REPORT_WORDS, 27}, {"process", REPORT_WORDS, 7},   {"from", REPORT_SECONDS, 9},
      {"for", REPORT_SECONDS, 9}, {"for whom", REPORT_WORDS, 22}, {"phase", REPORT_WORDS, 0}};
  const size_t all = profile->waits.count, shown = report_shown(paper, all);
  const struct report_wait **order = report_allocate(all, sizeof(struct report_wait *));
  for (size_t i = 0; i < all; i++)
    order[i] = REPORT_ROWS(profile->waits, struct report_wait) + i;
  if (all > 0) {
    qsort(order, all, sizeof(struct report_wait *), compare_waits);
    report_section(paper, "waits", "longest waits");
    report_text(paper, "Start and length of each wait. The awaited process is known for waits of "
                       "at least 0.05 s.");
    if (paper->page)
      draw_waits(paper, profile, order, shown);
    const size_t count = paper->page ? COUNT(columns) : COUNT(columns) - 1;
    report_table(paper, NULL, columns, count);
    for (size_t i = 0; i < shown; i++)
      write_wait(paper, order[i], columns, count);
    report_table_end(paper);
    report_more(paper, all, "that were shorter");
  }
  free(order);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* One line of a drawing: that of a process or a node, or the most, the mean or the least of
 * many. */
struct course_line {
  char name[64];
  const uint64_t *bytes;
};

static size_t course_lines(const struct report_memory *memory, struct course_line lines[3])
{
  if (!memory->is_together) {
    snprintf(lines[0].name, sizeof lines[0].name, "%.20s %llu", memory->of,
             (unsigned long long)memory->number);
    lines[0].bytes = memory->most;
    return 1;
  }
  static const char *const words[] = {"most", "mean", "least"};
  const uint64_t *const bytes[] = {memory->most, memory->mean, memory->least};
  for (int i = 0; i < 3; i++) {
    snprintf(lines[i].name, sizeof lines[i].name, "%s of %llu %.20s", words[i],
             (unsigned long long)memory->number, memory->of);
    lines[i].bytes = bytes[i];
  }
  return 3;
}

static uint64_t course_most(const uint64_t *bytes, size_t count, size_t *at)
{
  uint64_t most = 0;
  *at = 0;
  for (size_t i = 0; i < count; i++)
    if (bytes[i] > most) {
      most = bytes[i];
      *at = i;
    }
  return most;
}

/* Draws the run from left to right in at most `width` characters, each for a level relative to
 * `most`. */
static void course_format(char *text, size_t width, const uint64_t *bytes, size_t count,
                          uint64_t most)
{
  static const char marks[] = "_.:-=+*#";
  const size_t each = (count + width - 1) / width;
  size_t length = 0;
  for (size_t first = 0; first < count; first += each) {
    size_t at = 0;
    const size_t here = count - first < each ? count - first : each;
    const uint64_t value = course_most(bytes + first, here, &at);
    const int level = most > 0 ? (int)ceil(7.0 * (double)value / (double)most) : 0;
    text[length++] = marks[level < 7 ? level : 7];
  }
  text[length] = '\0';
}

static void write_memory(const struct report_paper *paper, const struct report_memory *memory,
                         const struct report_column *columns, size_t count)
{
  enum { COURSE_WIDTH = 26 };
  struct course_line lines[3];
  const size_t number = course_lines(memory, lines);
  for (size_t i = 0; i < number && memory->count > 0; i++) {
    char course[COURSE_WIDTH + 1];
    size_t at = 0;
    const uint64_t most = course_most(lines[i].bytes, memory->count, &at);
    course_format(course, COURSE_WIDTH, lines[i].bytes, memory->count, most);
    report_row(paper, columns, count,
               (union report_cell[]){{.words = lines[i].name},
                                     {.count = most},
                                     {.value = memory->step * (double)at},
                                     {.count = lines[i].bytes[memory->count - 1]},
                                     {.words = course}});
  }
}

/* bytes: amount at the upper edge, a multiple of `step`. step: distance between two grid lines. */
struct course_scale {
  double seconds, bytes, step;
};

static double height_of(double bytes, const struct course_scale *scale)
{
  return HEIGHT * (1 - (scale->bytes > 0 ? bytes / scale->bytes : 0)) + TOP;
}

static void draw_amounts(FILE *out, const struct course_scale *scale)
{
  for (int i = 0; scale->step * i <= scale->bytes * (1 + 1e-9); i++) {
    const double bytes = scale->step * i;
    char word[REPORT_WORD];
    const double y = height_of(bytes, scale);
    report_format_amount(word, REPORT_BY_BYTES, bytes);
    fprintf(out,
            "<path stroke=\"#e4e9ee\" d=\"M%d %.1fh%d\"/><text class=\"amount-tick\" x=\"%d\" "
            "y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            MARGIN, y, WIDTH, MARGIN - 6, y + 4, word);
  }
}

/* Draws a line as a step function, with one level for each step of the run. */
static void draw_course(FILE *out, const struct report_memory *memory,
                        const struct course_line *line, const struct course_scale *scale,
                        const char *colour)
{
  double before = -1;
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" d=\"", colour);
  for (size_t i = 0; i < memory->count; i++) {
    const double y = height_of((double)line->bytes[i], scale);
    const double x = place_of(memory->step * (double)i, scale->seconds);
    if (i == 0)
      fprintf(out, "M%.1f %.1f", x, y);
    else if (y != before)
      fprintf(out, "H%.1fV%.1f", x, y);
    before = y;
  }
  fprintf(out, "H%.1f\"><title>", place_of(memory->step * (double)memory->count, scale->seconds));
  report_escape(out, line->name);
  fputs("</title></path>\n", out);
}

static const char *colour_of_line(size_t number)
{
  static const char *const colours[] = {"#2166ac", "#b2182b", "#1b7837", "#762a83",
                                        "#e08214", "#35978f", "#4393c3", "#d6604d"};
  return colours[number % COUNT(colours)];
}

/* Only the first lines have a legend, because further lines reuse their colours. */
static void draw_line_name(FILE *out, const char *name, size_t number)
{
  enum { NAMED = 8 };
  if (number >= NAMED)
    return;
  fprintf(out,
          "<span><svg width=\"14\" height=\"14\"><path style=\"stroke-width:2\" stroke=\"%s\" "
          "d=\"M0 7h14\"/></svg> ",
          colour_of_line(number));
  report_escape(out, name);
  fputs("</span> ", out);
}

static bool is_of(const struct report_memory *memory, const char *of, const char *together)
{
  return strcmp(memory->of, of) == 0 || strcmp(memory->of, together) == 0;
}

/* Draws the same rows that the table has. */
static void draw_courses(const struct report_paper *paper, const struct report_profile *profile,
                         const char *of, const char *together)
{
  enum { LINES = 4 };
  const struct report_memory *rows = REPORT_ROWS(profile->memory, struct report_memory);
  const size_t count = report_shown(paper, profile->memory.count);
  struct course_scale scale = {.seconds = profile->wall};
  struct course_line lines[3];
  size_t drawn = 0, at = 0;
  for (size_t i = 0; i < count; i++)
    if (is_of(&rows[i], of, together))
      scale.bytes = fmax(scale.bytes, (double)course_most(rows[i].most, rows[i].count, &at));
  if (scale.bytes <= 0)
    return;
  scale.step = fmax(1, report_round_up(REPORT_BY_BYTES, scale.bytes / LINES));
  scale.bytes = scale.step * ceil(scale.bytes / scale.step * (1 - 1e-9));
  fprintf(paper->out, "<p>%s</p>\n",
          strcmp(of, "node") == 0 ? "handed out of nodes" : "of objects, by process");
  picture_begin(paper->out, HEIGHT + TOP, scale.seconds, of);
  draw_amounts(paper->out, &scale);
  for (size_t i = 0; i < count; i++) {
    const size_t number = is_of(&rows[i], of, together) ? course_lines(&rows[i], lines) : 0;
    for (size_t line = 0; line < number; line++)
      draw_course(paper->out, &rows[i], &lines[line], &scale, colour_of_line(drawn++));
  }
  fputs("</svg>\n<p class=\"legend\">", paper->out);
  drawn = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t number = is_of(&rows[i], of, together) ? course_lines(&rows[i], lines) : 0;
    for (size_t line = 0; line < number; line++)
      draw_line_name(paper->out, lines[line].name, drawn++);
  }
  fputs("</p>\n", paper->out);
}

void report_write_memory(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {{"memory of", REPORT_WORDS, 20},
                                                 {"most", REPORT_BYTES, 9},
                                                 {"at", REPORT_SECONDS, 9},
                                                 {"at the end", REPORT_BYTES, 10},
                                                 {"in the course of the run", REPORT_WORDS, 26}};
  const size_t all = profile->memory.count, shown = report_shown(paper, all);
  const size_t count = paper->page ? COUNT(columns) - 1 : COUNT(columns);
  if (all == 0)
    return;
  report_section(paper, "memory", "memory in the course of the run");
  report_text(paper,
              "For a process: the memory of its objects. For a node: the memory that Causeway has "
              "handed out, sampled by the node's first process when it allocates or frees memory, "
              "and after barriers, collectives and longer calls.");
  if (paper->page) {
    fputs("<div class=\"course\" id=\"picture-memory\">\n", paper->out);
    draw_courses(paper, profile, "process", "processes");
    draw_courses(paper, profile, "node", "nodes");
    fputs("</div>\n", paper->out);
  }
  report_table(paper, NULL, columns, count);
  for (size_t i = 0; i < shown; i++)
    write_memory(paper, REPORT_ROWS(profile->memory, struct report_memory) + i, columns, count);
  report_table_end(paper);
  report_more(paper, all, "in the order of the file");
}
