/* Open packets, one for each link: filled, sent with a credit, and reused. */
#include "route/server/outbox.h"

#include "base/operation_counts.h"
#include "base/settings.h"
#include "link/link.h"
#include "link/reply_tags.h"
#include "link/server_wait.h"
#include "link/shared_packet.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "mpi/origin.h"
#include "region/chunk.h"
#include "team/world.h"
#include "wait/failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Upper bound on the packets of an origin that are open or in flight. That many keep a link
 * busy. */
enum { PACKETS = CWI_SHARED_PACKETS };

/* After this number of consecutive messages with updates and without a query, the neighbour is
 * requested to return the latest one soon. */
enum { UPDATES_IN_ROW = 2 };

/* Upper bound on the bytes of a message that goes by MPI_Send: MPI copies short messages, and there
 * is no request to complete. */
enum { SHORT = 1024 };

/* Returns true if a message may go by MPI_Send. In a job that survives failures on other nodes it
 * may not: MPI_Send to a failed process may wait for ever. */
static bool is_short(size_t bytes)
{
  return bytes <= SHORT && !cwi_survives_by_messages();
}

/* The latest messages to each neighbour. */
struct link_state {
  uint8_t updates_in_row; /* consecutive messages with updates, up to UPDATES_IN_ROW */
  bool is_awaited;        /* the neighbour was requested to return the latest one soon */
};

/* The outbox of each origin. */
static struct outbox {
  struct cwi_packet packets[PACKETS] CWI_OF_ORIGIN;
  unsigned open_count;
  unsigned long openings;
  bool memory_queried; /* shared memory has been requested, which is done once */
  int index;    /* index of my process on its node, which selects its in-flight counts; -1 if it has
                   none */
  bool sending; /* MPI may still be sending a packet */
  bool called;  /* MPI has been called since this process last ran the server; that call may have
                   received a message for the server */
  struct link_state *link_states; /* [links] */
} boxes[CWI_ORIGINS];

static struct outbox *mine(void)
{
  return &boxes[cwi_origin];
}

/* Prepares the outbox of the current origin. In-flight counts, and packets that the server may
 * send, exist only for messages of the process's origin, not for those of threads' origins. */
cw_error cwi_outbox_start(void)
{
  struct outbox *outbox = mine();
  *outbox = (struct outbox){.index = cwi_origin == 0 ? cwi_node_index(cwi_world.process) : -1};
  for (int i = 0; i < PACKETS; i++)
    outbox->packets[i] = (struct cwi_packet){.link = -1, .sending = MPI_REQUEST_NULL};
  outbox->link_states = calloc((size_t)cwi_links.count + 1, sizeof *outbox->link_states);
  return outbox->link_states != NULL ? CW_OK
                                     : cwi_outside("no memory for %d links", cwi_links.count);
}

/* Leaves the memory of a packet to MPI, which may never end its send to a lost node. */
static void abandon_memory(struct cwi_packet *packet)
{
  packet->sending = MPI_REQUEST_NULL;
  packet->data = NULL;
  packet->shared_packet = NULL;
}

/* Waits until MPI needs no further calls of this process to deliver what was sent. The neighbour's
 * server receives messages in order, so a message that cannot arrive while this process computes
 * would delay all others. */
static cw_error outbox_settle(void)
{
  struct outbox *outbox = mine();
  for (int i = 0; i < PACKETS && outbox->sending; i++) {
    struct cwi_server_wait await = cwi_server_wait(outbox->packets[i].towards);
    if (outbox->packets[i].sending == MPI_REQUEST_NULL)
      continue;
    const cw_error error = cwi_server_wait_send(&outbox->packets[i].sending, &await);
    if (error != CW_FAILED)
      CWI_TRY(error);
    else
      abandon_memory(&outbox->packets[i]);
  }
  outbox->sending = false;
  return CW_OK;
}

/* Ends a call that may have sent packets, also after an error. */
static cw_error outbox_leave(cw_error sent)
{
  const cw_error settled = outbox_settle();
  return sent != CW_OK ? sent : settled;
}

