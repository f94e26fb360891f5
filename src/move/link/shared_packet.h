/* What the processes of a node and its server share so that updates travel together.
 *
 * A in_flight is what a process has sent to a neighbour. While some of it has not been given back,
 * the process leaves its next updates in a packet in shared memory. When the last message comes
 * back, the server sends that packet, if the process has not done it by then: it may be computing.
 *
 * MPI keeps the messages of one sender in order, not those of a process and its server. So a packet
 * changes hands only while the in_flight is empty: the server sends only into an empty in_flight,
 * and after it has sent, the process waits until the in_flight is empty again. */
#ifndef CWI_LINK_SHARED_PACKET_H
#define CWI_LINK_SHARED_PACKET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Packets of a process. */
enum { CWI_SHARED_PACKETS = 8 };

/* The process offers a packet, and takes it back before it does anything with it. The server
 * copies what it takes, and leaves the rest to the process. */
enum cwi_shared_packet_state {
  CWI_SHARED_PACKET_OWNED,
  CWI_SHARED_PACKET_OFFERED,
  CWI_SHARED_PACKET_TAKEN,
  CWI_SHARED_PACKET_SENT
};

struct cwi_shared_packet {
  uint32_t state; /* enum cwi_shared_packet_state */
  int32_t link;
  uint64_t bytes;
  uint64_t data; /* offset in the zone */
  uint64_t padding[5];
};

struct cwi_in_flight {
  uint32_t on_way;    /* messages of the process that the neighbour has not given back */
  uint32_t by_server; /* the server has sent the last one */
};

/* Collective over the node, its server rank included. Without memory, or with CW_GATHER=0, nothing
 * is gathered: there are no pipes. */
CWI_CHECKED cw_error cwi_shared_packets_start(void);
void cwi_shared_packets_stop(void);

/* Of a process of my node, by its index there. NULL: nothing is gathered; or the index is -1. */
struct cwi_in_flight *cwi_in_flight(int index, int link);
struct cwi_shared_packet *cwi_shared_packets(int index);

static inline bool cwi_in_flight_is_zero(const struct cwi_in_flight *in_flight)
{
  return __atomic_load_n(&in_flight->on_way, __ATOMIC_SEQ_CST) == 0;
}

/* A message goes into the in_flight. */
static inline void cwi_in_flight_add(struct cwi_in_flight *in_flight, bool by_server)
{
  __atomic_store_n(&in_flight->by_server, by_server, __ATOMIC_RELAXED);
  __atomic_fetch_add(&in_flight->on_way, 1, __ATOMIC_SEQ_CST);
}

/* One has come back; true: it was the last. */
static inline bool cwi_in_flight_remove(struct cwi_in_flight *in_flight)
{
  return __atomic_fetch_sub(&in_flight->on_way, 1, __ATOMIC_SEQ_CST) == 1;
}

/* Offer a packet to the server. Look at the in_flight afterwards: if it is empty, the server may
 * have looked before. */
void cwi_shared_packet_offer(struct cwi_shared_packet *shared_packet, int link, uint64_t bytes);

/* Take it, for either; false: the other has it. */
bool cwi_shared_packet_take(struct cwi_shared_packet *shared_packet,
                            enum cwi_shared_packet_state as);

static inline bool cwi_shared_packet_is_sent(const struct cwi_shared_packet *shared_packet)
{
  return __atomic_load_n(&shared_packet->state, __ATOMIC_ACQUIRE) == CWI_SHARED_PACKET_SENT;
}

/* Has any process of the node offered a packet? For a server that may sleep. */
bool cwi_shared_packets_offered(void);
#endif
