/* One runtime in a process. A program that is linked with two of Causeway's libraries may reach
 * both; then the calls of one do not find what the calls of the other have made. */
#ifndef CWI_BASE_SOLE_H
#define CWI_BASE_SOLE_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Notes that the runtime of this library runs, or that it has stopped. */
void cwi_sole_runs(bool runs);

/* Returns a misuse that names both files if the runtime of another library runs in this process. */
CWI_CHECKED cw_error cwi_sole_check(void);

/* Returns the misuse of a call that needs a start: what cwi_sole_check finds, or `sentence`. */
CWI_CHECKED cw_error cwi_sole_not_running(const char *sentence);

#ifdef __cplusplus
}
#endif
#endif
