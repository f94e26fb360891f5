/* MPI fails for a request to a server: the call returns the error, no other operation is lost, the
 * tag of the reply is free again, and the job ends. */
#include "kit/native.h"

#include "link/reply_tags.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LONG = 1024 }; /* doubles: by themselves */

static const char SEND[] = "MPI_Send(", RECEIVE[] = "MPI_Irecv(", DATA[] = "MPI_Isend(",
                  COUNT[] = "MPI_Get_count(", REASON[] = "MPI_Recv(",
                  SETTLE[] = "MPI_Test failed in MPI", ANSWER[] = "MPI_Test failed in MPI";

static _Thread_local const char
    *failing;                     /* the MPI function whose next call by this thread fails */
static _Thread_local int granted; /* number of calls that succeed before */

static _Thread_local MPI_Request expected = MPI_REQUEST_NULL;
static _Thread_local int cancelled; /* cancelled receives of the last expected reply */

/* The request that this thread has started last; MPI then fails to test it, for any thread. */
static MPI_Request not_reported = MPI_REQUEST_NULL;

static void keep_unreported(MPI_Request request)
{
  __atomic_store_n(&not_reported, request, __ATOMIC_SEQ_CST);
}

static bool is_not_reported(MPI_Request request)
{
  return request != MPI_REQUEST_NULL && request == __atomic_load_n(&not_reported, __ATOMIC_SEQ_CST);
}

static void stop_failing(void)
{
  failing = NULL;
  keep_unreported(MPI_REQUEST_NULL);
}

static bool must_fail(const char *call)
{
  const bool fails = failing == call && granted-- == 0;
  if (fails)
    failing = NULL;
  return fails;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  return must_fail(SEND) ? MPI_ERR_OTHER : PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  if (must_fail(DATA))
    return MPI_ERR_OTHER;
  const int code = PMPI_Isend(data, count, type, to, tag, comm, request);
  if (failing == SETTLE && tag == CWI_TAG_REQUEST)
    keep_unreported(*request);
  return code;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  if (must_fail(RECEIVE))
    return MPI_ERR_OTHER;
  const int code = PMPI_Irecv(data, count, type, from, tag, comm, request);
  if (from == MPI_ANY_SOURCE) /* this thread serves meanwhile */
    return code;
  expected = *request;
  if (failing == ANSWER)
    keep_unreported(*request);
  return code;
}

/* The reply has arrived, but no thread is notified. */
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
  const int code = PMPI_Recv(data, count, type, from, tag, comm, status);
  return must_fail(REASON) ? MPI_ERR_OTHER : code;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
  return must_fail(COUNT) ? MPI_ERR_OTHER : PMPI_Get_count(status, type, count);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  return is_not_reported(*request) ? MPI_ERR_OTHER : PMPI_Test(request, flag, status);
}

/* The message does not name the request. */
int MPI_Testsome(int number, MPI_Request *requests, int *done, int *places, MPI_Status *statuses)
{
  for (int i = 0; i < number; i++)
    if (is_not_reported(requests[i]))
      return MPI_ERR_OTHER;
  return PMPI_Testsome(number, requests, done, places, statuses);
}

int MPI_Cancel(MPI_Request *request)
{
  cancelled += *request == expected;
  return PMPI_Cancel(request);
}

/* Returns the tag of the next reply: the one that was released last. */
static uint32_t next_tag(void)
{
  uint32_t tag = 0;
  KIT_MUST(cwi_tag_take(&tag));
  cwi_tag_give(tag);
  return tag;
}

