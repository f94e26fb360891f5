/* Lines of a page, numbers formatted as words, messages, and memory, for all files of cw-top. */
#include "cw-top.h"

#include "base/reserve.h"
#include "base/scaled.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Messages and memory ---------------------------------------------------------------------- */

static void print_message(const char *format, va_list arguments)
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
  print_message(format, arguments);
  va_end(arguments);
  return TOP_FAILED;
}

int top_misuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
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

const char *top_amount(double count)
{
  static const char units[][3] = {"", " k", " M", " G", " T"};
  char *text = next_text();
  int unit = 0;
  for (; count >= 999.5 && unit < 4; unit++)
    count /= 1000;
  snprintf(text, SIZE, "%.*f%s", unit > 0 && count < 100, count, units[unit]);
  return text;
}

const char *top_bytes(double bytes)
{
  char *text = next_text();
  const char *unit = cwi_scaled_bytes(&bytes);
  snprintf(text, SIZE, "%.*f %s", unit[1] != '\0' && bytes < 100, bytes, unit);
  return text;
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
