/* Checks that the needed proxies can be reached. A proxy needs another one if they share a session,
 * or if the end of the service waits for it. */
#pragma once

#include <stdbool.h>

/* Starts the heartbeat, unless the service has only one proxy or CW_VOCL_SILENCE is 0. Returns
 * false if there is no memory or no thread. */
bool vocl_heartbeat_start(void);
void vocl_heartbeat_stop(void);

/* Sends liveness checks to the proxies that have been silent. Called once in each pass of the
 * main thread. */
void vocl_heartbeat_poll(void);
/* Records that a message of that proxy has arrived. */
void vocl_heartbeat_received(int process);
/* Records that the service is being stopped. From then on, all proxies that have not sent a stop
 * message are needed. */
void vocl_heartbeat_begin_stop(void);
/* Records the stop message of that proxy. */
void vocl_heartbeat_peer_stops(int process);
