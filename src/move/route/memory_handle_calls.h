/* Transfers on memory that a handle names. */
#ifndef CWI_ROUTE_MEMORY_HANDLE_CALLS_H
#define CWI_ROUTE_MEMORY_HANDLE_CALLS_H

#include "base/error.h"
#include "route/memory_handle/memory_handle.h"
#include "transfer/fetching_update.h"

#include <causeway/transfer.h>

#include <stdbool.h>

/* As cwi_start_transfer; given->remote names bytes of the memory as memory->address does, and
 * given->process is its owner. The memory's record stays where it is until the operation is
 * complete. Errors, beside those: CW_MISUSE (outside the memory; released). Between nodes what was
 * released is found out where the memory is, and told as all that servers refuse. */
CWI_CHECKED cw_error cwi_memory_handle_start(const struct cwi_memory_handle *memory,
                                             const cw_transfer *given, bool blocking,
                                             cw_handle *handle);

/* The same for a fetching update; as cwi_start_update. It is `locked`, but for memory of regions on
 * my node. Its place is filled in here. */
CWI_CHECKED cw_error cwi_memory_handle_update(const struct cwi_memory_handle *memory,
                                              struct cwi_update *update, bool blocking,
                                              cw_handle *handle);
#endif
