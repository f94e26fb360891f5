/* Memory is accounted before it is allocated, so that running out of memory is an error and never a
 * SIGBUS later. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Returns the bytes that the machine, and every cgroup above this process, can still give to the
 * node. */
size_t cwi_memory_available(void);

/* Accounts bytes of the node, or returns CW_OUTSIDE with the reason. cwi_account_give undoes that.
 */
CWI_CHECKED cw_error cwi_account_take(size_t bytes);
void cwi_account_give(size_t bytes);

/* Accounts bytes that are in use already, without a limit. */
void cwi_account_note(size_t bytes);

/* cwi_account_now returns the accounted bytes of the node. cwi_account_most returns their maximum
 * since the start. */
size_t cwi_account_now(void);
size_t cwi_account_most(void);
