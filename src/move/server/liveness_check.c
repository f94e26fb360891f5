/* Liveness checks: detection of nodes that are down or cut off.
 *
 * A process may wait in a barrier or a reduction, for a notification or for a mutex. It does not
 * notice that a remote host is down, because it has requested nothing from that host. A process
 * that waits for the answer of a server does not know whether that server is down. The server may
 * also be waiting itself, for a device or for the holder of a mutex, and that may take any time. So
 * after a while the process's own server sends all its neighbours a query: a message without
 * requests, whose credit each neighbour returns at once. If a neighbour has not returned it after
 * CW_SERVER_TIMEOUT, the job ends.
 *
 * A neighbour that receives a query sends queries to its own neighbours, and so on, up to the
 * topology's longest path. In this way each node that a wait may depend on is checked.
 *
 * A query is sent without a credit, because requests that wait for a device may hold all credits of
 * a link. Instead, each server has one additional buffer for each neighbour, and only one query is
 * open on a link.
 *
 * In a job that survives failures queries also carry the failures that a node knows
 * (failure_news.h), and are sent at once when there are new ones. If the process fails that runs a
 * node's server, the others of the node send this in a query of their own before they end. */
#include "server/liveness_check.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "link/link.h"
#include "link/reply_tags.h"
#include "link/wire_format.h"
#include "mpi/mpi_progress.h"
#include "region/peers.h"
#include "server/failure_news.h"
#include "server/forward.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/wait_report.h"
#include "wait/waiter.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double *query_times; /* [links] time of the open query; 0 if none is open */
static int open;            /* open queries */
static double next;         /* earliest time of the next queries that a wait or a check needs */
static double checked;      /* time of the latest check, for cwi_absence */
static unsigned received; /* least number of forwards among the queries received since the check was
                             last passed on; NOTHING_RECEIVED if none was received */
static const unsigned NOTHING_RECEIVED = UINT_MAX;

/* Returns the seconds after which a wait counts as long and after which queries are repeated. This
 * is a fraction of the server timeout. */
static double pause_seconds(void)
{
  static const double LEAST_SECONDS = 0.5;
  const double part = (double)cwi_settings.server_timeout / 8;
  return part > LEAST_SECONDS ? part : LEAST_SECONDS;
}

/* --- Waiting processes ------------------------------------------------------------------------ */

/* Requests a check from the node's server. Called in a thread that has waited for a long time. If
 * the server has not seen the last request, its process may have ended. The thread that polls MPI
 * would notice that, too, but it may be blocked inside MPI. */
static void want_liveness_check(void)
{
  static unsigned unseen;
  uint32_t *liveness_wanted = &cwi_links.board->liveness_wanted;
  if (__atomic_load_n(liveness_wanted, __ATOMIC_RELAXED) != 0) {
    if ((__atomic_add_fetch(&unseen, 1, __ATOMIC_RELAXED) & 63U) == 0)
      cwi_peers_watch();
    return;
  }
  __atomic_store_n(liveness_wanted, 1, __ATOMIC_RELAXED);
  cwi_server_wake();
}

struct query {
  struct cwi_request_batch batch;
  uint64_t news[CWI_NEWS_MOST];
};

/* Completes a query to a node, whose news has this number of words, and returns its bytes. */
static size_t write_query(struct query *query, int node, unsigned forwards, unsigned flags,
                          size_t words)
{
  const size_t bytes = sizeof query->batch + words * sizeof *query->news;
  query->batch = (struct cwi_request_batch){.version = CWI_WIRE_VERSION,
                                            .forwards = (uint16_t)forwards,
                                            .node = node,
                                            .origin = cwi_world.first_process,
                                            .flags = CWI_BATCH_QUESTION | flags,
                                            .bytes = bytes};
  return bytes;
}

static struct query last_query; /* MPI may read it until this process has ended */

/* Sends the last query of this node. It requests no answer, because this node has no server that
 * could receive one. Then lets MPI progress for a while: a connection that is closed with unread
 * data may lose the data that is under way on it. */
