/* Waiting for a server. */
#include "link/await.h"

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

/* arrival NULL: the caller looks for what it waits for. */
static void pass_time(struct cwi_await *await, struct cwi_arrival *arrival, bool *polls)
{
  bool sleeps = false;
  if (!(*polls ? cwi_wait_turn(&await->wait) : cwi_wait_aside(&await->wait))) {
    sleeps = await->wait.looks >= YIELDS || cwi_core_is_wanted();
    if (!sleeps)
      cwi_yield();
    else if (arrival != NULL)
      cwi_arrival_sleep(arrival, &await->sleep, polls);
    else
      cwi_sleep(&await->sleep);
  }
  if (await->wait.looks++ % CLOCK_TURNS == 0 || sleeps)
    look_long(await);
}

void cwi_await_turn(struct cwi_await *await)
{
  bool polls = true;
  pass_time(await, NULL, &polls);
}

cw_error cwi_await_arrival(struct cwi_arrival *arrival, struct cwi_await *await)
{
  bool polls = false;
  cwi_arrival_begin(arrival);
  while (!cwi_arrival_turn(arrival, &polls))
    pass_time(await, arrival, &polls);
  cwi_sleep_end(&await->sleep);
  cwi_await_end(await);
  return cwi_arrival_end(arrival, polls);
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
