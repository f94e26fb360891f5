/* Labels, scales and edges of blocks that both pictures of cw-view share, and the messages. */
#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* --- Texts ------------------------------------------------------------------------------------ */

/* Returns the length of a UTF-8 character in bytes, or 0 if it is invalid or a control
 * character. */
static size_t character_bytes(const unsigned char *at)
{
  if (at[0] < 0x80)
    return at[0] >= 0x20 && at[0] != 0x7f;
  const size_t bytes = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || (at[0] == 0xc2 && at[1] < 0xa0))
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
      (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
    return 0;
  return bytes;
}

void view_clean(const char *text, char *clean, size_t size)
{
  size_t length = 0;
  while (*text != '\0') {
    const size_t bytes = character_bytes((const unsigned char *)text);
    const size_t kept = bytes > 0 ? bytes : 1;
    if (length + kept >= size)
      break;
    memcpy(clean + length, bytes > 0 ? text : "?", kept);
    length += kept;
    text += kept;
  }
  clean[length] = '\0';
}

static void print_message(const char *format, va_list arguments)
{
  char raw[2000], clean[2000];
  vsnprintf(raw, sizeof raw, format, arguments);
  view_clean(raw, clean, sizeof clean);
  fflush(stdout);
  fprintf(stderr, "cw-view: %s\n", clean);
}

int view_failed(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
  return VIEW_FAILED;
}

int view_misuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
  return VIEW_MISUSE;
}

void view_note(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_message(format, arguments);
  va_end(arguments);
}

void view_write_extents(int dimensions, const hsize_t *extents, char *text, size_t size)
{
  size_t length = 0;
  text[0] = '\0';
  for (int d = 0; d < dimensions && length < size; d++)
    length += (size_t)snprintf(text + length, size - length, "%s%llu", d > 0 ? " x " : "",
                               (unsigned long long)extents[d]);
}

void view_print_array(const struct view_array *array, char words[VIEW_WORDS])
{
  char extents[300], name[80], slice[100] = "";
  size_t length = 0;
  view_clean(array->name, name, sizeof name);
  view_write_extents(array->dimensions, array->extents, extents, sizeof extents);
  for (int d = 0; d < array->dimensions - 2 && length < sizeof slice; d++)
    length += (size_t)snprintf(slice + length, sizeof slice - length, "[%llu]",
                               (unsigned long long)array->slice[d]);
  snprintf(words, VIEW_WORDS, "%s%s%s: %s %s", name,
           strlen(name) < strlen(array->name) ? "..." : "", slice, extents, array->kind);
}

void view_print_values(const struct view_cells *cells, char words[VIEW_WORDS])
{
  char range[100] = "no value is finite", non_finite[60] = "", reduced[100] = "", zeros[60] = "";
  if (cells->finite > 0 && cells->lowest < cells->highest)
    snprintf(range, sizeof range, "%.4g to %.4g", cells->lowest, cells->highest);
  else if (cells->finite > 0)
    snprintf(range, sizeof range, "all %s%.4g", cells->not_finite > 0 ? "others " : "",
             cells->lowest);
  if (cells->not_finite > 0)
    snprintf(non_finite, sizeof non_finite, "; %llu not finite",
             (unsigned long long)cells->not_finite);
  if (cells->log && cells->zeros > 0)
    snprintf(zeros, sizeof zeros, "; %llu zero", (unsigned long long)cells->zeros);
  if (cells->curve && cells->width > 1)
    snprintf(reduced, sizeof reduced,
             "; a column shows the least and the greatest of %llu elements",
             (unsigned long long)cells->width);
  else if (cells->width > 1 || cells->height > 1)
    snprintf(reduced, sizeof reduced, "; a cell is the largest of %llu x %llu",
             (unsigned long long)cells->height, (unsigned long long)cells->width);
  snprintf(words, VIEW_WORDS, "%s%s%s%s%s", range, non_finite, zeros, reduced,
           cells->log ? "; drawn as absolute values" : "");
}

/* --- Values and blocks ------------------------------------------------------------------------ */

/* Values below this fraction of the greatest are rounding errors. They must not stretch a
 * logarithmic scale. */
static const double least_part = 1e-16;

struct view_scale view_find_scale(const struct view_cells *cells)
{
  struct view_scale scale = {.low = INFINITY, .high = 0, .log = cells->log};
  for (uint64_t i = 0; i < cells->rows * cells->columns; i++) {
    const double value = fabs(cells->value[i]);
    if (cells->non_finite[i] || (cells->log && value == 0))
      continue;
    scale.negative = scale.negative || cells->value[i] < 0;
    scale.positive = scale.positive || cells->value[i] > 0;
    scale.low = fmin(scale.low, value);
    scale.high = fmax(scale.high, value);
  }
  if (cells->log)
    scale.low = fmax(scale.low, scale.high * least_part);
  if (scale.low > scale.high || (scale.negative && scale.positive))
    scale.low = 0;
  return scale;
}

double view_place(const struct view_scale *scale, double value)
{
  value = fabs(value);
  if (value >= scale->high)
    return 1;
  if (value <= scale->low)
    return 0;
  return scale->log ? log(value / scale->low) / log(scale->high / scale->low)
                    : (value / 2 - scale->low / 2) / (scale->high / 2 - scale->low / 2);
}

size_t view_edges(const struct view_lines *lines, size_t most, uint64_t elements, uint64_t cells,
                  uint64_t *edges)
{
  size_t count = 0;
  if (lines->count > most || lines->count > VIEW_MOST_LINES)
    return 0;
  for (uint64_t i = 0; i < lines->count; i++) {
    const uint64_t edge = (lines->at[i] + elements / 2) / elements;
    if (edge > 0 && edge < cells && (count == 0 || edges[count - 1] < edge))
      edges[count++] = edge;
  }
  return count;
}