static void *send_last_query(void *unused)
{
  enum { MILLISECONDS = 150 };
  MPI_Request request = MPI_REQUEST_NULL;
  int complete = 0;
  cw_error error =
      CWI_MPI(MPI_Isend(&last_query, (int)last_query.batch.bytes, MPI_BYTE, cwi_world.server_of[0],
                        CWI_TAG_REQUEST, cwi_world.all_comm, &request));
  for (int passed = 0; passed < MILLISECONDS && error == CW_OK; passed++) {
    error = CWI_MPI(MPI_Test(&request, &complete, MPI_STATUS_IGNORE));
    cwi_mpi_progress();
    cwi_nap(1000000);
  }
  return unused;
}

/* Reports to the first node that the process has failed that runs this node's server. A thread of
 * its own calls MPI, because that call may never return. */
static void report_to_first_node(int failed)
{
  pthread_t thread;
  struct timespec until;
  write_query(&last_query, 0, 0, 0, cwi_news_write_last(last_query.news, failed));
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  if (pthread_create(&thread, NULL, send_last_query, NULL) == 0 &&
      pthread_timedjoin_np(thread, NULL, &until) != 0)
    cwi_log(CWI_LOG_INFO, "the first node may not know that process %d has failed", failed);
}

void cwi_liveness_allow(void)
{
  if (cwi_settings.server_timeout > 0)
    cwi_waiting_set_liveness_check(want_liveness_check, pause_seconds());
  if (cwi_survives() && !cwi_same_machine(0))
    cwi_peers_set_last_report(report_to_first_node);
}

static bool liveness_is_complete(void *unused)
{
  (void)unused;
  return __atomic_load_n(&cwi_links.board->queries_open, __ATOMIC_SEQ_CST) == 0;
}

void cwi_liveness_close(void)
{
  enum { NAP_NANOSECONDS = 20000 };
  cwi_waiting_set_liveness_check(NULL, 0);
  cwi_peers_set_last_report(NULL);
  __atomic_store_n(&cwi_links.board->queries_closed, 1, __ATOMIC_SEQ_CST);
  cwi_wait_until(liveness_is_complete, NULL, NAP_NANOSECONDS);
}

/* --- The server ------------------------------------------------------------------------------- */

void cwi_liveness_start(void)
{
  cwi_news_start();
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
  cwi_news_stop();
}

static bool liveness_query(int link, unsigned forwards)
{
  struct query query;
  const size_t bytes = write_query(&query, cwi_links.neighbours[link], forwards, CWI_BATCH_RETURN,
                                   cwi_news_write(query.news));
  if (!cwi_forward_copy(link, &query, bytes))
    return false;
  cwi_news_sent(link);
  return true;
}

void cwi_liveness_received(int link, const struct cwi_request_batch *query)
{
  if (query->forwards < (unsigned)cwi_links.topology->most_forwards(cwi_world.nodes) &&
      query->forwards < received)
    received = query->forwards;
  cwi_news_received(link, (const uint64_t *)(const void *)(query + 1),
                    (query->bytes - sizeof *query) / sizeof(uint64_t));
}

/* Records that no query is open: all are answered, or none could be sent. */
static void liveness_finish(void)
{
  __atomic_store_n(&cwi_links.board->queries_open, 0, __ATOMIC_SEQ_CST);
}

/* Returns true if a query may be sent on the link: none is open, and the neighbour is not lost. In
 * a job that survives failures only the first node sends queries to all, and receives them from
 * all. */
static bool may_query(int link)
{
  return query_times[link] == 0 && !cwi_node_is_lost(cwi_links.neighbours[link]) &&
         (!cwi_survives() || cwi_news_exchanges(link));
}

/* Sends a query to each neighbour that may have one, or only to those that lack news. A process
 * that disables the checks first sets queries_closed and then reads queries_open. This function
 * first sets queries_open and then reads queries_closed, so at least one of the two sees the
 * other's store. */
