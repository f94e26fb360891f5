/* Loads: which programs keep the devices of all proxies busy, and load balancing (CW_VOCL_BALANCE).
 * Each proxy samples its own sessions and reports to process 0 when one of them becomes busy or
 * idle. Process 0 requests moves of programs, one at a time. */
#pragma once

#include "proxy/move_requests.h"
#include "proxy/status_list.h"

/* Number of a move request that no client has made. */
enum { VOCL_LOADS_REQUEST = 0 };

/* Without load balancing the following functions do nothing. `facts` is used only during the
 * call. */
void vocl_loads_open(const struct vocl_service_facts *facts);
void vocl_loads_close(void);

/* Samples the sessions and chooses a move, if the interval is over. Returns the nanoseconds until
 * the next call, or LONG_MAX if none is needed before another event. `reply` is as in
 * vocl_proxy_move_request. */
long vocl_loads_poll(vocl_move_reply_function *reply);
/* Reports the end of a session of this proxy. */
void vocl_loads_end(const struct vocl_proxy_session *session);
/* Handles a message about a load. */
void vocl_loads_receive(const struct vocl_control_message *message);
/* Handles the result of a move that was requested here. */
vocl_move_reply_function vocl_loads_move_replied;
