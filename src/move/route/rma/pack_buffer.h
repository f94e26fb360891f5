/* Temporary buffers for packed data: one of moderate size is kept for the next caller. */
#ifndef CWI_ROUTE_RMA_PACK_BUFFER_H
#define CWI_ROUTE_RMA_PACK_BUFFER_H

#include "transfer/transfer.h"

#include <stddef.h>

/* Bytes of the buffer that is kept. */
enum { CWI_BUFFER_BYTES = 1 << 20 };

/* cwi_buffer_take returns a buffer, or NULL if there is no memory; cwi_buffer_make returns an error
 * then. cwi_buffer_give takes the buffer back; NULL is allowed. */
void *cwi_buffer_take(size_t bytes);
CWI_CHECKED cw_error cwi_buffer_make(size_t bytes, char **buffer);
void cwi_buffer_give(void *buffer);
void cwi_buffers_stop(void);

/* Packs a transfer's local side, scaled, into `buffer`, which has space for all of it. */
void cwi_rma_pack(const struct cwi_transfer *transfer, char *buffer);

/* Moves an accumulate in parts: `move` is called for each with a scaled copy of its local side in
 * one buffer. After an error of `move`, *left is the buffer, which the caller must give back once
 * MPI no longer reads it; else it is NULL. Errors: also CW_OUTSIDE (no memory). */
CWI_CHECKED cw_error cwi_rma_move_parts(const struct cwi_transfer *transfer,
                                        cw_error (*move)(const struct cwi_transfer *part,
                                                         void *context),
                                        void *context, char **left);

/* Returns true if an accumulate changes memory from which it reads. Each segment must be read
 * before it changes; MPI does not allow such overlap. */
bool cwi_rma_reads_target(const struct cwi_transfer *transfer);
#endif
