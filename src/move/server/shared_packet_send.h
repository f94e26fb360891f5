/* Packets that processes of my node have left to the server until their earlier messages have come
 * back (link/shared_packet.h). */
#ifndef CWI_SERVER_SHARED_PACKET_SEND_H
#define CWI_SERVER_SHARED_PACKET_SEND_H

#include "link/wire_format.h"

#include <stdbool.h>

/* Make and free the server's records for this. */
void cwi_shared_packets_send_start(void);
void cwi_shared_packets_send_stop(void);

/* Takes note of messages that a neighbour has given back, and sends the packets that waited for
 * them. Returns false if none did. */
bool cwi_shared_packets_send_returned(int link, const struct cwi_credit *credit);
#endif
