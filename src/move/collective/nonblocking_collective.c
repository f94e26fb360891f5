/* Non-blocking collectives. They use MPI's non-blocking collectives on the team's communicator, or
 * nonblocking_survivors.h in a job that survives failures, and complete by a handle. A team may
 * have several in progress, with blocking collectives between them. All members make these calls in
 * the same order, as MPI requires. With CW_CHECK=1, the MPI collective is started only after all
 * members have confirmed that they make the same call in the same order. */
#include "collective/nonblocking_collective.h"

#include "collective/collective_calls.h"
#include "collective/nonblocking_survivors.h"
#include "machine/copy.h"
#include "mpi/mpi_progress.h"
#include "mpi/origin.h"
#include "number/reduction.h"
#include "profile/profile.h"
#include "route/route.h"
#include "transfer/handle.h"
#include "wait/failures.h"
#include "wait/lock.h"

#include <stdlib.h>

/* MPI's counts are of type int, so longer messages are sent in parts. */
static const size_t most_at_once = (size_t)1 << 30;

/* Starts the part of a collective that begins at byte `at` and has `part` bytes. */
typedef cw_error (*start_function)(const struct cwi_nonblocking *parameters, size_t at, int part,
                                   MPI_Request *request);

/* How a collective is done by MPI, and in a job that survives failures. */
struct nonblocking_operation {
  start_function start;
  const struct cwi_survivors_moves *moves;
};

/* A collective in progress. The threads' lock guards the list and the fields that change during the
 * collective. */
struct started {
  struct cwi_pending pending; /* must be first: the two are cast to each other */
  struct started *next;
  const char *call;
  struct cwi_nonblocking parameters;
  struct cwi_reduction reduction;                /* parameters.reduction points to this */
  const struct nonblocking_operation *operation; /* NULL if there is nothing to do */
  cw_team team;                                  /* NULL if the collective is complete */
  struct cwi_comparison *comparison;
  bool undecided;                      /* not yet known whether all members make the same call */
  struct cwi_survivors_call survivors; /* in a job that survives failures */
  struct cwi_first_error failed;
  size_t count;
  MPI_Request requests[];
};

static struct started *all_started;

/* --- Completing ------------------------------------------------------------------------------- */

static cw_error test_all(struct started *started, bool *done)
{
  *done = true;
  for (size_t i = 0; i < started->count && *done; i++) {
    int arrived = 1;
    if (started->requests[i] != MPI_REQUEST_NULL)
      CWI_TRY(CWI_MPI(MPI_Test(&started->requests[i], &arrived, MPI_STATUS_IGNORE)));
    *done = arrived;
  }
  return CW_OK;
}

static void unlist(struct started *started)
{
  struct started **link = &all_started;
  while (*link != NULL && *link != started)
    link = &(*link)->next;
  if (*link != NULL)
    *link = started->next;
}

/* Returns true if the collective is complete or has failed. After a failure of MPI, its requests
 * are not tested again. */
static bool is_done(struct started *started)
{
  bool done = started->failed.error != CW_OK;
  if (started->undecided)
    return false;
  if (cwi_survives())
    return cwi_survivors_call_poll(&started->survivors);
  if (!done)
    cwi_first_note(&started->failed, test_all(started, &done));
  return done || started->failed.error != CW_OK;
}

/* Ends a complete collective and returns its first error. The collective is no longer on the list,
 * so no other thread uses it. Releases the team, and frees it if this was its last use. */
static cw_error started_end(struct started *started, cw_team team)
{
  cw_error error = CW_OK;
  if (started->comparison != NULL)
    error = cwi_in_call(started->call, cwi_comparison_end(started->comparison));
  started->comparison = NULL;
  cwi_first_note(&started->failed, error);
  cwi_first_note(&started->failed, cwi_survivors_call_end(&started->survivors));
  cwi_first_note(&started->failed, cwi_team_release(team));
  return cwi_first_return(&started->failed);
}

/* Polls once. Sets *done to true if the collective is complete. */
static cw_error started_poll(struct started *started, bool *done)
{
  cwi_comparisons_progress();
  cwi_threads_lock();
  const cw_team team = started->team;
  *done = team == NULL || is_done(started);
  if (*done && team != NULL) {
    started->team = NULL;
    unlist(started);
  }
  cwi_threads_unlock();
  if (!*done && !cwi_survives())
    cwi_mpi_check_failures();
  return *done && team != NULL ? started_end(started, team) : CW_OK;
}

struct awaited {
  struct started *started;
  cw_error error;
};

