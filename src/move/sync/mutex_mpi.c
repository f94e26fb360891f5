/* Mutexes of a team that spans nodes: a queue on an MPI window (R. Latham, R. Ross, R. Thakur,
 * "Implementing MPI-IO Atomic Mode and Shared File Pointers Using MPI One-Sided Communication",
 * IJHPCA 21(2), 2007, section 4).
 *
 * The host of a mutex keeps one byte for each member: 1 if the member holds the mutex or waits for
 * it. To lock, a member sets its own byte and reads the other bytes in one exclusive epoch. If all
 * others are 0, the member has the mutex; otherwise it waits for an empty message. To unlock, the
 * member clears its byte and reads the others. It sends the message, and with it the mutex, to the
 * next member in circular order whose byte is 1. So no member is overtaken by another more than
 * once. The host only has to let MPI progress.
 *
 * Each set has a window of its own, because exclusive epochs must not be mixed with the
 * MPI_Win_lock_all of chunks.
 *
 * MPI does not grant epochs in the order in which they are requested. A process may repeat trylock
 * in a loop. With Open MPI over UCX, especially if that process was the host, the holder then
 * waited 9 seconds or more for the epoch in which it unlocks. So trylock backs off after a
 * failure. */
#include "base/clock.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "route/rma/rma.h"
#include "sync/mutex.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <string.h>

/* Back-off state for one host: how often trylock has failed in a row, and the time before which it
 * does not try again. */
struct backoff {
  unsigned failures;
  double until;
};

struct mpi_mutex_state {
  MPI_Comm comm; /* for hand-over messages; their tag is the mutex's index in the set */
  MPI_Win window;
  unsigned char *bytes;  /* [mutexes of this host][members] the window's memory */
  unsigned char *others; /* [members] the bytes that were read last; guarded by the threads' lock */
  struct backoff *backoff; /* [members] */
};

/* Returns true for a team of one process. Such a team needs no window, because its threads already
 * exclude each other in mutex.c. Open MPI cannot create a window for it. */
static bool alone(cw_mutexes set)
{
  return set->team->size == 1;
}

static size_t index_of(cw_mutexes set, size_t number, int rank)
{
  return set->firsts[rank] + number;
}

/* --- Create and destroy ----------------------------------------------------------------------- */

static cw_error check_tags(cw_mutexes set)
{
  const size_t last = (size_t)set->team->size - 1;
  const size_t total = set->firsts[last] + set->counts[last];
  int highest = 0;
  CWI_TRY(cwi_mpi_highest_tag(&highest));
  if (total > 0 && total - 1 > (size_t)highest)
    return cwi_outside("%zu mutexes in one set; this MPI has tags for %d", total, highest);
  return CW_OK;
}

static size_t my_bytes(cw_mutexes set)
{
  return set->counts[set->team->rank] * (size_t)set->team->size;
}

static void mpi_mutex_discard(struct mpi_mutex_state *state)
{
  if (state == NULL)
    return;
  free(state->bytes);
  free(state->others);
  free(state->backoff);
  free(state);
}

/* Returns the state, or NULL if there is no memory. */
static struct mpi_mutex_state *make_state(cw_mutexes set, MPI_Comm comm)
{
  struct mpi_mutex_state *state = calloc(1, sizeof *state);
  if (state == NULL)
    return NULL;
  *state =
      (struct mpi_mutex_state){.comm = comm,
                               .window = MPI_WIN_NULL,
                               .bytes = calloc(my_bytes(set) + 1, 1),
                               .others = calloc((size_t)set->team->size, 1),
                               .backoff = calloc((size_t)set->team->size, sizeof(struct backoff))};
  if (state->bytes != NULL && state->others != NULL && state->backoff != NULL)
    return state;
  mpi_mutex_discard(state);
  return NULL;
}

/* Creates the window. A member that has no memory takes part nevertheless, so that all members get
 * the error. */
