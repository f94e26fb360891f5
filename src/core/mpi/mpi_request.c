/* Waits for MPI requests and messages. Meanwhile the thread yields the core and sleeps. */
#include "mpi/mpi_request.h"

#include "mpi/mpi_result.h"
#include "mpi/mpi_sleep.h"
#include "mpi/poll.h"
#include "mpi/workaround.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

void cwi_mpi_check_failures(void)
{
  char call[64];
  if (CWI_LIKELY(cwi_failures_count() == 0))
    return;
  cwi_waiting_call(call, sizeof call);
  cwi_abort_with(1, "process %d failed while %s waited for a message of MPI; ending the job",
                 cwi_failures_first(), call[0] != '\0' ? call : "this process");
}

static bool request_spins(void *wait, bool polls)
{
  cwi_mpi_check_failures();
  return polls ? cwi_wait_pass(wait) : cwi_wait_passively(wait);
}

static cw_error request_wait(MPI_Request *request, MPI_Status *status)
{
  struct cwi_wait wait = {.sleeps = true};
  struct cwi_sleep sleep = {0};
  struct cwi_arrival arrival = cwi_arrival(*request);
  const cw_error error = cwi_arrival_wait(&arrival, &sleep, request_spins, &wait);
  *request = arrival.request;
  *status = arrival.status;
  return error;
}

cw_error cwi_mpi_wait(MPI_Request *request)
{
  MPI_Status status;
  return request_wait(request, &status);
}

cw_error cwi_mpi_wait_bytes(MPI_Request *request, int *bytes)
{
  MPI_Status status;
  CWI_TRY(request_wait(request, &status));
  return CWI_MPI(MPI_Get_count(&status, MPI_BYTE, bytes));
}

cw_error cwi_mpi_await_message(int from, int tag, MPI_Comm comm, MPI_Message *message,
                               MPI_Status *status)
{
  struct cwi_wait wait = {.sleeps = true};
  struct cwi_sleep sleep = {0};
  int here = 0;
  CWI_TRY(CWI_MPI(MPI_Improbe(from, tag, comm, &here, message, status)));
  while (!here) {
    cwi_mpi_check_failures();
    if (!cwi_wait_pass(&wait))
      cwi_sleep(&sleep);
    CWI_TRY(CWI_MPI(MPI_Improbe(from, tag, comm, &here, message, status)));
  }
  cwi_sleep_end(&sleep);
  return CW_OK;
}

cw_error cwi_mpi_receive(void *buffer, int bytes, MPI_Message *message)
{
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(CWI_MPI(MPI_Imrecv(buffer, bytes, MPI_BYTE, message, &request)));
  return cwi_mpi_wait(&request);
}

/* Open MPI first tests and then makes progress, so a second call is needed to return what the first
 * one has received. */
int cwi_mpi_poll(int count, MPI_Request *requests, int *done, int *places, MPI_Status *statuses)
{
  int code = MPI_Testsome(count, requests, done, places, statuses);
  if (code == MPI_SUCCESS && *done == 0 && cwi_mpi_traits()->checks_first)
    code = MPI_Testsome(count, requests, done, places, statuses);
  return code;
}

/* Cancels and completes a request. Returns false if MPI cannot cancel it: it may never complete,
 * and a wait for it would hang. */
static bool request_end(MPI_Request *request)
{
  if (*request == MPI_REQUEST_NULL)
    return true;
  if (MPI_Cancel(request) != MPI_SUCCESS)
    return false;
  MPI_Wait(request, MPI_STATUS_IGNORE);
  return *request == MPI_REQUEST_NULL;
}

/* A request that cannot be cancelled is left to MPI. */
void cwi_mpi_drop(MPI_Request *request)
{
  if (!request_end(request))
    *request = MPI_REQUEST_NULL;
}

void cwi_mpi_give_up(MPI_Request *request, const char *what)
{
  if (!request_end(request))
    cwi_abort_with(1, "%s cannot be completed: %s", what, cwi_error_message());
}
