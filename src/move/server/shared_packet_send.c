/* Sends packets for processes that may be computing, when all their earlier messages to the
 * neighbour have been returned. */
#include "server/shared_packet_send.h"

#include "execution/async_operations.h"
#include "link/link.h"
#include "link/shared_packet.h"
#include "mpi/mpi_progress.h"
#include "region/chunk.h"
#include "server/forward.h"
#include "team/world.h"

#include <stdlib.h>

/* True for each link on which a packet waits for a credit. */
static bool *starved; /* [links] */

void cwi_shared_packets_send_start(void)
{
  starved = calloc((size_t)cwi_links.count + 1, sizeof *starved);
  if (starved == NULL)
    cwi_abort("the server has no memory for its links", 1);
}

void cwi_shared_packets_send_stop(void)
{
  free(starved);
  starved = NULL;
}

static bool send_copy(const struct cwi_shared_packet *shared_packet, int link)
{
  if (!cwi_credit_take(link, CWI_CREDIT_PROCESS))
    return false;
  const bool sent =
      cwi_forward_copy(link, cwi_address_at(shared_packet->data), shared_packet->bytes);
  if (!sent) {
    cwi_credit_give(link, 1);
    cwi_links_returned(); /* wakes processes that found no credit while this function held it */
  }
  return sent;
}

/* Sends a packet if it is offered for this link. A packet that is offered later is not lost. After
 * the offer, its process checks the in-flight count again. If the count is zero, the process takes
 * the packet back and sends it. */
static bool send_shared_packet(struct cwi_shared_packet *shared_packet,
                               struct cwi_in_flight *in_flight, int link)
{
  if (__atomic_load_n(&shared_packet->state, __ATOMIC_SEQ_CST) != CWI_SHARED_PACKET_OFFERED ||
      __atomic_load_n(&shared_packet->link, __ATOMIC_RELAXED) != link ||
      !cwi_shared_packet_take(shared_packet, CWI_SHARED_PACKET_TAKEN))
    return false;
  /* the process may have refilled the packet for another link before the server took it */
  const bool mine = shared_packet->link == link && cwi_in_flight_is_zero(in_flight);
  const bool sent = mine && send_copy(shared_packet, link);
  if (sent)
    cwi_in_flight_add(in_flight, true);
  starved[link] = starved[link] || (mine && !sent);
  __atomic_store_n(&shared_packet->state, sent ? CWI_SHARED_PACKET_SENT : CWI_SHARED_PACKET_OFFERED,
                   __ATOMIC_SEQ_CST);
  return sent;
}

static bool send_for(int index, int link)
{
  struct cwi_shared_packet *shared_packets = cwi_shared_packets(index);
  struct cwi_in_flight *in_flight = cwi_in_flight(index, link);
  bool sent = false;
  if (cwi_in_flight_is_zero(in_flight))
    for (int i = 0; i < CWI_SHARED_PACKETS; i++)
      sent = send_shared_packet(&shared_packets[i], in_flight, link) || sent;
  return sent;
}

bool cwi_shared_packets_send_returned(int link, const struct cwi_credit *credit)
{
  bool sent = false;
  if (cwi_shared_packets(0) == NULL)
    return false;
  for (uint32_t i = 0; i < credit->buffers; i++) {
    const int index = cwi_node_index(credit->process[i]);
    if (index >= 0 && cwi_in_flight_remove(cwi_in_flight(index, link)))
      sent = send_for(index, link) || sent;
  }
  if (!starved[link])
    return sent;
  starved[link] = false;
  for (int index = 0; index < cwi_world.node_processes; index++)
    sent = send_for(index, link) || sent;
  return sent;
}
