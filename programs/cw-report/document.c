/* Writes paragraphs and tables of a report, in 80 columns or on a page. The sections are written
 * once and do not depend on the form. */
#include "cw-report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, BAR = 20 };

/* Returns the length of the UTF-8 character at `at` in bytes, or 1 if the character is cut off. */
static size_t character_bytes(const char *at)
{
  const unsigned char first = (unsigned char)*at;
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  for (size_t i = 1; i < bytes; i++)
    if (((unsigned char)at[i] & 0xc0) != 0x80)
      return 1;
  return bytes;
}

void report_escape(FILE *out, const char *text)
{
  static const struct {
    char mark;
    const char *name;
  } names[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  while (*text != '\0') {
    const size_t bytes = character_bytes(text);
    const char *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
      if (*text == names[i].mark)
        name = names[i].name;
    if (name != NULL)
      fputs(name, out);
    else if (bytes == 1 && (unsigned char)*text >= 0x80)
      fputc('?', out); /* a byte that belongs to no character */
    else
      fwrite(text, 1, bytes, out);
    text += bytes;
  }
}

/* --- Paragraphs ------------------------------------------------------------------------------- */

void report_section(const struct report_paper *paper, const char *name, const char *title)
{
  *(struct report_fact *)report_add(paper->contents, sizeof(struct report_fact)) =
      (struct report_fact){.name = title, .value = name};
  if (paper->page)
    fprintf(paper->out, "<h2 id=\"%s\">%s</h2>\n", name, title);
  else
    fprintf(paper->out, "\n==== %s\n", title);
}

/* Returns how many bytes of a text fit into `columns`. It breaks the line at a space if there is
 * one, else within the word. */
static size_t paper_fit(const char *text, size_t columns)
{
  size_t at = 0, taken = 0, space = 0;
  while (text[at] != '\0') {
    if (taken == columns)
      return space > 0 ? space : at;
    if (text[at] == ' ')
      space = at;
    for (at++; ((unsigned char)text[at] & 0xc0) == 0x80;)
      at++;
    taken++;
  }
  return at;
}

/* Writes a text in lines. All lines but the first begin with `lead` spaces. The caller has already
 * written what precedes the first line. */
static void paper_wrap(FILE *out, const char *text, size_t lead)
{
  for (bool first = true; *text != '\0'; first = false) {
    const size_t length = paper_fit(text, COLUMNS - lead);
    fprintf(out, "%*s%.*s\n", first ? 0 : (int)lead, "", (int)length, text);
    for (text += length; *text == ' ';)
      text++;
  }
}

void report_text(const struct report_paper *paper, const char *format, ...)
{
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!paper->page) {
    paper_wrap(paper->out, text, 0);
    return;
  }
  fputs("<p>", paper->out);
  report_escape(paper->out, text);
  fputs("</p>\n", paper->out);
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Formats a cell as words of less than REPORT_WORD bytes. */
static void format_cell(const struct report_column *column, union report_cell cell,
                        char words[REPORT_WORD])
{
  if (column->kind == REPORT_COUNT) {
    snprintf(words, REPORT_WORD, "%llu", (unsigned long long)cell.count);
  } else if (column->kind == REPORT_BYTES) {
    report_format_bytes(words, (double)cell.count);
  } else if (column->kind == REPORT_SECONDS) {
    report_format_seconds(words, cell.value);
  } else if (column->kind == REPORT_SHARE) {
    snprintf(words, REPORT_WORD, cell.value < 10 ? "%.1f %%" : "%.0e %%", 100 * cell.value);
  } else if (column->kind == REPORT_BAR) {
    const int length = (int)(BAR * fmax(0, fmin(cell.value, 1)) + 0.5);
    snprintf(words, REPORT_WORD, "%.*s", length, "####################");
  } else {
    snprintf(words, REPORT_WORD, "%s", cell.words);
  }
}

static const char *page_class(const struct report_column *column)
{
  return column->kind == REPORT_WORDS ? " class=\"w\""
         : column->kind == REPORT_BAR ? " class=\"b\""
                                      : "";
}

static void page_head(FILE *out, const char *caption, const struct report_column *columns,
                      size_t count)
{
  fputs("<div class=\"wide\"><table>", out);
  if (caption != NULL) {
    fputs("<caption>", out);
    report_escape(out, caption);
    fputs("</caption>", out);
  }
  fputs("<thead><tr>", out);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "<th%s scope=\"col\">", page_class(&columns[i]));
    report_escape(out, columns[i].title);
    fputs("</th>", out);
  }
  fputs("</tr></thead><tbody>\n", out);
}

