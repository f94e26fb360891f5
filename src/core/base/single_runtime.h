/* One runtime in a process. A program that is linked with two of Causeway's libraries may call
 * both; objects made by one are then unknown to the other. */
#pragma once

#include "base/error.h"

/* cwi_single_runtime_set records whether the runtime of this library runs. cwi_single_runtime_runs
 * returns that. */
void cwi_single_runtime_set(bool runs);
bool cwi_single_runtime_runs(void);

/* Returns a misuse that names both files if the runtime of another library runs in this process. */
CWI_CHECKED cw_error cwi_single_runtime_check(void);

/* Returns the error of a call that needs a running Causeway. It is the error of
 * cwi_single_runtime_check if another library runs, else a misuse with `message`. */
CWI_CHECKED cw_error cwi_single_runtime_required(const char *message);
