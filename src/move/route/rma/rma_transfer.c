/* Starting and completing a transfer through MPI windows. */
#include "base/free_list.h"
#include "base/settings.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "mpi/workaround.h"
#include "route/rma/dynamic_window.h"
#include "route/rma/pack_buffer.h"
#include "route/rma/rma.h"
#include "team/world.h"

/* A started operation, for which its caller may wait later. */
struct rma_started {
  struct cwi_pending pending;
  struct cwi_target *target;
  uint64_t ticket;
  MPI_Request request; /* MPI_REQUEST_NULL if a flush completes it */
  bool counted;        /* the request is counted in `requests` */
  char *packed;        /* buffer, released when the operation is locally complete; or NULL */
  bool unpack;         /* before that, `packed` is unpacked into `shape` */
  struct cwi_shape shape;
};
static struct cwi_free_list *spare;

void cwi_started_stop(void)
{
  cwi_free_list_free(&spare);
}

/* --- Completion ------------------------------------------------------------------------------- */

/* Number of outstanding requests. Threads complete requests under locks of their own. */
static int requests;

static void count_request(struct rma_started *started)
{
  started->counted = started->request != MPI_REQUEST_NULL;
  __atomic_fetch_add(&requests, started->counted, __ATOMIC_RELAXED);
}

/* Called when the request is complete, or when its record is given up after an error. */
static void uncount_request(struct rma_started *started)
{
  __atomic_fetch_sub(&requests, started->counted, __ATOMIC_RELAXED);
  started->counted = false;
}

static cw_error complete_request(struct rma_started *started, bool wait, bool *done)
{
  int flag = 1;
  if (wait)
    CWI_TRY(CWI_MPI(MPI_Wait(&started->request, MPI_STATUS_IGNORE)));
  else
    CWI_TRY(CWI_MPI(MPI_Test(&started->request, &flag, MPI_STATUS_IGNORE)));
  *done = flag;
  if (flag)
    uncount_request(started);
  return CW_OK;
}

/* Completes a started operation locally. MPI has no test for a flush, so a test of an operation
 * without a request flushes, and thereby waits. It could not just return: data may move only while
 * MPI is called, so such tests might never succeed. */
static cw_error rma_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct rma_started *started = (struct rma_started *)pending;
  *done = false; /* after an error MPI may still write into the buffer */
  if (started->request != MPI_REQUEST_NULL) {
    CWI_TRY(complete_request(started, wait, done));
  } else {
    CWI_TRY(cwi_target_finish_local(started->target, started->ticket));
    *done = true;
  }
  if (*done && started->unpack)
    cwi_unpack_local(&started->shape, started->packed);
  return CW_OK;
}

static void rma_release(struct cwi_pending *pending)
{
  struct rma_started *started = (struct rma_started *)pending;
  uncount_request(started);
  cwi_buffer_give(started->packed);
  cwi_exposure_release(started->target->exposure);
  cwi_free_list_give(&spare, started);
}

/* Waits for an operation that is not attached to a handle, by the same function as for attached
 * ones. */
static cw_error complete_now(struct rma_started *started)
{
  bool done = false;
  const cw_error error = rma_complete(&started->pending, true, &done);
  uncount_request(started);
  CWI_TRY(error);
  cwi_buffer_give(started->packed);
  return CW_OK;
}

/* Makes a record of an operation, and attaches it to the handle. */
static cw_error hand_over(const struct rma_started *given, cw_handle *handle)
{
  struct rma_started *started = cwi_free_list_take(&spare, sizeof *started);
  if (started == NULL)
    return cwi_outside("no memory for a non-blocking transfer");
  *started = *given;
  const cw_error error = cwi_handle_attach(handle, &started->pending);
  if (error != CW_OK) {
    cwi_free_list_give(&spare, started);
    return error;
  }
  started->target->exposure->references++;
  return CW_OK;
}

/* --- Start ------------------------------------------------------------------------------------ */

/* Open MPI with UCX aborts at 255 requests of one target (ompi#14192). */
enum { MOST_REQUESTS = 128 };

static bool side_in_region(const struct cwi_shape *shape)
{
  struct cwi_zone_slice slice;
  if (shape->vectors == NULL)
    return cwi_zone_find(shape->local, &slice);
  for (size_t v = 0; v < shape->vector_count; v++)
    for (size_t i = 0; shape->vectors[v].bytes > 0 && i < shape->vectors[v].count; i++)
      if (cwi_zone_find(shape->vectors[v].local[i], &slice))
        return true;
  return false;
}

/* Returns true if the local side must pass through a buffer. */
static bool is_staged(const struct cwi_transfer *transfer)
{
  return transfer->scaled || (cwi_settings.rma_stage && side_in_region(&transfer->shape));
}

/* Takes a buffer if the transfer or its method needs one, and packs the local side of an update
 * into it. */