static void text_head(FILE *out, const char *caption, const struct report_column *columns,
                      size_t count)
{
  if (caption != NULL)
    paper_wrap(out, caption, 0);
  size_t padding = 2; /* spaces to write before the next cell; none are left at the end of a line */
  for (size_t i = 0; i < count; i++) {
    if (columns[i].width == 0 || columns[i].kind == REPORT_BAR)
      continue;
    const size_t width = (size_t)columns[i].width, length = strlen(columns[i].title);
    const size_t unused = width > length ? width - length : 0;
    const bool left = columns[i].kind == REPORT_WORDS;
    fprintf(out, "%*s%s", (int)(padding + (left ? 0 : unused)), "", columns[i].title);
    padding = 1 + (left ? unused : 0);
  }
  fputc('\n', out);
}

void report_table(const struct report_paper *paper, const char *caption,
                  const struct report_column *columns, size_t count)
{
  (paper->page ? page_head : text_head)(paper->out, caption, columns, count);
}

static void page_row(FILE *out, const struct report_column *columns, size_t count,
                     const union report_cell *cells)
{
  fputs("<tr>", out);
  for (size_t i = 0; i < count; i++) {
    const enum report_kind kind = columns[i].kind;
    char words[REPORT_WORD];
    fprintf(out, "<td%s", page_class(&columns[i]));
    if (kind == REPORT_BYTES) /* the script of the page sorts by data-v */
      fprintf(out, " data-v=\"%llu\"", (unsigned long long)cells[i].count);
    else if (kind == REPORT_SECONDS)
      fprintf(out, " data-v=\"%.9g\"", cells[i].value);
    fputc('>', out);
    if (kind == REPORT_WORDS) {
      report_escape(out, cells[i].words);
    } else if (kind == REPORT_BAR) {
      fprintf(out, "<i style=\"width:%.1f%%\"></i>", 100 * fmax(0, fmin(cells[i].value, 1)));
    } else {
      format_cell(&columns[i], cells[i], words);
      report_escape(out, words);
    }
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

/* Writes words aligned to the left, `lead` columns from the margin. Words that are too long for
 * their column are broken: in the first column they take lines of their own, in the last they
 * continue below. In any other column they are cut off. Returns the number of spaces to write
 * before the next cell. */
static size_t text_words(FILE *out, const char *words, size_t width, size_t lead, bool last)
{
  const size_t taken = report_columns(words), first = 2;
  const bool wrapped = taken > width && (lead == first || last);
  if (wrapped)
    paper_wrap(out, words, lead);
  else
    fwrite(words, 1, paper_fit(words, width), out);
  if (wrapped)
    return last ? 0 : first + width;
  return taken < width ? width - taken : 0;
}

static void text_row(FILE *out, const struct report_column *columns, size_t count,
                     const union report_cell *cells)
{
  size_t padding = 2; /* spaces to write before the next cell; none are left at the end of a line */
  size_t lead = 2;
  for (size_t i = 0; i < count; i++) {
    const size_t width = (size_t)columns[i].width;
    char words[REPORT_WORD];
    if (width == 0)
      continue;
    if (columns[i].kind == REPORT_WORDS && cells[i].words[0] == '\0') {
      padding += width + 1;
      lead += width + 1;
      continue;
    }
    if (columns[i].kind == REPORT_WORDS) {
      fprintf(out, "%*s", (int)padding, "");
      const bool last = i + 1 == count;
      padding = 1 + text_words(out, cells[i].words, width, lead, last);
      if (last && padding == 1 && report_columns(cells[i].words) > width)
        return;
      lead += width + 1;
      continue;
    }
    lead += width + 1;
    format_cell(&columns[i], cells[i], words);
    if (columns[i].kind == REPORT_COUNT && strlen(words) > width) /* a page shows all digits */
      snprintf(words, REPORT_WORD, "%.1e", (double)cells[i].count);
    const size_t taken = strlen(words), unused = width > taken ? width - taken : 0;
    const bool left = columns[i].kind == REPORT_BAR;
    if (taken > 0)
      fprintf(out, "%*s%s", (int)(padding + (left ? 1 : unused)), "", words);
    padding = taken > 0 ? 1 : padding + 1 + width;
  }
  fputc('\n', out);
}

void report_row(const struct report_paper *paper, const struct report_column *columns, size_t count,
                const union report_cell *cells)
{
  (paper->page ? page_row : text_row)(paper->out, columns, count, cells);
}

void report_table_end(const struct report_paper *paper)
{
  if (paper->page)
    fputs("</tbody></table></div>\n", paper->out);
}

void report_group(const struct report_paper *paper)
{
  if (paper->page)
    fputs("<div class=\"group\">\n", paper->out);
}

void report_group_end(const struct report_paper *paper)
{
  if (paper->page)
    fputs("</div>\n", paper->out);
}

size_t report_shown(const struct report_paper *paper, size_t all)
{
  return paper->most > 0 && all > paper->most ? paper->most : all;
}

void report_more(const struct report_paper *paper, size_t all, const char *what)
{
  const size_t shown = report_shown(paper, all);
  if (shown < all)
    report_text(paper, "And %zu more, %s (--rows 0 shows all).", all - shown, what);
}
