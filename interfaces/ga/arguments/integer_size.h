/* Checks whether a program's INTEGER has the size of the library's: integer_size.c. Nothing here
 * depends on that size. */
#ifndef CWI_GA_ARGUMENTS_INTEGER_SIZE_H
#define CWI_GA_ARGUMENTS_INTEGER_SIZE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Every file with Fortran's names refers to this symbol, so that a statically linked program
 * includes the check that runs before main. */
extern const char cwi_integer_is_checked;

/* Ends the job if the common block `pair` of the program, which has two INTEGERs, has the size of
 * two of the other kind. file: the include file that declares it. */
void cwi_integer_check_block(const char *file, const void *pair);

/* Ends the job, because argument `what` makes sense only if INTEGER has 4 bytes. */
CWI_NORETURN void cwi_integer_reject(const char *call, const char *what, int64_t number);

/* Returns the code of a type as an int; 0, which is no type, if it does not fit. Ends the job if
 * its lower half is the code of a type. */
int cwi_integer_code(const char *call, const char *what, int64_t code);

/* Appends to an error that INTEGER may have another size in the program. Returns the error. */
cw_error cwi_integer_remark(cw_error error);

static inline bool cwi_integer_fits(int64_t number)
{
  return CWI_LIKELY(number == (int)number);
}
#endif
