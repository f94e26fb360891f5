#include "link/await.h"

#include "base/clock.h"
#include "base/settings.h"
#include "link/wire.h"
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

/* Tags that are free, and the next one never used. MPI guarantees tags up to 32767. */
static uint32_t free_tags[CWI_TAGS];
static uint32_t free_count, used_count;

cw_error cwi_tag_take(uint32_t *tag)
{
  if (free_count > 0)
    *tag = free_tags[--free_count];
  else if (used_count < CWI_TAGS)
    *tag = CWI_TAG_FIRST + 2 * used_count++;
  else
    return cwi_outside("more than %d replies of servers are outstanding", CWI_TAGS);
  return CW_OK;
}

void cwi_tag_give(uint32_t tag)
{
  free_tags[free_count++] = tag;
}
