/* Neighbours that may be cut off. A process that waits in a barrier, a reduction, for a
 * notification or a mutex hears nothing of a host that went away: nobody there has been asked for
 * anything. So after a while its own server asks all its neighbours, by a message without requests
 * that each of them gives back at once. Who has not done so after CW_SERVER_TIMEOUT ends the job.
 * If a host that is no neighbour is cut off, its neighbours wait as well, and ask. */
#include "server/doubt.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/settings.h"
#include "base/waiting.h"
#include "link/await.h"
#include "link/links.h"
#include "link/wire.h"
#include "server/forward.h"
#include "team/world.h"

#include <stdlib.h>

static double *asked; /* [links] when; 0: no question is open */
static int open;      /* questions */
static double next;   /* when the next ones may be asked */
static double looked; /* since they were */

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
}

void cwi_doubts_stop(void)
{
  CWI_ASSERT(open == 0);
  free(asked);
  asked = NULL;
}

/* As from a thread's own origin: nobody's buffers are given back with it. Without a credit there is
 * traffic enough. */
static bool doubt_ask(int link)
{
  const struct cwi_parcel question = {.version = CWI_WIRE_VERSION,
                                      .node = cwi_links.neighbours[link],
                                      .origin = cwi_world.first_process,
                                      .flags = CWI_PARCEL_RETURN | CWI_PARCEL_QUESTION |
                                               1u << CWI_PARCEL_ORIGIN_SHIFT,
                                      .bytes = sizeof question};
  return cwi_forward_copy(link, &question, sizeof question);
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
  __atomic_store_n(&board->doubted, 0, __ATOMIC_RELAXED);
  const bool may = __atomic_load_n(&board->no_questions, __ATOMIC_SEQ_CST) == 0;
  for (int link = 0; may && link < cwi_links.count; link++)
    if (doubt_ask(link)) {
      asked[link] = now;
      open++;
    }
  next = now + pause_seconds();
  looked = now;
  if (open == 0)
    doubt_finish();
}

static void look_for_silence(double now)
{
  const double absence = cwi_absence(&looked, now);
  for (int link = 0; link < cwi_links.count; link++) {
    if (asked[link] == 0)
      continue;
    asked[link] += absence;
    if (now - asked[link] >= (double)cwi_settings.server_timeout)
      cwi_await_give_up(cwi_links.neighbours[link]);
  }
}

void cwi_doubts_turn(void)
{
  if (open == 0 && __atomic_load_n(&cwi_links.board->doubted, __ATOMIC_RELAXED) == 0)
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
