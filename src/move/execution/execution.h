/* Executing requests on the memory of my node.
 *
 * async_operations.c  MPI operations that are under way
 * bulk_buffer.c       memory for the data of long transfers on its way
 * deferred_work.c     what agents of my node do, and requests that wait behind that
 * execution.c         one function for each operation
 * inbound_bulk.c      long updates that are on their way, and notifications behind them
 * mutex_grant.c       mutexes that processes of other nodes wait for
 * reply.c             answers, data of gets, refusals
 * request_buffer.c    request buffers and their credits
 * request_memory.c    the memory that requests name, and moving it */
#ifndef CWI_EXECUTION_EXECUTION_H
#define CWI_EXECUTION_EXECUTION_H

#include "execution/request_buffer.h"

/* A batch for my node, which lies in the buffer. What agents do of it, or of what its origin sent
 * before, goes on afterwards (execution/deferred_work.h). */
void cwi_execute_batch(struct cwi_request_buffer *buffer, const struct cwi_request_batch *batch);
#endif
