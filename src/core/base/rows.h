/* Copying rows of bytes that lie apart, and rows that overlap what they are copied to. */
#ifndef CWI_BASE_ROWS_H
#define CWI_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows from one place to another; each row as memmove. */
void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows);

/* Does a loop from the first byte to the last change what it has yet to read? */
static inline bool cwi_runs_into_itself(const char *to, const char *from, size_t bytes)
{
  return (uintptr_t)to - (uintptr_t)from - 1 < bytes - 1;
}

#ifdef __cplusplus
}
#endif
#endif
