/* Whether the INTEGER of a program's Fortran has the size of the library's: integer_size.c. Here
 * nothing depends on that size. */
#ifndef CWI_GA_ARGUMENTS_INTEGER_SIZE_H
#define CWI_GA_ARGUMENTS_INTEGER_SIZE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Every file with Fortran's names refers to this, so that a program which is linked statically has
 * the check that runs before main. */
extern const char cwi_integer_is_checked;

/* Ends the job if the common block `pair` of the program, which has two INTEGERs, has the size of
 * two of the other kind. file: the include file that declares it. */
void cwi_integer_check_block(const char *file, const void *pair);

/* Ends the job: argument `what` makes sense as an INTEGER of 4 bytes only. */
CWI_NORETURN void cwi_integer_reject(const char *call, const char *what, int64_t number);

/* Returns the code of a type as an int; 0, which is none, if it does not fit. Ends the job if its
 * lower half is the code of a type. */
int cwi_integer_code(const char *call, const char *what, int64_t code);

/* Adds to an error that INTEGER may have another size in the program. Returns error. */
cw_error cwi_integer_remark(cw_error error);

static inline bool cwi_integer_fits(int64_t number)
{
  return CWI_LIKELY(number == (int)number);
}
#endif
