/* The desk: what visitors of the door ask, and what they are answered. */
#ifndef CWI_PROXY_DESK_H
#define CWI_PROXY_DESK_H

#include "proxy/list.h"
#include "proxy/moving.h"

#ifdef __cplusplus
extern "C" {
#endif

/* door: a listening socket, or -1: another proxy of this machine has it. facts stay the caller's.
 */
bool cwi_desk_open(int door, const struct cwi_service_facts *facts);
void cwi_desk_close(void);

/* Looks at the descriptor that cwi_watch_next named: the door, or a visitor. */
void cwi_desk_look(void *whose);

/* Mail of other proxies about lists. */
void cwi_desk_hear(int from, const struct cwi_mail *mail);

/* Tells the visitor whose request it was. */
cwi_moving_told cwi_desk_moved;

/* Has a visitor asked to end the service? */
bool cwi_desk_wants_stop(void);

/* No more visitors: those that have no session are sent away. */
void cwi_desk_shut(void);

extern const struct cwi_session_listener cwi_desk_listener;

#ifdef __cplusplus
}
#endif
#endif
