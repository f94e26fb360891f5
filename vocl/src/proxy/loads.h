/* Loads: what programs have at work on all proxies' devices, and what is moved because of it
 * (CW_VOCL_BALANCE). Each proxy looks at its own sessions, and tells process 0 when one of them
 * begins or ends to be at work; that one asks programs to move, one at a time. */
#ifndef VOCL_PROXY_LOADS_H
#define VOCL_PROXY_LOADS_H

#include "proxy/move_requests.h"
#include "proxy/status_list.h"

/* The request of a move that nobody at a door has asked for. */
enum { VOCL_LOADS_REQUEST = 0 };

/* Nothing of what follows does anything if proxies are not to balance. facts stay the caller's. */
void vocl_loads_open(const struct vocl_service_facts *facts);
void vocl_loads_close(void);

/* Looks, if it is time. For how many nanoseconds nothing needs to be looked at; LONG_MAX: until
 * something else happens. told: as for vocl_proxy_move_request. */
long vocl_loads_poll(vocl_move_reply_function *reply);
/* A session of this proxy ends. */
void vocl_loads_end(const struct vocl_proxy_session *session);
/* A mail about a load. */
void vocl_loads_receive(const struct vocl_control_message *message);
/* What came of a move that was asked for here. */
vocl_move_reply_function vocl_loads_move_replied;
#endif
