#include "route/remote/outbox.h"

#include "base/settings.h"
#include "link/await.h"
#include "link/links.h"
#include "link/tags.h"
#include "mpi/call.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* Packets that are open or on their way; enough to keep a wire busy. */
enum { PACKETS = 8 };

/* MPI copies short messages: no request to look after. */
enum { SHORT = 1024 };

static struct cwi_packet packets[PACKETS];
static unsigned open_count;
static unsigned long openings;

cw_error cwi_outbox_start(void)
{
  for (int i = 0; i < PACKETS; i++)
    packets[i] = (struct cwi_packet){.link = -1, .sending = MPI_REQUEST_NULL};
  open_count = 0;
  return CW_OK;
}

cw_error cwi_outbox_settle(void)
{
  for (int i = 0; i < PACKETS; i++) {
    struct cwi_await await = cwi_await(packets[i].towards);
    if (packets[i].sending != MPI_REQUEST_NULL)
      CWI_TRY(cwi_await_request(&packets[i].sending, &await, MPI_STATUS_IGNORE));
  }
  return CW_OK;
}

cw_error cwi_outbox_stop(void)
{
  CWI_TRY(cwi_outbox_settle());
  for (int i = 0; i < PACKETS; i++) {
    free(packets[i].data);
    packets[i].data = NULL;
  }
  return CW_OK;
}

static int server_of_link(int link)
{
  return cwi_world.server_of[cwi_links.neighbours[link]];
}

static void take_credit(int link)
{
  struct cwi_await await = cwi_await(cwi_links.neighbours[link]);
  while (!cwi_credit_take(link, CWI_CREDIT_PROCESS)) {
    cwi_mpi_progress();
    cwi_await_turn(&await);
  }
}

static cw_error send_packet(struct cwi_packet *packet)
{
  const int link = packet->link;
  if (packet->fetch != NULL)
    CWI_TRY(packet->close(packet));
  take_credit(link);
  packet->link = -1;
  packet->towards = cwi_links.neighbours[link];
  packet->request = NULL;
  open_count--;
  if (packet->used <= SHORT)
    return CWI_MPI(MPI_Send(packet->data, (int)packet->used, MPI_BYTE, server_of_link(link),
                            CWI_TAG_REQUEST, cwi_world.all_comm));
  return CWI_MPI(MPI_Isend(packet->data, (int)packet->used, MPI_BYTE, server_of_link(link),
                           CWI_TAG_REQUEST, cwi_world.all_comm, &packet->sending));
}

static struct cwi_packet *find_open(int link)
{
  for (int i = 0; i < PACKETS && open_count > 0; i++)
    if (packets[i].link == link)
      return &packets[i];
  return NULL;
}

/* A packet that is neither open nor on its way; NULL: there is none. */
static cw_error find_free(struct cwi_packet **found)
{
  *found = NULL;
  for (int i = 0; i < PACKETS && *found == NULL; i++) {
    int arrived = 0;
    if (packets[i].link >= 0)
      continue;
    CWI_TRY(CWI_MPI(MPI_Test(&packets[i].sending, &arrived, MPI_STATUS_IGNORE)));
    *found = arrived ? &packets[i] : NULL;
  }
  return CW_OK;
}

static struct cwi_packet *oldest_open(void)
{
  struct cwi_packet *oldest = NULL;
  for (int i = 0; i < PACKETS; i++)
    if (packets[i].link >= 0 && (oldest == NULL || packets[i].opened < oldest->opened))
      oldest = &packets[i];
  return oldest;
}

/* A packet to open. When many are open the oldest goes; half of them are kept for the wire. */
static cw_error take_packet(int link, struct cwi_packet **packet)
{
  struct cwi_await await = cwi_await(cwi_links.neighbours[link]);
  if (open_count >= PACKETS / 2)
    CWI_TRY(send_packet(oldest_open()));
  CWI_TRY(find_free(packet));
  while (*packet == NULL) {
    cwi_await_turn(&await);
    CWI_TRY(find_free(packet));
  }
  if ((*packet)->data == NULL)
    (*packet)->data = malloc((size_t)cwi_settings.server_buffer);
  if ((*packet)->data == NULL)
    return cwi_outside("no memory for a message of %ld bytes", cwi_settings.server_buffer);
  (*packet)->link = link;
  (*packet)->used = 0;
  (*packet)->parcel = NULL;
  (*packet)->request = NULL;
  (*packet)->fetch = NULL;
  (*packet)->opened = ++openings;
  open_count++;
  return CW_OK;
}

size_t cwi_packet_room(const struct cwi_packet *packet)
{
  const size_t needed = packet->used + sizeof(struct cwi_parcel) + sizeof(struct cwi_request);
  const size_t all = (size_t)cwi_settings.server_buffer & ~(size_t)15;
  return needed < all ? all - needed : 0;
}

cw_error cwi_outbox_open(int node, size_t bytes, struct cwi_packet **packet)
{
  const int link = cwi_links.towards[node];
  *packet = find_open(link);
  if (*packet != NULL && cwi_packet_room(*packet) > bytes)
    return CW_OK;
  if (*packet != NULL)
    CWI_TRY(send_packet(*packet));
  return take_packet(link, packet);
}

static void begin_parcel(struct cwi_packet *packet, int node)
{
  packet->parcel = (struct cwi_parcel *)(void *)(packet->data + packet->used);
  *packet->parcel = (struct cwi_parcel){.version = CWI_WIRE_VERSION,
                                        .node = node,
                                        .origin = cwi_world.process,
                                        .bytes = sizeof(struct cwi_parcel)};
  packet->used += sizeof(struct cwi_parcel);
}

struct cwi_request *cwi_packet_append(struct cwi_packet *packet, int node,
                                      const struct cwi_request *given)
{
  if (packet->parcel == NULL || packet->parcel->node != node)
    begin_parcel(packet, node);
  struct cwi_request *request = (struct cwi_request *)(void *)(packet->data + packet->used);
  const size_t bytes = sizeof *request + cwi_wire_data_bytes(given);
  *request = *given;
  packet->used += bytes;
  packet->parcel->bytes += bytes;
  packet->request = request;
  return request;
}

char *cwi_packet_grow(struct cwi_packet *packet, size_t bytes)
{
  char *entry = packet->data + packet->used;
  packet->request->rows++;
  packet->used += bytes;
  packet->parcel->bytes += bytes;
  return entry;
}

cw_error cwi_outbox_push(int node)
{
  struct cwi_packet *packet = find_open(cwi_links.towards[node]);
  return packet != NULL ? send_packet(packet) : CW_OK;
}

cw_error cwi_outbox_push_all(void)
{
  while (open_count > 0)
    CWI_TRY(send_packet(oldest_open()));
  return CW_OK;
}
