/* Loads: what programs have at work on all proxies' devices, and what is moved because of it
 * (CW_VOCL_BALANCE). Each proxy looks at its own sessions, and tells process 0 when one of them
 * begins or ends to be at work; that one asks programs to move, one at a time. */
#ifndef CWI_PROXY_LOADS_H
#define CWI_PROXY_LOADS_H

#include "proxy/list.h"
#include "proxy/moving.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The request of a move that nobody at a door has asked for. */
enum { CWI_LOADS_REQUEST = 0 };

/* Nothing of what follows does anything if proxies are not to balance. facts stay the caller's. */
void cwi_loads_open(const struct cwi_service_facts *facts);
void cwi_loads_close(void);

/* Looks, if it is time. For how many nanoseconds nothing needs to be looked at; LONG_MAX: until
 * something else happens. told: as for cwi_moving_ask. */
long cwi_loads_turn(cwi_moving_told *told);
/* A session of this proxy ends. */
void cwi_loads_end(const struct cwi_proxy_session *session);
/* A mail about a load. */
void cwi_loads_hear(const struct cwi_mail *mail);
/* What came of a move that was asked for here. */
cwi_moving_told cwi_loads_moved;

#ifdef __cplusplus
}
#endif
#endif
