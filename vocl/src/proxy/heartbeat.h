/* Whether the proxies with which sessions are shared, or for which the end of the service waits,
 * can still be reached. */
#ifndef VOCL_PROXY_HEARTBEAT_H
#define VOCL_PROXY_HEARTBEAT_H

#include <stdbool.h>

/* A service of one proxy needs none. False: no memory, or no thread. */
bool vocl_heartbeat_start(void);
void vocl_heartbeat_stop(void);

/* Once in each turn of the proxy's thread. Asks those that have been silent. */
void vocl_heartbeat_poll(void);
/* A mail has come from that proxy. */
void vocl_heartbeat_received(int process);
/* The service is stopped: from now on those are needed that have not said that they stop. */
void vocl_heartbeat_begin_stop(void);
/* That proxy has said it. */
void vocl_heartbeat_peer_stops(int process);
#endif
