/* Nodes that may be cut off. A process that waits in a barrier, a reduction, for a notification or
 * a mutex hears nothing of a host that went away: nobody there has been query_times for anything.
 * One that waits for the answer of a server does not know whether that is cut off, or waits itself,
 * as long as it takes: for a device, or for who holds a mutex. So after a while its own server asks
 * all its neighbours, by a message without requests that each of them gives back at once. Who has
 * not done so after CW_SERVER_TIMEOUT ends the job.
 *
 * A neighbour that has been query_times asks its own neighbours, and so on, as far as the
 * topology's longest way: so somebody asks each node that a wait may be for.
 *
 * A query needs no credit: requests that wait behind a device may hold all of a link. Each
 * server has a buffer more for each neighbour, and only one query is open on a link. */
#include "server/liveness_check.h"

#include "base/clock.h"
#include "base/settings.h"
#include "link/link.h"
#include "link/wire_format.h"
#include "mpi/mpi_progress.h"
#include "server/forward.h"
#include "team/world.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <limits.h>
#include <stdlib.h>

static double *query_times; /* [links] when; 0: no query is open */
static int open;            /* questions */
static double next;         /* when the next ones may be query_times */
static double looked;       /* since they were */
static unsigned received;   /* a neighbour's want_liveness_check, to be query_times on: from so many
                               forwards away */
static const unsigned NOTHING_RECEIVED = UINT_MAX;

/* A wait is long, and questions are repeated, after so much of the patience with a server. */
static double pause_seconds(void)
{
  static const double LEAST_SECONDS = 0.5;
  const double part = (double)cwi_settings.server_timeout / 8;
  return part > LEAST_SECONDS ? part : LEAST_SECONDS;
}

/* --- Those that wait -------------------------------------------------------------------------- */

static void want_liveness_check(void)
{
  uint32_t *liveness_wanted = &cwi_links.board->liveness_wanted;
  if (__atomic_load_n(liveness_wanted, __ATOMIC_RELAXED) != 0)
    return;
  __atomic_store_n(liveness_wanted, 1, __ATOMIC_RELAXED);
  cwi_server_wake();
}

void cwi_liveness_allow(void)
{
  if (cwi_settings.server_timeout > 0)
    cwi_waiting_set_liveness_check(want_liveness_check, pause_seconds());
}

static bool liveness_is_complete(void *unused)
{
  (void)unused;
  return __atomic_load_n(&cwi_links.board->asked_neighbours, __ATOMIC_SEQ_CST) == 0;
}

void cwi_liveness_close(void)
{
  enum { NAP_NANOSECONDS = 20000 };
  cwi_waiting_set_liveness_check(NULL, 0);
  __atomic_store_n(&cwi_links.board->queries_closed, 1, __ATOMIC_SEQ_CST);
  cwi_wait_until(liveness_is_complete, NULL, NAP_NANOSECONDS);
}

/* --- The server ------------------------------------------------------------------------------- */

void cwi_liveness_start(void)
{
  query_times = calloc((size_t)cwi_links.count + 1, sizeof *query_times);
  if (query_times == NULL)
    cwi_abort("the server has no memory for its links", 1);
  open = 0;
  next = 0;
  received = NOTHING_RECEIVED;
}

void cwi_liveness_stop(void)
{
  CWI_ASSERT(open == 0);
  free(query_times);
  query_times = NULL;
}

static bool liveness_query(int link, unsigned forwards)
{
  const struct cwi_request_batch query = {.version = CWI_WIRE_VERSION,
                                          .forwards = (uint16_t)forwards,
                                          .node = cwi_links.neighbours[link],
                                          .origin = cwi_world.first_process,
                                          .flags = CWI_BATCH_RETURN | CWI_BATCH_QUESTION,
                                          .bytes = sizeof query};
  return cwi_forward_copy(link, &query, sizeof query);
}

void cwi_liveness_received(unsigned forwards)
{
  if (forwards < (unsigned)cwi_links.topology->most_forwards(cwi_world.nodes) &&
      forwards < received)
    received = forwards;
}

/* The last query has its answer, or there was none to ask. */
static void liveness_finish(void)
{
  __atomic_store_n(&cwi_links.board->asked_neighbours, 0, __ATOMIC_SEQ_CST);
}

/* Processes that want no more questions first say so and then look whether there are any: one of us
 * sees the other. */
static void query_all(double now)
{
  struct cwi_link_board *board = cwi_links.board;
  __atomic_store_n(&board->asked_neighbours, 1, __ATOMIC_SEQ_CST);
  const bool mine = __atomic_exchange_n(&board->liveness_wanted, 0, __ATOMIC_RELAXED) != 0;
  const unsigned forwards = mine ? 0 : received + 1;
  received = NOTHING_RECEIVED;
  const bool may = cwi_settings.server_timeout > 0 &&
                   __atomic_load_n(&board->queries_closed, __ATOMIC_SEQ_CST) == 0;
  for (int link = 0; may && link < cwi_links.count; link++)
    if (liveness_query(link, forwards)) {
      query_times[link] = now;
      open++;
    }
  next = now + pause_seconds();
  looked = now;
  if (open == 0)
    liveness_finish();
}

void cwi_liveness_abort(int node)
{
  cwi_abort_with(1,
                 "the server of node %d has not answered for %ld seconds (CW_SERVER_TIMEOUT): its "
                 "host, %s, is down, cut off or overloaded",
                 node, cwi_settings.server_timeout, cwi_world.machine_name_of[node].text);
}

static void check_silence(double now)
{
  const double absence = cwi_absence(&looked, now);
  for (int link = 0; link < cwi_links.count; link++) {
    if (query_times[link] == 0)
      continue;
    query_times[link] += absence;
    if (now - query_times[link] >= (double)cwi_settings.server_timeout)
      cwi_liveness_abort(cwi_links.neighbours[link]);
  }
}

void cwi_liveness_progress(void)
{
  if (open == 0 && received == NOTHING_RECEIVED &&
      __atomic_load_n(&cwi_links.board->liveness_wanted, __ATOMIC_RELAXED) == 0)
    return;
  const double now = cwi_now();
  if (open > 0)
    check_silence(now);
  else if (now >= next)
    query_all(now);
}

void cwi_liveness_answered(int link)
{
  if (query_times[link] == 0)
    return;
  query_times[link] = 0;
  if (--open == 0)
    liveness_finish();
}
