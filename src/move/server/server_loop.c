/* One pass of the server: receive, execute, forward, complete. */
#include "server/server_loop.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "execution/async_operations.h"
#include "execution/bulk_buffer.h"
#include "execution/deferred_work.h"
#include "execution/execution.h"
#include "execution/mutex_grant.h"
#include "execution/reply.h"
#include "execution/request_buffer.h"
#include "link/link.h"
#include "link/reply_tags.h"
#include "link/shared_packet.h"
#include "link/wire_format.h"
#include "mpi/mpi_progress.h"
#include "server/forward.h"
#include "server/liveness_check.h"
#include "server/shared_packet_send.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"

#include <stdlib.h>

enum { CREDITS_POSTED = 4 };

static struct {
  MPI_Request request;
  struct cwi_request_buffer *buffer;
} posted[CWI_POSTED];
static int next_posted; /* MPI matches messages to receives in the order in which the receives were
                           posted */

static struct {
  MPI_Request request;
  struct cwi_credit *credit;
} credits[CREDITS_POSTED];
static int next_credit;

/* Credits that senders want back soon are returned when no message has arrived for RETURN_SECONDS.
 * In this way one credit message returns the credits of several messages in a row. If messages
 * never stop, the credits are returned after BUSY_RETURN_SECONDS. */
static const double RETURN_SECONDS = 10e-6, BUSY_RETURN_SECONDS = 200e-6;

static int *link_of_rank; /* [ranks] the link by which a rank's messages arrive; -1 for ranks of
                             this node */

static void post_request(int slot)
{
  struct cwi_request_buffer *buffer = cwi_request_buffer_take();
  posted[slot].buffer = buffer;
  cwi_server_must(
      CWI_MPI(MPI_Irecv(buffer->data, (int)cwi_settings.server_buffer, MPI_BYTE, MPI_ANY_SOURCE,
                        CWI_TAG_REQUEST, cwi_world.all_comm, &posted[slot].request)));
}

static size_t credit_bytes(void)
{
  return sizeof(struct cwi_credit) + (size_t)cwi_settings.server_credits * sizeof(int32_t);
}

static void post_credit(int slot)
{
  cwi_server_must(
      CWI_MPI(MPI_Irecv(credits[slot].credit, (int)credit_bytes(), MPI_BYTE, MPI_ANY_SOURCE,
                        CWI_TAG_CREDIT, cwi_world.all_comm, &credits[slot].request)));
}

static void make_credit(int slot)
{
  credits[slot].credit = malloc(credit_bytes());
  if (credits[slot].credit == NULL)
    cwi_abort("the server has no memory for credits", 1);
  post_credit(slot);
}

/* --- Credits ---------------------------------------------------------------------------------- */

/* Counts the credits that a neighbour has returned, and sends the packets that waited for the
 * return of these messages. Returns true if it sent any. */
static bool take_credit(void)
{
  const struct cwi_credit *credit = credits[next_credit].credit;
  const int link = cwi_links.towards[credit->node];
  uint32_t answers = 0;
  for (uint32_t i = 0; i < credit->buffers; i++)
    answers += credit->process[i] == CWI_CREDIT_ANSWER;
  cwi_credit_give(link, credit->buffers - answers);
  if (answers > 0)
    cwi_liveness_answered(link);
  const bool sent = cwi_shared_packets_send_returned(link, credit);
  post_credit(next_credit);
  next_credit = (next_credit + 1) % CREDITS_POSTED;
  cwi_async_watch(CWI_RECEIVE_CREDIT, credits[next_credit].request);
  cwi_links_returned();
  return sent;
}

/* Returns credits to the senders that wait for them. `busy` is true if the last pass did something.
 */
static void return_messages(bool busy)
{
  static double idle_since,
      owed_since; /* 0 if the server is not idle, or no sender waits for credits */
  if (!cwi_request_buffers_owe()) {
    idle_since = owed_since = 0;
    return;
  }
  const double now = cwi_now();
  if (owed_since == 0)
    owed_since = now;
  if (busy)
    idle_since = 0;
  else if (idle_since == 0)
    idle_since = now;
  const bool idle = idle_since != 0 && now - idle_since >= RETURN_SECONDS;
  if (idle || now - owed_since >= BUSY_RETURN_SECONDS)
    cwi_request_buffers_return();
}

/* --- Requests --------------------------------------------------------------------------------- */

/* Returns the batch at `data`, or NULL if it is malformed. `left` is the number of bytes from there
 * to the end of the message. */
