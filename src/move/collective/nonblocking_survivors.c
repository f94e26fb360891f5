/* Nonblocking collectives of a job that survives failures.
 *
 * Each member writes a part of its data to a buffer that the others can read, and arrives in a step
 * of the team (team/survivors.h). When the step is complete, each reads the buffers of others.
 * There are two sets of buffers, used alternately: a member writes to a set again after the step in
 * between, in which all members arrived after they had read that set. A member writes nothing after
 * a broken step, because a slow member may still read.
 *
 * A team makes the steps of its calls one after the other, in the order in which they were started.
 * On several nodes a last step without data ends the call: a member that could not read a buffer,
 * because its node is lost, breaks it, so that all members get the same result. */
#include "collective/nonblocking_survivors.h"

#include "machine/copy.h"
#include "mpi/mpi_progress.h"
#include "sync/home_access.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/thread.h"
#include "wait/waiter.h"

#include <causeway/transfer.h>

#include <pthread.h>
#include <stdlib.h>

_Static_assert((int)CWI_HOME_BUFFER == (int)CWI_STEP_BYTES,
               "a step moves as much on one node as on several");

/* The calls in progress. The thread may hold the lock during transfers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;
static struct cwi_survivors_call *calls;
static bool runs, stops;
static unsigned made; /* number of steps */
static pthread_t thread;

/* --- Data ------------------------------------------------------------------------------------- */

static char *buffer_of(cw_team team, uint32_t step, int rank)
{
  return team->home != 0 ? cwi_home_step_buffer(team, step, rank)
                         : cwi_survivors_step_buffer(team, step, rank);
}

/* Returns bytes of a member's buffer in the step that is complete. The pointer is valid until the
 * next call. */
static const char *buffer_read(struct cwi_survivors_call *call, int rank, size_t offset,
                               size_t bytes)
{
  const cw_team team = call->given->team;
  const char *there = buffer_of(team, team->steps, rank) + offset;
  if (call->piece == NULL || cwi_same_node(team->process[rank]))
    return there;
  const cw_error error = CW_MAY_FAIL(cw_get(call->piece, there, bytes, team->process[rank]));
  call->lost = call->lost || error != CW_OK;
  return call->piece;
}

static void broadcast_write(const struct cwi_nonblocking *given, size_t done, size_t part,
                            char *buffer)
{
  if (given->team->rank == given->root)
    cwi_copy(buffer, given->all + done, part);
}

static void broadcast_read(struct cwi_survivors_call *call, size_t done, size_t part)
{
  const struct cwi_nonblocking *given = call->given;
  if (given->team->rank != given->root)
    cwi_copy(given->all + done, buffer_read(call, given->root, 0, part), part);
}

static void allreduce_write(const struct cwi_nonblocking *given, size_t done, size_t part,
                            char *buffer)
{
  cwi_copy(buffer, given->all + done, part);
}

/* All members combine the numbers in the order of ranks, so that they get the same result. */
static void allreduce_read(struct cwi_survivors_call *call, size_t done, size_t part)
{
  const struct cwi_nonblocking *given = call->given;
  char *result = given->all + done;
  cwi_copy(result, buffer_read(call, 0, 0, part), part);
  for (int rank = 1; rank < given->team->size; rank++)
    cwi_combine(given->reduction->combine, result, buffer_read(call, rank, 0, part), part);
}

static void allgather_write(const struct cwi_nonblocking *given, size_t done, size_t part,
                            char *buffer)
{
  cwi_copy(buffer, given->all + (size_t)given->team->rank * given->bytes + done, part);
}

static void allgather_read(struct cwi_survivors_call *call, size_t done, size_t part)
{
  const struct cwi_nonblocking *given = call->given;
  for (int rank = 0; rank < given->team->size; rank++)
    if (rank != given->team->rank)
      cwi_copy(given->all + (size_t)rank * given->bytes + done, buffer_read(call, rank, 0, part),
               part);
}

static void alltoall_write(const struct cwi_nonblocking *given, size_t done, size_t part,
                           char *buffer)
{
  for (size_t rank = 0; rank < (size_t)given->team->size; rank++)
    cwi_copy(buffer + rank * part, given->mine + rank * given->bytes + done, part);
}

static void alltoall_read(struct cwi_survivors_call *call, size_t done, size_t part)
{
  const struct cwi_nonblocking *given = call->given;
  const size_t mine = (size_t)given->team->rank * part;
  for (int rank = 0; rank < given->team->size; rank++)
    cwi_copy(given->all + (size_t)rank * given->bytes + done, buffer_read(call, rank, mine, part),
             part);
}

const struct cwi_survivors_moves
    cwi_survivors_broadcast = {.write = broadcast_write, .read = broadcast_read},
    cwi_survivors_allreduce = {.write = allreduce_write, .read = allreduce_read},
    cwi_survivors_allgather = {.write = allgather_write, .read = allgather_read},
    cwi_survivors_alltoall = {.of_all = true, .write = alltoall_write, .read = alltoall_read};

/* --- Steps ------------------------------------------------------------------------------------ */

static size_t step_part(const struct cwi_survivors_call *call)
{
  const size_t left = call->given->bytes - call->done;
  const size_t most = call->moves != NULL && call->moves->of_all
                          ? CWI_STEP_BYTES / (size_t)call->given->team->size
                          : CWI_STEP_BYTES;
  return left < most ? left : most;
}

