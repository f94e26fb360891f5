/* What processes of my node have left in packets until their pipe is empty (link/shared_packet.h).
 */
#ifndef CWI_SERVER_SHARED_PACKET_SEND_H
#define CWI_SERVER_SHARED_PACKET_SEND_H

#include "link/wire_format.h"

#include <stdbool.h>

void cwi_shared_packets_send_start(void);
void cwi_shared_packets_send_stop(void);

/* A neighbour has given messages back: send what waited for them. False: nothing did. */
bool cwi_shared_packets_send_returned(int link, const struct cwi_credit *credit);
#endif
