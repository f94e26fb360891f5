/* Texts for all files of cw-report: cleans the texts of a profile, formats numbers as words, and
 * prints messages. Also allocates memory. */
#include "cw-report.h"

#include "base/reserve.h"
#include "base/scaled.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- Memory ----------------------------------------------------------------------------------- */

void *report_allocate(size_t count, size_t size)
{
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL)
    exit(report_failed("there is no memory for %zu rows", count));
  return memory;
}

void *report_add(struct report_list *list, size_t size)
{
  if (!CWI_RESERVE_BYTES(list->rows, size, list->count, list->capacity, 16))
    exit(report_failed("there is no memory for %zu rows", list->count + 1));
  return memset((char *)list->rows + size * list->count++, 0, size);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Returns the next character of valid UTF-8 text and moves `at` past it. */
static uint32_t text_next(const unsigned char **at)
{
  uint32_t character = *(*at)++;
  int more = character >= 0xf0 ? 3 : character >= 0xe0 ? 2 : character >= 0xc0 ? 1 : 0;
  if (more > 0)
    character &= 0x3fu >> more;
  for (; more > 0 && (**at & 0xc0) == 0x80; more--)
    character = character << 6 | (*(*at)++ & 0x3fu);
  return character;
}

static char *text_append(char *at, uint32_t character)
{
  if (character < 0x80) {
    *at++ = (char)character;
    return at;
  }
  if (character < 0x800) {
    *at++ = (char)(0xc0 | character >> 6);
  } else {
    if (character < 0x10000) {
      *at++ = (char)(0xe0 | character >> 12);
    } else {
      *at++ = (char)(0xf0 | character >> 18);
      *at++ = (char)(0x80 | (character >> 12 & 0x3f));
    }
    *at++ = (char)(0x80 | (character >> 6 & 0x3f));
  }
  *at++ = (char)(0x80 | (character & 0x3f));
  return at;
}

/* Returns true for characters that move the cursor of a terminal, change the direction of writing,
 * or are not allowed in XML. */
static bool text_is_harmful(uint32_t character)
{
  return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
         (character >= 0x200b && character <= 0x200f) ||
         (character >= 0x2028 && character <= 0x202e) ||
         (character >= 0x2060 && character <= 0x206f) || character == 0xfeff ||
         (character >= 0xfff0 && character <= 0xfffb) || (character & 0xfffe) == 0xfffe;
}

const char *report_copy(struct report_profile *profile, const char *text)
{
  enum { MOST = 1000 };
  const unsigned char *at = (const unsigned char *)text;
  char *kept = report_allocate(MOST + 8, 1), *end = kept;
  while (*at != '\0' && end < kept + MOST) {
    const uint32_t character = text_next(&at);
    end = text_append(end, text_is_harmful(character) ? '?' : character);
  }
  if (*at != '\0')
    memcpy(end, "...", 4);
  *(char **)report_add(&profile->texts, sizeof kept) = kept;
  return kept;
}

size_t report_columns(const char *text)
{
  size_t columns = 0;
  for (; *text != '\0'; text++)
    columns += ((unsigned char)*text & 0xc0) != 0x80;
  return columns;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

uint64_t report_sum(uint64_t a, uint64_t b)
{
  return a + b < a ? UINT64_MAX : a + b;
}

void report_format_bytes(char word[REPORT_WORD], double bytes)
{
  const char *unit = cwi_scaled_bytes(&bytes);
  snprintf(word, REPORT_WORD, unit[1] != '\0' ? "%.1f %s" : "%.0f %s", bytes, unit);
}

void report_format_seconds(char word[REPORT_WORD], double seconds)
{
  const char *unit = cwi_scaled_seconds(&seconds);
  const int digits = unit[0] == 'm' ? 2 : unit[0] == 'u' ? 1 : 0;
  if (unit[0] != 's' || seconds == 0)
    snprintf(word, REPORT_WORD, "%.*f %s", digits, seconds, unit);
  else
    snprintf(word, REPORT_WORD,
             fabs(seconds) < 1e3   ? "%.3f s"
             : fabs(seconds) < 1e5 ? "%.1f s"
             : fabs(seconds) < 1e7 ? "%.0f s"
                                   : "%.1e s",
             seconds);
}

void report_format_ratio(char word[REPORT_WORD], double before, double after)
{
  if (before > 0 && after > 0)
    snprintf(word, REPORT_WORD, after / before < 1e4 && after / before >= 0.001 ? "%.3f" : "%.1e",
             after / before);
  else
    snprintf(word, REPORT_WORD, "%s", after > 0 ? "new" : before > 0 ? "gone" : "");
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Prints a message without harmful characters: names of files, and the parts of a file that jansson
 * quotes, may contain such characters. */
static void text_complain(const char *format, va_list arguments)
{
  char message[2000];
  vsnprintf(message, sizeof message, format, arguments);
  fflush(stdout);
  fprintf(stderr, "cw-report: ");
  for (const unsigned char *at = (const unsigned char *)message; *at != '\0'; at++)
    fputc(*at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0) ? '?' : *at, stderr);
  fputc('\n', stderr);
}

int report_failed(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  text_complain(format, arguments);
  va_end(arguments);
  return REPORT_FAILED;
}

int report_misuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  text_complain(format, arguments);
  va_end(arguments);
  return REPORT_MISUSE;
}
