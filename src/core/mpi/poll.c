/* One thread polls MPI for all that wait: the list of requests, and the choice of the polling
 * thread.
 *
 * `poller` names the thread that polls, from its first poll until its own request is complete.
 * While the poller sleeps, a thread that begins to wait may replace it, because the new one still
 * spins. */
#include "mpi/poll.h"

#include "mpi/mpi_result.h"
#include "mpi/mpi_threads.h"
#include "wait/lock.h"
#include "wait/thread.h"

#include <stddef.h>

/* States of an arrival. ALONE: not in the list. LISTED: in the list. NAPPING: a thread sleeps on
 * the state word. HERE: complete; the polling thread no longer touches it. */
enum { ALONE, LISTED, NAPPING, HERE };

enum { NAP_NANOSECONDS = 1000000 };

static const uintptr_t ASLEEP = 1; /* bit in `poller`: that thread sleeps */

static uintptr_t poller; /* 0 if no thread polls */

static uint32_t polling; /* lock of the thread that is inside MPI to poll */

/* head of the list; a thread that removes an entry holds `polling` and `list_lock` */
static struct cwi_arrival *listed;
static uint32_t list_lock; /* never held during a call of MPI */

static void (*server_pass)(void); /* NULL if this process has no server */

void cwi_poll_set_server(void (*serve)(void))
{
  server_pass = serve;
}

static uintptr_t me(void)
{
  return (uintptr_t)cwi_thread_name();
}

static bool is_here(const struct cwi_arrival *arrival)
{
  return __atomic_load_n(&arrival->state, __ATOMIC_ACQUIRE) == HERE;
}

bool cwi_poll_begin(void)
{
  return !cwi_mpi_threads() || __atomic_exchange_n(&polling, 1, __ATOMIC_ACQUIRE) == 0;
}

void cwi_poll_end(void)
{
  if (cwi_mpi_threads())
    cwi_unlock(&polling);
}

/* --- The list --------------------------------------------------------------------------------- */

static void poll_enlist(struct cwi_arrival *arrival)
{
  cwi_lock(&list_lock);
  if (arrival->awaited++ == 0) {
    __atomic_store_n(&arrival->state, LISTED, __ATOMIC_RELAXED);
    arrival->next = listed;
    __atomic_store_n(&listed, arrival, __ATOMIC_SEQ_CST);
  }
  cwi_unlock(&list_lock);
}

static void unlink_arrival(const struct cwi_arrival *arrival)
{
  struct cwi_arrival **link = &listed;
  while (*link != arrival)
    link = &(*link)->next;
  __atomic_store_n(link, arrival->next, __ATOMIC_SEQ_CST);
}

static void take_out(struct cwi_arrival *arrival)
{
  cwi_lock(&list_lock);
  unlink_arrival(arrival);
  cwi_unlock(&list_lock);
}

/* Ends a single poll of a thread. If no other thread waits for the arrival, removes it from the
 * list. */
static void withdraw(struct cwi_arrival *arrival)
{
  cwi_lock(&list_lock);
  if (--arrival->awaited == 0) {
    unlink_arrival(arrival);
    __atomic_store_n(&arrival->state, ALONE, __ATOMIC_RELAXED);
  }
  cwi_unlock(&list_lock);
}

/* Tests a request and returns true if it is complete. If MPI_Test fails, the request may still be
 * active and use memory that its owner is about to free. So it is tested until it completes or
 * fails a second time. */
static bool poll_test(struct cwi_arrival *arrival)
{
  int here = 0;
  const int code = MPI_Test(&arrival->request, &here, &arrival->status);
  if (CWI_LIKELY(code == MPI_SUCCESS))
    return here;
  const bool again = arrival->code != MPI_SUCCESS;
  arrival->code = code;
  return again || arrival->request == MPI_REQUEST_NULL;
}

static void poll_notify(struct cwi_arrival *arrival)
{
  take_out(arrival);
  /* the owner may free the arrival as soon as the state is HERE */
  uint32_t *state = &arrival->state;
  if (__atomic_exchange_n(state, HERE, __ATOMIC_SEQ_CST) == NAPPING)
    cwi_word_wake(state);
  cwi_sleep_wake();
}

