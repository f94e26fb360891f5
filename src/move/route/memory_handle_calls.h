/* Transfers to and from memory that a handle names. */
#pragma once

#include "base/error.h"
#include "route/memory_handle/memory_handle.h"
#include "transfer/fetching_update.h"

#include <causeway/transfer.h>

#include <stdbool.h>

/* Like cwi_start_transfer for memory that a handle names. given->remote is an address in the
 * memory, in the same address space as memory->address, and given->process is the owner. The record
 * `memory` must not move until the operation is complete. Errors: those of cwi_start_transfer, and
 * CW_MISUSE if the bytes lie outside the memory or the handle is released. Between nodes, the
 * target's server detects a released handle, and reports it like other rejected requests. */
CWI_CHECKED cw_error cwi_memory_handle_start(const struct cwi_memory_handle *memory,
                                             const cw_transfer *given, bool blocking,
                                             cw_handle *handle);

/* Like cwi_start_update for memory that a handle names. update->locked must be true unless the
 * memory is of a region on my node. Fills in update->place. */
CWI_CHECKED cw_error cwi_memory_handle_update(const struct cwi_memory_handle *memory,
                                              struct cwi_update *update, bool blocking,
                                              cw_handle *handle);
