/* Copies rows: loops without a function call for rows of up to 64 bytes, which are the most
 * frequent lengths of patches, and the measured copy for all others. */
#include "machine/copy.h"
#include "machine/rows.h"

#include <stdint.h>

typedef uint32_t word4 __attribute__((aligned(1), may_alias));
typedef uint64_t word8 __attribute__((aligned(1), may_alias));
typedef uint64_t words16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t words32 __attribute__((vector_size(32), aligned(1), may_alias));

#define EACH_ROW for (; rows > 0; rows--, to += to_stride, from += from_stride)

/* Copies rows of exactly one word. */
#define COPY_WORDS(word) EACH_ROW *(word *)to = *(const word *)from

/* Copies rows of one to two words. Both ends of a row are loaded before either is stored, as by
 * memmove. */
#define COPY_ENDS(word)                                                                            \
  EACH_ROW                                                                                         \
  {                                                                                                \
    const word first = *(const word *)from, last = *(const word *)(from + run - sizeof last);      \
    *(word *)to = first;                                                                           \
    *(word *)(to + run - sizeof last) = last;                                                      \
  }

static void rows_copy_long(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                           size_t run, size_t rows)
{
  const cwi_copy_function copy = run < CWI_LONG_ROW ? cwi_copy_ways.row : cwi_copy_ways.run;
  EACH_ROW copy(to, from, run);
}

static void rows_copy(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                      size_t run, size_t rows)
{
  if (run < sizeof(word4) || run > 2 * sizeof(words32))
    rows_copy_long(to, to_stride, from, from_stride, run, rows);
  else if (run == sizeof(word8))
    COPY_WORDS(word8);
  else if (run == sizeof(words16))
    COPY_WORDS(words16);
  else if (run == sizeof(word4))
    COPY_WORDS(word4);
  else if (run < sizeof(word8))
    COPY_ENDS(word4)
  else if (run < sizeof(words16))
    COPY_ENDS(word8)
  else if (run <= 2 * sizeof(words16))
    COPY_ENDS(words16)
  else
    COPY_ENDS(words32)
}

void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows)
{
  const size_t most = cwi_rows_in_flight(to_stride, run);
  for (; rows > most; rows -= most) {
    rows_copy(to, to_stride, from, from_stride, run, most);
    cwi_drain_stores();
    to += (ptrdiff_t)most * to_stride;
    from += (ptrdiff_t)most * from_stride;
  }
  rows_copy(to, to_stride, from, from_stride, run, rows);
}