cw_error cwi_outbox_stop(void)
{
  struct outbox *outbox = mine();
  CWI_TRY(outbox_settle());
  for (int i = 0; i < PACKETS; i++) {
    if (outbox->packets[i].shared_packet == NULL)
      free(outbox->packets[i].data); /* else the memory is freed with the zone */
    outbox->packets[i].data = NULL;
  }
  free(outbox->link_states);
  outbox->link_states = NULL;
  return CW_OK;
}

/* --- Sending ---------------------------------------------------------------------------------- */

static struct cwi_in_flight *in_flight_of(int link)
{
  return cwi_in_flight(mine()->index, link);
}

/* Returns true if the neighbour has returned all messages that the server has sent for me. Until
 * then this process must not send, because MPI keeps no order between the server's messages and
 * mine. */
static bool server_is_through(int link)
{
  const struct cwi_in_flight *in_flight = in_flight_of(link);
  return in_flight == NULL || __atomic_load_n(&in_flight->by_server, __ATOMIC_RELAXED) == 0 ||
         cwi_in_flight_is_zero(in_flight);
}

static bool has_credit(int link)
{
  return cwi_credit_take(link, CWI_CREDIT_PROCESS);
}

/* Waits until `holds` returns true. Credits and messages come back to the server, which may run in
 * a thread of this or of another process. Returns CW_FAILED if the neighbour is lost, or my node:
 * its server takes nothing back any more, and the thread that ends this process needs the lock. */
static cw_error wait_until(bool (*holds)(int link), int link)
{
  struct cwi_signal *returned = &cwi_links.board->returned;
  struct cwi_server_wait await = cwi_server_wait(cwi_links.neighbours[link]);
  uint32_t value = cwi_signal_value(returned);
  while (!holds(link)) {
    const bool neighbour_lost = cwi_node_is_lost(await.node);
    if (CWI_UNLIKELY(neighbour_lost || cwi_node_is_lost(cwi_world.node))) {
      cwi_server_wait_end(&await);
      return cwi_node_lost(neighbour_lost ? await.node : cwi_world.node);
    }
    cwi_mpi_progress();
    cwi_server_wait_signal(&await, returned, value, mine()->sending);
    value = cwi_signal_value(returned);
  }
  cwi_server_wait_end(&await);
  return CW_OK;
}

/* Closes a packet. MPI may still be sending it, which find_free checks. */
static void outbox_forget(struct cwi_packet *packet)
{
  packet->link = -1;
  packet->request = NULL;
  packet->due = false;
  mine()->open_count--;
}

/* Sets the flags of a message that is about to leave. After several messages with updates in a row,
 * the neighbour is requested to return this one soon, because the next updates wait for that. */
static void note_message(struct cwi_packet *packet, bool needs_answer)
{
  struct link_state *link_state = &mine()->link_states[packet->link];
  struct cwi_request_batch *first = (struct cwi_request_batch *)(void *)packet->data;
  link_state->updates_in_row =
      needs_answer
          ? 0
          : (uint8_t)(link_state->updates_in_row + (link_state->updates_in_row < UPDATES_IN_ROW));
  link_state->is_awaited =
      link_state->updates_in_row == UPDATES_IN_ROW && in_flight_of(packet->link) != NULL;
  first->flags =
      cwi_origin << CWI_BATCH_ORIGIN_SHIFT | (link_state->is_awaited ? CWI_BATCH_RETURN : 0);
}

static void count_message(struct cwi_packet *packet)
{
  if (CWI_UNLIKELY(cwi_settings.stats))
    cwi_count_message(packet->updates);
  packet->updates = 0;
}

static cw_error outbox_send_data(struct cwi_packet *packet)
{
  const int server = cwi_world.server_of[packet->towards];
  mine()->called = true;
  if (is_short(packet->used))
    return CWI_MPI(MPI_Send(packet->data, (int)packet->used, MPI_BYTE, server, CWI_TAG_REQUEST,
                            cwi_world.all_comm));
  mine()->sending = true;
  return CWI_MPI(MPI_Isend(packet->data, (int)packet->used, MPI_BYTE, server, CWI_TAG_REQUEST,
                           cwi_world.all_comm, &packet->sending));
}