static cw_error rma_prepare(const struct cwi_transfer *transfer, const struct cwi_method *method,
                            char **packed)
{
  *packed = NULL;
  if (!is_staged(transfer) && (method == NULL || !method->packs))
    return CW_OK;
  CWI_TRY(cwi_buffer_make(transfer->shape.bytes, packed));
  if (transfer->operation != CW_GET)
    cwi_rma_pack(transfer, *packed);
  return CW_OK;
}

static cw_error issue_shape(const struct cwi_issue *issue, const struct cwi_method *method)
{
  if (method != NULL)
    return method->move(issue);
  const struct cwi_shape *shape = issue->shape;
  return cwi_move(issue, issue->packed != NULL ? issue->packed : shape->local, shape->remote,
                  shape->bytes);
}

/* Returns true if all rows consist of 8-byte words. MPI libraries move derived datatypes of words
 * up to twice as fast as those of bytes. */
static bool in_words(const struct cwi_shape *shape)
{
  enum { WORD = sizeof(long) };
  if (shape->vectors == NULL)
    return shape->levels > 0 && shape->run % WORD == 0;
  for (size_t v = 0; v < shape->vector_count; v++)
    if (shape->vectors[v].bytes % WORD != 0)
      return false;
  return true;
}

/* Sets the element type and operation of an accumulate. Sums of complex numbers are done as sums of
 * their real and imaginary parts, which may be split anywhere. */
static void set_elements(const struct cwi_transfer *transfer, struct cwi_issue *issue)
{
  const cw_type type =
      transfer->reduction == CW_SUM ? cwi_type_of_parts(transfer->type) : transfer->type;
  issue->atom = cwi_type_bytes[type];
  issue->element = cwi_mpi_type(type);
  issue->op = cwi_mpi_op(transfer->reduction);
}

static struct cwi_issue issue_of(const struct cwi_transfer *transfer, struct cwi_target *target)
{
  struct cwi_issue issue = {.target = target,
                            .operation = transfer->operation,
                            .shape = &transfer->shape,
                            .atom = 1,
                            .element = MPI_BYTE,
                            .op = MPI_NO_OP};
  if (transfer->operation == CW_ACCUMULATE) {
    set_elements(transfer, &issue);
  } else if (in_words(&transfer->shape)) {
    issue.atom = sizeof(long);
    issue.element = MPI_LONG;
  }
  return issue;
}

/* Issues the MPI operations. On return `started` has what is needed to complete them. */
static cw_error issue_transfer(const struct cwi_transfer *transfer, struct cwi_target *target,
                               const struct cwi_method *method, bool request,
                               struct rma_started *started)
{
  struct cwi_issue issue = issue_of(transfer, target);
  issue.packed = started->packed;
  issue.request = request ? &started->request : NULL;
  if (transfer->operation != CW_GET)
    cwi_target_touch(target);
  CWI_TRY(issue_shape(&issue, method));
  count_request(started);
  started->ticket = ++target->issued;
  if (transfer->operation == CW_GET)
    target->last_get = started->ticket;
  if (method != NULL && method->complete)
    target->local = started->ticket;
  started->unpack = transfer->operation == CW_GET && started->packed != NULL;
  return CW_OK;
}

/* Returns true if loads and stores do the transfer. They do puts and gets of my own memory, because
 * the windows are unified and puts and gets need not be atomic. They do accumulates of my own
 * memory only if no other process can reach it through MPI. */
static bool is_direct(const struct cwi_transfer *transfer, const struct cwi_target *target)
{
  return transfer->process == cwi_world.process &&
         (transfer->operation != CW_ACCUMULATE || cwi_exposure_alone(target->exposure));
}

/* Starts a transfer, ordered behind outstanding ones on the same bytes. The caller holds the
 * bookkeeping lock. If loads and stores have done the transfer, started->ticket stays 0. */
static cw_error start_locked(const struct cwi_transfer *transfer, struct cwi_target *target,
                             bool blocking, struct rma_started *started)
{
  const struct cwi_method *method = NULL;
  struct cwi_trace trace = cwi_trace_of(transfer);
  CWI_TRY(cwi_target_order(target, &trace));
  if (is_direct(transfer, target)) {
    cwi_route_progress_sometimes();
    return cwi_route_direct.start(transfer, true, NULL);
  }
  CWI_TRY(cwi_method_choose(transfer, &method));
  CWI_TRY(rma_prepare(transfer, method, &started->packed));
  const bool request = !blocking && method == NULL && cwi_settings.rma_requests &&
                       __atomic_load_n(&requests, __ATOMIC_RELAXED) < MOST_REQUESTS;
  const cw_error error = issue_transfer(transfer, target, method, request, started);
  if (error != CW_OK)
    return cwi_target_abandon(target, started->packed, error);
  trace.ticket = started->ticket;
  /* A get that the caller waits for leaves no outstanding bytes. */
  const bool complete_get = blocking || target->local >= started->ticket;
  if (transfer->operation != CW_GET || !complete_get)
    cwi_hazard_add(&target->hazards, &trace);
  return CW_OK;
}

