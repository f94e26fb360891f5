/* Lines of a page, numbers formatted as words, messages, and memory, for all files of cw-top. */
#include "cw-top.h"

#include "base/reserve.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Messages and memory ---------------------------------------------------------------------- */

static void say(const char *format, va_list arguments)
{
  fflush(stdout);
  fprintf(stderr, "cw-top: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
}

int top_failed(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  return TOP_FAILED;
}

int top_misuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  return TOP_MISUSE;
}

void *top_allocate(size_t count, size_t size)
{
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL)
    exit(top_failed("there is no memory for %zu rows", count));
  return memory;
}

void *top_add(struct top_list *list, size_t size)
{
  if (!CWI_RESERVE_BYTES(list->rows, size, list->count, list->capacity, 16))
    exit(top_failed("there is no memory for %zu rows", list->count + 1));
  return memset((char *)list->rows + size * list->count++, 0, size);
}

/* --- Lines ------------------------------------------------------------------------------------ */

void top_write(struct top_page *page, enum top_style style, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const size_t length = strnlen(text, page->width);
  text[length < sizeof text ? length : sizeof text - 1] = '\0';
  for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--)
    text[end - 1] = '\0';
  struct top_line *line = top_add(&page->lines, sizeof *line);
  line->text = top_allocate(strlen(text) + 1, 1);
  memcpy(line->text, text, strlen(text));
  line->style = style;
}

void top_page_free(struct top_page *page)
{
  struct top_line *lines = page->lines.rows;
  for (size_t i = 0; i < page->lines.count; i++)
    free(lines[i].text);
  free(lines);
  free(page->processes.rows);
  page->lines = page->processes = (struct top_list){0};
}

/* --- Figures ---------------------------------------------------------------------------------- */

enum { SIZE = 32 };

static char *next_text(void)
{
  enum { TEXTS = 8 };
  static char texts[TEXTS][SIZE];
  static unsigned next;
  return texts[next++ % TEXTS];
}

static const char *scaled(double value, double step, const char *const *units, int most)
{
  char *text = next_text();
  int unit = 0;
  for (; value >= 0.9995 * step && unit < most; unit++)
    value /= step;
  snprintf(text, SIZE, unit > 0 && value < 100 ? "%.1f%s" : "%.0f%s", value, units[unit]);
  return text;
}

const char *top_amount(double count)
{
  static const char *const units[] = {"", " k", " M", " G", " T"};
  return scaled(count, 1000, units, 4);
}

const char *top_bytes(double bytes)
{
  static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  return scaled(bytes, 1024, units, 5);
}

const char *top_seconds(double seconds)
{
  enum { MINUTE = 60, HOUR = 3600 };
  char *text = next_text();
  const long whole = seconds > 0 && seconds < 1e12 ? (long)seconds : 0;
  if (whole < MINUTE)
    snprintf(text, SIZE, "%.1f s", seconds > 0 ? seconds : 0);
  else if (whole < HOUR)
    snprintf(text, SIZE, "%ld:%02ld", whole / MINUTE, whole % MINUTE);
  else
    snprintf(text, SIZE, "%ld:%02ld:%02ld", whole / HOUR, whole / MINUTE % MINUTE, whole % MINUTE);
  return text;
}

const char *top_share(double share)
{
  char *text = next_text();
  snprintf(text, SIZE, "%.0f %%", 100 * share);
  return text;
}
