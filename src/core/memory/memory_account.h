/* Memory is counted before it is handed out: running out is an error, never a SIGBUS later. */
#ifndef CWI_MEMORY_MEMORY_ACCOUNT_H
#define CWI_MEMORY_MEMORY_ACCOUNT_H

#include "base/error.h"

#include <stddef.h>

/* Bytes that the machine, and every cgroup above this process, still have for the node. */
size_t cwi_memory_available(void);

/* Commit bytes of the node, or say why not (CW_OUTSIDE). */
CWI_CHECKED cw_error cwi_account_take(size_t bytes);
void cwi_account_give(size_t bytes);

/* Commit bytes that are in use already, whatever there is. */
void cwi_account_note(size_t bytes);

/* Bytes that the node has handed out, now and at most at once. */
size_t cwi_account_now(void);
size_t cwi_account_most(void);
#endif
