/* Texts of the program, which may be truncated. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Returns the length of the text, at most `most` bytes. A longer text is cut at a boundary between
 * UTF-8 characters. */
static inline size_t cwi_text_fitting(const char *text, size_t most)
{
  size_t length = strnlen(text, most + 1);
  if (length > most)
    for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
      length--;
  return length;
}
