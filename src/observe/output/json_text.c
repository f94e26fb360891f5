/* Writes strings of profiles and timelines, which may hold any bytes, as JSON. */
#include "output/json_text.h"

#include <stdbool.h>
#include <stdint.h>

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

void cwi_json_text(FILE *out, const char *text)
{
  fputc('"', out);
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0';)
    if (*at < ' ' || *at >= 0x7f)
      at += write_other(out, at);
    else {
      fprintf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
      at++;
    }
  fputc('"', out);
}
