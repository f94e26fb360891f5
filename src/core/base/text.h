/* Texts of the program's, which may be cut. */
#ifndef CWI_BASE_TEXT_H
#define CWI_BASE_TEXT_H

#include <stddef.h>
#include <string.h>

/* Bytes of the text, at most so many: it is cut before a character of UTF-8 that does not end
 * there. */
static inline size_t cwi_text_cut(const char *text, size_t most)
{
  size_t length = strnlen(text, most + 1);
  if (length > most)
    for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
      length--;
  return length;
}
#endif