static bool has_arrived(void *context)
{
  struct awaited *awaited = context;
  bool done = false;
  awaited->error = started_poll(awaited->started, &done);
  return done;
}

static void started_awaited(const void *what, char *text, size_t size)
{
  const struct started *started = what;
  if (__atomic_load_n(&started->undecided, __ATOMIC_RELAXED))
    cwi_comparison_awaited(started->comparison, text, size);
  else
    cwi_team_awaited(started->parameters.team, text, size);
}

/* Waits for completion, without holding the origin's lock. handle.c does not free a pending
 * operation that is in use. */
static cw_error started_wait_for(struct started *started)
{
  enum { NAP_NANOSECONDS = 20000 };
  struct awaited awaited = {started, CW_OK};
  const struct cwi_waiting outer = cwi_waiting_begin("cw_wait", started_awaited, started);
  cwi_origin_unlock();
  cwi_wait_until(has_arrived, &awaited, NAP_NANOSECONDS);
  cwi_origin_lock();
  cwi_waiting_end(&outer);
  return awaited.error;
}

static cw_error complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct started *started = (struct started *)pending;
  const cw_error error = started_poll(started, done);
  if (error != CW_OK || *done || !wait)
    return error;
  *done = true;
  return started_wait_for(started);
}

static void started_release(struct cwi_pending *pending)
{
  free(pending);
}

size_t cwi_started_pending(void)
{
  size_t pending = 0;
  cwi_threads_lock();
  for (const struct started *one = all_started; one != NULL; one = one->next)
    pending++;
  cwi_threads_unlock();
  return pending;
}

/* Ignores CW_MISUSE, which means that members made different calls, and CW_FAILED. These are errors
 * of those calls and must not prevent a process from finishing. */
cw_error cwi_started_finish(void)
{
  while (all_started != NULL) {
    struct awaited awaited = {all_started, CW_OK};
    cwi_wait_until(has_arrived, &awaited, 0);
    if (awaited.error != CW_MISUSE && awaited.error != CW_FAILED)
      CWI_TRY(awaited.error);
  }
  cwi_survivors_calls_stop();
  return CW_OK;
}

/* --- Starting --------------------------------------------------------------------------------- */

static cw_error start_barrier(const struct cwi_nonblocking *parameters, size_t at, int part,
                              MPI_Request *request)
{
  (void)at;
  (void)part;
  return CWI_MPI(MPI_Ibarrier(parameters->team->internal, request));
}

static cw_error start_broadcast(const struct cwi_nonblocking *parameters, size_t at, int part,
                                MPI_Request *request)
{
  return CWI_MPI(MPI_Ibcast(parameters->all + at, part, MPI_BYTE, parameters->root,
                            parameters->team->internal, request));
}

static cw_error start_allreduce(const struct cwi_nonblocking *parameters, size_t at, int part,
                                MPI_Request *request)
{
  const struct cwi_reduction *reduction = parameters->reduction;
  return CWI_MPI(MPI_Iallreduce(MPI_IN_PLACE, parameters->all + at, part / (int)reduction->element,
                                cwi_mpi_type(reduction->type), cwi_reduction_op(reduction),
                                parameters->team->internal, request));
}

/* Creates the MPI datatype for a part of each piece. The distance between two parts is the length
 * of a whole piece. */
static cw_error part_type(size_t bytes, int part, MPI_Datatype *type)
{
  MPI_Datatype run = MPI_DATATYPE_NULL;
  CWI_TRY(CWI_MPI(MPI_Type_contiguous(part, MPI_BYTE, &run)));
  cw_error error = CWI_MPI(MPI_Type_create_resized(run, 0, (MPI_Aint)bytes, type));
  if (error == CW_OK)
    error = CWI_MPI(MPI_Type_commit(type));
  CWI_TRY(CWI_MPI(MPI_Type_free(&run)));
  return error;
}

/* Starts an allgather or an all-to-all. If the part is the whole piece, the elements are bytes;
 * otherwise each part is one element of a resized type. */
static cw_error start_pieces(const struct cwi_nonblocking *parameters, size_t at, int part,
                             MPI_Request *request)
{
  const bool whole = (size_t)part == parameters->bytes;
  const int count = whole ? part : 1;
  MPI_Datatype type = MPI_BYTE;
  if (!whole)
    CWI_TRY(part_type(parameters->bytes, part, &type));
  const cw_error error =
      parameters->mine == NULL
          ? CWI_MPI(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parameters->all + at, count,
                                   type, parameters->team->internal, request))
          : CWI_MPI(MPI_Ialltoall(parameters->mine + at, count, type, parameters->all + at, count,
                                  type, parameters->team->internal, request));
  if (!whole)
    CWI_TRY(CWI_MPI(MPI_Type_free(&type)));
  return error;
}

