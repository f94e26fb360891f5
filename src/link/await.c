#include "link/await.h"

#include "base/clock.h"
#include "base/settings.h"
#include "mpi/call.h"

#include <stdio.h>

/* The clock is looked at every so many turns. A server answers soon: only after long does the
 * waiter sleep, which takes longer than most answers. */
enum { CLOCK_TURNS = 256, YIELDS = 20000 };

static void check_clock(struct cwi_await *await)
{
  const double now = cwi_now();
  if (await->until == 0)
    await->until = now + (double)cwi_settings.server_timeout;
  if (await->patient || cwi_settings.server_timeout == 0 || now < await->until)
    return;
  char sentence[200];
  snprintf(sentence, sizeof sentence,
           "the server of node %d has not answered for %ld seconds (CW_SERVER_TIMEOUT): its host "
           "is down, cut off or overloaded",
           await->node, cwi_settings.server_timeout);
  cwi_abort(sentence, 1);
}

void cwi_await_turn(struct cwi_await *await)
{
  if (!cwi_wait_turn(&await->wait)) {
    if (await->wait.looks < YIELDS && !cwi_core_is_wanted())
      cwi_yield();
    else
      cwi_sleep(&await->sleep);
  }
  if (await->wait.looks++ % CLOCK_TURNS == 0)
    check_clock(await);
}

cw_error cwi_await_request(MPI_Request *request, struct cwi_await *await, MPI_Status *status)
{
  int done = 0;
  CWI_TRY(CWI_MPI(MPI_Test(request, &done, status)));
  while (!done) {
    cwi_await_turn(await);
    CWI_TRY(CWI_MPI(MPI_Test(request, &done, status)));
  }
  cwi_sleep_end(&await->sleep);
  return CW_OK;
}
