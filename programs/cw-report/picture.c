/* Draws SVG pictures on a page: a matrix as a heat map, and where each process spent its time. All
 * cells of one shade are a single path, so that even 256 x 256 cells stay small. */
#include "cw-report.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 640, MARGIN = 56 };

const char *const report_measure_words[REPORT_MEASURES] = {"bytes", "operations", "time"};

/* --- The heat map ----------------------------------------------------------------------------- */

/* Draws the cells of one shade. Neighbouring cells of a row become one stroke. */
static void draw_shade(FILE *out, size_t rows, size_t columns, const double *value,
                       const struct report_scale *scale, int shade)
{
  bool begun = false;
  for (size_t row = 0; row < rows; row++)
    for (size_t column = 0, end; column < columns; column = end) {
      const double *at = value + row * columns;
      for (end = column; end < columns && report_shade_of(scale, at[end]) == shade;)
        end++;
      if (end == column) {
        end++;
        continue;
      }
      if (!begun)
        fprintf(out, "<path class=\"s%d\" d=\"", shade);
      begun = true;
      fprintf(out, "M%zu %zuh%zu", column, row, end - column);
    }
  fputs(begun ? "\"/>\n" : "", out);
}

void report_draw_cells(FILE *out, size_t rows, size_t columns, const double *value, int measure)
{
  const struct report_scale scale = report_scale_of(value, rows * columns, measure);
  fprintf(out, "<g class=\"%s\">\n", report_measure_words[measure]);
  for (int shade = 1; shade <= REPORT_SHADES; shade++)
    draw_shade(out, rows, columns, value, &scale, shade);
  fputs("</g>\n", out);
}

void report_draw_choice(FILE *out, const char *map, int measures)
{
  for (int measure = 0; measure < measures; measure++)
    fprintf(out,
            "<input type=\"radio\" name=\"%1$s\" id=\"%1$s-%2$s\" class=\"to-%2$s\"%3$s/>"
            "<label for=\"%1$s-%2$s\">%2$s</label>\n",
            map, report_measure_words[measure], measure == 0 ? " checked=\"checked\"" : "");
}

void report_draw_legend(FILE *out, const double *value, size_t count, int measure)
{
  const struct report_scale scale = report_scale_of(value, count, measure);
  const int first = scale.is_even ? REPORT_EVEN_SHADE : 1;
  const int last = scale.is_even ? REPORT_EVEN_SHADE : scale.shades;
  fprintf(out, "<p class=\"legend %s\">", report_measure_words[measure]);
  if (scale.most <= 0)
    fputs("nothing", out);
  for (int shade = first; shade <= last && scale.most > 0; shade++) {
    char words[2 * REPORT_WORD + 16];
    report_describe_shade(words, &scale, measure, shade);
    fprintf(out,
            "<span><svg width=\"14\" height=\"14\"><path class=\"s%d\" d=\"M0 7h14\"/></svg> "
            "%s</span> ",
            shade, words);
  }
  fputs("</p>\n", out);
}

/* Writes the first process or node of some cells along both axes. */
static void draw_axes(FILE *out, const struct report_matrix *matrix, double pixels,
                      const char *noun)
{
  const size_t step = (matrix->cells + 7) / 8;
  for (size_t cell = 0; cell < matrix->cells; cell += step) {
    const double at = MARGIN + pixels * ((double)cell + 0.5);
    fprintf(out,
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%zu</text>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%zu</text>\n",
            at, MARGIN - 6, cell * matrix->each, MARGIN - 6, at + 4, cell * matrix->each);
  }
  fprintf(out,
          "<text x=\"%d\" y=\"14\">target %s</text>"
          "<text x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" text-anchor=\"end\">origin "
          "%s</text>\n",
          MARGIN, noun, MARGIN, MARGIN, noun);
}

/* Writes the values of the cells for the script of the page. Large matrices have three significant
 * digits, to keep the page small. */
static void write_values(FILE *out, const struct report_matrix *matrix, const char *noun,
                         int measures)
{
  fprintf(out,
          "<script type=\"application/json\" class=\"cells\">{\"noun\":\"%s\",\"members\":%zu,"
          "\"cells\":%zu,\"each\":%zu",
          noun, matrix->members, matrix->cells, matrix->each);
  for (int measure = 0; measure < measures; measure++) {
    fprintf(out, ",\"%s\":[", report_measure_words[measure]);
    for (size_t i = 0; i < matrix->cells * matrix->cells; i++) {
      const double value = matrix->value[measure][i];
      fputs(i > 0 ? "," : "", out);
      if (matrix->cells <= 64 || value < 1000)
        fprintf(out, matrix->cells <= 64 ? "%.17g" : "%.3g", value);
      else
        fprintf(out, "%.0fe%d", value / pow(10, floor(log10(value)) - 2),
                (int)floor(log10(value)) - 2);
    }
    fputc(']', out);
  }
  fputs("}</script>\n", out);
}

