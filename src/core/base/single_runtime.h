/* One runtime in a process. A program that is linked with two of Causeway's libraries may reach
 * both; then the calls of one do not find what the calls of the other have made. */
#ifndef CWI_BASE_SINGLE_RUNTIME_H
#define CWI_BASE_SINGLE_RUNTIME_H

#include "base/error.h"

/* Notes that the runtime of this library runs, or that it has stopped. */
void cwi_single_runtime_set(bool runs);

/* Returns a misuse that names both files if the runtime of another library runs in this process. */
CWI_CHECKED cw_error cwi_single_runtime_check(void);

/* Returns the misuse of a call that needs a start: what cwi_single_runtime_check finds, or
 * `message`. */
CWI_CHECKED cw_error cwi_single_runtime_required(const char *message);
#endif
