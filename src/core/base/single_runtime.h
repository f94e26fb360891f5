/* One runtime in a process. A program that is linked with two of Causeway's libraries may call
 * both; objects made by one are then unknown to the other. */
#ifndef CWI_BASE_SINGLE_RUNTIME_H
#define CWI_BASE_SINGLE_RUNTIME_H

#include "base/error.h"

/* cwi_single_runtime_set notes that the runtime of this library runs, or that it has stopped.
 * cwi_single_runtime_runs returns what was noted. */
void cwi_single_runtime_set(bool runs);
bool cwi_single_runtime_runs(void);

/* Returns a misuse that names both files if the runtime of another library runs in this process. */
CWI_CHECKED cw_error cwi_single_runtime_check(void);

/* Returns the misuse of a call that needs a running Causeway: that of cwi_single_runtime_check, or
 * `message`. */
CWI_CHECKED cw_error cwi_single_runtime_required(const char *message);
#endif