/* Each call of MPI fails once; afterwards everything is as before. */
#define FAILS_ONCE(which, call)                                                                    \
  do {                                                                                             \
    const uint32_t tag = next_tag();                                                               \
    failing = (which);                                                                             \
    granted = 0;                                                                                   \
    KIT_OUTSIDE(which, call);                                                                      \
    kit_check(failing == NULL, "%s was called", which);                                            \
    failing = NULL;                                                                                \
    KIT_OK(cw_fence(0));                                                                           \
    kit_check(next_tag() == tag, "the tag is free again: " #call ", %s", which);                   \
  } while (0)

/* Fails more often than there are credits. */
static void lose_puts(double *there)
{
  enum { TIMES = 40 };
  for (int i = 0; i < TIMES; i++) {
    const double sent = i;
    FAILS_ONCE(SEND, cw_put(&sent, there, sizeof sent, 0));
    KIT_OK(cw_put(&sent, there + 1, sizeof sent, 0));
    KIT_OK(cw_fence(0));
  }
  /* This put leaves by itself, as the one before it left with its fence. */
  const double sent = 39;
  FAILS_ONCE(RECEIVE, cw_put(&sent, there + 1, sizeof sent, 0));
}

static void lose_questions(int64_t *there)
{
  int64_t before = 0;
  FAILS_ONCE(SEND, cw_fetch_add_int64(there, 1, 0, &before));
  FAILS_ONCE(RECEIVE, cw_fetch_add_int64(there, 1, 0, &before));
  KIT_OK(cw_fetch_add_int64(there, 1, 0, &before));
  kit_check(before == 0, "a sum that was refused");
}

static void lose_gets(double *there)
{
  double got[LONG], more = 0;
  cw_handle handle = {0};
  FAILS_ONCE(SEND, cw_get(got, there + 1, 16, 0));
  FAILS_ONCE(RECEIVE, cw_get(got, there + 1, 16, 0));
  FAILS_ONCE(SEND, cw_get(got, there, sizeof got, 0));
  FAILS_ONCE(RECEIVE, cw_get(got, there, sizeof got, 0));
  /* Two operations that travel together. */
  KIT_OK(cw_handle_set_aggregate(&handle, true));
  const cw_transfer first = cw_contiguous(CW_GET, got, there + 1, 8, 0);
  const cw_transfer second = cw_contiguous(CW_GET, &more, there + 1, 8, 0);
  KIT_OK(cw_transfer_start(&first, &handle));
  KIT_OK(cw_transfer_start(&second, &handle));
  FAILS_ONCE(RECEIVE, cw_wait(&handle)); /* both have been waited for */
  kit_check(handle.index == 0, "the handle is not empty");
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_get(&more, there + 1, 8, 0));
  kit_check(more == 39, "a get after others that were refused");
}

static void lose_long_puts(double *there)
{
  double data[LONG];
  for (int i = 0; i < LONG; i++)
    data[i] = 100;
  FAILS_ONCE(SEND, cw_put(data, there + LONG, sizeof data, 0));
  FAILS_ONCE(RECEIVE, cw_put(data, there + LONG, sizeof data, 0));
  FAILS_ONCE(DATA, cw_put(data, there + LONG, sizeof data, 0));
  KIT_OK(cw_get(data, there + LONG, sizeof data, 0));
  kit_check(data[0] == 0 && data[LONG - 1] == 0, "a put that was refused");
  data[LONG - 1] = 5;
  KIT_OK(cw_put(data, there + LONG, sizeof data, 0));
}

/* The second of two pieces fails: the handle is unchanged, and the first piece has left. */
static void lose_pieces(double *there)
{
  static double data[LONG];
  const size_t rows = ((size_t)1 << 20) / sizeof data;
  const ptrdiff_t stride = 0;
  const cw_operation operations[] = {CW_PUT, CW_GET, CW_ACCUMULATE};
  for (int i = 0; i < 3; i++) {
    cw_handle handle = {0};
    cw_transfer transfer =
        cw_strided(operations[i], data, &stride, there + LONG, &stride, sizeof data, &rows, 1, 0);
    transfer.type = CW_DOUBLE;
    failing = RECEIVE;
    granted = 1;
    KIT_OUTSIDE(RECEIVE, cw_transfer_start(&transfer, &handle));
    kit_check(failing == NULL, "the second piece was refused");
    kit_check(handle.index == 0, "the handle of operation %d is empty", i);
    KIT_OK(cw_wait(&handle));
    KIT_OK(cw_fence(0));
  }
}

/* The answers are in flight and may arrive after the call has ended; no call waits for them then.
 * */
