/* Waits for MPI requests and messages. Meanwhile the thread yields the core and sleeps. */
#pragma once

#include "base/error.h"

#include <mpi.h>

/* Waits for a request. Meanwhile serves requests of other processes and lets MPI progress. */
CWI_CHECKED cw_error cwi_mpi_wait(MPI_Request *request);

/* Waits like cwi_mpi_wait for a receive, and returns the number of bytes received. */
CWI_CHECKED cw_error cwi_mpi_wait_bytes(MPI_Request *request, int *bytes);

/* Waits like cwi_mpi_wait until a message matches. The message is then reserved for this thread,
 * which receives it with cwi_mpi_receive, or with MPI_Mrecv if it is so short that its data has
 * arrived with its match. */
CWI_CHECKED cw_error cwi_mpi_await_message(int from, int tag, MPI_Comm comm, MPI_Message *message,
                                           MPI_Status *status);

/* Receives a message that MPI has matched, and waits like cwi_mpi_wait: the data of a long message
 * arrives later than its match, and never if its sender has failed. */
CWI_CHECKED cw_error cwi_mpi_receive(void *buffer, int bytes, MPI_Message *message);

/* Ends the job if a process has failed, in a job that survives failures; called by loops that wait
 * for MPI. Only the world has messages in such a job (cwi_team_check_messages), so the awaited one
 * may never arrive, and MPI cannot give up its buffer. */
void cwi_mpi_check_failures(void);

/* Tests requests once, as MPI_Testsome does. Also returns requests that complete during the call.
 */
int cwi_mpi_poll(int count, MPI_Request *requests, int *done, int *places, MPI_Status *statuses);

/* Cancels a receive that no message will match; does nothing for a null request. It is called
 * because the receive must not outlive its buffer. It returns no error, because the caller is
 * already returning one. */
void cwi_mpi_drop(MPI_Request *request);

/* Cancels a request that may still be active after an error, so that MPI no longer accesses memory
 * that the caller is about to free. Ends the job if the request cannot be cancelled. `what` names
 * the request in the message, for example "an answer of a server". */
void cwi_mpi_give_up(MPI_Request *request, const char *what);
