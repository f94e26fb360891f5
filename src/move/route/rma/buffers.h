/* Buffers for a while: one of moderate size is kept for the next caller. */
#ifndef CWI_ROUTE_RMA_BUFFERS_H
#define CWI_ROUTE_RMA_BUFFERS_H

#include "transfer/fragment.h"
#include "transfer/transfer.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the buffer that is kept. */
enum { CWI_BUFFER_BYTES = 1 << 20 };

/* NULL: no memory. */
void *cwi_buffer_take(size_t bytes);
void cwi_buffer_give(void *buffer);
void cwi_buffers_stop(void);

/* A transfer's local side without gaps, scaled. buffer: room for all of it. */
void cwi_rma_pack(const struct cwi_transfer *transfer, char *buffer);

/* An accumulate in parts that fit into a kept buffer. */
struct cwi_fragments cwi_rma_parts(const struct cwi_transfer *transfer);

/* The next part, from the buffer, where its local side lies scaled. Only when something is left. */
struct cwi_transfer cwi_rma_part(const struct cwi_transfer *transfer,
                                 struct cwi_fragments *fragments, char *buffer);

/* Does an accumulate change memory from which it reads? Each segment is read before it changes; to
 * MPI that is an error. */
bool cwi_rma_reads_target(const struct cwi_transfer *transfer);

#ifdef __cplusplus
}
#endif
#endif