void report_draw_matrix(const struct report_paper *paper, const struct report_matrix *matrix,
                        const char *noun)
{
  FILE *const out = paper->out;
  const double pixels = fmin(48, (double)WIDTH / (double)matrix->cells);
  const double side = pixels * (double)matrix->cells;
  fprintf(out, "<div class=\"map\" id=\"map-%s\">\n", noun);
  report_draw_choice(out, noun, REPORT_MEASURES);
  fprintf(out,
          "<svg width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-label=\"communication of each %s "
          "with each\">\n",
          MARGIN + side + 2, MARGIN + side + 2, noun);
  draw_axes(out, matrix, pixels, noun);
  fprintf(out,
          "<rect class=\"field\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>"
          "<g transform=\"translate(%d %d) scale(%.6g) translate(0 .5)\">\n",
          MARGIN, MARGIN, side, side, MARGIN, MARGIN, pixels);
  for (int measure = 0; measure < REPORT_MEASURES; measure++)
    report_draw_cells(out, matrix->cells, matrix->cells, matrix->value[measure], measure);
  fputs("</g></svg>\n", out);
  for (int measure = 0; measure < REPORT_MEASURES; measure++)
    report_draw_legend(out, matrix->value[measure], matrix->cells * matrix->cells, measure);
  fputs("<output class=\"cell\"></output>\n", out);
  write_values(out, matrix, noun, REPORT_MEASURES);
  fputs("</div>\n", out);
}

/* --- Time of each process --------------------------------------------------------------------- */

/* Adds up the seconds of `each` processes, beginning at index `first`. seconds[0] receives those in
 * the program, seconds[1 + number] those in each class. Returns the time of all their threads. */
static double add_up(const struct report_profile *profile, size_t first, size_t each,
                     double seconds[REPORT_CLASSES + 1])
{
  double all = 0;
  for (int i = 0; i <= REPORT_CLASSES; i++)
    seconds[i] = 0;
  for (size_t i = first; i < first + each && i < profile->per_process.count; i++) {
    const struct report_process *process =
        REPORT_ROWS(profile->per_process, struct report_process) + i;
    const struct report_shares shares = report_shares_of(profile, process);
    all += shares.all;
    seconds[0] += shares.program;
    for (int number = 0; number < profile->class_count; number++)
      if (!report_is_task(profile->class_names[number]))
        seconds[number + 1] += process->seconds[number];
  }
  return all;
}

/* Classes that wait have warm colours, the others cool ones; the program is grey. */
const char *report_colour_of(const struct report_profile *profile, int number)
{
  static const char *const warm[] = {"#b2182b", "#d6604d", "#f4a582", "#e08214", "#fdb863"};
  static const char *const cool[] = {"#2166ac", "#4393c3", "#92c5de", "#762a83", "#9970ab",
                                     "#1b7837", "#5aae61", "#35978f", "#01665e", "#c2a5cf",
                                     "#54278f", "#08306b", "#6baed6", "#a6dba0"};
  if (number < 0)
    return "#d0d4d8";
  int before = 0;
  const bool wait = report_is_wait(profile->class_names[number]);
  for (int i = 0; i < number; i++)
    before += report_is_wait(profile->class_names[i]) == wait;
  return wait ? warm[before % 5] : cool[before % 14];
}

/* Draws one part of all bars as a path with a title, which a browser shows under the pointer.
 * Returns false if no bar has this part. */
static bool draw_part(FILE *out, const struct report_profile *profile, size_t each, int part)
{
  bool begun = false;
  for (size_t first = 0; first < profile->per_process.count; first += each) {
    double seconds[REPORT_CLASSES + 1], before = 0;
    const double all = add_up(profile, first, each, seconds);
    for (int i = 0; i < part; i++)
      before += seconds[i];
    if (all <= 0 || seconds[part] / all < 0.0005)
      continue;
    if (!begun)
      fprintf(out, "<path stroke=\"%s\" d=\"", report_colour_of(profile, part - 1));
    begun = true;
    fprintf(out, "M%.4f %zuh%.4f", fmin(before / all, 1), first / each,
            fmin(seconds[part] / all, 1 - fmin(before / all, 1)));
  }
  if (begun) {
    fputs("\"><title>", out);
    report_escape(out, part > 0 ? profile->class_names[part - 1] : "the program");
    fputs("</title></path>\n", out);
  }
  return begun;
}

void report_draw_processes(const struct report_paper *paper, const struct report_profile *profile)
{
  enum { MOST_BARS = 256 };
  FILE *const out = paper->out;
  const size_t count = profile->per_process.count;
  const size_t each = (count + MOST_BARS - 1) / MOST_BARS;
  if (count == 0)
    return;
  const size_t bars = (count + each - 1) / each, step = (bars + 15) / 16;
  const double pixels = fmin(18, fmax(2, (double)WIDTH / (double)bars));
  bool drawn[REPORT_CLASSES + 1] = {false};
  if (each > 1)
    report_text(paper, "Each bar is %zu processes.", each);
  fprintf(out,
          "<svg class=\"bars\" width=\"%d\" height=\"%.0f\" role=\"img\" aria-label=\"where each "
          "process spent its time\">\n",
          MARGIN + WIDTH, pixels * (double)bars + 12);
  for (size_t bar = 0; bar < bars; bar += step)
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", MARGIN - 6,
            pixels * ((double)bar + 0.5) + 6,
            REPORT_ROWS(profile->per_process, struct report_process)[bar * each].process);
  fprintf(out, "<g transform=\"translate(%d 2) scale(%d %.6g) translate(0 .5)\">\n", MARGIN, WIDTH,
          pixels);
  for (int part = 0; part <= profile->class_count; part++)
    drawn[part] = draw_part(out, profile, each, part);
  fputs("</g></svg>\n<p class=\"legend\">", out);
  for (int part = 0; part <= profile->class_count; part++)
    if (drawn[part]) {
      fprintf(out,
              "<span><svg width=\"14\" height=\"14\"><path stroke=\"%s\" d=\"M0 7h14\"/></svg> ",
              report_colour_of(profile, part - 1));
      report_escape(out, part > 0 ? profile->class_names[part - 1] : "the program");
      fputs("</span> ", out);
    }
  fputs("</p>\n", out);
}