static struct cwi_request_batch *batch_at(char *data, size_t left)
{
  struct cwi_request_batch *batch = (struct cwi_request_batch *)(void *)data;
  const bool sound = left >= sizeof *batch && batch->version == CWI_WIRE_VERSION &&
                     batch->bytes >= sizeof *batch && batch->bytes <= left &&
                     batch->bytes % 8 == 0 && batch->node >= 0 && batch->node < cwi_world.nodes &&
                     cwi_is_process(batch->origin);
  return sound ? batch : NULL;
}

/* Executes or forwards each batch of a message. The rest of a malformed message is dropped. */
static void take_message(struct cwi_request_buffer *buffer, size_t bytes, int source)
{
  struct cwi_server_use *use = &cwi_links.board->use;
  use->bytes += bytes;
  cwi_request_buffer_fill(buffer, link_of_rank[source], batch_at(buffer->data, bytes));
  for (size_t at = 0; at < bytes;) {
    struct cwi_request_batch *batch = batch_at(buffer->data + at, bytes - at);
    if (batch == NULL) {
      cwi_log(CWI_LOG_WARNING, "the server of node %d dropped a malformed message of rank %d",
              cwi_world.node, source);
      break;
    }
    at += batch->bytes;
    if (CWI_UNLIKELY(cwi_failures_count() > 0) && cwi_has_failed(batch->origin))
      continue; /* survivors may use again what it would change */
    if ((batch->flags & CWI_BATCH_QUESTION) != 0)
      cwi_liveness_received(buffer->link, batch);
    else if (batch->node == cwi_world.node) {
      use->requests++;
      cwi_execute_batch(buffer, batch);
    } else {
      use->forwards++;
      cwi_forward(buffer, batch);
    }
  }
  cwi_request_buffer_release(buffer);
}

/* Processes a message, and posts its receive again with another buffer. */
static void receive_request(const MPI_Status *status)
{
  struct cwi_request_buffer *buffer = posted[next_posted].buffer;
  int bytes = 0;
  cwi_server_must(CWI_MPI(MPI_Get_count(status, MPI_BYTE, &bytes)));
  take_message(buffer, (size_t)bytes, status->MPI_SOURCE);
  post_request(next_posted);
  next_posted = (next_posted + 1) % CWI_POSTED;
  cwi_async_watch(CWI_RECEIVE_REQUEST, posted[next_posted].request);
}

/* --- Polling ---------------------------------------------------------------------------------- */

/* Receives several messages, so that batches to the same next hop are sent together. Returns true
 * if the pass was busy, so that another pass follows. The last poll must find no message, so that
 * none stays unnoticed in MPI; if it finds one, the result is true. Earlier credits count as work
 * only if they allowed a packet to be sent, because requests need not follow them. */
static bool poll_receives(void)
{
  struct cwi_seen seen = {.here = {true}};
  bool busy = false;
  for (int taken = 0; taken < CWI_POSTED && (seen.here[0] || seen.here[1]); taken++) {
    busy = cwi_async_progress(&seen) || busy;
    if (seen.here[CWI_RECEIVE_CREDIT])
      busy = take_credit() || busy;
    if (seen.here[CWI_RECEIVE_REQUEST]) {
      receive_request(&seen.request);
      busy = true;
    }
  }
  return busy || seen.here[CWI_RECEIVE_CREDIT];
}

static struct cwi_left left;

/* Publishes the work that the pass has left, for cwi_left_now in other threads. */
static void serve_publish(void)
{
  const struct cwi_served served = cwi_served();
  cwi_links.board->use.messages = served.messages;
  __atomic_store_n(&left.messages, served.messages + served.credits, __ATOMIC_RELAXED);
  __atomic_store_n(&left.async, (uint32_t)cwi_async_count(), __ATOMIC_RELAXED);
  __atomic_store_n(&left.agent_operations, (uint32_t)cwi_agent_operations_count(),
                   __ATOMIC_RELAXED);
  __atomic_store_n(&left.grants, (uint32_t)cwi_grants_wait(), __ATOMIC_RELAXED);
  __atomic_store_n(&left.owes, (uint32_t)cwi_request_buffers_owe(), __ATOMIC_RELAXED);
}

struct cwi_left cwi_left_now(void)
{
  return (struct cwi_left){.messages = __atomic_load_n(&left.messages, __ATOMIC_RELAXED),
                           .async = __atomic_load_n(&left.async, __ATOMIC_RELAXED),
                           .agent_operations =
                               __atomic_load_n(&left.agent_operations, __ATOMIC_RELAXED),
                           .grants = __atomic_load_n(&left.grants, __ATOMIC_RELAXED),
                           .owes = __atomic_load_n(&left.owes, __ATOMIC_RELAXED)};
}

