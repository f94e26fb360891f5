/* Checks that the proxies that are needed can be reached: those with which sessions are shared,
 * or for which the end of the service waits. */
#ifndef VOCL_PROXY_HEARTBEAT_H
#define VOCL_PROXY_HEARTBEAT_H

#include <stdbool.h>

/* Starts the heartbeat, unless the service has one proxy only. Returns false if there is no
 * memory or no thread. */
bool vocl_heartbeat_start(void);
void vocl_heartbeat_stop(void);

/* Sends liveness checks to the proxies that have been silent. Called once in each pass of the
 * main thread. */
void vocl_heartbeat_poll(void);
/* Records that a message of that proxy has arrived. */
void vocl_heartbeat_received(int process);
/* The service is being stopped: from now on, all proxies that have not sent a stop message are
 * needed. */
void vocl_heartbeat_begin_stop(void);
/* Records the stop message of that proxy. */
void vocl_heartbeat_peer_stops(int process);
#endif
