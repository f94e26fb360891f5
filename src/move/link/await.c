/* Waiting for a server: patience, and its end. */
#include "link/await.h"

#include "base/clock.h"
#include "base/settings.h"
#include "mpi/call.h"
#include "mpi/origin.h"
#include "team/world.h"

#include <stdio.h>

/* The clock is looked at every so many turns, and after each sleep. A server answers soon: only
 * after long does the waiter sleep, which takes longer than most answers. */
enum { CLOCK_TURNS = 256, YIELDS = 20000 };

void cwi_await_give_up(int node)
{
  char sentence[300];
  snprintf(sentence, sizeof sentence,
           "the server of node %d has not answered for %ld seconds (CW_SERVER_TIMEOUT): its host, "
           "%s, is down, cut off or overloaded",
           node, cwi_settings.server_timeout, cwi_world.machine_name_of[node].text);
  cwi_abort(sentence, 1);
}

/* While the job was stopped, the server was no more silent than others. */
static void check_clock(struct cwi_await *await)
{
  const double now = cwi_now();
  if (await->until == 0)
    await->until = now + (double)cwi_settings.server_timeout;
  await->until += cwi_absence(&await->looked, now);
  if (await->patient || cwi_settings.server_timeout == 0 || now < await->until)
    return;
  cwi_await_give_up(await->node);
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
    check_clock(await);
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