/* Undoes the accounting of a packet that MPI failed to send: nothing will come back for it. */
static void lose(const struct cwi_packet *packet, int link)
{
  cwi_credit_give(link, 1);
  if (in_flight_of(link) != NULL)
    cwi_in_flight_remove(in_flight_of(link));
  cwi_links_returned();
  if (packet->lose != NULL)
    packet->lose(packet);
}

/* Returns the error of a message that MPI could not send: between hosts MPI may learn earlier than
 * this process that the server has ended. */
static cw_error unreachable(int node)
{
  char reason[512];
  snprintf(reason, sizeof reason, "%s", cwi_error_message());
  return cwi_failure(CW_FAILED, "the server of node %d cannot be reached: %s", node, reason);
}

/* Sends a packet and makes it free. `needs_answer` means that the caller waits for an answer to
 * it. */
static cw_error send_packet(struct cwi_packet *packet, bool needs_answer)
{
  const int link = packet->link;
  if (packet->fetch != NULL)
    packet->close(packet);
  if (packet->used == 0) { /* nothing was put into it */
    outbox_forget(packet);
    return CW_OK;
  }
  cw_error error = wait_until(server_is_through, link);
  if (error == CW_OK)
    error = wait_until(has_credit, link);
  if (CWI_UNLIKELY(error != CW_OK)) {
    outbox_forget(packet);
    if (packet->lose != NULL)
      packet->lose(packet);
    return error;
  }
  note_message(packet, needs_answer);
  count_message(packet);
  outbox_forget(packet);
  packet->towards = cwi_links.neighbours[link];
  if (in_flight_of(link) != NULL)
    cwi_in_flight_add(in_flight_of(link), false);
  error = outbox_send_data(packet);
  if (error != CW_OK)
    lose(packet, link);
  return CWI_LIKELY(error == CW_OK) || !cwi_survives_by_messages() ? error
                                                                   : unreachable(packet->towards);
}

/* Wait condition: returns true if the packet is mine again, or the server has sent it. */
static bool mine_or_sent(void *shared_packet)
{
  return cwi_shared_packet_take(shared_packet, CWI_SHARED_PACKET_OWNED) ||
         cwi_shared_packet_is_sent(shared_packet);
}

/* Takes a packet back from the server. Returns false if the server has sent the packet, which is
 * then free. */
static bool take_back(struct cwi_packet *packet)
{
  if (!packet->offered)
    return true;
  packet->offered = false;
  cwi_wait_until(mine_or_sent, packet->shared_packet, 0);
  if (!cwi_shared_packet_is_sent(packet->shared_packet))
    return true;
  count_message(packet);
  outbox_forget(packet);
  return false;
}

/* Sends a packet or, if earlier messages will return soon, offers it to the server. Checks the
 * in-flight count again after the offer. The server decrements the count before it checks for
 * offered packets. So either the server finds this offer, or this function finds that the count is
 * zero. */
static cw_error outbox_release(struct cwi_packet *packet)
{
  const struct cwi_in_flight *in_flight = in_flight_of(packet->link);
  if (packet->shared_packet == NULL || packet->used == 0 || packet->fetch != NULL ||
      !mine()->link_states[packet->link].is_awaited || cwi_in_flight_is_zero(in_flight))
    return send_packet(packet, packet->fetch != NULL);
  ((struct cwi_request_batch *)(void *)packet->data)->flags = CWI_BATCH_RETURN;
  packet->offered = true;
  cwi_shared_packet_offer(packet->shared_packet, packet->link, packet->used);
  if (cwi_in_flight_is_zero(in_flight))
    return take_back(packet) ? send_packet(packet, false) : CW_OK;
  cwi_server_wake();
  if (mine()->called)
    cwi_serve_meanwhile();
  mine()->called = false;
  return CW_OK;
}

