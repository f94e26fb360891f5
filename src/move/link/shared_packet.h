/* State that the processes of a node and its server share so that small updates are sent together.
 *
 * An in-flight count is the number of messages of a process to a neighbour that have not been
 * returned. While it is not zero, the process leaves its next updates in a packet in shared memory.
 * When the last message is returned, the server sends that packet, if the process has not done so:
 * the process may be computing.
 *
 * MPI keeps the order of messages of one sender, but not between a process and its server. So the
 * sender may change only while the count is zero: the server sends only if it is zero, and after
 * the server has sent, the process waits until it is zero again. */
#ifndef CWI_LINK_SHARED_PACKET_H
#define CWI_LINK_SHARED_PACKET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Number of packets of a process. */
enum { CWI_SHARED_PACKETS = 8 };

/* A process offers a packet, and takes it back before it uses it in any way. The server copies a
 * packet that it takes, and leaves the rest to the process. */
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
  uint32_t on_way;    /* messages of the process that the neighbour has not returned */
  uint32_t by_server; /* the server has sent the last one */
};

/* Allocates the packets. Collective over the node, including its server rank. Without memory, or
 * with CW_GATHER=0, there are no packets and in-flight counts, and nothing is gathered. */
CWI_CHECKED cw_error cwi_shared_packets_start(void);
void cwi_shared_packets_stop(void);

/* Return the in-flight count or the packets of a process of this node, given its index there. NULL
 * if nothing is gathered or the index is -1. */
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

/* Offers a packet to the server. The caller must check the in-flight count afterwards: if it is
 * zero, the server may have checked before the packet was offered. */
void cwi_shared_packet_offer(struct cwi_shared_packet *shared_packet, int link, uint64_t bytes);

/* Takes an offered packet, for the process or for the server. Returns false if the other side has
 * it. */
bool cwi_shared_packet_take(struct cwi_shared_packet *shared_packet,
                            enum cwi_shared_packet_state as);

static inline bool cwi_shared_packet_is_sent(const struct cwi_shared_packet *shared_packet)
{
  return __atomic_load_n(&shared_packet->state, __ATOMIC_ACQUIRE) == CWI_SHARED_PACKET_SENT;
}

/* Returns true if a process of the node has offered a packet. Called by a server before it
 * sleeps. */
bool cwi_shared_packets_offered(void);
#endif
