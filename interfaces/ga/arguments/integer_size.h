/* Checks that INTEGER has the same size in the program and in the library: integer_size.c. These
 * declarations do not depend on the size. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Every file with Fortran's calls refers to this symbol. A statically linked program therefore
 * includes the check that runs before main. */
extern const char cwi_integer_is_checked;

/* Ends the job if the program's common block `pair` has the size of two INTEGERs of the other size.
 * The block has two INTEGERs. `file` is the include file that declares it. */
void cwi_integer_check_block(const char *file, const void *pair);

/* Ends the job, because the value of argument `what` is only plausible if INTEGER has the other
 * size in the program. */
CWI_NORETURN void cwi_integer_reject(const char *call, const char *what, int64_t number);

/* Returns the code of a type as an int. If the code does not fit into an int, returns 0, which is
 * not the code of a type. But if the lower half of such a code is the code of a type, ends the
 * job. */
int cwi_integer_code(const char *call, const char *what, int64_t code);

/* Appends the remark to an error that INTEGER may have another size in the program. Returns the
 * error. */
cw_error cwi_integer_remark(cw_error error);

static inline bool cwi_integer_fits(int64_t number)
{
  return CWI_LIKELY(number == (int)number);
}