/* --- Packets ---------------------------------------------------------------------------------- */

/* Returns the open packet of a link, after taking it back from the server if it was offered; NULL
 * if there is none. */
static struct cwi_packet *find_open(int link)
{
  struct cwi_packet *packets = mine()->packets;
  for (int i = 0; i < PACKETS && mine()->open_count > 0; i++)
    if (packets[i].link == link)
      return take_back(&packets[i]) ? &packets[i] : NULL;
  return NULL;
}

/* Finds a packet that is neither open nor in flight. *found is NULL if there is none. */
static cw_error find_free(struct cwi_packet **found)
{
  struct cwi_packet *packets = mine()->packets;
  *found = NULL;
  for (int i = 0; i < PACKETS && *found == NULL; i++) {
    int arrived = packets[i].sending == MPI_REQUEST_NULL;
    if (packets[i].link >= 0)
      continue;
    if (!arrived)
      CWI_TRY(CWI_MPI(MPI_Test(&packets[i].sending, &arrived, MPI_STATUS_IGNORE)));
    if (!arrived && CWI_UNLIKELY(cwi_node_is_lost(packets[i].towards))) {
      abandon_memory(&packets[i]);
      arrived = true;
    }
    *found = arrived ? &packets[i] : NULL;
  }
  return CW_OK;
}

static struct cwi_packet *oldest_open(void)
{
  struct cwi_packet *packets = mine()->packets, *oldest = NULL;
  for (int i = 0; i < PACKETS; i++)
    if (packets[i].link >= 0 && (oldest == NULL || packets[i].opened < oldest->opened))
      oldest = &packets[i];
  return oldest;
}

/* Sends the oldest packets until at most `left` are open. Packets to lost nodes are dropped: these
 * nodes need not be those of the caller's operation. */
static cw_error send_oldest(unsigned left, bool needs_answer)
{
  cw_error error = CW_OK;
  if (mine()->open_count <= left)
    return CW_OK;
  while (mine()->open_count > left && error == CW_OK) {
    struct cwi_packet *oldest = oldest_open();
    error = take_back(oldest) ? send_packet(oldest, needs_answer) : CW_OK;
    if (CWI_UNLIKELY(error == CW_FAILED))
      error = CW_OK;
  }
  return outbox_leave(error);
}

/* Allocates the packets in shared memory that the server sees. If shared memory is lacking, or the
 * packets would need too much of it, each packet gets private memory, and no updates wait in it. */
static void share_memory(void)
{
  enum { MOST_SHARED = 4 << 20 };
  struct cwi_packet *packets = mine()->packets;
  struct cwi_shared_packet *shared_packets = cwi_shared_packets(mine()->index);
  const size_t each = cwi_round_up((size_t)cwi_settings.server_buffer, 64);
  mine()->memory_queried = true;
  const bool wanted = shared_packets != NULL && PACKETS * each <= MOST_SHARED;
  char *data = wanted ? cwi_heap_allocate(&cwi_zone.internal, PACKETS * each, 0) : NULL;
  for (int i = 0; i < PACKETS && data != NULL; i++) {
    packets[i].data = data + (size_t)i * each;
    packets[i].shared_packet = &shared_packets[i];
    shared_packets[i].data = cwi_offset_of(packets[i].data);
  }
}

/* Gives a packet its memory, at its first use. */
static cw_error find_memory(struct cwi_packet *packet)
{
  if (!mine()->memory_queried)
    share_memory();
  if (packet->data == NULL)
    packet->data = malloc((size_t)cwi_settings.server_buffer);
  return packet->data != NULL
             ? CW_OK
             : cwi_outside("no memory for a message of %ld bytes", cwi_settings.server_buffer);
}

/* Opens a free packet. If half of all packets are open, the oldest is sent first, because the other
 * half is for messages in flight. */