static const struct nonblocking_operation barrier = {start_barrier, NULL},
                                          broadcast = {start_broadcast, &cwi_survivors_broadcast},
                                          allreduce = {start_allreduce, &cwi_survivors_allreduce},
                                          allgather = {start_pieces, &cwi_survivors_allgather},
                                          alltoall = {start_pieces, &cwi_survivors_alltoall};

/* Starts an MPI operation for each part. A call of no bytes has one part. */
static cw_error start_parts(struct started *started)
{
  const struct cwi_nonblocking *parameters = &started->parameters;
  size_t at = 0;
  if (started->operation == NULL)
    return CW_OK;
  do {
    const size_t left = parameters->bytes - at;
    const size_t part = left < most_at_once ? left : most_at_once;
    CWI_TRY(
        started->operation->start(parameters, at, (int)part, &started->requests[started->count]));
    started->count++;
    at += part;
  } while (at < parameters->bytes);
  return CW_OK;
}

/* Ends the job. MPI failed on this process only, so the other members would wait forever. */
static void end_job(const struct started *started)
{
  cwi_abort_with(1, "%s: %s", started->call, cwi_error_message());
}

/* Called when all members have made a call. Starts the collective if their calls are the same. */
static void decided(void *context, bool alike)
{
  struct started *started = context;
  if (alike && start_parts(started) != CW_OK)
    end_job(started);
  __atomic_store_n(&started->undecided, false, __ATOMIC_RELAXED);
}

/* Allocates a collective. All its memory is allocated here, before another member is notified of
 * the call. */
static struct started *started_make(const char *call, const struct cwi_nonblocking *parameters,
                                    const struct nonblocking_operation *operation)
{
  const size_t parts = parameters->bytes / most_at_once + 1;
  struct started *started = calloc(1, sizeof *started + parts * sizeof started->requests[0]);
  if (started == NULL)
    return NULL;
  started->pending = (struct cwi_pending){
      .apart = true, .process = -1, .complete = complete, .release = started_release};
  started->call = call;
  started->operation = operation;
  started->parameters = *parameters;
  if (parameters->reduction != NULL)
    started->reduction = *parameters->reduction;
  started->parameters.reduction = &started->reduction;
  return started;
}

static cw_error compare_and_start(struct started *started, const struct cwi_argument *argument_list)
{
  if (cwi_survives())
    return CW_OK; /* start_all begins it */
  if (!cwi_settings.check)
    return start_parts(started);
  started->undecided = true;
  return cwi_comparison_begin(started->call, started->parameters.team, argument_list, decided,
                              started, &started->comparison);
}

static void list(struct started *started)
{
  cwi_threads_lock();
  started->next = all_started;
  all_started = started;
  cwi_threads_unlock();
}

/* Attaches the collective to the handle and starts it. If attaching fails for lack of memory, no
 * other member has been notified of the call, and the caller can try again. */
static cw_error start_all(struct started *started, const struct cwi_argument *argument_list,
                          cw_handle *handle)
{
  const cw_handle before = *handle;
  struct cwi_first_error first;
  started->team = started->parameters.team;
  cwi_first_begin(&first, cwi_survives() ? cwi_survivors_call_prepare(&started->survivors,
                                                                      &started->parameters,
                                                                      started->operation->moves)
                                         : CW_OK);
  if (first.error == CW_OK)
    cwi_first_note(&first, cwi_handle_attach(handle, &started->pending));
  if (first.error == CW_OK) {
    cwi_team_keep(started->team);
    cwi_first_note(&first, compare_and_start(started, argument_list));
    if (first.error == CW_OK) {
      list(started);
      if (cwi_survives())
        cwi_survivors_call_begin(&started->survivors);
      return CW_OK;
    }
    cwi_handle_detach(handle, before, &started->pending);
    cwi_first_note(&first, cwi_team_release(started->team));
  }
  cwi_first_note(&first, cwi_survivors_call_end(&started->survivors));
  free(started);
  return cwi_first_return(&first);
}

/* Checks the handle. This is the last check of each call below; `checked` is the result of the
 * checks of the other arguments. */