/* Arrives in the next step, or breaks it. */
static void step_begin(struct cwi_survivors_call *call)
{
  const struct cwi_nonblocking *given = call->given;
  const cw_team team = given->team;
  call->part = step_part(call);
  call->arrived = true;
  if (call->lost) {
    cwi_survivors_steps_break(team);
    return;
  }
  if (call->part > 0)
    call->moves->write(given, call->done, call->part, buffer_of(team, team->steps + 1, team->rank));
  cwi_survivors_step_arrive(team);
}

static void step_end(struct cwi_survivors_call *call)
{
  call->given->team->steps++;
  made++;
  call->arrived = false;
  if (call->part > 0)
    call->moves->read(call, call->done, call->part);
  else
    call->meets = false;
  call->done += call->part;
}

/* Makes the steps that are possible now. Returns true if the call has ended. */
static bool advance(struct cwi_survivors_call *call)
{
  const cw_team team = call->given->team;
  while (!team->steps_broken && (call->done < call->given->bytes || call->meets)) {
    if (!call->arrived)
      step_begin(call);
    const enum cwi_step step = cwi_survivors_step(team, team->steps + 1);
    if (step == CWI_STEP_OPEN)
      return false;
    if (step == CWI_STEP_BROKEN)
      team->steps_broken = true;
    else
      step_end(call);
  }
  call->failed = team->steps_broken;
  return true;
}

static bool is_first_of_team(const struct cwi_survivors_call *call)
{
  for (const struct cwi_survivors_call *one = calls; one != call; one = one->next)
    if (one->given->team == call->given->team)
      return false;
  return true;
}

/* Makes steps of all calls, or only of those that need no transfers, and removes the calls that
 * end. The lock is held. */
static void advance_all(bool with_transfers)
{
  struct cwi_survivors_call **link = &calls;
  while (*link != NULL) {
    struct cwi_survivors_call *call = *link;
    if ((with_transfers || call->given->team->home == 0) && is_first_of_team(call) &&
        advance(call)) {
      *link = call->next;
      __atomic_store_n(&call->ended, 1, __ATOMIC_RELEASE);
    } else {
      link = &call->next;
    }
  }
}

static void *thread_run(void *nothing)
{
  enum { SHORTEST_NANOSECONDS = 20000, LONGEST_NANOSECONDS = 500000 };
  long nap = SHORTEST_NANOSECONDS;
  cwi_failures_without_handler();
  pthread_mutex_lock(&lock);
  while (!stops) {
    const unsigned before = made;
    advance_all(true);
    if (calls == NULL) {
      pthread_cond_wait(&begun, &lock);
      nap = SHORTEST_NANOSECONDS;
      continue;
    }
    nap = made == before ? cwi_nap_doubled(nap, LONGEST_NANOSECONDS) : SHORTEST_NANOSECONDS;
    pthread_mutex_unlock(&lock);
    cwi_nap(nap);
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return nothing;
}

/* --- Calls ------------------------------------------------------------------------------------ */

static cw_error thread_start(void)
{
  pthread_mutex_lock(&lock);
  const int code = runs ? 0 : cwi_thread_start(&thread, thread_run, NULL);
  runs = code == 0;
  pthread_mutex_unlock(&lock);
  return code == 0 ? CW_OK
                   : cwi_outside("the thread of nonblocking collectives cannot be started: %s",
                                 cwi_system_error(code));
}

cw_error cwi_survivors_call_prepare(struct cwi_survivors_call *call,
                                    const struct cwi_nonblocking *given,
                                    const struct cwi_survivors_moves *moves)
{
  const bool apart = given->team->home != 0;
  *call =
      (struct cwi_survivors_call){.given = given, .moves = moves, .meets = moves == NULL || apart};
  if (apart && moves != NULL && (call->piece = calloc(1, CWI_STEP_BYTES)) == NULL)
    return cwi_outside("no memory for a member's piece of a collective call");
  const cw_error error = thread_start();
  if (error != CW_OK)
    free(call->piece);
  return error;
}

void cwi_survivors_call_begin(struct cwi_survivors_call *call)
{
  pthread_mutex_lock(&lock);
  struct cwi_survivors_call **link = &calls;
  while (*link != NULL)
    link = &(*link)->next;
  *link = call;
  advance_all(false);
  pthread_cond_signal(&begun);
  pthread_mutex_unlock(&lock);
}

/* Makes no transfer, because the caller may hold the lock of an origin. */
bool cwi_survivors_call_poll(const struct cwi_survivors_call *call)
{
  if (pthread_mutex_trylock(&lock) == 0) {
    advance_all(false);
    pthread_mutex_unlock(&lock);
  }
  return __atomic_load_n(&call->ended, __ATOMIC_ACQUIRE) != 0;
}

cw_error cwi_survivors_call_end(struct cwi_survivors_call *call)
{
  free(call->piece);
  call->piece = NULL;
  return call->failed ? cwi_team_broken(call->given->team) : CW_OK;
}

void cwi_survivors_calls_stop(void)
{
  pthread_mutex_lock(&lock);
  const bool ran = runs;
  stops = true;
  pthread_cond_signal(&begun);
  pthread_mutex_unlock(&lock);
  if (ran)
    pthread_join(thread, NULL);
  runs = stops = false;
  calls = NULL;
}
