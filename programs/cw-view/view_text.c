/* Draws in characters: a heat map, with two characters or half a coloured character for each cell,
 * or a curve. Lines mark the boundaries of blocks. */
#include "view.h"

#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  LEVELS = 7,
  TEXT_LINES = 15, /* most lines that are drawn along a dimension */
  LABEL = 11,      /* characters before a curve, for its labels */
  CURVE_HEIGHT = 15
};

/* --- Paper ------------------------------------------------------------------------------------ */

struct view_paper view_find_paper(const char *characters)
{
  enum { WIDTH = 80, HEIGHT = 40, LEAST_WIDTH = 30, LEAST_HEIGHT = 8, TEXT_AROUND = 6 };
  struct view_paper paper = {WIDTH, HEIGHT, false};
  struct winsize window;
  const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
  const bool shown = isatty(STDOUT_FILENO) != 0;
  if (shown && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    paper.width = window.ws_col > LEAST_WIDTH ? window.ws_col : LEAST_WIDTH;
    paper.height =
        window.ws_row > LEAST_HEIGHT + TEXT_AROUND ? window.ws_row - TEXT_AROUND : LEAST_HEIGHT;
  }
  if (characters != NULL)
    paper.blocks = strcmp(characters, "blocks") == 0;
  else
    paper.blocks = shown && strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && terminal != NULL &&
                   strcmp(terminal, "dumb") != 0 && (plain == NULL || plain[0] == '\0');
  return paper;
}

static int digits(uint64_t number)
{
  return snprintf(NULL, 0, "%llu", (unsigned long long)number);
}

static uint64_t at_least_one(int64_t number)
{
  return number > 1 ? (uint64_t)number : 1;
}

static int64_t lines_to_show(const struct view_lines *lines)
{
  return lines->count <= TEXT_LINES ? (int64_t)lines->count : 0;
}

struct view_limits view_text_limits(const struct view_array *array, const struct view_paper *paper)
{
  const int64_t beside = lines_to_show(&array->column_lines),
                between = lines_to_show(&array->row_lines);
  if (array->dimensions == 1)
    return (struct view_limits){1, at_least_one(paper->width - LABEL - beside), false, false};
  const int64_t columns = paper->width - digits(array->rows - 1) - 1 - beside;
  const int64_t rows = paper->height - between;
  struct view_limits limits = {at_least_one(rows), at_least_one(columns / 2), true, false};
  if (paper->blocks) { /* a block with an odd number of rows wastes half a line */
    limits.rows = at_least_one(2 * rows - between);
    limits.columns = at_least_one(columns);
  }
  return limits;
}

/* --- Lines of text ---------------------------------------------------------------------------- */

struct line {
  char text[1 << 16];
  size_t length;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *line, const char *format, ...)
{
  va_list arguments;
  const size_t space = sizeof line->text - line->length;
  va_start(arguments, format);
  const int length = vsnprintf(line->text + line->length, space, format, arguments);
  va_end(arguments);
  if (length > 0)
    line->length += (size_t)length < space ? (size_t)length : space - 1;
}

static void end_line(struct line *line)
{
  while (line->length > 0 && line->text[line->length - 1] == ' ')
    line->length--;
  printf("%.*s\n", (int)line->length, line->text);
  line->length = 0;
}

/* --- Cells ------------------------------------------------------------------------------------ */

static const char shades[LEVELS + 1] = ".:;o*#@";
static const char non_finite_mark = '!';
static const double blank_part = 0.01;

/* Colour numbers of a terminal with 256 colours, from nearly white to dark. */
static const int reds[LEVELS] = {224, 217, 210, 203, 196, 160, 88};
static const int blues[LEVELS] = {189, 147, 105, 63, 21, 19, 17};
static const int browns[LEVELS] = {229, 222, 215, 208, 166, 124, 52};
enum { WHITE = 231, GREEN = 40 };

struct drawing {
  const struct view_cells *cells;
  const struct view_paper *paper;
  struct view_scale scale;
  uint64_t row_edges[VIEW_MOST_LINES], column_edges[VIEW_MOST_LINES];
  size_t row_count, column_count;
  int margin;
  struct line line;
};

/* Returns the level of a value from 0 to LEVELS - 1, or -1 for a blank. On a scale that begins at
 * 0, values that are nearly 0 are blank, too. */
static int level_of(const struct view_scale *scale, double value)
{
  if (value == 0 || (scale->low == 0 && fabs(value) <= blank_part * scale->high))
    return -1;
  const int level = (int)ceil(view_place(scale, value) * LEVELS) - 1;
  return level > 0 ? level : 0;
}

static int colour_of(const struct drawing *drawing, uint64_t cell)
{
  const double value = drawing->cells->value[cell];
  if (drawing->cells->non_finite[cell])
    return GREEN;
  const int level = level_of(&drawing->scale, value);
  if (level < 0)
    return WHITE;
  if (drawing->scale.log)
    return browns[level];
  return value < 0 ? blues[level] : reds[level];
}