void cwi_poll_singly(void)
{
  struct cwi_arrival *next = __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
  while (next != NULL) {
    struct cwi_arrival *arrival = next;
    next = __atomic_load_n(&arrival->next, __ATOMIC_RELAXED);
    if (poll_test(arrival))
      poll_notify(arrival);
  }
}

/* Null requests are complete, but MPI_Testsome ignores them; so they are completed here. */
int cwi_poll_list(struct cwi_arrival **arrivals, MPI_Request *requests, int most)
{
  struct cwi_arrival *next = __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
  int count = 0;
  while (next != NULL) {
    struct cwi_arrival *arrival = next;
    next = __atomic_load_n(&arrival->next, __ATOMIC_RELAXED);
    if (arrival->request == MPI_REQUEST_NULL && poll_test(arrival)) {
      poll_notify(arrival);
      continue;
    }
    if (count < most) {
      arrivals[count] = arrival;
      requests[count] = arrival->request;
    }
    count++;
  }
  return count;
}

void cwi_poll_found(struct cwi_arrival *arrival, const MPI_Status *status, int code)
{
  arrival->request = MPI_REQUEST_NULL;
  arrival->status = *status;
  arrival->code = code;
  poll_notify(arrival);
}

bool cwi_poll_serve(void)
{
  if (server_pass == NULL)
    return false;
  if (cwi_poll_begin()) {
    server_pass();
    cwi_poll_end();
  }
  return true;
}

/* Polls once. The caller holds `polling`. */
static void poll_once(void)
{
  if (server_pass != NULL)
    server_pass();
  else
    cwi_poll_singly();
}

/* --- The polling thread ----------------------------------------------------------------------- */

static bool begin_polling(void)
{
  uintptr_t seen = __atomic_load_n(&poller, __ATOMIC_RELAXED);
  return (seen == 0 || (seen & ASLEEP) != 0) &&
         __atomic_compare_exchange_n(&poller, &seen, me(), false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED);
}

/* Ends the polling of this thread, so that another one continues. Threads that are awake notice
 * this; a thread that naps is woken. A thread that is about to nap first sets NAPPING and then
 * reads `poller`, and this function first clears `poller` and then reads the states: one of the two
 * sees the other. */
static void stop_polling(void)
{
  __atomic_store_n(&poller, 0, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&listed, __ATOMIC_SEQ_CST) == NULL)
    return;
  cwi_lock(&list_lock);
  for (struct cwi_arrival *arrival = listed; arrival != NULL; arrival = arrival->next) {
    uint32_t napping = NAPPING;
    if (__atomic_compare_exchange_n(&arrival->state, &napping, LISTED, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED)) {
      cwi_word_wake(&arrival->state);
      break;
    }
  }
  cwi_unlock(&list_lock);
}

