/* Nodes that may be cut off. A process that waits in a barrier, a reduction, for a notification or
 * a mutex hears nothing of a host that went away: nobody there has been asked for anything. One
 * that waits for the answer of a server does not know whether that is cut off, or waits itself, as
 * long as it takes: for a device, or for who holds a mutex. So after a while its own server asks
 * all its neighbours, by a message without requests that each of them gives back at once. Who has
 * not done so after CW_SERVER_TIMEOUT ends the job.
 *
 * A neighbour that has been asked asks its own neighbours, and so on, as far as the topology's
 * longest way: so somebody asks each node that a wait may be for.
 *
 * A question needs no credit: requests that wait behind a device may hold all of a link. Each
 * server has a buffer more for each neighbour, and only one question is open on a link. */
#include "server/doubt.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/settings.h"
#include "base/waiting.h"
#include "link/links.h"
#include "link/wire.h"
#include "mpi/call.h"
#include "server/forward.h"
#include "team/world.h"

#include <limits.h>
#include <stdlib.h>

static double *asked;  /* [links] when; 0: no question is open */
static int open;       /* questions */
static double next;    /* when the next ones may be asked */
static double looked;  /* since they were */
static unsigned heard; /* a neighbour's doubt, to be asked on: from so many forwards away */
static const unsigned NOTHING_HEARD = UINT_MAX;

/* A wait is long, and questions are repeated, after so much of the patience with a server. */
static double pause_seconds(void)
{
  static const double LEAST_SECONDS = 0.5;
  const double part = (double)cwi_settings.server_timeout / 8;
  return part > LEAST_SECONDS ? part : LEAST_SECONDS;
}

/* --- Those that wait -------------------------------------------------------------------------- */

static void doubt(void)
{
  uint32_t *doubted = &cwi_links.board->doubted;
  if (__atomic_load_n(doubted, __ATOMIC_RELAXED) != 0)
    return;
  __atomic_store_n(doubted, 1, __ATOMIC_RELAXED);
  cwi_server_call();
}

void cwi_doubts_allow(void)
{
  if (cwi_settings.server_timeout > 0)
    cwi_waiting_set_doubt(doubt, pause_seconds());
}

static bool doubt_is_quiet(void *unused)
{
  (void)unused;
  return __atomic_load_n(&cwi_links.board->asking, __ATOMIC_SEQ_CST) == 0;
}

void cwi_doubts_close(void)
{
  enum { NAP_NANOSECONDS = 20000 };
  cwi_waiting_set_doubt(NULL, 0);
  __atomic_store_n(&cwi_links.board->no_questions, 1, __ATOMIC_SEQ_CST);
  cwi_wait_until(doubt_is_quiet, NULL, NAP_NANOSECONDS);
}

/* --- The server ------------------------------------------------------------------------------- */

void cwi_doubts_start(void)
{
  asked = calloc((size_t)cwi_links.count + 1, sizeof *asked);
  if (asked == NULL)
    cwi_abort("the server has no memory for its links", 1);
  open = 0;
  next = 0;
  heard = NOTHING_HEARD;
}

void cwi_doubts_stop(void)
{
  CWI_ASSERT(open == 0);
  free(asked);
  asked = NULL;
}

static bool doubt_ask(int link, unsigned forwards)
{
  const struct cwi_parcel question = {.version = CWI_WIRE_VERSION,
                                      .forwards = (uint16_t)forwards,
                                      .node = cwi_links.neighbours[link],
                                      .origin = cwi_world.first_process,
                                      .flags = CWI_PARCEL_RETURN | CWI_PARCEL_QUESTION,
                                      .bytes = sizeof question};
  return cwi_forward_copy(link, &question, sizeof question);
}

void cwi_doubt_heard(unsigned forwards)
{
  if (forwards < (unsigned)cwi_links.topology->most_forwards(cwi_world.nodes) && forwards < heard)
    heard = forwards;
}

/* The last question has its answer, or there was none to ask. */
static void doubt_finish(void)
{
  __atomic_store_n(&cwi_links.board->asking, 0, __ATOMIC_SEQ_CST);
}

/* Processes that want no more questions first say so and then look whether there are any: one of us
 * sees the other. */
static void ask_all(double now)
{
  struct cwi_board *board = cwi_links.board;
  __atomic_store_n(&board->asking, 1, __ATOMIC_SEQ_CST);
  const bool mine = __atomic_exchange_n(&board->doubted, 0, __ATOMIC_RELAXED) != 0;
  const unsigned forwards = mine ? 0 : heard + 1;
  heard = NOTHING_HEARD;
  const bool may = cwi_settings.server_timeout > 0 &&
                   __atomic_load_n(&board->no_questions, __ATOMIC_SEQ_CST) == 0;
  for (int link = 0; may && link < cwi_links.count; link++)
    if (doubt_ask(link, forwards)) {
      asked[link] = now;
      open++;
    }
  next = now + pause_seconds();
  looked = now;
  if (open == 0)
    doubt_finish();
}

void cwi_doubt_give_up(int node)
{
  cwi_abort_with(1,
                 "the server of node %d has not answered for %ld seconds (CW_SERVER_TIMEOUT): its "
                 "host, %s, is down, cut off or overloaded",
                 node, cwi_settings.server_timeout, cwi_world.machine_name_of[node].text);
}

static void look_for_silence(double now)
{
  const double absence = cwi_absence(&looked, now);
  for (int link = 0; link < cwi_links.count; link++) {
    if (asked[link] == 0)
      continue;
    asked[link] += absence;
    if (now - asked[link] >= (double)cwi_settings.server_timeout)
      cwi_doubt_give_up(cwi_links.neighbours[link]);
  }
}

void cwi_doubts_turn(void)
{
  if (open == 0 && heard == NOTHING_HEARD &&
      __atomic_load_n(&cwi_links.board->doubted, __ATOMIC_RELAXED) == 0)
    return;
  const double now = cwi_now();
  if (open > 0)
    look_for_silence(now);
  else if (now >= next)
    ask_all(now);
}

void cwi_doubt_answered(int link)
{
  if (asked[link] == 0)
    return;
  asked[link] = 0;
  if (--open == 0)
    doubt_finish();
}