/* Returns true if the operation gets no pending record. A get through a buffer into a vector must
 * be unpacked while the caller's list exists. An operation that is already complete needs no
 * record. */
static bool must_wait(const struct rma_started *started, const struct cwi_shape *shape)
{
  return (started->unpack && shape->vectors != NULL) || started->target->local >= started->ticket;
}

/* Starts a transfer to one target, and waits for it if `blocking`; else attaches it to the handle.
 */
static cw_error start_whole(const struct cwi_transfer *transfer, struct cwi_target *target,
                            bool blocking, cw_handle *handle)
{
  struct rma_started started = {
      .pending = {.process = transfer->process, .complete = rma_complete, .release = rma_release},
      .target = target,
      .request = MPI_REQUEST_NULL,
  };
  cwi_threads_lock();
  cw_error error = start_locked(transfer, target, blocking, &started);
  const bool moved = error == CW_OK && started.ticket != 0;
  if (moved && started.unpack)
    started.shape = transfer->shape;
  const bool wait = blocking || must_wait(&started, &transfer->shape);
  if (moved && !wait)
    error = hand_over(&started, handle);
  cwi_threads_unlock();
  /* If there is no record, wait here. The operation has been issued, so this is no error. */
  return moved && (wait || error != CW_OK) ? complete_now(&started) : error;
}

/* Returns true if the transfer goes in parts through one small buffer. Such a transfer is locally
 * complete when it returns. */
static bool is_split(const struct cwi_transfer *transfer, const struct cwi_target *target)
{
  const bool large =
      transfer->operation == CW_ACCUMULATE && transfer->shape.bytes > CWI_BUFFER_BYTES;
  return (cwi_rma_reads_target(transfer) || (large && is_staged(transfer))) &&
         !is_direct(transfer, target);
}

static cw_error start_part(const struct cwi_transfer *part, void *target)
{
  return start_whole(part, target, true, NULL);
}

static cw_error start_parts(const struct cwi_transfer *transfer, struct cwi_target *target)
{
  char *left = NULL;
  cw_error error = cwi_rma_move_parts(transfer, start_part, target, &left);
  if (left == NULL)
    return error;
  cwi_threads_lock();
  error = cwi_target_abandon(target, left, error);
  cwi_threads_unlock();
  return error;
}

static cw_error rma_start(const struct cwi_transfer *transfer, struct cwi_target *target,
                          bool blocking, cw_handle *handle)
{
  return CWI_UNLIKELY(is_split(transfer, target)) ? start_parts(transfer, target)
                                                  : start_whole(transfer, target, blocking, handle);
}

/* Starts the segments of a vector. Successive ones in the same window are started together. */
static cw_error start_segments(const struct cwi_transfer *transfer, const cw_vector *vector,
                               bool blocking, cw_handle *handle)
{
  size_t first = 0;
  while (first < vector->count) {
    struct cwi_target *target = NULL;
    CWI_TRY(cwi_target_find(transfer->process, vector->remote[first], &target));
    size_t end = first + 1;
    while (end < vector->count && cwi_target_holds(target, vector->remote[end]))
      end++;
    const cw_vector run = {vector->local + first, vector->remote + first, end - first,
                           vector->bytes};
    struct cwi_transfer part = *transfer;
    part.shape.vectors = &run;
    part.shape.vector_count = 1;
    part.shape.bytes = run.count * run.bytes;
    CWI_TRY(rma_start(&part, target, blocking, handle));
    first = end;
  }
  return CW_OK;
}

/* Finds the common target of all segments. Sets *common to NULL if there are several targets. */
static cw_error common_target(const struct cwi_transfer *transfer, struct cwi_target **common)
{
  *common = NULL;
  for (size_t v = 0; v < transfer->shape.vector_count; v++) {
    const cw_vector *vector = &transfer->shape.vectors[v];
    for (size_t i = 0; i < vector->count && vector->bytes > 0; i++) {
      if (*common == NULL)
        CWI_TRY(cwi_target_find(transfer->process, vector->remote[i], common));
      if (!cwi_target_holds(*common, vector->remote[i])) {
        *common = NULL;
        return CW_OK;
      }
    }
  }
  return CW_OK;
}

cw_error cwi_rma_transfer(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  struct cwi_target *target = NULL;
  const struct cwi_shape *shape = &transfer->shape;
  if (CWI_UNLIKELY(transfer->operation == CW_ACCUMULATE && cwi_mpi_accumulate_is_wrong(transfer)))
    return cwi_rma_accumulate_emulated(transfer);
  CWI_TRY(transfer->place.memory != NULL ? cwi_dynamic_find(transfer->place.memory, &target)
          : shape->vectors != NULL       ? common_target(transfer, &target)
                                         : cwi_target_at(&transfer->place, &target));
  if (target != NULL)
    return rma_start(transfer, target, blocking, handle);
  for (size_t v = 0; v < shape->vector_count; v++)
    if (shape->vectors[v].bytes > 0)
      CWI_TRY(start_segments(transfer, &shape->vectors[v], blocking, handle));
  return CW_OK;
}
