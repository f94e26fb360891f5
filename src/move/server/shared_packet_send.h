/* Sending of packets that processes of my node have left to the server. The server sends them when
 * the processes' earlier messages have been returned (link/shared_packet.h). */
#pragma once

#include "link/wire_format.h"

#include <stdbool.h>

/* Allocate and free the server's records of links on which a packet waits for a credit. */
void cwi_shared_packets_send_start(void);
void cwi_shared_packets_send_stop(void);

/* Counts the messages that a neighbour has returned, and sends the packets that waited for them.
 * Returns true if it sent any. */
bool cwi_shared_packets_send_returned(int link, const struct cwi_credit *credit);
