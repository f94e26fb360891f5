/* Waiting for a server. */
#include "link/server_wait.h"

#include "link/link.h"
#include "mpi/mpi_progress.h"
#include "mpi/origin.h"
#include "team/world.h"
#include "wait/failures.h"

#include <stdio.h>

/* A waiting thread reads the clock once in CLOCK_PASSES passes, and after each sleep. It sleeps
 * only after YIELDS passes, or if another thread wants its core. Servers answer soon, and a sleep
 * takes longer than most answers. */
enum { CLOCK_PASSES = 256, YIELDS = 20000 };

static void await_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_server_wait *await = what;
  snprintf(text, size, "the server of node %d", await->node);
}

/* Announces the wait (wait/wait_report.h), unless the call has done so. Most waits for servers are
 * too short to be worth an announcement at the beginning. */
static void wait_long(struct cwi_server_wait *await)
{
  const struct cwi_waiting outer = cwi_waiting;
  if (outer.call == NULL) {
    cwi_waiting = await->waiting;
    cwi_waiting.call = "a transfer or a fence";
    cwi_waiting.awaited = await_awaited;
    cwi_waiting.what = await;
  }
  cwi_waiting_check();
  await->waiting.shown = cwi_waiting.shown && !outer.shown;
  if (outer.call == NULL) {
    await->waiting = cwi_waiting;
    cwi_waiting = outer;
  }
  cwi_waiting.shown = outer.shown;
}

/* Spins or yields. Returns false if it is time to sleep instead. */
static bool await_spins(struct cwi_server_wait *await, bool polls)
{
  if (polls ? cwi_wait_pass(&await->wait) : cwi_wait_passively(&await->wait))
    return true;
  if (await->wait.poll_count >= YIELDS || cwi_core_is_wanted())
    return false;
  cwi_yield();
  return true;
}

static void await_passed(struct cwi_server_wait *await, bool slept)
{
  if (await->wait.poll_count++ % CLOCK_PASSES == 0 || slept)
    wait_long(await);
}

void cwi_server_wait_pass(struct cwi_server_wait *await)
{
  const bool sleeps = !await_spins(await, true);
  if (sleeps)
    cwi_sleep(&await->sleep);
  await_passed(await, sleeps);
}

/* Before it sleeps, wakes the server, which may be yielding because this thread has served. */
void cwi_server_wait_signal(struct cwi_server_wait *await, struct cwi_signal *signal,
                            uint32_t value, bool sends)
{
  enum { NAP_NANOSECONDS = 1000000, SENDING_NANOSECONDS = 100000 };
  const bool sleeps = !await_spins(await, true);
  if (sleeps && !cwi_nap_on_messages(SENDING_NANOSECONDS)) {
    cwi_server_wake();
    cwi_signal_nap(signal, value, sends ? SENDING_NANOSECONDS : NAP_NANOSECONDS);
  }
  await_passed(await, sleeps);
}

/* One pass of cwi_arrival_wait, with the check of the clock. */
static bool await_pass(void *given, bool polls)
{
  struct cwi_server_wait *await = given;
  if (CWI_UNLIKELY(cwi_node_is_lost(await->node)))
    cwi_arrival_leave(await->arrival, !await->sends);
  const bool spins = await_spins(await, polls);
  await_passed(await, !spins);
  return spins;
}

cw_error cwi_server_wait_arrival(struct cwi_arrival *arrival, struct cwi_server_wait *await)
{
  await->arrival = arrival;
  const cw_error error = cwi_arrival_wait(arrival, &await->sleep, await_pass, await);
  cwi_server_wait_end(await);
  return error == CW_FAILED ? cwi_node_lost(await->node) : error;
}

cw_error cwi_server_wait_unlocked(struct cwi_arrival *arrival, int node)
{
  struct cwi_server_wait await = cwi_server_wait(node);
  cwi_origin_unlock();
  const cw_error error = cwi_server_wait_arrival(arrival, &await);
  cwi_origin_lock();
  return error;
}

cw_error cwi_server_wait_send(MPI_Request *request, struct cwi_server_wait *await)
{
  struct cwi_arrival arrival = cwi_arrival(*request);
  await->sends = true;
  const cw_error error = cwi_server_wait_arrival(&arrival, await);
  *request = arrival.request;
  return error;
}
