/* State that the processes of a node share with its server, so that small updates are sent
 * together.
 *
 * A message is returned when the neighbour's buffer is free again. An in-flight count is the number
 * of messages from one process to one neighbour that have not been returned. While the count is not
 * zero, the process leaves its next updates in a packet in shared memory. When the last message is
 * returned, the server sends that packet, unless the process has already sent it. So the updates
 * leave even if the process is computing.
 *
 * MPI keeps the order of messages from one sender, but not the order between a process's messages
 * and its server's. So the sender may change only while the count is zero. The server sends only if
 * the count is zero. After the server has sent, the process does not send until the count is zero
 * again. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Number of packets of a process. */
enum { CWI_SHARED_PACKETS = 8 };

/* A process offers a packet to the server, and takes it back before it touches the packet again. If
 * the server takes the packet, it sends a copy; the process may then reuse the packet. */
enum cwi_shared_packet_state {
  CWI_SHARED_PACKET_OWNED,
  CWI_SHARED_PACKET_OFFERED,
  CWI_SHARED_PACKET_TAKEN,
  CWI_SHARED_PACKET_SENT
};

/* A packet in shared memory, with requests of one process for one link. */
struct cwi_shared_packet {
  uint32_t state; /* enum cwi_shared_packet_state */
  int32_t link;
  uint64_t bytes;
  uint64_t data; /* offset in the zone */
  uint64_t padding[5];
};

/* In-flight count of one process on one link. */
struct cwi_in_flight {
  uint32_t on_way;    /* number of messages of the process that the neighbour has not returned */
  uint32_t by_server; /* not 0 if the server has sent the latest one */
};

/* Allocates the packets. Collective over the node, including its server rank. If there is no
 * memory, or with CW_GATHER=0, there are neither packets nor in-flight counts, and updates are not
 * gathered. */
CWI_CHECKED cw_error cwi_shared_packets_start(void);
void cwi_shared_packets_stop(void);

/* Return the in-flight count, or the packets, of the process with this index on this node. Return
 * NULL if updates are not gathered or `index` is -1. */
struct cwi_in_flight *cwi_in_flight(int index, int link);
struct cwi_shared_packet *cwi_shared_packets(int index);

static inline bool cwi_in_flight_is_zero(const struct cwi_in_flight *in_flight)
{
  return __atomic_load_n(&in_flight->on_way, __ATOMIC_SEQ_CST) == 0;
}

/* Counts a message that is about to be sent. */
static inline void cwi_in_flight_add(struct cwi_in_flight *in_flight, bool by_server)
{
  __atomic_store_n(&in_flight->by_server, by_server, __ATOMIC_RELAXED);
  __atomic_fetch_add(&in_flight->on_way, 1, __ATOMIC_SEQ_CST);
}

/* Counts a returned message. Returns true if it was the last one. */
static inline bool cwi_in_flight_remove(struct cwi_in_flight *in_flight)
{
  return __atomic_fetch_sub(&in_flight->on_way, 1, __ATOMIC_SEQ_CST) == 1;
}

/* Offers a packet to the server. The caller must check the in-flight count afterwards. If the count
 * is zero, the server may have checked for packets before this offer and may never send the
 * packet. */
void cwi_shared_packet_offer(struct cwi_shared_packet *shared_packet, int link, uint64_t bytes);

/* Takes an offered packet. `as` is its new state: CWI_SHARED_PACKET_OWNED for the process,
 * CWI_SHARED_PACKET_TAKEN for the server. Returns false if the packet is not on offer. */
bool cwi_shared_packet_take(struct cwi_shared_packet *shared_packet,
                            enum cwi_shared_packet_state as);

static inline bool cwi_shared_packet_is_sent(const struct cwi_shared_packet *shared_packet)
{
  return __atomic_load_n(&shared_packet->state, __ATOMIC_ACQUIRE) == CWI_SHARED_PACKET_SENT;
}

/* Returns true if a process of the node has offered a packet. Called by a server before it
 * sleeps. */
bool cwi_shared_packets_offered(void);
