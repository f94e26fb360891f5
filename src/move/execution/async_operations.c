/* MPI operations of the server that are in progress. */
#include "execution/async_operations.h"

#include "mpi/mpi_progress.h"
#include "mpi/poll.h"
#include "team/world.h"
#include "wait/failures.h"

#include <stdlib.h>

struct ending {
  cwi_async_end end;
  void *context;
  MPI_Status status; /* valid once the operation is complete */
};

/* The watched requests come first, then those of the operations. During a poll, the requests that
 * threads wait for follow at the end. */
static MPI_Request *requests;
static struct ending *endings;
static struct cwi_arrival **arrivals; /* same indices as their requests */
static int *complete;
static MPI_Status *statuses;
static int count = CWI_RECEIVES, capacity;

/* In a job that survives failures a message to a process that has failed may return an error before
 * the failure is known. Nothing depends on that message. */
void cwi_server_must(cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK) && !cwi_survives())
    cwi_abort_with(1, "the server of node %d failed: %s", cwi_world.node, cwi_error_message());
}

static void *enlarge(void *array, size_t element)
{
  void *larger = realloc(array, (size_t)capacity * element);
  if (larger == NULL)
    cwi_abort("the server has no memory for the operations under way", 1);
  return larger;
}

static void async_grow(void)
{
  capacity = capacity > 0 ? 2 * capacity : 64;
  requests = enlarge((void *)requests, sizeof *requests);
  endings = enlarge(endings, sizeof *endings);
  arrivals = enlarge((void *)arrivals, sizeof(struct cwi_arrival *));
  complete = enlarge(complete, sizeof *complete);
  statuses = enlarge(statuses, sizeof *statuses);
}

void cwi_async_add(MPI_Request request, cwi_async_end end, void *context)
{
  if (count == capacity)
    async_grow();
  requests[count] = request;
  endings[count++] = (struct ending){.end = end, .context = context};
}

void cwi_async_start(MPI_Request request, cwi_async_end end, void *context)
{
  int sent = 0;
  MPI_Status status;
  cwi_server_must(CWI_MPI(MPI_Test(&request, &sent, &status)));
  if (sent)
    end(context, &status);
  else
    cwi_async_add(request, end, context);
}

int cwi_async_count(void)
{
  return count - CWI_RECEIVES;
}

void cwi_async_watch(enum cwi_receive which, MPI_Request request)
{
  if (capacity == 0)
    async_grow();
  requests[which] = request;
}

MPI_Request cwi_async_watched(enum cwi_receive which)
{
  return requests[which];
}

/* --- Polling ---------------------------------------------------------------------------------- */

/* Appends the requests that threads wait for. Returns the number of all requests. */
static int add_arrivals(void)
{
  int listed = cwi_poll_list(arrivals + count, requests + count, capacity - count);
  while (CWI_UNLIKELY(listed > capacity - count)) {
    async_grow();
    listed = cwi_poll_list(arrivals + count, requests + count, capacity - count);
  }
  return count + listed;
}

/* Reports the completed requests that threads wait for. Keeps the completed requests of the server
 * in `complete` and `statuses`, and returns their number. */
static int sort_complete(int done, bool each)
{
  int mine = 0;
  for (int i = 0; i < done; i++) {
    const int code = each ? statuses[i].MPI_ERROR : MPI_SUCCESS;
    if (complete[i] >= count) {
      cwi_poll_found(arrivals[complete[i]], &statuses[i], code);
      continue;
    }
    cwi_server_must(cwi_mpi_result("MPI_Testsome", code));
    complete[mine] = complete[i];
    statuses[mine++] = statuses[i];
  }
  return mine;
}

/* Polls once. If MPI_Testsome fails without a status for each request, a request that a thread
 * waits for may be the cause. So the server's own requests are polled again without those of
 * threads. */
static int async_test(void)
{
  const int all = add_arrivals();
  int done = 0, code = cwi_mpi_poll(all, requests, &done, complete, statuses);
  if (CWI_UNLIKELY(code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS && all > count)) {
    cwi_poll_singly();
    code = cwi_mpi_poll(count, requests, &done, complete, statuses);
  }
  if (CWI_UNLIKELY(code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS))
    cwi_server_must(cwi_mpi_result("MPI_Testsome", code));
  return sort_complete(done, code == MPI_ERR_IN_STATUS);
}

/* Moves the completed operations to `ended`, and closes the gaps among the others. Records
 * completed watched receives in `seen`. Returns the number of completed operations. */
static int take_ended(struct ending *ended, int done, struct cwi_seen *seen)
{
  int taken = 0, kept = CWI_RECEIVES;
  for (int i = 0; i < done; i++) {
    if (complete[i] >= CWI_RECEIVES) {
      ended[taken] = endings[complete[i]];
      ended[taken++].status = statuses[i];
      continue;
    }
    seen->here[complete[i]] = true;
    if (complete[i] == CWI_RECEIVE_REQUEST)
      seen->request = statuses[i];
  }
  for (int i = CWI_RECEIVES; taken > 0 && i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL) {
      requests[kept] = requests[i];
      endings[kept++] = endings[i];
    }
  if (taken > 0)
    count = kept;
  return taken;
}

/* Removes the completed operations from the list before it calls their `end` functions, because
 * these may add operations. */
bool cwi_async_progress(struct cwi_seen *seen)
{
  const int done = async_test();
  seen->here[CWI_RECEIVE_REQUEST] = seen->here[CWI_RECEIVE_CREDIT] = false;
  if (done == 0)
    return false;
  struct ending few[16], *ended = done <= 16 ? few : malloc((size_t)done * sizeof *ended);
  if (ended == NULL)
    cwi_abort("the server has no memory for completed operations", 1);
  const int taken = take_ended(ended, done, seen);
  for (int i = 0; i < taken; i++)
    ended[i].end(ended[i].context, &ended[i].status);
  if (ended != few)
    free(ended);
  return taken > 0;
}

void cwi_async_stop(void)
{
  CWI_ASSERT(count == CWI_RECEIVES);
  free((void *)requests);
  free(endings);
  free((void *)arrivals);
  free(complete);
  free(statuses);
  requests = NULL;
  endings = NULL;
  arrivals = NULL;
  complete = NULL;
  statuses = NULL;
  capacity = 0;
}