static cw_error take_packet(int link, struct cwi_packet **packet)
{
  struct cwi_server_wait await = cwi_server_wait(cwi_links.neighbours[link]);
  CWI_TRY(send_oldest(PACKETS / 2 - 1, false));
  CWI_TRY(find_free(packet));
  while (*packet == NULL) {
    cwi_server_wait_pass(&await);
    CWI_TRY(find_free(packet));
  }
  cwi_server_wait_end(&await);
  CWI_TRY(find_memory(*packet));
  (*packet)->link = link;
  (*packet)->used = 0;
  (*packet)->batch = NULL;
  (*packet)->request = NULL;
  (*packet)->fetch = NULL;
  (*packet)->lose = NULL;
  (*packet)->opened = ++mine()->openings;
  mine()->open_count++;
  return CW_OK;
}

size_t cwi_packet_space(const struct cwi_packet *packet)
{
  const size_t needed =
      packet->used + sizeof(struct cwi_request_batch) + sizeof(struct cwi_request);
  const size_t all = (size_t)cwi_settings.server_buffer & ~(size_t)15;
  return needed < all ? all - needed : 0;
}

cw_error cwi_outbox_open(int node, size_t bytes, struct cwi_packet **packet)
{
  const int link = cwi_links.towards[node];
  *packet = find_open(link);
  if (*packet != NULL && cwi_packet_space(*packet) > bytes)
    return CW_OK;
  if (*packet != NULL)
    CWI_TRY(send_packet(*packet, false));
  return take_packet(link, packet);
}

static void begin_batch(struct cwi_packet *packet, int node)
{
  packet->batch = (struct cwi_request_batch *)(void *)(packet->data + packet->used);
  *packet->batch = (struct cwi_request_batch){.version = CWI_WIRE_VERSION,
                                              .node = node,
                                              .origin = cwi_world.process,
                                              .flags = cwi_origin << CWI_BATCH_ORIGIN_SHIFT,
                                              .bytes = sizeof(struct cwi_request_batch)};
  packet->used += sizeof(struct cwi_request_batch);
}

struct cwi_request *cwi_packet_append(struct cwi_packet *packet, int node,
                                      const struct cwi_request *given)
{
  if (packet->batch == NULL || packet->batch->node != node)
    begin_batch(packet, node);
  struct cwi_request *request = (struct cwi_request *)(void *)(packet->data + packet->used);
  const size_t bytes = sizeof *request + cwi_wire_data_bytes(given);
  *request = *given;
  packet->used += bytes;
  packet->batch->bytes += bytes;
  packet->request = request;
  return request;
}

char *cwi_packet_grow(struct cwi_packet *packet, size_t bytes)
{
  char *entry = packet->data + packet->used;
  packet->request->rows++;
  packet->used += bytes;
  packet->batch->bytes += bytes;
  return entry;
}

cw_error cwi_outbox_push(int node)
{
  struct cwi_packet *packet = find_open(cwi_links.towards[node]);
  return packet != NULL ? send_packet(packet, true) : CW_OK;
}

cw_error cwi_outbox_send(int node)
{
  return outbox_leave(cwi_outbox_push(node));
}

cw_error cwi_outbox_send_all(void)
{
  return send_oldest(0, true);
}

cw_error cwi_outbox_release(int node, bool due)
{
  struct cwi_packet *packet = find_open(cwi_links.towards[node]);
  cw_error error = CW_OK;
  if (packet != NULL) {
    packet->due = packet->due || due;
    error = packet->due ? outbox_release(packet) : CW_OK;
  }
  return outbox_leave(error);
}

cw_error cwi_outbox_release_all(void)
{
  struct outbox *outbox = mine();
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int i = 0; i < PACKETS && outbox->open_count > 0; i++) {
    if (outbox->packets[i].link < 0 || outbox->packets[i].offered)
      continue;
    outbox->packets[i].due = true;
    const cw_error error = outbox_release(&outbox->packets[i]);
    cwi_first_note(&first, error == CW_FAILED ? CW_OK : error);
  }
  return outbox_leave(cwi_first_return(&first));
}
