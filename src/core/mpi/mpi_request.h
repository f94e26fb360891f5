/* Waiting for MPI's requests and messages without keeping the core from others. */
#ifndef CWI_MPI_MPI_REQUEST_H
#define CWI_MPI_MPI_REQUEST_H

#include "base/error.h"

#include <mpi.h>

/* Wait for a request without keeping the core from others; serve and let MPI progress meanwhile. */
CWI_CHECKED cw_error cwi_mpi_wait(MPI_Request *request);

/* The same for a message: so many bytes have come. */
CWI_CHECKED cw_error cwi_mpi_wait_bytes(MPI_Request *request, int *bytes);

/* Wait in the same way for a message, which then is this thread's to receive. */
CWI_CHECKED cw_error cwi_mpi_await_message(int from, int tag, MPI_Comm comm, MPI_Message *message,
                                           MPI_Status *status);

/* One look for several requests, as MPI_Testsome, which returns what it took in meanwhile. */
int cwi_mpi_poll(int count, MPI_Request *requests, int *done, int *places, MPI_Status *statuses);

/* End a receive that nothing will match, if there is one: it must not outlive the memory that it is
 * for. Called where an error is being reported already. */
void cwi_mpi_drop(MPI_Request *request);

/* The same of one that MPI has refused to complete, perhaps: it is not to read or write memory that
 * its owner leaves, and the job ends if MPI cannot even drop it. what: "an answer of a server". */
void cwi_mpi_give_up(MPI_Request *request, const char *what);
#endif
