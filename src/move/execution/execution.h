/* Execution of requests on the memory of my node.
 *
 * async_operations.c  MPI operations that are in progress
 * bulk_buffer.c       memory for the data of bulk transfers
 * deferred_work.c     agent operations, and requests that wait for them
 * execution.c         one function for each operation
 * inbound_bulk.c      bulk updates in flight, and notifications that wait for them
 * mutex_grant.c       mutexes that processes of other nodes wait for
 * reply.c             answers, data of gets, errors
 * request_buffer.c    request buffers and their credits
 * request_memory.c    lookup of the memory that requests name, and data movement */
#pragma once

#include "execution/request_buffer.h"

/* Executes a batch for my node. The batch lies in `buffer`. If it or an earlier batch of its origin
 * needs an agent, the execution continues after the return (execution/deferred_work.h). */
void cwi_execute_batch(struct cwi_request_buffer *buffer, const struct cwi_request_batch *batch);
