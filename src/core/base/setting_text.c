/* Parses and prints values of one setting for settings.c, and describes which values are allowed.
 */
#include "base/setting_text.h"

#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns today's spelling of a word of ARMCI-MPI or of release 0.1. Returns any other text
 * unchanged. */
static const char *todays_word(const char *text)
{
  static const char *const others[][2] = {{"CONSRV", "conservative"}, {"window", "rma"}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcasecmp(text, others[i][0]) == 0)
      return others[i][1];
  return text;
}

static bool parse_choice(const char *choices, const char *given, long *value)
{
  const char *text = todays_word(given);
  const size_t length = strlen(text);
  long position = 0;
  for (const char *word = choices; word != NULL; position++) {
    const char *end = strchr(word, '|');
    const size_t word_length = end != NULL ? (size_t)(end - word) : strlen(word);
    if (length == word_length && strncasecmp(word, text, length) == 0) {
      *value = position;
      return true;
    }
    word = end != NULL ? end + 1 : NULL;
  }
  return false;
}

static long count_bars(const char *choices)
{
  long bars = 0;
  for (const char *bar = strchr(choices, '|'); bar != NULL; bar = strchr(bar + 1, '|'))
    bars++;
  return bars;
}

/* Parses "+word,-word". If a word occurs twice, its last sign counts. */
static bool parse_signed(const char *choices, const char *text, long *value)
{
  const long words = count_bars(choices);
  long place = 0;
  *value = 0;
  while (*text != '\0') {
    char word[64];
    const size_t length = strcspn(text, ",");
    snprintf(word, sizeof word, "%.*s", (int)length - 1, text + 1);
    if ((*text != '+' && *text != '-') || !parse_choice(choices, word, &place))
      return false;
    const long sign = *text == '-' ? CWI_MINUS : place == 0 ? CWI_PLUS_ALL : CWI_PLUS;
    for (long at = place == 0 ? 0 : place - 1; at < (place == 0 ? words : place); at++)
      *value = (*value & ~(3L << (2 * at))) | sign << (2 * at);
    text += length + (text[length] == ',');
  }
  return true;
}

static bool parse_number(const char *text, bool bytes, long *value)
{
  char *end = NULL;
  errno = 0;
  *value = strtol(text, &end, 0);
  if (end == text || errno != 0)
    return false;
  static const char units[] = "kMGT";
  const char *unit = *end != '\0' && bytes ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
  for (long times = unit != NULL ? unit - units + 1 : 0; times > 0; times--)
    if (__builtin_mul_overflow(*value, 1024L, value))
      return false;
  return end[unit != NULL] == '\0';
}

static bool parse_numbered(const struct cwi_setting *setting, const char *text, long *value)
{
  const char *last = strrchr(setting->choices, '|') + 1;
  const size_t length = strcspn(last, ":") + 1; /* including the colon */
  if (strncasecmp(text, last, length) == 0)
    return parse_number(text + length, false, value) && *value >= setting->least &&
           *value <= setting->most;
  return parse_choice(setting->choices, text, value);
}

/* Each text is stored once and never freed. Its value is its position, from 1 on. */
enum { MOST_TEXTS = 32 };
static char *texts[MOST_TEXTS];

const char *cwi_settings_text(long value)
{
  return value > 0 ? texts[value - 1] : "";
}

static bool parse_text(const char *text, long *value)
{
  *value = 0;
  if (*text == '\0')
    return true;
  while (*value < MOST_TEXTS && texts[*value] != NULL && strcmp(texts[*value], text) != 0)
    (*value)++;
  if (*value == MOST_TEXTS)
    return false;
  if (texts[*value] == NULL)
    texts[*value] = strdup(text);
  return texts[(*value)++] != NULL;
}