static void add_shade(struct drawing *drawing, uint64_t cell)
{
  const double value = drawing->cells->value[cell];
  const int level = level_of(&drawing->scale, value);
  if (drawing->cells->non_finite[cell])
    add(&drawing->line, "%c%c", non_finite_mark, non_finite_mark);
  else if (level < 0)
    add(&drawing->line, "  ");
  else
    add(&drawing->line, "%c%c", value < 0 ? '-' : shades[level], shades[level]);
}

/* Draws two cells in one character, or only the upper one if `two` is false. */
static void add_half_blocks(struct drawing *drawing, uint64_t upper, bool two)
{
  if (two)
    add(&drawing->line, "\033[38;5;%d;48;5;%dm\342\226\200", colour_of(drawing, upper),
        colour_of(drawing, upper + drawing->cells->columns));
  else
    add(&drawing->line, "\033[38;5;%d;49m\342\226\200", colour_of(drawing, upper));
}

/* Draws a line of text: one row of cells, or two rows as half blocks. */
static void draw_rows(struct drawing *drawing, uint64_t row, bool two)
{
  const uint64_t columns = drawing->cells->columns;
  add(&drawing->line, "%*llu ", drawing->margin - 1,
      (unsigned long long)(row * drawing->cells->height));
  for (uint64_t column = 0, edge = 0; column < columns; column++) {
    if (edge < drawing->column_count && drawing->column_edges[edge] == column) {
      add(&drawing->line, "%s", drawing->paper->blocks ? "\033[0m\342\224\202" : "|");
      edge++;
    }
    if (drawing->paper->blocks)
      add_half_blocks(drawing, row * columns + column, two);
    else
      add_shade(drawing, row * columns + column);
  }
  if (drawing->paper->blocks)
    add(&drawing->line, "\033[0m");
  end_line(&drawing->line);
}

static void draw_row_edge(struct drawing *drawing)
{
  const bool blocks = drawing->paper->blocks;
  add(&drawing->line, "%*s", drawing->margin, "");
  for (uint64_t column = 0, edge = 0; column < drawing->cells->columns; column++) {
    if (edge < drawing->column_count && drawing->column_edges[edge] == column) {
      add(&drawing->line, "%s", blocks ? "\342\224\274" : "+");
      edge++;
    }
    add(&drawing->line, "%s", blocks ? "\342\224\200" : "--");
  }
  end_line(&drawing->line);
}

/* Writes the first and last index of the columns below the picture. */
static void draw_columns(struct drawing *drawing, uint64_t columns, uint64_t characters)
{
  const int last = digits(columns - 1);
  add(&drawing->line, "%*s0", drawing->margin, "");
  if (characters > (uint64_t)last + 1)
    add(&drawing->line, "%*llu", (int)characters - 1, (unsigned long long)columns - 1);
  end_line(&drawing->line);
}

/* Returns the number of digits that are needed for neighbouring levels to differ. */
static int scale_digits(const struct view_scale *scale)
{
  enum { USUAL = 3, MOST = 9 };
  if (scale->log || scale->low <= 0 || scale->low == scale->high)
    return USUAL;
  const int more = (int)ceil(log10(scale->high / (scale->high - scale->low)));
  return USUAL + more < MOST ? USUAL + more : MOST;
}

static void add_level(struct drawing *drawing, int level)
{
  const struct view_scale *scale = &drawing->scale;
  const double part = (level + 1.0) / LEVELS;
  const double value = scale->log ? scale->low * pow(scale->high / scale->low, part)
                                  : scale->low * (1 - part) + scale->high * part;
  const int *colours = scale->log ? browns : scale->positive ? reds : blues;
  if (drawing->paper->blocks)
    add(&drawing->line, " \033[48;5;%dm  \033[0m", colours[level]);
  else
    add(&drawing->line, " %c", shades[level]);
  add(&drawing->line, " %.*g", scale_digits(scale), value);
}

static void draw_scale(struct drawing *drawing)
{
  const struct view_scale *scale = &drawing->scale;
  struct line *line = &drawing->line;
  if (scale->high > 0 && scale->low == 0)
    add(line, "blank %.3g", scale->high * blank_part);
  else if (scale->high > 0 && scale->low < scale->high)
    add(line, "from %.*g to", scale_digits(scale), scale->low);
  else if (scale->high > 0)
    add(line, "all");
  for (int level = scale->low < scale->high ? 0 : LEVELS - 1; level < LEVELS; level++)
    if (scale->high > 0)
      add_level(drawing, level);
  if (scale->negative)
    add(line, "%s", drawing->paper->blocks ? "; blue: negative" : "; -: negative");
  if (scale->high > 0)
    end_line(line);
  if (drawing->cells->not_finite > 0)
    printf("%s: not finite\n", drawing->paper->blocks ? "green" : "!");
}

