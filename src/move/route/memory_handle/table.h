/* What the files of this folder share of the tables. */
#ifndef CWI_ROUTE_MEMORY_HANDLE_TABLE_H
#define CWI_ROUTE_MEMORY_HANDLE_TABLE_H

#include "route/memory_handle/agent.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a process of my node, or of its own. */
struct cwi_mailbox *cwi_mailbox_of(int process);

#ifdef __cplusplus
}
#endif
#endif