static cw_error open_window(cw_mutexes set, MPI_Comm comm)
{
  MPI_Win window = MPI_WIN_NULL;
  struct mpi_mutex_state *state = make_state(set, comm);
  const cw_error ready =
      state != NULL ? CW_OK : cwi_outside("no memory for %zu bytes of mutexes", my_bytes(set));
  const cw_error error =
      cwi_window_make(set->team->process, comm, ready, state != NULL ? state->bytes : NULL,
                      state != NULL ? my_bytes(set) : 0, false, &window);
  if (error != CW_OK) {
    mpi_mutex_discard(state);
    return error;
  }
  CWI_ASSERT(state != NULL);
  state->window = window;
  set->state = state;
  return CW_OK;
}

static cw_error mpi_mutex_create(cw_mutexes set)
{
  MPI_Comm comm = MPI_COMM_NULL;
  if (alone(set))
    return CW_OK;
  CWI_TRY(check_tags(set)); /* returns the same on all members */
  CWI_TRY(cwi_mpi_duplicate(set->team->internal, &comm));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)));
  const cw_error error = open_window(set, comm);
  if (error != CW_OK)
    CWI_TRY(CWI_MPI(MPI_Comm_free(&comm)));
  return error;
}

static cw_error mpi_mutex_destroy(cw_mutexes set)
{
  struct mpi_mutex_state *state = set->state;
  if (state == NULL)
    return CW_OK;
  set->state = NULL;
  CWI_TRY(CWI_MPI(MPI_Win_free(&state->window)));
  CWI_TRY(CWI_MPI(MPI_Comm_free(&state->comm)));
  mpi_mutex_discard(state);
  return CW_OK;
}

/* --- Epochs ----------------------------------------------------------------------------------- */

/* Reads the bytes of the other members in the open epoch; this member's own byte reads as 0. */
static cw_error read_others(cw_mutexes set, size_t number, int rank)
{
  struct mpi_mutex_state *state = set->state;
  const int members = set->team->size, me = set->team->rank;
  const MPI_Aint row = (MPI_Aint)number * members;
  state->others[me] = 0;
  if (me > 0)
    CWI_TRY(CWI_MPI(MPI_Get(state->others, me, MPI_BYTE, rank, row, me, MPI_BYTE, state->window)));
  if (me + 1 < members)
    CWI_TRY(CWI_MPI(MPI_Get(state->others + me + 1, members - me - 1, MPI_BYTE, rank, row + me + 1,
                            members - me - 1, MPI_BYTE, state->window)));
  return CW_OK;
}

static cw_error put_mine(cw_mutexes set, size_t number, int rank, const unsigned char *value)
{
  const struct mpi_mutex_state *state = set->state;
  const MPI_Aint at = (MPI_Aint)number * set->team->size + set->team->rank;
  return CWI_MPI(MPI_Put(value, 1, MPI_BYTE, rank, at, 1, MPI_BYTE, state->window));
}

/* Returns the first member after this one, in circular order, that holds the mutex or waits for it.
 * Returns -1 if there is none. */
static int next_waiting(cw_mutexes set)
{
  const struct mpi_mutex_state *state = set->state;
  const int members = set->team->size;
  for (int step = 1; step < members; step++) {
    const int rank = (set->team->rank + step) % members;
    if (state->others[rank] != 0)
      return rank;
  }
  return -1;
}

/* Writes this member's byte and reads the others' in one exclusive epoch. */
static cw_error mpi_mutex_exchange(cw_mutexes set, size_t number, int rank, unsigned char mine,
                                   int *next)
{
  const struct mpi_mutex_state *state = set->state;
  CWI_TRY(CWI_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, state->window)));
  CWI_TRY(put_mine(set, number, rank, &mine));
  CWI_TRY(read_others(set, number, rank));
  CWI_TRY(CWI_MPI(MPI_Win_unlock(rank, state->window)));
  *next = next_waiting(set);
  return CW_OK;
}

