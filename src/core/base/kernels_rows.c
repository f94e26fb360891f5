/* Copying rows. */
#include "base/copy.h"
#include "base/rows.h"

#include <string.h>

/* A constant run turns memmove into one load and one store. */
#define COPY_ROWS(bytes)                                                                           \
  for (; rows > 0; rows--, to += to_stride, from += from_stride)                                   \
  memmove(to, from, bytes)

void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows)
{
  switch (run) {
  case 4:
    COPY_ROWS(4);
    return;
  case 8:
    COPY_ROWS(8);
    return;
  case 16:
    COPY_ROWS(16);
    return;
  case 32:
    COPY_ROWS(32);
    return;
  case 64:
    COPY_ROWS(64);
    return;
  default:
    for (; rows > 0; rows--, to += to_stride, from += from_stride)
      cwi_copy(to, from, run);
  }
}
