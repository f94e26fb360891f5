/* Buffers for a while: one of moderate size is kept for the next caller. */
#ifndef CWI_ROUTE_RMA_BUFFERS_H
#define CWI_ROUTE_RMA_BUFFERS_H

#include "transfer/transfer.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL: no memory. */
void *cwi_buffer_take(size_t bytes);
void cwi_buffer_give(void *buffer);
void cwi_buffers_stop(void);

/* A transfer's local side without gaps, scaled. buffer: room for all of it. */
void cwi_rma_pack(const struct cwi_transfer *transfer, char *buffer);

#ifdef __cplusplus
}
#endif
#endif