bool cwi_is_polled(void)
{
  const uintptr_t who = __atomic_load_n(&poller, __ATOMIC_RELAXED);
  return who != 0 && (who & ASLEEP) == 0;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

static void arrival_begin(struct cwi_arrival *arrival)
{
  if (cwi_mpi_threads() && !is_here(arrival))
    poll_enlist(arrival);
}

/* Polls below MPI_THREAD_MULTIPLE, where there is only one thread. */
static bool poll_alone(struct cwi_arrival *arrival, bool *polls)
{
  *polls = true;
  if (arrival->state != HERE && poll_test(arrival))
    arrival->state = HERE;
  return arrival->state == HERE;
}

/* Returns true if the arrival is complete. Sets *polls to true if this thread becomes the polling
 * one. *polls is false at first. */
static bool arrival_poll(struct cwi_arrival *arrival, bool *polls)
{
  if (!cwi_mpi_threads())
    return poll_alone(arrival, polls);
  if (is_here(arrival))
    return true;
  *polls = *polls || begin_polling();
  if (!*polls || !cwi_poll_begin())
    return false;
  poll_once();
  cwi_poll_end();
  return is_here(arrival);
}

/* Code of an arrival that cwi_arrival_leave has ended; no code of MPI is negative. */
enum { LEFT = -1 };

static cw_error outcome(const struct cwi_arrival *arrival)
{
  if (CWI_LIKELY(arrival->code == MPI_SUCCESS))
    return CW_OK;
  return arrival->code == LEFT
             ? cwi_failure(CW_FAILED, "the process that would send or receive has failed")
             : cwi_mpi_failed("MPI_Test", arrival->code);
}

static cw_error arrival_end(const struct cwi_arrival *arrival, bool polls)
{
  if (polls && cwi_mpi_threads())
    stop_polling();
  return outcome(arrival);
}

static void nap(struct cwi_arrival *arrival)
{
  uint32_t seen = LISTED;
  if (!__atomic_compare_exchange_n(&arrival->state, &seen, NAPPING, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_RELAXED) &&
      seen != NAPPING)
    return;
  if (__atomic_load_n(&poller, __ATOMIC_SEQ_CST) != 0)
    cwi_word_nap(&arrival->state, NAPPING, NAP_NANOSECONDS);
  uint32_t napping = NAPPING;
  __atomic_compare_exchange_n(&arrival->state, &napping, LISTED, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

static void arrival_sleep(struct cwi_arrival *arrival, struct cwi_sleep *sleep, bool *polls)
{
  if (!*polls) {
    nap(arrival);
    return;
  }
  if (!cwi_mpi_threads()) {
    cwi_sleep(sleep);
    return;
  }
  uintptr_t asleep = me() | ASLEEP;
  __atomic_store_n(&poller, asleep, __ATOMIC_SEQ_CST);
  cwi_sleep_unless(sleep, &arrival->state, HERE); /* the server may complete the arrival */
  /* If a new waiter has replaced this thread meanwhile, that one continues to poll. */
  *polls = __atomic_compare_exchange_n(&poller, &asleep, me(), false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
}

cw_error cwi_arrival_wait(struct cwi_arrival *arrival, struct cwi_sleep *sleep,
                          bool (*spins)(void *context, bool polls), void *context)
{
  bool polls = false;
  arrival_begin(arrival);
  while (!arrival_poll(arrival, &polls))
    if (!spins(context, polls))
      arrival_sleep(arrival, sleep, &polls);
  cwi_sleep_end(sleep);
  return arrival_end(arrival, polls);
}

/* Cancels a receive. If its message has arrived meanwhile, the receive completes instead. Messages
 * of servers are short, so MPI receives them as a whole or not at all. */
static void cancel_receive(struct cwi_arrival *arrival)
{
  int cancelled = 0;
  arrival->code = MPI_Cancel(&arrival->request);
  if (arrival->code == MPI_SUCCESS)
    arrival->code = MPI_Wait(&arrival->request, &arrival->status);
  if (arrival->code == MPI_SUCCESS)
    arrival->code = MPI_Test_cancelled(&arrival->status, &cancelled);
  if (cancelled)
    arrival->code = LEFT;
}

void cwi_arrival_leave(struct cwi_arrival *arrival, bool receives)
{
  while (!cwi_poll_begin())
    cwi_yield();
  if (!is_here(arrival)) {
    const bool shared = cwi_mpi_threads();
    if (shared)
      poll_enlist(arrival); /* unless a thread waits for it */
    if (receives && arrival->request != MPI_REQUEST_NULL) {
      cancel_receive(arrival);
    } else {
      arrival->request = MPI_REQUEST_NULL;
      arrival->code = LEFT;
    }
    if (shared)
      poll_notify(arrival);
    else
      arrival->state = HERE;
  }
  cwi_poll_end();
}

cw_error cwi_arrival_poll(struct cwi_arrival *arrival, bool *here)
{
  bool polls = false;
  *here = cwi_mpi_threads() ? is_here(arrival) : poll_alone(arrival, &polls);
  if (!*here && cwi_mpi_threads() && cwi_poll_begin()) {
    poll_enlist(arrival);
    poll_once();
    *here = is_here(arrival);
    if (!*here)
      withdraw(arrival);
    cwi_poll_end();
  }
  return *here ? outcome(arrival) : CW_OK;
}