/* Translates words for on and off to "1" and "". They are not meant as names of files. */
static const char *switch_or_text(const char *text)
{
  static const char *const words[][2] = {{"0", ""},    {"no", ""},  {"off", ""},  {"false", ""},
                                         {"yes", "1"}, {"on", "1"}, {"true", "1"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcasecmp(text, words[i][0]) == 0)
      return words[i][1];
  return text;
}

bool cwi_setting_parse(const struct cwi_setting *setting, const char *text, long *value)
{
  if (setting->kind == CWI_TEXT)
    return parse_text(setting->most > 0 ? switch_or_text(text) : text, value);
  if (setting->kind == CWI_NUMBERED)
    return parse_numbered(setting, text, value);
  if (setting->kind == CWI_CHOICE)
    return parse_choice(setting->choices, text, value);
  if (setting->kind == CWI_SIGNED)
    return parse_signed(setting->choices, text, value);
  if (setting->kind == CWI_FLAG) {
    /* as in ARMCI-MPI, the first letter decides */
    *value = text[0] != '\0' && strchr("tTyY1", text[0]) != NULL;
    return text[0] != '\0' && strchr("tTyY1fFnN0", text[0]) != NULL;
  }
  return parse_number(text, setting->kind != CWI_COUNT, value) && *value >= setting->least &&
         *value <= setting->most;
}

/* Prints a number of bytes in the largest unit that leaves no remainder. */
static void print_bytes(long bytes, char *text, size_t size)
{
  int unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit < 4; unit++)
    bytes /= 1024;
  snprintf(text, size, unit > 0 ? "%ld%c" : "%ld", bytes, " kMGT"[unit]);
}

static void print_signed(const char *choices, long value, char *text, size_t size)
{
  size_t length = 0;
  text[0] = '\0';
  const char *word = strchr(choices, '|'); /* the words follow "all" */
  for (int place = 0; word != NULL && length < size; place++) {
    const enum cwi_sign sign = cwi_settings_sign(value, place);
    word++;
    if (sign != CWI_NO_SIGN)
      length += (size_t)snprintf(text + length, size - length, "%s%c%.*s", length > 0 ? "," : "",
                                 sign == CWI_MINUS ? '-' : '+', (int)strcspn(word, "|"), word);
    word = strchr(word, '|');
  }
}

static void print_choice(const char *word, long value, char *text, size_t size)
{
  for (; value > 0; value--)
    word = strchr(word, '|') + 1;
  snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
}

static void print_numbered(const char *choices, long value, char *text, size_t size)
{
  const char *last = strrchr(choices, '|') + 1;
  if (value < count_bars(choices))
    print_choice(choices, value, text, size);
  else
    snprintf(text, size, "%.*s:%ld", (int)strcspn(last, ":"), last, value);
}

void cwi_setting_print(const struct cwi_setting *setting, long value, char *text, size_t size)
{
  const char *word = setting->choices;
  switch (setting->kind) {
  case CWI_CHOICE:
    print_choice(word, value, text, size);
    return;
  case CWI_NUMBERED:
    print_numbered(word, value, text, size);
    return;
  case CWI_SIGNED:
    print_signed(word, value, text, size);
    return;
  case CWI_TEXT:
    snprintf(text, size, "%s", cwi_settings_text(value));
    return;
  case CWI_BYTES:
    print_bytes(value, text, size);
    return;
  default:
    snprintf(text, size, setting->kind == CWI_ADDRESS ? "0x%lx" : "%ld", value);
  }
}

void cwi_setting_range(const struct cwi_setting *setting, bool with_largest, char *text,
                       size_t size)
{
  char least[32], most[32];
  if (setting->kind == CWI_CHOICE || setting->kind == CWI_NUMBERED || setting->kind == CWI_TEXT) {
    snprintf(text, size, "%s", setting->choices);
  } else if (setting->kind == CWI_SIGNED) {
    snprintf(text, size, "+ or - and a name, with commas between: %s", setting->choices);
  } else if (setting->kind == CWI_FLAG) {
    snprintf(text, size, "0|1");
  } else {
    const char *unit = setting->kind == CWI_BYTES ? "bytes" : setting->choices;
    const bool is_bounded =
        with_largest || (setting->most != INT_MAX && setting->most != CWI_UNBOUNDED_BYTES);
    cwi_setting_print(setting, setting->least, least, sizeof least);
    cwi_setting_print(setting, setting->most, most, sizeof most);
    snprintf(text, size, "%s %s%s%s%s", least, is_bounded ? "to " : "or more",
             is_bounded ? most : "", unit != NULL ? " " : "", unit != NULL ? unit : "");
  }
}
