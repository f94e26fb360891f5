/* Buffers for a while: one of moderate size is kept for the next caller. */
#ifndef CWI_ROUTE_RMA_PACK_BUFFER_H
#define CWI_ROUTE_RMA_PACK_BUFFER_H

#include "transfer/transfer.h"

#include <stddef.h>

/* Bytes of the buffer that is kept. */
enum { CWI_BUFFER_BYTES = 1 << 20 };

/* NULL: no memory; or an error that says so. */
void *cwi_buffer_take(size_t bytes);
CWI_CHECKED cw_error cwi_buffer_make(size_t bytes, char **buffer);
void cwi_buffer_give(void *buffer);
void cwi_buffers_stop(void);

/* A transfer's local side without gaps, scaled. buffer: room for all of it. */
void cwi_rma_pack(const struct cwi_transfer *transfer, char *buffer);

/* Move an accumulate in parts that fit into a kept buffer, in which the local side of each lies
 * scaled. After an error the buffer stays with the caller: MPI may still read it. Errors: also
 * CW_OUTSIDE (no memory; then there is none). */
CWI_CHECKED cw_error cwi_rma_move_parts(const struct cwi_transfer *transfer,
                                        cw_error (*move)(const struct cwi_transfer *part,
                                                         void *context),
                                        void *context, char **left);

/* Does an accumulate change memory from which it reads? Each segment is read before it changes; to
 * MPI that is an error. */
bool cwi_rma_reads_target(const struct cwi_transfer *transfer);
#endif