static void lose_answers(cw_region region, double *there)
{
  static double data[LONG / 2]; /* too long for a short message, but not for a packet */
  int64_t before = 0, *count = (int64_t *)(void *)(there + LONG - 1);
  cw_view view = NULL;
  cw_handle handle = {0};
  KIT_MUST(cw_view_of(region, &view));
  for (int i = 0; i < 20; i++) {
    kit_about("answers that MPI refuses to tell of, %d", i);
    failing = SETTLE;
    KIT_OUTSIDE(SETTLE, cw_view_rrput(view, data, there + 8, sizeof data, 0, &handle));
    stop_failing();
    KIT_OK(cw_wait(&handle));
    KIT_OK(cw_fetch_add_int64(count, 1, 0, &before));
    kit_check_long(before, 2 * i, "the sum behind a request for remote completion");
    KIT_OK(cw_put(data, there + 8, 16, 0));
    KIT_OK(cw_put(data, there + 10, 16, 0));
    const uint32_t tag = next_tag();
    cancelled = 0;
    failing = ANSWER;
    KIT_OUTSIDE(ANSWER, cw_fence(0));
    stop_failing();
    kit_check(cancelled == 1, "%d receives were given up", cancelled);
    kit_check(next_tag() != tag, "the tag of an answer that may come is used again");
    KIT_OK(cw_fence(0));
    KIT_OK(cw_fetch_add_int64(count, 1, 0, &before));
    kit_check_long(before, 2 * i + 1, "the sum behind a fence");
  }
  KIT_OK(cw_view_free(&view));
}

/* The result of a get cannot be received: the wait for it returns the error, once. */
static void lose_replies(cw_view released, double *there)
{
  static double got[LONG];
  void *released_there = NULL;
  cw_handle handle = {0};
  KIT_MUST(cw_view_address(released, 0, &released_there, NULL));
  for (size_t bytes = 16; bytes <= sizeof got; bytes = bytes == 16 ? sizeof got : bytes + 1) {
    kit_about("%zu bytes that have come", bytes);
    failing = COUNT;
    granted = 0;
    KIT_OUTSIDE(COUNT, cw_get(got, there, bytes, 0));
    kit_check(failing == NULL, "MPI_Get_count was called");
    failing = REASON;
    granted = 0;
    KIT_OK(cw_view_rget(released, got, released_there, bytes, 0, &handle));
    KIT_OUTSIDE(REASON, cw_wait(&handle));
    kit_check(failing == NULL, "MPI_Recv was called");
    KIT_OK(cw_wait(&handle));
    KIT_OK(cw_get(got, there, bytes, 0));
    KIT_OK(cw_fence(0));
  }
}

static cw_view view_of_released(void)
{
  static double memory[LONG];
  unsigned char name[CW_MEMORY_HANDLE_BYTES] = {0};
  cw_view released = NULL;
  if (kit_me() == 0)
    KIT_MUST(cw_memory_handle_create(memory, sizeof memory, name));
  KIT_MUST(cw_broadcast(cw_team_world(), 0, name, sizeof name));
  KIT_MUST(cw_view_from_memory(name, &released));
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    KIT_MUST(cw_memory_handle_release(name));
  KIT_MUST(cw_barrier(cw_team_world()));
  return released;
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **slices = NULL;
  setenv("CW_ROUTE", "server", 1);
  setenv("CW_SERVER_BULK", "8192", 1);
  kit_start_native(&argc, &argv, "lost");
  kit_hang_guard();
  double *mine = kit_make_region(2 * LONG * sizeof(double), &region, &slices);
  cw_view released = view_of_released();
  if (kit_me() == 1) {
    lose_answers(region, slices[0]);
    lose_replies(released, slices[0]);
    lose_puts(slices[0]);
    lose_questions(slices[0]);
    lose_gets(slices[0]);
    lose_pieces(slices[0]);
    lose_long_puts(slices[0]);
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    kit_check(mine[1] == 39 && mine[2 * LONG - 1] == 5, "the puts that were sent");
  KIT_OK(cw_view_free(&released));
  kit_free_region(&region, slices);
  return kit_finish_native();
}