static cw_error check_handle(cw_error checked, cw_handle *handle)
{
  CWI_TRY(checked);
  CWI_TRY(cwi_check_not_null("handle", handle));
  CWI_TRY(cwi_handle_check(handle));
  return cwi_handle_claim(handle);
}

/* Starts a collective. This is the last step of each call below. If `operation` is NULL, the
 * members only compare the call. */
static cw_error started_begin(const char *call, const struct cwi_nonblocking *parameters,
                              const struct nonblocking_operation *operation,
                              const struct cwi_argument *argument_list, cw_handle *handle)
{
  struct cwi_waiting outer;
  cw_error error = cwi_collective_enter(call, parameters->team, &outer);
  if (error == CW_OK && parameters->team->size > 1 && (operation != NULL || cwi_settings.check)) {
    struct started *started = started_make(call, parameters, operation);
    error = started != NULL ? start_all(started, argument_list, handle)
                            : cwi_outside("no memory for a call");
  }
  cwi_collective_end(&outer);
  return cwi_in_call(call, error);
}

/* Starts the barrier even if the fence fails, so that the other members do not wait forever for
 * this process. Returns the fence's error in that case. */
cw_error cw_ibarrier(cw_team team, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_ibarrier", check_handle(cwi_check_team("team", team), handle)));
  const struct cwi_nonblocking parameters = {.team = team};
  const cw_error fenced = cwi_routes_fence_all();
  const cw_error error =
      started_begin("cw_ibarrier", &parameters, &barrier, cwi_argument_nothing(), handle);
  return fenced != CW_OK ? cwi_in_call("cw_ibarrier", fenced) : error;
}

cw_error cw_ibroadcast(cw_team team, int root, void *buffer, size_t bytes, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_ibroadcast",
                      check_handle(cwi_check_broadcast(team, root, buffer, bytes), handle)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               cwi_argument_int("root", &root), CWI_ARGUMENTS_END};
  const struct cwi_nonblocking parameters = {
      .team = team, .root = root, .all = buffer, .bytes = bytes};
  return started_begin("cw_ibroadcast", &parameters, bytes > 0 ? &broadcast : NULL, argument_list,
                       handle);
}

static cw_error check_allreduce(cw_team team, cw_type type, cw_reduction kind, size_t count,
                                const void *buffer, cw_handle *handle,
                                struct cwi_reduction *reduction)
{
  CWI_TRY(check_handle(cwi_check_reduce(team, type, kind, count, buffer), handle));
  return cwi_reduction_find(type, kind, reduction);
}

cw_error cw_iallreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                       void *buffer, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  struct cwi_reduction found = {0};
  CWI_TRY(cwi_in_call("cw_iallreduce",
                      check_allreduce(team, type, reduction, count, buffer, handle, &found)));
  const struct cwi_argument argument_list[] = {
      cwi_argument_size("count", count), cwi_argument_type("type", type),
      cwi_argument_reduction("reduction", reduction), CWI_ARGUMENTS_END};
  const struct cwi_nonblocking parameters = {
      .team = team, .reduction = &found, .all = buffer, .bytes = count * found.element};
  if (found.prepare != NULL)
    cwi_combine(found.prepare, buffer, buffer, parameters.bytes);
  return started_begin("cw_iallreduce", &parameters, count > 0 ? &allreduce : NULL, argument_list,
                       handle);
}

cw_error cw_iallgather(cw_team team, const void *mine, size_t bytes, void *all, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_iallgather",
                      check_handle(cwi_check_allgather(team, mine, bytes, all), handle)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               CWI_ARGUMENTS_END};
  const struct cwi_nonblocking parameters = {.team = team, .all = all, .bytes = bytes};
  if (bytes > 0)
    cwi_copy(parameters.all + (size_t)team->rank * bytes, mine, bytes);
  return started_begin("cw_iallgather", &parameters, bytes > 0 ? &allgather : NULL, argument_list,
                       handle);
}

cw_error cw_ialltoall(cw_team team, const void *mine, size_t bytes, void *all, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_ialltoall",
                      check_handle(cwi_check_alltoall(team, mine, bytes, all), handle)));
  const struct cwi_argument argument_list[] = {cwi_argument_size("bytes", bytes),
                                               CWI_ARGUMENTS_END};
  const struct cwi_nonblocking parameters = {
      .team = team, .mine = mine, .all = all, .bytes = bytes};
  if (bytes > 0 && team->size == 1)
    cwi_copy(all, mine, bytes);
  return started_begin("cw_ialltoall", &parameters, bytes > 0 ? &alltoall : NULL, argument_list,
                       handle);
}
