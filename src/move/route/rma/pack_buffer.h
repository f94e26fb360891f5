/* Temporary buffers for packed data: one of moderate size is kept for the next caller. */
#pragma once

#include "transfer/transfer.h"

#include <stddef.h>

/* Bytes of the buffer that is kept. */
enum { CWI_BUFFER_BYTES = 1 << 20 };

/* cwi_buffer_take returns a buffer, or NULL if there is no memory. cwi_buffer_make stores it in
 * *buffer, or returns an error. cwi_buffer_give releases a buffer, which may be NULL. */
void *cwi_buffer_take(size_t bytes);
CWI_CHECKED cw_error cwi_buffer_make(size_t bytes, char **buffer);
void cwi_buffer_give(void *buffer);
void cwi_buffers_stop(void);

/* Packs a transfer's local side, scaled, into `buffer`, which has space for all of it. */
void cwi_rma_pack(const struct cwi_transfer *transfer, char *buffer);

/* Runs an accumulate in parts. Calls `move` for each part, with a scaled copy of the part's local
 * side in one buffer. If `move` fails, *left is that buffer; the caller must release it once MPI no
 * longer reads it. Otherwise *left is NULL. Errors: those of `move`, and CW_OUTSIDE (no memory). */
CWI_CHECKED cw_error cwi_rma_move_parts(const struct cwi_transfer *transfer,
                                        cw_error (*move)(const struct cwi_transfer *part,
                                                         void *context),
                                        void *context, char **left);

/* Returns true if an accumulate may change memory from which it reads. MPI does not allow such
 * overlap, so the source must be copied before it changes. */
bool cwi_rma_reads_target(const struct cwi_transfer *transfer);