static void draw_map(struct drawing *drawing, const struct view_array *array)
{
  const uint64_t rows = drawing->cells->rows, columns = drawing->cells->columns;
  size_t edge = 0;
  drawing->margin = digits(array->rows - 1) + 1;
  drawing->scale = view_find_scale(drawing->cells);
  for (uint64_t row = 0; row < rows;) {
    if (edge < drawing->row_count && drawing->row_edges[edge] == row) {
      draw_row_edge(drawing);
      edge++;
    }
    const uint64_t end = edge < drawing->row_count ? drawing->row_edges[edge] : rows;
    const bool two = drawing->paper->blocks && row + 1 < end;
    draw_rows(drawing, row, two);
    row += two ? 2 : 1;
  }
  draw_columns(drawing, array->columns,
               columns * (drawing->paper->blocks ? 1 : 2) + drawing->column_count);
  draw_scale(drawing);
}

/* --- A curve ---------------------------------------------------------------------------------- */

struct curve {
  double low, high;
  bool log;
};

static struct curve find_curve(const struct view_cells *cells)
{
  struct curve curve = {INFINITY, -INFINITY, cells->log};
  for (uint64_t i = 0; i < cells->columns; i++) {
    curve.low = fmin(curve.low, cells->least[i]);
    curve.high = fmax(curve.high, cells->value[i]);
  }
  return curve;
}

/* Returns the line of a value, counted from 0 at the bottom. */
static int line_of(const struct curve *curve, double value)
{
  if (curve->low == curve->high)
    return CURVE_HEIGHT / 2;
  const double place = curve->log
                           ? log(value / curve->low) / log(curve->high / curve->low)
                           : (value / 2 - curve->low / 2) / (curve->high / 2 - curve->low / 2);
  return (int)lround(place * (CURVE_HEIGHT - 1));
}

static char curve_mark(const struct view_cells *cells, const struct curve *curve, uint64_t column,
                       int line)
{
  const bool zero = !curve->log && curve->low < 0 && curve->high > 0 && line == line_of(curve, 0);
  if (line == 0 && cells->non_finite[column])
    return non_finite_mark;
  if (cells->least[column] <= cells->value[column] &&
      line_of(curve, cells->least[column]) <= line && line <= line_of(curve, cells->value[column]))
    return '*';
  return zero ? '-' : ' ';
}

static void draw_curve(struct drawing *drawing, const struct view_array *array)
{
  const struct view_cells *cells = drawing->cells;
  const struct curve curve = find_curve(cells);
  const bool flat = curve.low == curve.high;
  drawing->margin = LABEL;
  for (int line = CURVE_HEIGHT - 1; line >= 0; line--) {
    if (curve.low <= curve.high && line == line_of(&curve, curve.high))
      add(&drawing->line, "%*.4g ", LABEL - 1, curve.high);
    else if (curve.low <= curve.high && !flat && line == 0)
      add(&drawing->line, "%*.4g ", LABEL - 1, curve.low);
    else
      add(&drawing->line, "%*s", LABEL, "");
    for (uint64_t column = 0, edge = 0; column < cells->columns; column++) {
      if (edge < drawing->column_count && drawing->column_edges[edge] == column) {
        add(&drawing->line, "|");
        edge++;
      }
      add(&drawing->line, "%c", curve_mark(cells, &curve, column, line));
    }
    end_line(&drawing->line);
  }
  draw_columns(drawing, array->columns, cells->columns + drawing->column_count);
  if (cells->not_finite > 0)
    printf("!: not finite\n");
}

int view_print(const struct view_array *array, const struct view_cells *cells,
               const struct view_paper *paper)
{
  char words[VIEW_WORDS];
  struct drawing *drawing = calloc(1, sizeof *drawing);
  if (drawing == NULL)
    return view_failed("no memory for a line of text");
  drawing->cells = cells;
  drawing->paper = paper;
  drawing->row_count =
      view_edges(&array->row_lines, TEXT_LINES, cells->height, cells->rows, drawing->row_edges);
  drawing->column_count = view_edges(&array->column_lines, TEXT_LINES, cells->width, cells->columns,
                                     drawing->column_edges);
  view_print_array(array, words);
  printf("%s%s%s\n", words, array->distribution[0] != '\0' ? ", " : "", array->distribution);
  view_print_values(cells, words);
  printf("%s\n", words);
  if (array->row_lines.count > TEXT_LINES || array->column_lines.count > TEXT_LINES)
    printf("(more than %d blocks along a dimension are not outlined)\n", TEXT_LINES + 1);
  if (cells->curve)
    draw_curve(drawing, array);
  else
    draw_map(drawing, array);
  free(drawing);
  return VIEW_DONE;
}
