/* Edit distance of two names, for messages about unknown names. */
#include "base/spelling.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST = 63 };

static unsigned spelling_least(unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* Damerau-Levenshtein distance (with swaps of neighbours), in three rows of the usual table. */
unsigned cwi_edits_between(const char *one, const char *other)
{
  const size_t rows = strnlen(one, LONGEST), columns = strnlen(other, LONGEST);
  unsigned table[3][LONGEST + 1];
  unsigned *before = table[0], *last = table[1], *now = table[2];
  for (size_t j = 0; j <= columns; j++)
    last[j] = (unsigned)j;
  for (size_t i = 1; i <= rows; i++) {
    now[0] = (unsigned)i;
    for (size_t j = 1; j <= columns; j++) {
      now[j] = spelling_least(last[j - 1] + (one[i - 1] != other[j - 1]),
                              spelling_least(last[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        now[j] = spelling_least(now[j], before[j - 2] + 1);
    }
    unsigned *free = before;
    before = last;
    last = now;
    now = free;
  }
  return last[columns];
}