static void query_neighbours(double now, unsigned forwards, bool lack_news)
{
  struct cwi_link_board *board = cwi_links.board;
  if (open == 0)
    checked = now;
  __atomic_store_n(&board->queries_open, 1, __ATOMIC_SEQ_CST);
  const bool closed = __atomic_load_n(&board->queries_closed, __ATOMIC_SEQ_CST) != 0;
  for (int link = 0; !closed && link < cwi_links.count; link++)
    if (may_query(link) && (!lack_news || cwi_news_lack(link)) && liveness_query(link, forwards)) {
      query_times[link] = now;
      open++;
    }
  if (open == 0)
    liveness_finish();
}

/* Makes the checks that a wait of this node needs, or another node has passed on. */
static void check_neighbours(double now)
{
  uint32_t *wanted = &cwi_links.board->liveness_wanted;
  const bool mine = __atomic_exchange_n(wanted, 0, __ATOMIC_RELAXED) != 0;
  const unsigned forwards = mine ? 0 : received + 1;
  received = NOTHING_RECEIVED;
  next = now + pause_seconds();
  query_neighbours(now, forwards, false);
}

enum { REASON_BYTES = 200 };

static void describe_silence(int node, char reason[REASON_BYTES])
{
  snprintf(reason, REASON_BYTES,
           "the server of node %d has not answered for %ld seconds (CW_SERVER_TIMEOUT): its host, "
           "%s, is down, cut off or overloaded",
           node, cwi_settings.server_timeout, cwi_world.machine_name_of[node].text);
}

void cwi_liveness_abort(int node)
{
  char reason[REASON_BYTES];
  describe_silence(node, reason);
  cwi_abort(reason, 1);
}

/* Reports all processes of a node, which the watchers of this node then record as failed. */
static void lose_node(int node)
{
  for (int process = 0; process < cwi_world.processes; process++)
    if (cwi_world.node_of[process] == node)
      cwi_failure_report(process, CWI_REPORTED_SILENT);
}

/* Called when a neighbour has not answered for CW_SERVER_TIMEOUT. In a job that survives failures
 * the first node decides which nodes are lost, and a node that it does not answer is lost. A
 * process of the same machine that is only stopped has not failed. */
static void silence_ends(int link)
{
  const int node = cwi_links.neighbours[link];
  char reason[REASON_BYTES];
  if (!cwi_survives())
    cwi_liveness_abort(node);
  if (node == 0 && !cwi_same_machine(0)) {
    describe_silence(node, reason);
    cwi_peers_end_with_node(reason);
  }
  if (cwi_world.node == 0 && !cwi_same_machine(cwi_first_of_node(node)))
    lose_node(node);
  cwi_liveness_answered(link);
}

/* Ends the job if a neighbour has not answered for CW_SERVER_TIMEOUT. Time in which this process
 * did not run does not count. */
static void check_silence(double now)
{
  const double absence = cwi_absence(&checked, now);
  for (int link = 0; link < cwi_links.count; link++) {
    if (query_times[link] == 0)
      continue;
    if (CWI_UNLIKELY(cwi_node_is_lost(cwi_links.neighbours[link]))) {
      cwi_liveness_answered(link);
      continue;
    }
    query_times[link] += absence;
    if (cwi_settings.server_timeout > 0 &&
        now - query_times[link] >= (double)cwi_settings.server_timeout)
      silence_ends(link);
  }
}

void cwi_liveness_progress(void)
{
  const bool news = cwi_news_collect();
  const bool wanted = received != NOTHING_RECEIVED ||
                      __atomic_load_n(&cwi_links.board->liveness_wanted, __ATOMIC_RELAXED) != 0;
  if (open == 0 && !wanted && !news)
    return;
  const double now = cwi_now();
  if (open > 0)
    check_silence(now);
  if (wanted && now >= next)
    check_neighbours(now);
  else if (news)
    query_neighbours(now, 0, true);
}

void cwi_liveness_answered(int link)
{
  if (query_times[link] == 0)
    return;
  query_times[link] = 0;
  if (--open == 0)
    liveness_finish();
}
