/* Copying rows of bytes that lie apart. */
#ifndef CWI_BASE_ROWS_H
#define CWI_BASE_ROWS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows from one place to another; each row as memmove. */
void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows);

#ifdef __cplusplus
}
#endif
#endif
