/* Writes JSON for profiles and timelines, whose strings may hold any bytes. Numbers are written
 * without %f, because the program may have set a locale with another decimal separator. */
#include "output/json.h"

#include <stddef.h>

/* --- Members ---------------------------------------------------------------------------------- */

static void json_break(const struct cwi_json *json, int depth)
{
  fprintf(json->out, "\n%*s", json->indent * depth, "");
}

/* Begins a member of the innermost object or list. */
static FILE *json_next(struct cwi_json *json, const char *name)
{
  struct cwi_json_level *level = &json->levels[json->depth];
  if (level->filled)
    fputs(level->lines ? "," : ", ", json->out);
  if (level->lines)
    json_break(json, json->depth);
  level->filled = true;
  if (name != NULL)
    fprintf(json->out, "\"%s\": ", name);
  return json->out;
}

static void json_begin(struct cwi_json *json, const char *name, bool lines, const char *brackets)
{
  fputc(brackets[0], json_next(json, name));
  json->levels[++json->depth] = (struct cwi_json_level){.end = brackets[1], .lines = lines};
}

void cwi_json_object(struct cwi_json *json, const char *name, bool lines)
{
  json_begin(json, name, lines, "{}");
}

void cwi_json_list(struct cwi_json *json, const char *name, bool lines)
{
  json_begin(json, name, lines, "[]");
}

void cwi_json_end(struct cwi_json *json)
{
  const struct cwi_json_level *level = &json->levels[json->depth--];
  if (level->lines)
    json_break(json, json->depth);
  fputc(level->end, json->out);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

void cwi_json_whole(struct cwi_json *json, const char *name, uint64_t value)
{
  fprintf(json_next(json, name), "%llu", (unsigned long long)value);
}

void cwi_json_integer(struct cwi_json *json, const char *name, int64_t value)
{
  fprintf(json_next(json, name), "%lld", (long long)value);
}

void cwi_json_fixed(struct cwi_json *json, const char *name, uint64_t value, int digits)
{
  unsigned long long one = 1;
  for (int i = 0; i < digits; i++)
    one *= 10;
  fprintf(json_next(json, name), "%llu.%0*llu", value / one, digits, value % one);
}

void cwi_json_fraction(struct cwi_json *json, const char *name, double value)
{
  cwi_json_fixed(json, name, value > 0 ? (uint64_t)(value * 1e9 + 0.5) : 0, 9);
}

void cwi_json_truth(struct cwi_json *json, const char *name, bool value)
{
  fputs(value ? "true" : "false", json_next(json, name));
}

void cwi_json_wholes(struct cwi_json *json, const char *name, const uint64_t *values, size_t count,
                     uint64_t parts)
{
  cwi_json_list(json, name, false);
  for (size_t i = 0; i < count; i++)
    cwi_json_whole(json, NULL, values[i] / parts);
  cwi_json_end(json);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Returns the UTF-8 character that begins at `at` and sets *bytes to its length. Returns 0 if it is
 * not valid. */
static uint32_t character_of(const unsigned char *at, int *bytes)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  *bytes = *at >= 0xf8 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 1;
  uint32_t character = *at & (0xffu >> (*bytes + 1));
  for (int i = 1; i < *bytes; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    character = character << 6 | (at[i] & 0x3f);
  }
  const bool is_half = character >= 0xd800 && character < 0xe000;
  return *bytes > 1 && character >= least[*bytes] && character < 0x110000 && !is_half ? character
                                                                                      : 0;
}

/* Writes a character that is not printable ASCII as one or two \u escapes. A byte that is not valid
 * UTF-8 is written as a character of Latin-1. Returns the number of bytes of `at` that it used. */
static int write_other(FILE *out, const unsigned char *at)
{
  int bytes = 1;
  const uint32_t character = character_of(at, &bytes);
  if (character >= 0x10000)
    fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
            0xdc00 + (character & 0x3ff));
  else
    fprintf(out, "\\u%04x", character != 0 ? character : *at);
  return character != 0 ? bytes : 1;
}

void cwi_json_text(struct cwi_json *json, const char *name, const char *text)
{
  FILE *out = json_next(json, name);
  fputc('"', out);
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0';)
    if (*at < ' ' || *at >= 0x7f)
      at += write_other(out, at);
    else {
      if (*at == '"' || *at == '\\')
        fputc('\\', out);
      fputc(*at++, out);
    }
  fputc('"', out);
}