/* Sets this member's byte if no other member's byte is set. */
static cw_error exchange_if_free(cw_mutexes set, size_t number, int rank, bool *acquired)
{
  static const unsigned char one = 1;
  const struct mpi_mutex_state *state = set->state;
  CWI_TRY(CWI_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, state->window)));
  CWI_TRY(read_others(set, number, rank));
  CWI_TRY(CWI_MPI(MPI_Win_flush(rank, state->window)));
  *acquired = next_waiting(set) < 0;
  if (*acquired)
    CWI_TRY(put_mine(set, number, rank, &one));
  return CWI_MPI(MPI_Win_unlock(rank, state->window));
}

/* --- Lock and unlock -------------------------------------------------------------------------- */

/* Like mpi_mutex_exchange, for several threads: MPI allows a process one epoch at a host at a
 * time. */
static cw_error exchange_atomically(cw_mutexes set, size_t number, int rank, unsigned char mine,
                                    int *next)
{
  *next = -1;
  if (alone(set))
    return CW_OK;
  cwi_threads_lock();
  const cw_error error = mpi_mutex_exchange(set, number, rank, mine, next);
  cwi_threads_unlock();
  return error;
}

/* Waits for the hand-over message. We do not use MPI_Recv, because it polls and may occupy the core
 * that the holder of the mutex needs. */
static cw_error wait_for_message(const struct mpi_mutex_state *state, int tag)
{
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(CWI_MPI(MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, tag, state->comm, &request)));
  return cwi_mpi_wait(&request);
}

static cw_error mpi_mutex_lock(cw_mutexes set, size_t number, int rank)
{
  int next = -1;
  CWI_TRY(exchange_atomically(set, number, rank, 1, &next));
  return next < 0 ? CW_OK : wait_for_message(set->state, (int)index_of(set, number, rank));
}

static cw_error mpi_mutex_unlock(cw_mutexes set, size_t number, int rank)
{
  const struct mpi_mutex_state *state = set->state;
  int next = -1;
  CWI_TRY(exchange_atomically(set, number, rank, 0, &next));
  if (next < 0)
    return CW_OK;
  return CWI_MPI(MPI_Send(NULL, 0, MPI_BYTE, next, (int)index_of(set, number, rank), state->comm));
}

/* Waits until trylock may access the host again, so that other processes can access it first. MPI
 * progresses meanwhile. */
static void back_off(const struct backoff *backoff)
{
  cwi_threads_lock();
  const double until = backoff->until;
  cwi_threads_unlock();
  while (until > 0 && cwi_now() < until) {
    cwi_mpi_progress();
    cwi_yield();
  }
}

/* Sets the time of the next try. The first pause is twice the duration of the epoch; each further
 * failure in a row doubles the factor. */
static void learn_backoff(struct backoff *backoff, bool acquired, double began)
{
  enum { MOST_DOUBLINGS = 6 };
  static const double LONGEST = 0.05;
  const double now = cwi_now();
  if (acquired) {
    *backoff = (struct backoff){0, 0};
    return;
  }
  backoff->failures += backoff->failures < MOST_DOUBLINGS;
  const double pause = (now - began) * (1 << backoff->failures);
  backoff->until = now + (pause < LONGEST ? pause : LONGEST);
}

static cw_error mpi_mutex_trylock(cw_mutexes set, size_t number, int rank, bool *acquired)
{
  *acquired = true;
  if (alone(set))
    return CW_OK;
  const struct mpi_mutex_state *state = set->state;
  back_off(&state->backoff[rank]);
  cwi_threads_lock();
  const double began = cwi_now();
  const cw_error error = exchange_if_free(set, number, rank, acquired);
  learn_backoff(&state->backoff[rank], error != CW_OK || *acquired, began);
  cwi_threads_unlock();
  if (error != CW_OK)
    *acquired = false;
  return error;
}

static int holder(cw_mutexes set, size_t number, int rank)
{
  (void)set, (void)number, (void)rank;
  return -1;
}

const struct cwi_mutex_kind cwi_mutex_mpi = {.name = "Latham's queue on an MPI window",
                                             .create = mpi_mutex_create,
                                             .destroy = mpi_mutex_destroy,
                                             .lock = mpi_mutex_lock,
                                             .unlock = mpi_mutex_unlock,
                                             .trylock = mpi_mutex_trylock,
                                             .holder = holder};