/* Makes one pass. MPI may receive messages in any of its calls. So if a step after the poll sends
 * something, the pass counts as busy and another pass follows. */
bool cwi_server_loop_pass(void)
{
  static bool was_busy;
  cwi_wait_with(cwi_agent_operations_advance);
  return_messages(was_busy);
  cwi_liveness_progress();
  bool busy = cwi_agent_operations_progress();
  busy = cwi_grants_progress() || busy;
  busy = poll_receives() || busy;
  busy = cwi_forward_progress() || busy;
  was_busy = busy;
  serve_publish();
  cwi_wait_with(NULL);
  return busy;
}

/* --- Start and stop --------------------------------------------------------------------------- */

static void learn_links(void)
{
  int ranks = 0;
  cwi_server_must(CWI_MPI(MPI_Comm_size(cwi_world.all_comm, &ranks)));
  link_of_rank = malloc(((size_t)ranks + 1) * sizeof *link_of_rank);
  if (link_of_rank == NULL)
    cwi_abort("the server has no memory for its links", 1);
  for (int process = 0; process < cwi_world.processes; process++)
    link_of_rank[cwi_world.rank_of[process]] = cwi_links.towards[cwi_world.node_of[process]];
  for (int node = 0; node < cwi_world.nodes; node++)
    link_of_rank[cwi_world.server_of[node]] = cwi_links.towards[node];
}

void cwi_server_loop_start(void)
{
  learn_links();
  cwi_request_buffers_start();
  cwi_forward_start();
  cwi_shared_packets_send_start();
  cwi_liveness_start();
  next_posted = next_credit = 0;
  for (int slot = 0; slot < CWI_POSTED; slot++)
    post_request(slot);
  for (int slot = 0; slot < CREDITS_POSTED; slot++)
    make_credit(slot);
  cwi_async_watch(CWI_RECEIVE_REQUEST, posted[0].request);
  cwi_async_watch(CWI_RECEIVE_CREDIT, credits[0].request);
}

/* Returns the link of the first neighbour that has not returned all credits, or -1 if there is
 * none. */
static int link_that_owes(void)
{
  int link = 0;
  while (link < cwi_links.count && cwi_credits_complete(link))
    link++;
  return link < cwi_links.count ? link : -1;
}

/* Returns all credits to the neighbours. Returns true if they have returned all of mine and nothing
 * is in progress. */
static bool loop_is_idle(void)
{
  cwi_request_buffers_settle();
  return link_that_owes() < 0 && cwi_async_count() == 0 && cwi_agent_operations_count() == 0;
}

/* Waits until nothing is in progress. A neighbour may die after the last barrier. Liveness checks
 * have ended then, so this function has a timeout of its own. */
static void wait_until_idle(void)
{
  double silent_since = cwi_now(), checked = silent_since;
  while (!loop_is_idle()) {
    const bool busy = cwi_server_loop_pass();
    const double now = cwi_now(), absence = cwi_absence(&checked, now);
    silent_since = busy ? now : silent_since + absence;
    const bool silent = cwi_settings.server_timeout > 0 &&
                        now - silent_since >= (double)cwi_settings.server_timeout;
    const int owed_links = silent ? link_that_owes() : -1;
    if (owed_links >= 0)
      cwi_liveness_abort(cwi_links.neighbours[owed_links]);
    if (!busy)
      cwi_yield();
  }
}

static void cancel(MPI_Request *request)
{
  cwi_server_must(CWI_MPI(MPI_Cancel(request)));
  cwi_server_must(CWI_MPI(MPI_Wait(request, MPI_STATUS_IGNORE)));
}

void cwi_server_loop_stop(void)
{
  wait_until_idle();
  /* MPI may have completed the watched receives. It then sets their requests in async_operations.c
   * to MPI_REQUEST_NULL, not those here. */
  posted[next_posted].request = cwi_async_watched(CWI_RECEIVE_REQUEST);
  credits[next_credit].request = cwi_async_watched(CWI_RECEIVE_CREDIT);
  for (int slot = 0; slot < CWI_POSTED; slot++) {
    cancel(&posted[slot].request);
    cwi_request_buffer_free(posted[slot].buffer);
  }
  for (int slot = 0; slot < CREDITS_POSTED; slot++) {
    cancel(&credits[slot].request);
    free(credits[slot].credit);
  }
  cwi_request_buffers_stop();
  cwi_forward_stop();
  cwi_shared_packets_send_stop();
  cwi_liveness_stop();
  cwi_replies_stop();
  cwi_bulk_buffer_stop();
  cwi_async_stop();
  free(link_of_rank);
}
