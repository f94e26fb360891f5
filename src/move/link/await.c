/* Waiting for a server. */
#include "link/await.h"

#include "link/links.h"
#include "mpi/call.h"
#include "mpi/origin.h"

#include <stdio.h>

/* The clock is looked at every so many turns, and after each sleep. A server answers soon: only
 * after long does the waiter sleep, which takes longer than most answers. */
enum { CLOCK_TURNS = 256, YIELDS = 20000 };

static void await_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_await *await = what;
  snprintf(text, size, "the server of node %d", await->node);
}

/* Most calls that wait for servers are too short to say so when they begin. */
static void look_long(struct cwi_await *await)
{
  const struct cwi_waiting outer = cwi_waiting;
  if (outer.call == NULL) {
    cwi_waiting = await->waiting;
    cwi_waiting.call = "a transfer or a fence";
    cwi_waiting.awaited = await_awaited;
    cwi_waiting.what = await;
  }
  cwi_waiting_look();
  await->waiting.shown = cwi_waiting.shown && !outer.shown;
  if (outer.call == NULL) {
    await->waiting = cwi_waiting;
    cwi_waiting = outer;
  }
  cwi_waiting.shown = outer.shown;
}

/* Spin or yield; false when it is time to sleep instead. */
static bool await_spins(struct cwi_await *await, bool polls)
{
  if (polls ? cwi_wait_turn(&await->wait) : cwi_wait_aside(&await->wait))
    return true;
  if (await->wait.looks >= YIELDS || cwi_core_is_wanted())
    return false;
  cwi_yield();
  return true;
}

static void await_passed(struct cwi_await *await, bool slept)
{
  if (await->wait.looks++ % CLOCK_TURNS == 0 || slept)
    look_long(await);
}

void cwi_await_turn(struct cwi_await *await)
{
  const bool sleeps = !await_spins(await, true);
  if (sleeps)
    cwi_sleep(&await->sleep);
  await_passed(await, sleeps);
}

/* The server may stand back because this thread has served. */
void cwi_await_signal(struct cwi_await *await, struct cwi_signal *signal, uint32_t value,
                      bool sends)
{
  enum { NAP_NANOSECONDS = 1000000, SENDING_NANOSECONDS = 100000 };
  const bool sleeps = !await_spins(await, true);
  if (sleeps && !cwi_nap_on_messages(SENDING_NANOSECONDS)) {
    cwi_server_call();
    cwi_signal_nap(signal, value, sends ? SENDING_NANOSECONDS : NAP_NANOSECONDS);
  }
  await_passed(await, sleeps);
}

/* A turn of its own, and the look at the clock. */
static bool await_pass(void *given, bool polls)
{
  struct cwi_await *await = given;
  const bool spins = await_spins(await, polls);
  await_passed(await, !spins);
  return spins;
}

cw_error cwi_await_arrival(struct cwi_arrival *arrival, struct cwi_await *await)
{
  const cw_error error = cwi_arrival_wait(arrival, &await->sleep, await_pass, await);
  cwi_await_end(await);
  return error;
}

cw_error cwi_await_unlocked(struct cwi_arrival *arrival, int node)
{
  struct cwi_await await = cwi_await(node);
  cwi_origin_unlock();
  const cw_error error = cwi_await_arrival(arrival, &await);
  cwi_origin_lock();
  return error;
}

cw_error cwi_await_request(MPI_Request *request, struct cwi_await *await)
{
  struct cwi_arrival arrival = cwi_arrival(*request);
  const cw_error error = cwi_await_arrival(&arrival, await);
  *request = arrival.request;
  return error;
}
